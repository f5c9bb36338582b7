#include "profiler/worker/channel.hpp"

#include <fcntl.h>
#include <poll.h>
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
    if (written <= 0 && !owns_process_) throw Gone{};
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

Channel::Channel(Ends ends) : input_(ends.input), output_(ends.output), owns_process_(false) {
  reader_ = std::thread([this] { read_all(); });
}

Channel::~Channel() {
  over_ = true;
  if (owns_process_) {
    reader_.detach();  // it is blocked in read(); the process is about to end, and the thread ends with it
  } else {
    reader_.join();
  }
}

/// Nobody is left to report to, or what they say cannot be understood.
void Channel::end(const char* why, int code) {
  if (owns_process_) end_process(why, code);
  cancelled_ = true;
  const std::lock_guard lock(mutex_);
  messages_.emplace_back(QuitRequest{});
  arrived_.notify_one();
}

/// False when the channel is over. A channel that must be joined looks for that from time to time.
bool Channel::has_input() const {
  if (owns_process_) return true;
  pollfd one{input_, POLLIN, 0};
  while (!over_) {
    if (poll(&one, 1, 50) > 0) return true;
  }
  return false;
}

void Channel::read_all() {
  FrameParser parser;
  std::vector<char> buffer(1 << 16);
  try {
    while (has_input()) {
      const ssize_t bytes = read(input_, buffer.data(), buffer.size());
      if (bytes < 0 && errno == EINTR) continue;
      if (bytes <= 0) return end(nullptr, 0);
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
    end(e.what(), static_cast<int>(ExitCode::usage));
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
