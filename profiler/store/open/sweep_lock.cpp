#include "profiler/store/open/sweep_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "kernels/base/error.hpp"

namespace triscope {
namespace {

namespace fs = std::filesystem;

fs::path lock_file(const fs::path& database, std::int64_t sweep) {
  std::error_code failed;
  fs::path file = fs::weakly_canonical(fs::absolute(database), failed);
  if (failed) file = fs::absolute(database);
  return file += fmt::format(".sweep{}.lock", sweep);
}

// The whole file, as locks of the open file description: they end with it, and F_OFD_GETLK asks without taking one.
struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

// False when the file was removed by its last holder between our open() and our lock.
bool is_still_there(const fs::path& file, int descriptor) {
  struct stat named {};
  struct stat held {};
  return ::stat(file.c_str(), &named) == 0 && ::fstat(descriptor, &held) == 0 && named.st_ino == held.st_ino &&
         named.st_dev == held.st_dev;
}

}  // namespace

SweepLock::SweepLock(const fs::path& database, std::int64_t sweep) : file_(lock_file(database, sweep)) {
  const auto fail = [&](int code) {
    throw Error(fmt::format("sweep {} cannot be measured", sweep),
                fmt::format("{} cannot be locked: {}", file_.string(), std::strerror(code)),
                "make its folder writable and free some space, or keep the database on a local disk");
  };
  while (true) {
    descriptor_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail(errno);
    struct stat facts {};
    if (::fstat(descriptor_, &facts) != 0 || facts.st_size != 0 || !S_ISREG(facts.st_mode)) {
      ::close(descriptor_);
      throw Error(fmt::format("sweep {} cannot be measured", sweep),
                  fmt::format("{} is not a lock of Triscope's, which is empty, and would be deleted", file_.string()),
                  "move it away");
    }
    struct flock lock = whole_file();
    if (::fcntl(descriptor_, F_OFD_SETLK, &lock) == 0) {
      if (is_still_there(file_, descriptor_)) return;
      ::close(descriptor_);
      continue;
    }
    const int code = errno;
    ::close(descriptor_);
    if (code != EAGAIN && code != EACCES) fail(code);
    throw Error(fmt::format("sweep {} cannot be resumed", sweep), "it is being measured by another process right now",
                "wait until that has ended, or stop it, then resume", ExitCode::usage);
  }
}

SweepLock::~SweepLock() {
  ::unlink(file_.c_str());  // while it is locked: nobody else can hold it under this name
  ::close(descriptor_);
}

bool is_being_measured(const fs::path& database, std::int64_t sweep) {
  // O_NONBLOCK: a pipe of that name must not keep whoever lists sweeps.
  const int descriptor = ::open(lock_file(database, sweep).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return errno != ENOENT && errno != ENOTDIR;
  struct flock lock = whole_file();
  const bool answered = ::fcntl(descriptor, F_OFD_GETLK, &lock) == 0;
  ::close(descriptor);
  return !answered || lock.l_type != F_UNLCK;
}

void remove_stale_lock(const fs::path& database, std::int64_t sweep) {
  std::error_code unknown;
  if (!fs::exists(lock_file(database, sweep), unknown)) return;
  try {
    const SweepLock taken(database, sweep);
  } catch (const Error&) {
    // held, or in a folder that is read-only: it does no harm
  }
}

}  // namespace triscope
