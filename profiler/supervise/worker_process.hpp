// A child process with three pipes: started, written to, read from, killed. No knowledge of what is said.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <deque>
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

/// What a child writes to stderr, as lines for a person, however much it is: a line is cut after 2,000 bytes, escapes
/// are written out, and of what comes after the first 16 KiB of a job only the last three lines are kept.
class ErrorOutput {
 public:
  void feed(std::string_view bytes);
  /// A job begins: the lines that were kept back come, and there is room again.
  void close_job();
  /// The child has ended, perhaps within a line.
  void end();
  /// Lines since the last call.
  std::vector<std::string> take();

 private:
  void add_line();

  std::string line_;  ///< the one that is arriving
  bool cut_ = false;
  std::vector<std::string> lines_;
  std::size_t bytes_ = 0;         ///< of this job's lines so far
  std::deque<std::string> last_;  ///< beyond the bound
  std::size_t left_out_ = 0;      ///< lines beyond the bound
};

/// A running child in a session of its own: it has no terminal, and what it starts ends with it. It gets SIGKILL when
/// the thread that started it ends, and ignores Ctrl-C, which is ours to handle. Use on one thread.
class WorkerProcess {
 public:
  using Clock = std::chrono::steady_clock;

  /// Throws `Error` (environment) when `command` cannot be started; command[0] is looked up on the PATH. `variables`
  /// ("NAME=value") are added to our own environment.
  explicit WorkerProcess(const std::vector<std::string>& command, const std::vector<std::string>& variables = {});
  ~WorkerProcess();  ///< kills its process group and reaps it
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  pid_t pid() const { return pid_; }

  enum class Event { output, ended, timed_out, woken };
  /// Waits until the child wrote to stdout (`output`, appended to `bytes`), closed it (`ended`), `deadline` passed, or
  /// `wake` was set (null: never). Meanwhile sends what `write` queued and collects stderr.
  Event wait(std::string& bytes, Clock::time_point deadline, const WakeEvent* wake);

  /// Queues bytes for the child's stdin, a new job; `wait` sends them. A child that no longer reads shows as `ended` or
  /// `timed_out`.
  void write(std::string_view bytes);

  /// Lines of stderr since the last call, as `ErrorOutput` gives them.
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
  void end_group() noexcept;

  pid_t pid_ = -1;
  Descriptor stdin_, stdout_, stderr_;
  std::string queued_;
  ErrorOutput log_;
  Descriptor pidfd_;     ///< readable once it has ended, whoever still holds its pipes; -1 where the kernel has none
  std::string ending_;   ///< how it ended; empty while it runs
  bool killed_ = false;  ///< by us
};

}  // namespace triscope
