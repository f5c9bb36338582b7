#include "profiler/supervise/worker_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <thread>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/base/system_limit.hpp"
#include "kernels/base/text/plain_text.hpp"

namespace triscope {
namespace {

constexpr char kWithoutPrograms[] = "close other programs";

struct Pipe {
  Descriptor read, write;
};

Pipe make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    const int code = errno;
    throw Error("the worker cannot be started", fmt::format("a pipe cannot be created: {}", std::strerror(code)),
                what_raises_the_limit(code, kWithoutPrograms));
  }
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

void set_nonblocking(const Descriptor& descriptor) {
  fcntl(descriptor.get(), F_SETFL, fcntl(descriptor.get(), F_GETFL) | O_NONBLOCK);
}

// Moves what there is to read, up to 1 MiB, to the end of `bytes`: a child that never pauses must not hold the caller.
// False at the end of the stream.
bool drain(const Descriptor& descriptor, std::string& bytes) {
  std::array<char, 1 << 16> buffer;
  constexpr int kReads = 16;
  for (int reads = 0; reads < kReads; ++reads) {
    if (reads == 1) bytes.reserve(bytes.size() + (kReads - 1) * buffer.size());  // there is a lot: not by doubling
    const ssize_t count = read(descriptor.get(), buffer.data(), buffer.size());
    if (count > 0) {
      bytes.append(buffer.data(), static_cast<std::size_t>(count));
    } else if (count < 0 && errno == EINTR) {
      continue;
    } else {
      return count < 0 && errno == EAGAIN;
    }
  }
  return true;
}

// As exec takes them: with a null at the end.
std::vector<char*> addresses_of(const std::vector<std::string>& words) {
  std::vector<char*> addresses;
  for (const std::string& word : words) addresses.push_back(const_cast<char*>(word.c_str()));
  addresses.push_back(nullptr);
  return addresses;
}

std::vector<char*> with_our_environment(const std::vector<std::string>& variables) {
  std::vector<char*> all = addresses_of(variables);
  for (char** ours = environ; *ours != nullptr; ++ours) {
    const std::string_view line = *ours, name = line.substr(0, line.find('='));
    const bool replaced = std::any_of(variables.begin(), variables.end(), [&](const std::string& variable) {
      return variable.starts_with(name) && variable.substr(name.size()).starts_with('=');
    });
    if (!replaced) all.insert(all.end() - 1, *ours);
  }
  return all;
}

// Runs in the child between fork and exec: async-signal-safe calls only.
[[noreturn]] void become(char* const* command, char* const* variables, const Pipe& in, const Pipe& out, const Pipe& log,
                         int report, pid_t parent) {
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);  // it died before the line above
  for (const int stop : {SIGINT, SIGTERM, SIGHUP})
    std::signal(stop, SIG_IGN);  // the supervisor's to handle; it cancels
  std::signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (dup2(in.read.get(), STDIN_FILENO) >= 0 && dup2(out.write.get(), STDOUT_FILENO) >= 0 &&
      dup2(log.write.get(), STDERR_FILENO) >= 0) {
    environ = const_cast<char**>(variables);
    execvp(command[0], command);
  }
  const int error = errno;
  [[maybe_unused]] const ssize_t ignored = ::write(report, &error, sizeof(error));
  _exit(127);
}

// write() without a SIGPIPE for the whole process when the child is gone.
ssize_t write_quietly(int fd, std::string_view bytes) {
  sigset_t pipe_signal, before, pending;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  sigpending(&pending);
  const bool was_pending = sigismember(&pending, SIGPIPE) == 1;
  pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
  const ssize_t written = ::write(fd, bytes.data(), bytes.size());
  const int error = errno;
  if (written < 0 && error == EPIPE && !was_pending) {
    const timespec now{};
    sigtimedwait(&pipe_signal, nullptr, &now);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return written;
}

int milliseconds_until(WorkerProcess::Clock::time_point deadline) {
  using std::chrono::milliseconds;
  const auto left = std::chrono::ceil<milliseconds>(deadline - WorkerProcess::Clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 3'600'000));
}

std::string describe_status(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    const char* name = sigabbrev_np(signal);
    return fmt::format("was killed by SIG{} ({})", name != nullptr ? name : std::to_string(signal).c_str(),
                       strsignal(signal));
  }
  return fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

constexpr std::size_t kLongestLine = 2000, kMostOfJob = 16 << 10;  // bytes
constexpr std::size_t kLastLines = 3;

}  // namespace

void ErrorOutput::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    const std::size_t room = kLongestLine - std::min(line_.size(), kLongestLine);
    line_ += bytes.substr(0, std::min(end, room));
    cut_ = cut_ || end > room;
    if (end < bytes.size()) add_line();
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
}

void ErrorOutput::add_line() {
  std::string line = plain_line(std::exchange(line_, {}));
  if (std::exchange(cut_, false)) line += "...";
  if (left_out_ == 0 && bytes_ + line.size() < kMostOfJob) {
    bytes_ += line.size() + 1;
    lines_.push_back(std::move(line));
    return;
  }
  ++left_out_;
  last_.push_back(std::move(line));
  if (last_.size() > kLastLines) last_.pop_front();
}

void ErrorOutput::close_job() {
  if (left_out_ > last_.size())
    lines_.push_back(fmt::format("({} more lines of it were left out)", left_out_ - last_.size()));
  std::move(last_.begin(), last_.end(), std::back_inserter(lines_));
  last_.clear();
  left_out_ = bytes_ = 0;
}

