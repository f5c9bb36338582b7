#include "profiler/store/open/store_error.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include "profiler/store/open/patience.hpp"

namespace triscope {
namespace {

// SQLite reports a full disk as SQLITE_FULL when it writes, but as an I/O error when it grows the shared index of a
// log.
bool disk_is_full(const std::filesystem::path& file) {
  std::error_code failed;
  const std::filesystem::space_info space = std::filesystem::space(file.parent_path(), failed);
  return !failed && space.capacity > 0 && space.available < 128 * 1024;  // /proc has no capacity at all
}

}  // namespace

Error store_error(const SQLite::Exception& exception, std::string_view action, const std::filesystem::path& file) {
  const int code = exception.getErrorCode() & 0xff;
  const std::string what = fmt::format("cannot {} the database {}", action, file.string());
  const Error full(what, "the disk is full", "free some space there and try again; what was recorded before is intact");
  switch (code) {
    case SQLITE_FULL:
      return full;
    case SQLITE_IOERR:
      if (disk_is_full(file)) return full;
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
      if (disk_is_full(file)) return full;
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
