#include "app/stop/stop_signal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "kernels/base/error.hpp"
#include "kernels/base/system_limit.hpp"

namespace triscope {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
std::atomic<int> write_end{-1};
std::array<struct sigaction, kSignals.size()> previous_actions;

extern "C" void on_stop_signal(int) {
  const int saved = errno;
  const char byte = 's';
  const ssize_t written = write(write_end.load(), &byte, 1);
  (void)written;
  struct sigaction fatal {};
  fatal.sa_handler = SIG_DFL;
  for (const int other : kSignals) sigaction(other, &fatal, nullptr);
  errno = saved;
}

}  // namespace

StopSignal::StopSignal() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    const int code = errno;
    throw Error("Ctrl-C cannot be handled", std::strerror(code),
                what_raises_the_limit(code, "close other programs, then run it again"));
  }
  read_end_ = ends[0];
  write_end = ends[1];
  watcher_ = std::thread([this] {
    char byte = 0;
    ssize_t count;
    while ((count = read(read_end_, &byte, 1)) < 0 && errno == EINTR) {
    }
    if (count == 1 && byte == 's') source_.request_stop();
  });
  struct sigaction action {};
  action.sa_handler = on_stop_signal;
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &previous_actions[i]);
    // A signal ignored from the start (nohup, background jobs of a plain shell) stays ignored.
    if (previous_actions[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

StopSignal::~StopSignal() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &previous_actions[i], nullptr);
  close(write_end.exchange(-1));
  watcher_.join();
  close(read_end_);
}

}  // namespace triscope
