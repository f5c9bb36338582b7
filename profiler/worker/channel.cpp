#include "profiler/worker/channel.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "kernels/base/error.hpp"

namespace triscope {
namespace {

// Without destructors: the main thread may be inside a kernel.
[[noreturn]] void end_process(const char* why, int code) {
  if (why != nullptr) std::fprintf(stderr, "triscope-worker: %s\n", why);
  std::fflush(stderr);
  std::_Exit(code);
}

}  // namespace

void Channel::write_all(std::string_view rest) {
  while (!rest.empty()) {
    const ssize_t written = write(output_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) end_process(nullptr, 0);
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

Channel::Channel() {
  output_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (output_ < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    throw Error("the worker cannot communicate", std::strerror(errno), "start it with stdin, stdout and stderr open");
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGINT, SIG_IGN);  // Ctrl-C is the supervisor's to handle: it cancels between samples
  reader_ = std::thread([this] { read_all(); });
}

Channel::~Channel() {
  // The reader is blocked in read(). The process is about to end, and the thread ends with it.
  reader_.detach();
}

void Channel::read_all() {
  FrameParser parser;
  std::vector<char> buffer(1 << 16);
  try {
    while (true) {
      const ssize_t bytes = read(STDIN_FILENO, buffer.data(), buffer.size());
      if (bytes < 0 && errno == EINTR) continue;
      if (bytes <= 0) end_process(nullptr, 0);
      for (const Frame& frame : parser.feed({buffer.data(), static_cast<std::size_t>(bytes)})) {
        Message message = decode(frame);
        if (std::holds_alternative<CancelRequest>(message)) {
          cancelled_ = true;
          continue;
        }
        const std::lock_guard lock(mutex_);
        cancelled_ = false;
        messages_.push_back(std::move(message));
        arrived_.notify_one();
      }
    }
  } catch (const std::exception& e) {
    end_process(e.what(), static_cast<int>(ExitCode::usage));
  }
}

Message Channel::receive() {
  std::unique_lock lock(mutex_);
  arrived_.wait(lock, [this] { return !messages_.empty(); });
  Message message = std::move(messages_.front());
  messages_.pop_front();
  return message;
}

void Channel::send(const Message& message) {
  Frame frame = encode(message);
  frame.json += '\n';
  write_all(frame.json);
  write_all(frame.payload);
}

}  // namespace triscope
