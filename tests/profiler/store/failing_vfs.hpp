// SQLite's file system with one fault: the test VFS of the crash tests, as SQLite's own crash tests have it.
#pragma once

#include <cstdint>

namespace triscope {

/// What happens at one call that writes, syncs, truncates or deletes. The calls after it succeed.
enum class Fault {
  none,
  disk_full,    ///< ENOSPC
  io_error,     ///< EIO
  short_write,  ///< half of the bytes, then EIO
  kill,         ///< the process ends before the call; what was written stays
  power_cut,    ///< the process ends before the call; every write that was not synced is lost
  torn_cut,     ///< the same, but every second of those writes had reached the disk
};

inline constexpr int kKilledExitCode = 77;

/// From here on SQLite writes through this VFS. `at`: the number of the call that fails, counted from 0.
void install_failing_vfs(Fault fault, std::int64_t at);
/// The calls counted since. Puts the usual VFS back.
std::int64_t remove_failing_vfs();

}  // namespace triscope
