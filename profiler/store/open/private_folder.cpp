#include "profiler/store/open/private_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace triscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBegin = ".triscope-";
constexpr std::string_view kPattern = "XXXXXX";  // mkdtemp's
constexpr std::array<std::string_view, 4> kContents = {"database", "database-journal", "database-wal", "database-shm"};

constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

bool is_name_of_one(std::string_view name) {
  return name.starts_with(kBegin) && name.size() == kBegin.size() + kPattern.size();
}

// The names in an open folder; nothing where it cannot be read.
std::optional<std::vector<std::string>> names_in(int folder) {
  const int descriptor = ::openat(folder, ".", kFolder);
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(descriptor < 0 ? nullptr : ::fdopendir(descriptor), ::closedir);
  if (!entries) {
    if (descriptor >= 0) ::close(descriptor);
    return std::nullopt;
  }
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  return names;
}

// This user's alone. Somebody else's, and one that others may write to, is left to them.
bool is_private(int folder) {
  struct stat facts {};
  return ::fstat(folder, &facts) == 0 && facts.st_uid == ::geteuid() && (facts.st_mode & 077) == 0;
}

// Whether `path` still leads to the open folder.
bool leads_to(const fs::path& path, int folder) {
  struct stat there {
  }, open{};
  return ::lstat(path.c_str(), &there) == 0 && ::fstat(folder, &open) == 0 && there.st_dev == open.st_dev &&
         there.st_ino == open.st_ino;
}

void lock(int folder) {
  while (::flock(folder, LOCK_EX) != 0 && errno == EINTR) {
  }
}

void remove_if_abandoned(int parent, const std::string& name) {
  const int folder = ::openat(parent, name.c_str(), kFolder);
  if (folder < 0) return;
  // Its owner has it locked. Where a file system has no such locks nobody is known to be gone, and it stays.
  if (is_private(folder) && ::flock(folder, LOCK_EX | LOCK_NB) == 0) {
    const std::optional<std::vector<std::string>> names = names_in(folder);
    const auto is_ours = [](const std::string& one) { return std::ranges::find(kContents, one) != kContents.end(); };
    if (names && std::ranges::all_of(*names, is_ours)) {
      for (const std::string& one : *names) ::unlinkat(folder, one.c_str(), 0);
      ::unlinkat(parent, name.c_str(), AT_REMOVEDIR);
    }
  }
  ::close(folder);
}

}  // namespace

void remove_abandoned_folders(const fs::path& parent) {
  const int folder = ::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  for (const std::string& name : names_in(folder).value_or(std::vector<std::string>{}))
    if (is_name_of_one(name)) remove_if_abandoned(folder, name);
  ::close(folder);
}

PrivateFolder::PrivateFolder(const fs::path& parent) {
  remove_abandoned_folders(parent);
  for (;;) {
    std::string pattern = (parent / kBegin).string().append(kPattern);
    if (::mkdtemp(pattern.data()) == nullptr)
      throw fs::filesystem_error("cannot make a folder", parent, std::error_code(errno, std::generic_category()));
    path_ = pattern;
    lock_ = ::open(path_.c_str(), kFolder);
    if (lock_ >= 0) lock(lock_);
    // Otherwise another program took it for abandoned before it was locked.
    if (lock_ < 0 ? errno != ENOENT : leads_to(path_, lock_)) return;
    if (lock_ >= 0) ::close(lock_);
  }
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

}  // namespace triscope
