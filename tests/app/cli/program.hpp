// Runs the real programs as a user does: arguments, environment, signals; output and exit code come back.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace triscope {

struct ProgramResult {
  int exit_code = -1;  ///< -1 when a signal ended it
  int signal = 0;
  std::string output;  ///< stdout
  std::string errors;  ///< stderr
};

/// A child process with its output in files. The destructor kills it.
class Program {
 public:
  struct Options {
    std::map<std::string, std::string> environment;  ///< added to the test's own and OMP_NUM_THREADS=1; empty: removed
    std::filesystem::path output;                    ///< stdout goes here instead (/dev/full)
    bool new_group = false;                          ///< a process group of its own, for signals to all of it
  };
  Program(const std::filesystem::path& program, const std::vector<std::string>& arguments, const Options& options);
  Program(const std::filesystem::path& program, const std::vector<std::string>& arguments)
      : Program(program, arguments, Options()) {}
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  pid_t pid() const { return pid_; }
  bool running();
  /// What stdout holds by now.
  std::string output_so_far() const;
  /// Waits until stdout contains `text`; false when the program ended before.
  bool wait_for_output(const std::string& text);
  ProgramResult wait();

 private:
  std::filesystem::path folder_;
  pid_t pid_ = -1;
  int status_ = 0;
  bool ended_ = false;
};

/// build/bin/`name`.
std::filesystem::path program_path(const std::string& name);

/// Runs `triscope` with `arguments` to its end.
ProgramResult run_triscope(const std::vector<std::string>& arguments,
                           const Program::Options& options = Program::Options());

}  // namespace triscope
