// Commands that only read a database have given up their other rights when the first row of it is printed.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "profiler/store/check/confinement.hpp"
#include "tests/app/cli/program.hpp"
#include "tests/profiler/store/synthetic_database.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

/// A pipe that takes no byte: who writes to it waits.
class FullPipe {
 public:
  explicit FullPipe(const std::filesystem::path& name) {
    ::mkfifo(name.c_str(), 0600);
    descriptor_ = ::open(name.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    while (::write(descriptor_, "x", 1) == 1) {
    }
  }
  ~FullPipe() { ::close(descriptor_); }
  FullPipe(const FullPipe&) = delete;
  FullPipe& operator=(const FullPipe&) = delete;

 private:
  int descriptor_;
};

bool has_a_filter(pid_t process) {
  const std::string status = read_bytes("/proc/" + std::to_string(process) + "/status");
  return status.find("Seccomp:\t2") != std::string::npos;
}

TEST(Rights, are_given_up_by_commands_that_read) {
  if (!missing_confinement().empty()) GTEST_SKIP() << "this kernel lacks " << missing_confinement().front();
  const TemporaryFolder folder;
  const std::string file = folder / "x.db";
  write_synthetic_database(file, 300, 20);
  const FullPipe pipe(folder / "pipe");
  const std::vector<std::vector<std::string>> commands = {
      {"list", "--db", file},   {"search", "a", "--limit", "1000", "--db", file},
      {"show", "--db", file},   {"show", "--step", "--db", file},
      {"export", "--db", file}, {"compare", "1", "2", "--db", file},
      {"explore", file},
  };
  for (const std::vector<std::string>& command : commands) {
    Program program(program_path("triscope"), command, {.output = folder / "pipe"});
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    bool confined = false;
    while (!(confined = has_a_filter(program.pid())) && program.running() && std::chrono::steady_clock::now() < give_up)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_TRUE(confined) << command.front();
  }
}

}  // namespace
}  // namespace triscope
