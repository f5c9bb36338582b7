#include "profiler/store/open/store_error.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string>

#include "kernels/base/system_limit.hpp"
#include "profiler/store/open/patience.hpp"

namespace triscope {
namespace {

// SQLite reports a full disk as SQLITE_FULL when it writes, but as an I/O error when it grows the shared index of a
// log.
constexpr std::uintmax_t kRoom = 128 * 1024;  // bytes that a write may need

bool disk_is_full(const std::filesystem::path& file) {
  std::error_code failed;
  const std::filesystem::space_info space = std::filesystem::space(file.parent_path(), failed);
  return !failed && space.capacity > 0 && space.available < kRoom;  // /proc has no capacity at all
}

// Whether the database, or what lies beside it, is as large as this process may make a file.
bool file_limit_is_reached(const std::filesystem::path& file) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return false;
  for (const char* end : {"", "-wal", "-shm", "-journal"}) {
    struct stat facts {};
    if (::stat((file.string() + end).c_str(), &facts) != 0) facts.st_size = 0;
    if (static_cast<std::uintmax_t>(facts.st_size) + kRoom > limit.rlim_cur) return true;
  }
  return false;
}

// Whether this process may not even make an empty log and its index, of 32 KiB, however large the database is.
bool file_limit_forbids_a_log() {
  constexpr rlim_t kIndex = 64 * 1024;  // with room to spare
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < kIndex;
}

bool descriptors_are_used_up() {
  const int descriptor = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return errno == EMFILE || errno == ENFILE;
  ::close(descriptor);
  return false;
}

// `code`: the errno that stands for the limit.
Error limit_error(const std::string& what, const char* why, int code) {
  return Error(what, why, fmt::format("{}; what was recorded before is intact", what_raises_the_limit(code, "")));
}

// SQLite has one word for each of these, whatever the system said.
std::optional<Error> lack_of_room(const std::string& what, const std::filesystem::path& file) {
  if (disk_is_full(file)) return limit_error(what, "the disk is full", ENOSPC);
  if (file_limit_is_reached(file)) return limit_error(what, "it is as large as this program may make a file", EFBIG);
  if (descriptors_are_used_up()) return limit_error(what, "this program has as many files open as it may", EMFILE);
  return std::nullopt;
}

}  // namespace

bool lacks_room(const std::filesystem::path& file) { return disk_is_full(file) || file_limit_forbids_a_log(); }

Error store_error(const SQLite::Exception& exception, std::string_view action, const std::filesystem::path& file) {
  const int code = exception.getErrorCode() & 0xff;
  const std::string what = fmt::format("cannot {} the database {}", action, file.string());
  if (code == SQLITE_FULL || code == SQLITE_IOERR || code == SQLITE_CANTOPEN)
    if (const std::optional<Error> error = lack_of_room(what, file)) return *error;
  switch (code) {
    case SQLITE_NOMEM:
      return limit_error(what, "there is too little memory", ENOMEM);
    case SQLITE_FULL:
      return limit_error(what, "the disk is full", ENOSPC);
    case SQLITE_IOERR:
      return Error(what, fmt::format("the disk reports an error ({})", exception.what()),
                   "check the disk, then try again; what was recorded before is as it was");
    case SQLITE_BUSY:
      if (locks_are_missing()) {
        return Error(what, "its file system has no locks (ENOLCK)", "keep the database on a local disk");
      }
      [[fallthrough]];
    case SQLITE_LOCKED:
      return Error(what, "another program keeps it locked", "let that program finish or close it, then try again");
    case SQLITE_READONLY:
      return Error(what, "it is read-only", "make the file and its folder writable, or name another one");
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return Error(what, "the permission is missing", "change the permissions, or name another one");
    case SQLITE_CANTOPEN:
      return Error(what, "the file cannot be opened", "check its name and permissions, or name another one");
    case SQLITE_INTERRUPT:
      if (steps_ran_out()) {
        return Error(what, "reading it does not end where a file of its size must: it is damaged or made to do so",
                     "name another one; this one was left as it is");
      }
      return Error(what, "it was cancelled", "try again");
    case SQLITE_TOOBIG:
      return Error(what, "a text in it is larger than 32 MiB, which Triscope never stores",
                   "name another one; this one was left as it is");
    case SQLITE_NOTADB:
      return Error(what, "it is not an SQLite database", "name a Triscope database; this file was left as it is");
    case SQLITE_CORRUPT:
      return Error(what, fmt::format("the file is damaged ({})", exception.what()),
                   "restore a copy, or save what is readable with: sqlite3 FILE .recover | sqlite3 SAVED.db");
    default:
      return Error(what, exception.what(), "run `triscope doctor`, or name another database");
  }
}

}  // namespace triscope
