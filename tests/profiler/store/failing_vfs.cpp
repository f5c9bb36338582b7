#include "tests/profiler/store/failing_vfs.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

namespace triscope {
namespace {

/// A write or truncation that no sync has followed yet.
struct Unsynced {
  sqlite3_int64 offset = 0, size_before = 0, size_after = 0;
  std::string before, after;  ///< from `offset` on
};

struct State {
  Fault fault = Fault::none;
  std::int64_t at = -1, calls = 0;
  bool now = false;  ///< this call is the one
  bool interrupts_next = false;
  std::map<std::string, std::vector<Unsynced>> unsynced;  ///< by file
};
State state;

sqlite3_vfs* usual_vfs = nullptr;

struct File {
  sqlite3_file base;
  const char* name;  ///< as SQLite keeps it; null: a temporary file
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};
File& of(sqlite3_file* file) { return *reinterpret_cast<File*>(file); }

void put(int descriptor, const std::string& bytes, sqlite3_int64 offset) {
  if (::pwrite(descriptor, bytes.data(), bytes.size(), offset) < 0) std::abort();
}

/// Takes back what was not synced; then puts every second write down again, from `first` on (none: no write).
constexpr std::size_t kNone = static_cast<std::size_t>(-1);
void lose_unsynced(std::size_t first) {
  for (const auto& [name, writes] : state.unsynced) {
    const int descriptor = ::open(name.c_str(), O_RDWR);
    if (descriptor < 0) continue;  // deleted since
    for (const auto& write : std::views::reverse(writes)) {
      put(descriptor, write.before, write.offset);
      if (::ftruncate(descriptor, write.size_before) != 0) std::abort();
    }
    for (std::size_t n = first; n < writes.size(); n += 2) put(descriptor, writes[n].after, writes[n].offset);
    ::close(descriptor);
  }
}

/// Counts a call; what it returns instead of being made, or SQLITE_OK.
int fault_at_call(int io_error) {
  state.now = state.calls++ == state.at;
  if (!state.now) return SQLITE_OK;
  switch (state.fault) {
    case Fault::none:
    case Fault::late_error:
    case Fault::kill_after:
    case Fault::power_cut_after:
      return SQLITE_OK;  // see fault_after_call
    case Fault::interrupted:
      state.interrupts_next = true;
      return SQLITE_OK;
    case Fault::kill_amid:
      if (io_error == SQLITE_IOERR_WRITE) return io_error;
      ::_exit(kKilledExitCode);
    case Fault::disk_full:
      return SQLITE_FULL;
    case Fault::io_error:
    case Fault::short_write:
      return io_error;
    case Fault::power_cut:
    case Fault::torn_cut:
    case Fault::other_torn_cut:
      lose_unsynced(state.fault == Fault::power_cut ? kNone : state.fault == Fault::torn_cut ? 1 : 0);
      [[fallthrough]];
    case Fault::kill:
      ::_exit(kKilledExitCode);
  }
  return SQLITE_OK;
}

/// What a call returns that was made and came to `result`.
int fault_after_call(int result, int io_error) {
  if (!state.now || result != SQLITE_OK) return result;
  if (state.fault == Fault::late_error) return io_error;
  if (state.fault == Fault::power_cut_after) lose_unsynced(kNone);
  if (state.fault == Fault::power_cut_after || state.fault == Fault::kill_after) ::_exit(kKilledExitCode);
  return result;
}

/// In the place of a system call that writes: EINTR when it is due.
template <auto call>
struct Interruptible;
template <typename... Arguments, ssize_t (*call)(Arguments...)>
struct Interruptible<call> {
  static ssize_t run(Arguments... arguments) {
    if (!std::exchange(state.interrupts_next, false)) return call(arguments...);
    errno = EINTR;
    return -1;
  }
};
ssize_t write_bytes(int file, const void* from, std::size_t bytes) { return ::write(file, from, bytes); }
ssize_t write_bytes_at(int file, const void* from, std::size_t bytes, off_t at) {
  return ::pwrite(file, from, bytes, at);
}

void interrupt_system_calls() {
  const auto replace = [](const char* name, auto call) {
    usual_vfs->xSetSystemCall(usual_vfs, name, reinterpret_cast<sqlite3_syscall_ptr>(call));
  };
  replace("write", Interruptible<write_bytes>::run);
  replace("pwrite", Interruptible<write_bytes_at>::run);
  replace("pwrite64", Interruptible<write_bytes_at>::run);
}

void remember(File& file, sqlite3_int64 offset, std::string after, bool truncates) {
  if (file.name == nullptr) return;
  Unsynced write;
  write.offset = offset;
  sqlite3_file* const real = file.real();
  real->pMethods->xFileSize(real, &write.size_before);
  const sqlite3_int64 end = truncates ? write.size_before : offset + static_cast<sqlite3_int64>(after.size());
  write.before.resize(static_cast<std::size_t>(std::max<sqlite3_int64>(0, std::min(end, write.size_before) - offset)));
  if (!write.before.empty())
    real->pMethods->xRead(real, write.before.data(), static_cast<int>(write.before.size()), offset);
  write.after = std::move(after);
  state.unsynced[file.name].push_back(std::move(write));
}

int close_file(sqlite3_file* file) { return of(file).real()->pMethods->xClose(of(file).real()); }
int read_file(sqlite3_file* file, void* to, int bytes, sqlite3_int64 offset) {
  return of(file).real()->pMethods->xRead(of(file).real(), to, bytes, offset);
}
int write_file(sqlite3_file* file, const void* from, int bytes, sqlite3_int64 offset) {
  sqlite3_file* const real = of(file).real();
  if (const int fault = fault_at_call(SQLITE_IOERR_WRITE); fault != SQLITE_OK) {
    if (state.fault == Fault::short_write || state.fault == Fault::kill_amid)
      real->pMethods->xWrite(real, from, bytes / 2, offset);
    if (state.fault == Fault::kill_amid) ::_exit(kKilledExitCode);
    return fault;
  }
  remember(of(file), offset, std::string(static_cast<const char*>(from), static_cast<std::size_t>(bytes)), false);
  return fault_after_call(real->pMethods->xWrite(real, from, bytes, offset), SQLITE_IOERR_WRITE);
}
int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  if (const int fault = fault_at_call(SQLITE_IOERR_TRUNCATE); fault != SQLITE_OK) return fault;
  remember(of(file), size, "", true);
  return fault_after_call(of(file).real()->pMethods->xTruncate(of(file).real(), size), SQLITE_IOERR_TRUNCATE);
}
int sync_file(sqlite3_file* file, int flags) {
  if (const int fault = fault_at_call(SQLITE_IOERR_FSYNC); fault != SQLITE_OK) return fault;
  if (of(file).name != nullptr) state.unsynced.erase(of(file).name);
  return fault_after_call(of(file).real()->pMethods->xSync(of(file).real(), flags), SQLITE_IOERR_FSYNC);
}
int file_size(sqlite3_file* file, sqlite3_int64* size) {
  return of(file).real()->pMethods->xFileSize(of(file).real(), size);
}
int lock(sqlite3_file* file, int kind) { return of(file).real()->pMethods->xLock(of(file).real(), kind); }
int unlock(sqlite3_file* file, int kind) { return of(file).real()->pMethods->xUnlock(of(file).real(), kind); }
int check_lock(sqlite3_file* file, int* held) {
  return of(file).real()->pMethods->xCheckReservedLock(of(file).real(), held);
}
int control(sqlite3_file* file, int operation, void* argument) {
  return of(file).real()->pMethods->xFileControl(of(file).real(), operation, argument);
}
int sector_size(sqlite3_file* file) { return of(file).real()->pMethods->xSectorSize(of(file).real()); }
int characteristics(sqlite3_file* file) { return of(file).real()->pMethods->xDeviceCharacteristics(of(file).real()); }
int map_shared(sqlite3_file* file, int page, int bytes, int extend, void volatile** at) {
  return of(file).real()->pMethods->xShmMap(of(file).real(), page, bytes, extend, at);
}
int lock_shared(sqlite3_file* file, int offset, int count, int flags) {
  return of(file).real()->pMethods->xShmLock(of(file).real(), offset, count, flags);
}
void barrier(sqlite3_file* file) { of(file).real()->pMethods->xShmBarrier(of(file).real()); }
int unmap_shared(sqlite3_file* file, int remove) {
  return of(file).real()->pMethods->xShmUnmap(of(file).real(), remove);
}

constexpr sqlite3_io_methods kMethods{
    2,           close_file, read_file,    write_file, truncate_file, sync_file,       file_size,
    lock,        unlock,     check_lock,   control,    sector_size,   characteristics, map_shared,
    lock_shared, barrier,    unmap_shared, nullptr,    nullptr};

int open_file(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* flags_out) {
  of(file).name = name;
  const int result = usual_vfs->xOpen(usual_vfs, name, of(file).real(), flags, flags_out);
  of(file).base.pMethods = of(file).real()->pMethods != nullptr ? &kMethods : nullptr;
  return result;
}
int delete_file(sqlite3_vfs*, const char* name, int sync_folder) {
  if (const int fault = fault_at_call(SQLITE_IOERR_DELETE); fault != SQLITE_OK) return fault;
  state.unsynced.erase(name);
  return fault_after_call(usual_vfs->xDelete(usual_vfs, name, sync_folder), SQLITE_IOERR_DELETE);
}

sqlite3_vfs& failing_vfs() {
  static sqlite3_vfs vfs = [] {
    sqlite3_vfs made = *usual_vfs;
    made.zName = "failing";
    made.szOsFile = static_cast<int>(sizeof(File)) + usual_vfs->szOsFile;
    made.xOpen = open_file;
    made.xDelete = delete_file;
    return made;
  }();
  return vfs;
}

}  // namespace

void install_failing_vfs(Fault fault, std::int64_t at) {
  if (usual_vfs == nullptr) usual_vfs = sqlite3_vfs_find(nullptr);
  if (fault == Fault::interrupted) interrupt_system_calls();
  state = {};
  state.fault = fault;
  state.at = at;
  sqlite3_vfs_register(&failing_vfs(), 1);
}

std::int64_t remove_failing_vfs() {
  sqlite3_vfs_unregister(&failing_vfs());
  sqlite3_vfs_register(usual_vfs, 1);
  return state.calls;
}

}  // namespace triscope
