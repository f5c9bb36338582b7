#include "tests/profiler/store/failing_vfs.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
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

/// Takes back what was not synced; with `every_second`, puts every second write down again.
void lose_unsynced(bool every_second) {
  for (const auto& [name, writes] : state.unsynced) {
    const int descriptor = ::open(name.c_str(), O_RDWR);
    if (descriptor < 0) continue;  // deleted since
    for (auto write = writes.rbegin(); write != writes.rend(); ++write) {
      put(descriptor, write->before, write->offset);
      if (::ftruncate(descriptor, write->size_before) != 0) std::abort();
    }
    for (std::size_t n = 1; every_second && n < writes.size(); n += 2)
      put(descriptor, writes[n].after, writes[n].offset);
    ::close(descriptor);
  }
}

/// Counts a call; what it returns instead of being made, or SQLITE_OK.
int fault_at_call(int io_error) {
  if (state.calls++ != state.at) return SQLITE_OK;
  switch (state.fault) {
    case Fault::none:
      return SQLITE_OK;
    case Fault::disk_full:
      return SQLITE_FULL;
    case Fault::io_error:
    case Fault::short_write:
      return io_error;
    case Fault::power_cut:
    case Fault::torn_cut:
      lose_unsynced(state.fault == Fault::torn_cut);
      [[fallthrough]];
    case Fault::kill:
      ::_exit(kKilledExitCode);
  }
  return SQLITE_OK;
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
    if (state.fault == Fault::short_write) real->pMethods->xWrite(real, from, bytes / 2, offset);
    return fault;
  }
  remember(of(file), offset, std::string(static_cast<const char*>(from), static_cast<std::size_t>(bytes)), false);
  return real->pMethods->xWrite(real, from, bytes, offset);
}
int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  if (const int fault = fault_at_call(SQLITE_IOERR_TRUNCATE); fault != SQLITE_OK) return fault;
  remember(of(file), size, "", true);
  return of(file).real()->pMethods->xTruncate(of(file).real(), size);
}
int sync_file(sqlite3_file* file, int flags) {
  if (const int fault = fault_at_call(SQLITE_IOERR_FSYNC); fault != SQLITE_OK) return fault;
  if (of(file).name != nullptr) state.unsynced.erase(of(file).name);
  return of(file).real()->pMethods->xSync(of(file).real(), flags);
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
  return usual_vfs->xDelete(usual_vfs, name, sync_folder);
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
  state = {fault, at, 0, {}};
  sqlite3_vfs_register(&failing_vfs(), 1);
}

std::int64_t remove_failing_vfs() {
  sqlite3_vfs_unregister(&failing_vfs());
  sqlite3_vfs_register(usual_vfs, 1);
  return state.calls;
}

}  // namespace triscope
