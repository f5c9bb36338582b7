// Parts of a test that need a process of their own: to be killed, to give up rights, or to mount something.
#pragma once

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>

namespace triscope {

/// A forked child whose standard way to talk is `pipe_out`. Killed and reaped at the end of its life.
class ChildProcess {
 public:
  /// Runs `body(write_end)` in a child, which then ends without running any destructor of the parent's objects.
  explicit ChildProcess(const std::function<void(int write_end)>& body) {
    int ends[2];
    if (::pipe(ends) != 0) return;
    id_ = ::fork();
    if (id_ == 0) {
      ::close(ends[0]);
      try {
        body(ends[1]);
      } catch (const std::exception& exception) {
        std::fprintf(stderr, "child process: %s\n", exception.what());
        ::_exit(1);
      }
      ::_exit(0);
    }
    ::close(ends[1]);
    read_end_ = ends[0];
  }
  ~ChildProcess() {
    kill();
    ::close(read_end_);
  }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  void kill() {
    if (id_ <= 0) return;
    ::kill(id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
    id_ = -1;
  }
  int read_end() const { return read_end_; }
  /// Waits until the child has written `count` bytes more, or ended; returns how many came.
  std::size_t wait_for(std::size_t count) {
    std::size_t received = 0;
    for (char byte; received < count && ::read(read_end_, &byte, 1) == 1;) ++received;
    return received;
  }
  /// All the child wrote until it ended, but for what `wait_for` took.
  std::string read_all() {
    std::string text;
    char buffer[4096];
    for (ssize_t n; (n = ::read(read_end_, buffer, sizeof buffer)) > 0;)
      text.append(buffer, static_cast<std::size_t>(n));
    return text;
  }

 private:
  pid_t id_ = -1;
  int read_end_ = -1;
};

/// What `body` returns, run in a child; "threw: ..." when it threw.
inline std::string in_child(const std::function<std::string()>& body) {
  ChildProcess child([&](int write_end) {
    std::string answer;
    try {
      answer = body();
    } catch (const std::exception& exception) {
      answer = std::string("threw: ") + exception.what();
    }
    if (::write(write_end, answer.data(), answer.size()) < 0) ::_exit(1);
  });
  return child.read_all();
}

/// Root may write anywhere; permissions hold for someone else.
inline bool become_nobody() { return ::geteuid() != 0 || (::setgid(65534) == 0 && ::setuid(65534) == 0); }

}  // namespace triscope
