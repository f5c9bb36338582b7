#include "tests/app/cli/program.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

#include "tests/paths.hpp"

namespace triscope {
namespace {

std::string read_text(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void open_as(int descriptor, const std::filesystem::path& file) {
  const int opened = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (opened < 0 || dup2(opened, descriptor) < 0) _exit(126);
  close(opened);
}

}  // namespace

Program::Program(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                 const Options& options) {
  std::string name = (std::filesystem::temp_directory_path() / "triscope_program_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = name;
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("fork failed");
  if (pid_ > 0) return;
  if (options.new_group) setpgid(0, 0);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) signal(number, SIG_DFL);
  // Tiny problems gain nothing from threads, and on a busy machine threads wait for each other.
  setenv("OMP_NUM_THREADS", "1", 1);
  setenv("XDG_DATA_HOME", (folder_ / "home").c_str(), 1);  // whatever the user of this machine has measured
  for (const auto& [variable, value] : options.environment) {
    if (value.empty()) {
      unsetenv(variable.c_str());
    } else {
      setenv(variable.c_str(), value.c_str(), 1);
    }
  }
  const int null = open("/dev/null", O_RDONLY);
  dup2(null, STDIN_FILENO);
  open_as(STDOUT_FILENO, options.output.empty() ? folder_ / "stdout" : options.output);
  open_as(STDERR_FILENO, folder_ / "stderr");
  execv(argv[0], argv.data());
  _exit(127);
}

Program::~Program() {
  if (running()) {
    kill(pid_, SIGKILL);
    wait();
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

bool Program::running() {
  if (ended_) return false;
  ended_ = waitpid(pid_, &status_, WNOHANG) == pid_;
  return !ended_;
}

std::string Program::output_so_far() const { return read_text(folder_ / "stdout"); }

bool Program::wait_for_output(const std::string& text) {
  while (true) {
    const bool alive = running();
    if (output_so_far().find(text) != std::string::npos) return true;
    if (!alive) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

ProgramResult Program::wait() {
  if (!ended_) waitpid(pid_, &status_, 0);
  ended_ = true;
  ProgramResult result;
  if (WIFEXITED(status_)) result.exit_code = WEXITSTATUS(status_);
  if (WIFSIGNALED(status_)) result.signal = WTERMSIG(status_);
  result.output = read_text(folder_ / "stdout");
  result.errors = read_text(folder_ / "stderr");
  return result;
}

std::filesystem::path program_path(const std::string& name) { return build_file("bin/" + name); }

ProgramResult run_triscope(const std::vector<std::string>& arguments, const Program::Options& options) {
  return Program(program_path("triscope"), arguments, options).wait();
}

}  // namespace triscope
