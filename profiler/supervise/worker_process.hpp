// A child process with three pipes: started, written to, read from, killed. No knowledge of what is said.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace triscope {

/// A file descriptor that is closed once.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  int get() const { return fd_; }
  int release() noexcept;
  void close() noexcept;

 private:
  int fd_;
};

/// An event that another thread or a stop callback can set; readable by poll().
class WakeEvent {
 public:
  WakeEvent();  ///< throws `Error` when descriptors have run out
  void set() noexcept;
  int fd() const { return fd_.get(); }

 private:
  Descriptor fd_;
};

/// A running child. It gets SIGKILL when the thread that started it ends, and ignores Ctrl-C, which is ours to handle.
/// Use on one thread.
class WorkerProcess {
 public:
  using Clock = std::chrono::steady_clock;

  /// Throws `Error` (environment) when `command` cannot be started; command[0] is looked up on the PATH. `variables`
  /// ("NAME=value") are added to our own environment.
  explicit WorkerProcess(const std::vector<std::string>& command, const std::vector<std::string>& variables = {});
  ~WorkerProcess();  ///< kills and reaps
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  pid_t pid() const { return pid_; }

  enum class Event { output, ended, timed_out, woken };
  /// Waits until the child wrote to stdout (`output`, appended to `bytes`), closed it (`ended`), `deadline` passed, or
  /// `wake` was set (null: never). Meanwhile sends what `write` queued and collects stderr.
  Event wait(std::string& bytes, Clock::time_point deadline, const WakeEvent* wake);

  /// Queues bytes for the child's stdin; `wait` sends them. A child that no longer reads shows as `ended` or
  /// `timed_out`.
  void write(std::string_view bytes);

  /// Complete lines of stderr since the last call.
  std::vector<std::string> take_log();

  /// Closes stdin, waits until `deadline`, kills if need be, and reaps. In words: "ended with exit code 3", "was killed
  /// by SIGSEGV (Segmentation fault)", "closed its output without ending, so it was killed". Calls after the first
  /// return the same.
  const std::string& end(Clock::time_point deadline);
  void kill() noexcept;

 private:
  void send_queued();
  void read_log();
  bool reap(bool block);

  pid_t pid_ = -1;
  Descriptor stdin_, stdout_, stderr_;
  std::string queued_;
  std::string log_;
  std::string ending_;   ///< how it ended; empty while it runs
  bool killed_ = false;  ///< by us
};

}  // namespace triscope
