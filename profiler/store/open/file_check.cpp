#include "profiler/store/open/file_check.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernels/base/error.hpp"
#include "kernels/base/files/program_folder.hpp"
#include "kernels/base/system_limit.hpp"
#include "kernels/base/text/plain_text.hpp"
#include "profiler/store/open/companions.hpp"

namespace triscope {
namespace {

namespace fs = std::filesystem;

// What changes when a file does, for the database, its journal and its log.
constexpr std::size_t kFacts = 5;
using Stamp = std::array<std::int64_t, 3 * kFacts>;

Stamp stamp_of(const fs::path& file) {
  Stamp stamp{};
  std::size_t next = 0;
  for (const char* end : {"", "-journal", "-wal"}) {
    struct stat facts {};
    const bool there = ::stat((file.string() + end).c_str(), &facts) == 0;
    // Opening a database makes its log: an empty one says no more than none, and looking again would take as long.
    if (!there || (*end != '\0' && facts.st_size == 0)) facts = {};
    for (const std::int64_t value :
         {static_cast<std::int64_t>(facts.st_dev), static_cast<std::int64_t>(facts.st_ino),
          static_cast<std::int64_t>(facts.st_size), facts.st_mtim.tv_sec * 1'000'000'000 + facts.st_mtim.tv_nsec,
          facts.st_ctim.tv_sec * 1'000'000'000 + facts.st_ctim.tv_nsec})
      stamp[next++] = value;
  }
  return stamp;
}

// Whether a later write gives a file another stamp: file systems count its time in steps of up to 10 ms. By the time
// of the last change of any kind, which nobody can set.
bool tells_later_writes(const Stamp& stamp) {
  constexpr std::int64_t kStepNs = 20'000'000;
  const std::int64_t now =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  for (std::size_t last = kFacts - 1; last < stamp.size(); last += kFacts)
    if (stamp[last] >= now - kStepNs) return false;
  return true;
}

// Files that passed, in this process.
class Passed {
 public:
  bool contains(const Stamp& stamp) {
    const std::lock_guard lock(mutex_);
    return stamps_.contains(stamp);
  }
  void add(const Stamp& stamp) {
    constexpr std::size_t kMost = 1000;
    const std::lock_guard lock(mutex_);
    if (stamps_.size() >= kMost) stamps_.clear();
    stamps_.insert(stamp);
  }

 private:
  std::mutex mutex_;
  std::set<Stamp> stamps_;
};

Passed& passed() {
  static Passed files;
  return files;
}

// Files that this process writes to itself, with how often each is open.
class Held {
 public:
  using Identity = std::pair<dev_t, ino_t>;
  static std::optional<Identity> identity_of(const fs::path& file) {
    struct stat facts {};
    if (::stat(file.c_str(), &facts) != 0) return std::nullopt;
    return Identity{facts.st_dev, facts.st_ino};
  }
  bool contains(const fs::path& file) {
    const std::optional<Identity> identity = identity_of(file);
    const std::lock_guard lock(mutex_);
    return identity && files_.contains(*identity);
  }
  void add(const Identity& identity) {
    const std::lock_guard lock(mutex_);
    files_.insert(identity);
  }
  void remove(const Identity& identity) {
    const std::lock_guard lock(mutex_);
    files_.extract(identity);  // one of several
  }

 private:
  std::mutex mutex_;
  std::multiset<Identity> files_;
};

Held& held() {
  static Held files;
  return files;
}

struct Ending {
  std::optional<int> status;  ///< as of waitpid; none where whoever started this program ignores children that end
  std::string said;
  bool passed() const { return said == kPassed && status.value_or(0) == 0; }
};

std::optional<int> reap(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return std::nullopt;
  return status;
}

std::string how_it_ended(const std::optional<int>& status) {
  if (!status) return "it did not say how";
  if (WIFSIGNALED(*status)) return ::strsignal(WTERMSIG(*status));
  return fmt::format("exit code {}", WEXITSTATUS(*status));
}

struct Question {
  fs::path file;
  std::string_view action;
  const PrivateFolder* copy;  ///< for what was cut off; null: nothing was
  ResultView view;
};

pid_t start(const fs::path& program, const Question& question, const Patience& patience, const int (&channel)[2]) {
  const std::string words[] = {program.string(),
                               question.file.string(),
                               std::string(question.action),
                               std::to_string(patience.busy_timeout.count()),
                               question.copy ? question.copy->path().string() : "",
                               question.view == ResultView::any ? "any-view" : ""};
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, channel[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = -1;
  const int error = ::posix_spawn(&child, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  errno = error;
  return error == 0 ? child : -1;
}

// Runs the checker to its end; after a stop of `patience` it is killed.
Ending run_checker(const fs::path& program, const Question& question, const Patience& patience) {
  int channel[2];
  if (::pipe2(channel, O_CLOEXEC) != 0) throw SQLite::Exception("no descriptors are left", SQLITE_CANTOPEN);
  const pid_t child = start(program, question, patience, channel);
  const int refused = errno;
  ::close(channel[1]);
  Ending ending;
  bool open = child > 0;
  while (open) {
    constexpr int kLookEvery = 20;  // milliseconds
    constexpr std::size_t kMostSaid = 8192;
    pollfd readable{channel[0], POLLIN, 0};
    if (patience.cancel.stop_requested()) ::kill(child, SIGKILL);
    if (::poll(&readable, 1, kLookEvery) <= 0) continue;
    char bytes[1024];
    const ssize_t count = ::read(channel[0], bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    open = count > 0;
    if (open && ending.said.size() < kMostSaid) ending.said.append(bytes, static_cast<std::size_t>(count));
  }
  ::close(channel[0]);
  if (child > 0) ending.status = reap(child);
  patience.require();
  if (child <= 0) {
    throw Error(fmt::format("cannot {} the database {}", question.action, question.file.string()),
                fmt::format("{} beside this program cannot be started ({})", kFileChecker, std::strerror(refused)),
                what_raises_the_limit(refused, "build or install Triscope anew"));
  }
  return ending;
}

// As the checker wrote it: what, why, what to do, each on its line.
[[noreturn]] void refuse(const Ending& ending, const fs::path& file, std::string_view action) {
  std::string parts[3];
  std::string_view rest = ending.said;
  for (std::string& part : parts) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    part = plain_line(rest.substr(0, end));
    rest.remove_prefix(std::min(rest.size(), end + 1));
  }
  const bool killed = ending.status && WIFSIGNALED(*ending.status);
  if (!killed && !parts[2].empty()) throw Error(parts[0], parts[1], parts[2]);
  const bool endless = killed && WTERMSIG(*ending.status) == SIGXCPU;
  throw Error(fmt::format("cannot {} the database {}", action, file.string()),
              endless
                  ? "looking through it takes longer than a file of its size can need"
                  : fmt::format("it ended the process that looks through it first ({})", how_it_ended(ending.status)),
              "name another one; this one was left as it is");
}

// Where the checker puts a copy when a transaction was cut off; none when there is no transaction.
std::unique_ptr<PrivateFolder> folder_for_copy(const fs::path& file, std::string_view action) {
  if (!has_open_transaction(file)) return nullptr;
  try {
    return std::make_unique<PrivateFolder>(fs::temp_directory_path());
  } catch (const fs::filesystem_error& error) {
    throw Error(fmt::format("cannot {} the database {}", action, file.string()),
                fmt::format("a transaction in it was cut off, and no copy can be made to look at it ({})",
                            error.code().message()),
                "name a folder for such copies with TMPDIR");
  }
}

}  // namespace

std::unique_ptr<PrivateFolder> require_checked(const fs::path& file, std::string_view action, const Patience& patience,
                                               ResultView view) {
  if (held().contains(file)) return nullptr;
  std::error_code failed;
  const fs::path program = program_folder() / kFileChecker;
  if (!fs::exists(program, failed) || !has_bytes(file)) return nullptr;
  if (const fs::path copies = fs::temp_directory_path(failed); !failed) remove_abandoned_folders(copies);
  constexpr int kTries = 3;  // a program that writes at the same time may make a sound file look damaged
  for (int left = kTries; left > 0; --left) {
    std::unique_ptr<PrivateFolder> copy = folder_for_copy(file, action);
    const Stamp before = stamp_of(file);
    if (!copy && passed().contains(before)) return nullptr;
    const bool later_told = tells_later_writes(before);  // asked before, not after the writes that it is about
    const Ending ending = run_checker(program, {file, action, copy.get(), view}, patience);
    const bool same = stamp_of(file) == before;
    if (copy && !fs::exists(copy->database(), failed)) copy.reset();  // somebody has the file open: nothing was cut off
    if (ending.passed() && (same || !copy)) {
      if (!copy && later_told && same && view == ResultView::own) passed().add(before);
      return copy;
    }
    if (!ending.passed() && (left == 1 || same)) refuse(ending, file, action);
  }
  throw Error(fmt::format("cannot {} the database {}", action, file.string()), "it changes while it is copied",
              "try again when the other program has ended");
}

std::shared_ptr<void> hold_checked(const fs::path& file) {
  const std::optional<Held::Identity> identity = Held::identity_of(file);
  if (!identity) return nullptr;
  held().add(*identity);
  return {&held(), [identity = *identity](void* files) { static_cast<Held*>(files)->remove(identity); }};
}

}  // namespace triscope