void ErrorOutput::end() {
  if (!line_.empty()) add_line();
  close_job();
}

std::vector<std::string> ErrorOutput::take() { return std::exchange(lines_, {}); }

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    close();
    fd_ = other.release();
  }
  return *this;
}

int Descriptor::release() noexcept { return std::exchange(fd_, -1); }

void Descriptor::close() noexcept {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

WakeEvent::WakeEvent() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  const int code = errno;
  if (fd_.get() < 0)
    throw Error("the sweep cannot be started", std::strerror(code), what_raises_the_limit(code, kWithoutPrograms));
}

void WakeEvent::set() noexcept {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t ignored = ::write(fd_.get(), &one, sizeof(one));
}

WorkerProcess::WorkerProcess(const std::vector<std::string>& command, const std::vector<std::string>& variables) {
  Pipe in = make_pipe(), out = make_pipe(), log = make_pipe(), report = make_pipe();
  const std::vector<char*> words = addresses_of(command), settings = with_our_environment(variables);
  fcntl(out.read.get(), F_SETPIPE_SZ, 1 << 20);  // slices come as megabytes; where it is refused, in smaller pieces
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) become(words.data(), settings.data(), in, out, log, report.write.get(), parent);
  const int code = errno;
  if (pid_ < 0)
    throw Error("the worker cannot be started", std::strerror(code), what_raises_the_limit(code, kWithoutPrograms));
  report.write.close();
  int error = 0;
  ssize_t count;
  do {
    count = read(report.read.get(), &error, sizeof(error));
  } while (count < 0 && errno == EINTR);
  if (count == sizeof(error)) {
    reap(true);
    throw Error("the worker cannot be started", fmt::format("{}: {}", command.front(), std::strerror(error)),
                "build Triscope completely, or set TRISCOPE_WORKER to the triscope-worker program");
  }
  stdin_ = std::move(in.write);
  stdout_ = std::move(out.read);
  stderr_ = std::move(log.read);
  for (const Descriptor* descriptor : {&stdin_, &stdout_, &stderr_}) set_nonblocking(*descriptor);
  pidfd_ = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
}

WorkerProcess::~WorkerProcess() {
  kill();
  reap(true);
}

void WorkerProcess::write(std::string_view bytes) {
  read_log();
  log_.close_job();
  queued_ += bytes;
  send_queued();
}

void WorkerProcess::send_queued() {
  while (!queued_.empty() && stdin_.get() >= 0) {
    const ssize_t written = write_quietly(stdin_.get(), queued_);
    if (written > 0) {
      queued_.erase(0, static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      return;
    } else if (errno != EINTR) {
      queued_.clear();  // nobody reads: the end of stdout tells the rest
    }
  }
}

void WorkerProcess::read_log() {
  if (stderr_.get() < 0) return;
  std::string bytes;
  const bool open = drain(stderr_, bytes);
  log_.feed(bytes);
  if (!open) stderr_.close();
}

WorkerProcess::Event WorkerProcess::wait(std::string& bytes, Clock::time_point deadline, const WakeEvent* wake) {
  while (true) {
    std::array<pollfd, 5> polled{{{stdout_.get(), POLLIN, 0},
                                  {stderr_.get(), POLLIN, 0},
                                  {queued_.empty() ? -1 : stdin_.get(), POLLOUT, 0},
                                  {wake != nullptr ? wake->fd() : -1, POLLIN, 0},
                                  {pidfd_.get(), POLLIN, 0}}};
    const int ready = poll(polled.data(), polled.size(), milliseconds_until(deadline));
    if (ready < 0 && errno == EINTR) continue;
    if (polled[1].revents != 0) read_log();
    if (polled[2].revents != 0) send_queued();
    if (polled[4].revents != 0) {  // what it started may hold its pipes open
      end_group();
      pidfd_.close();
    }
    if (polled[3].revents != 0) return Event::woken;
    if (polled[0].revents != 0) {
      const std::size_t before = bytes.size();
      const bool open = drain(stdout_, bytes);
      if (bytes.size() > before) return Event::output;
      if (!open) return Event::ended;
    }
    if (Clock::now() >= deadline) return Event::timed_out;
  }
}

std::vector<std::string> WorkerProcess::take_log() {
  read_log();
  if (!ending_.empty()) log_.end();
  return log_.take();
}

bool WorkerProcess::reap(bool block) {
  if (!ending_.empty() || pid_ < 0) return true;
  siginfo_t ended{};  // not reaped yet: until then its group's number can be no other's
  while (waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOWAIT | (block ? 0 : WNOHANG)) < 0 &&
         errno == EINTR) {
  }
  if (ended.si_pid == pid_) end_group();
  int status = 0;
  pid_t done;
  do {
    done = waitpid(pid_, &status, block ? 0 : WNOHANG);
  } while (done < 0 && errno == EINTR);
  if (done == 0) return false;
  const bool ours = killed_ && done > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  ending_ = done < 0 ? "ended" : ours ? "closed its output without ending, so it was killed" : describe_status(status);
  return true;
}

void WorkerProcess::end_group() noexcept { ::kill(-pid_, SIGKILL); }

void WorkerProcess::kill() noexcept {
  if (!ending_.empty() || pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  end_group();
  killed_ = true;
}

const std::string& WorkerProcess::end(Clock::time_point deadline) {
  stdin_.close();
  while (!reap(false)) {
    if (Clock::now() >= deadline) {
      kill();
      reap(true);
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return ending_;
}

}  // namespace triscope
