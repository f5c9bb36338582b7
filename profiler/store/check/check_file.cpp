#include "profiler/store/check/check_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/base/error.hpp"
#include "profiler/store/check/confinement.hpp"
#include "profiler/store/open/companions.hpp"
#include "profiler/store/open/own_schema.hpp"
#include "profiler/store/open/store_connection.hpp"
#include "profiler/store/open/store_error.hpp"
#include "profiler/store/open/store_schema.hpp"

namespace triscope {
namespace {

namespace fs = std::filesystem;

struct OpenFile {
  std::string name;
  int descriptor = -1;
};
// The database, its journal, its log, the log's index: all that SQLite gets to see.
std::array<OpenFile, 4> open_files;

/// In the place of open(): by then the process has no right to.
int open_known(const char* name, int flags, int) {
  for (const OpenFile& file : open_files) {
    if (file.descriptor < 0 || file.name != name) continue;
    const bool to_write = (flags & O_ACCMODE) != O_RDONLY;
    if (to_write && (::fcntl(file.descriptor, F_GETFL) & O_ACCMODE) == O_RDONLY) return errno = EACCES, -1;
    return ::fcntl(file.descriptor, F_DUPFD_CLOEXEC, 3);
  }
  errno = ENOENT;
  return -1;
}

// Whether its header says that writes go through a log: then even reading takes a log and its index.
bool uses_log(int descriptor) {
  unsigned char versions[2] = {};  // of the format, for writing and for reading
  return ::pread(descriptor, versions, sizeof versions, 18) == sizeof versions && versions[1] == 2;
}

constexpr int kFlags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;

OpenFile open_one(const std::string& name, int flags) { return {name, ::open(name.c_str(), flags | kFlags, 0600)}; }

void open_all(const fs::path& file, bool log) {
  open_files[0] = open_one(file.string(), O_RDONLY);
  open_files[1] = open_one(file.string() + "-journal", O_RDONLY);  // one that is not in use may lie there
  if (!log) return;
  open_files[2] = open_one(file.string() + "-wal", O_RDONLY);
  open_files[3] = open_one(file.string() + "-shm", O_RDWR);
  if (open_files[3].descriptor < 0) open_files[3] = open_one(file.string() + "-shm", O_RDONLY);
}

// Whether another process holds a lock that `type` would wait for, on these bytes.
bool is_locked(int descriptor, short type, off_t start, off_t bytes) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = start;
  lock.l_len = bytes;
  return descriptor >= 0 && ::fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

// Whether somebody writes to it or has its log open. The bytes are SQLite's (os_unix.c): who has a log open keeps a
// lock in its index, and a transaction without a log keeps one in the database.
bool is_in_use() {
  constexpr off_t kIndexInUse = 128, kPending = 0x40000000, kLockBytes = 512;
  return is_locked(open_files[3].descriptor, F_WRLCK, kIndexInUse, 1) ||
         is_locked(open_files[0].descriptor, F_RDLCK, kPending, kLockBytes);
}

// False: errno says why. Holes stay holes.
bool copy_bytes(int from, int to) {
  struct stat facts {};
  if (::fstat(from, &facts) != 0) return false;
  std::vector<char> bytes(std::size_t{1} << 20);
  for (off_t at = 0; at < facts.st_size;) {
    const off_t data = ::lseek(from, at, SEEK_DATA);
    if (data < 0 && errno == ENXIO) break;  // nothing but a hole is left
    at = std::max(at, data);
    const ssize_t count = ::pread(from, bytes.data(), bytes.size(), at);
    if (count <= 0) return count == 0;  // it became shorter: who started this notices
    for (ssize_t done = 0; done < count;) {
      const ssize_t written = ::pwrite(to, bytes.data() + done, static_cast<std::size_t>(count - done), at + done);
      if (written < 0) return false;
      done += written;
    }
    at += count;
  }
  return ::ftruncate(to, facts.st_size) == 0;
}

// From here on `open_files` are copies. They are there before the process gives up its rights, also the empty ones.
void copy_all(const FileToCheck& asked, const fs::path& copy) {
  const std::array<std::string, 3> ends = {"", "-journal", "-wal"};
  for (std::size_t n = 0; n < ends.size(); ++n) {
    const int from = open_files[n].descriptor;
    open_files[n] = open_one(copy.string() + ends[n], O_RDWR | O_CREAT | O_EXCL);
    if (open_files[n].descriptor >= 0 && (from < 0 || copy_bytes(from, open_files[n].descriptor))) continue;
    throw Error(fmt::format("cannot {} the database {}", asked.action, asked.file.string()),
                fmt::format("a transaction in it was cut off, and the copy to look at it cannot be made in {} ({})",
                            copy.parent_path().parent_path().string(), std::strerror(errno)),
                "free some space there, or name another folder for it with TMPDIR");
  }
  open_files[3] = {};
}

// SQLite sees no other file from here on.
void use_open_files() {
  sqlite3_initialize();
  sqlite3_vfs* const files = sqlite3_vfs_find(nullptr);
  files->xSetSystemCall(files, "open", reinterpret_cast<sqlite3_syscall_ptr>(open_known));
}

std::int64_t bytes_of_all() {
  std::int64_t bytes = 0;
  for (const OpenFile& file : open_files) {
    struct stat facts {};
    if (::fstat(file.descriptor, &facts) == 0) bytes += facts.st_size;
  }
  return bytes;
}

// Every page has one place: without that, rows may come without end. Then the rows, as far as `patience` lasts.
void require_sound_pages(SQLite::Database& database, Patience& patience) {
  constexpr std::int64_t kStepsInRows = 2'000'000;
  patience.steps_left = kStepsInRows;
  SQLite::Statement query(database, "PRAGMA quick_check(1)");
  try {
    query.executeStep();
  } catch (const SQLite::Exception& exception) {
    if ((exception.getErrorCode() & 0xff) == SQLITE_INTERRUPT) return;  // pages come first, in one step
    throw;
  }
  const std::string found = query.getColumn(0).getString();
  constexpr std::string_view kOfPages = "*** in database";  // what follows is about values, which are checked when used
  if (found.starts_with(kOfPages))
    throw SQLite::Exception(found.substr(std::min(found.size(), found.find('\n') + 1)), SQLITE_CORRUPT);
}

}  // namespace

void check_file(const FileToCheck& asked) {
  constexpr std::int64_t kSeconds = 10, kBytesInSecond = 20 << 20;
  require_harmless_companions(asked.file, IndexCheck::bytes);
  const bool log = has_bytes(asked.file.string() + "-wal");
  open_all(asked.file, log);
  const bool copied =
      !asked.copy_folder.empty() && open_files[0].descriptor >= 0 && has_open_transaction(asked.file) && !is_in_use();
  const fs::path file = copied ? asked.copy_folder / "database" : asked.file;
  if (copied) copy_all(asked, file);
  use_open_files();
  const std::int64_t bytes = bytes_of_all();
  bound_process(kSeconds + bytes / kBytesInSecond, bytes);
  const bool immutable = !copied && !log && uses_log(open_files[0].descriptor);
  confine_process();
  translate_errors(asked.action, asked.file, [&] {
    Patience patience{{}, asked.busy_timeout, {}, allowed_steps(file)};
    const std::string uri = uri_of(file, copied ? "?mode=rw" : immutable ? "?mode=ro&immutable=1" : "?mode=ro");
    SQLite::Database database(uri, (copied ? SQLite::OPEN_READWRITE : SQLite::OPEN_READONLY) | SQLite::OPEN_URI);
    set_patience(database, patience);
    // The copy is ours alone: SQLite then needs no index of the log, and empties the journal instead of deleting it.
    if (copied) database.exec("PRAGMA locking_mode = EXCLUSIVE");
    distrust_contents(database, true);
    database.exec("PRAGMA temp_store = MEMORY");
    if (asked.view == ResultView::any) require_current_schema(database, asked.file);
    const SchemaState state = schema_state(database, asked.file);
    if (state != SchemaState::empty) {  // otherwise who opens it says so, or fills it
      require_no_triggers(database, asked.file);
      const SchemaUse use = asked.action == "read" ? SchemaUse::reading : SchemaUse::writing;
      if (state == SchemaState::current) require_own_schema(database, asked.file, use, asked.view);
      require_sound_pages(database, patience);
    }
    patience.steps_left = Patience::kNoLimit;
    if (copied) database.exec("PRAGMA synchronous = OFF; PRAGMA wal_checkpoint(TRUNCATE)");  // it need not last
  });
}

}  // namespace triscope
