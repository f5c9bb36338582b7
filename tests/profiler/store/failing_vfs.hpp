// SQLite's file system with one fault: the test VFS of the crash tests, as SQLite's own crash tests have it.
#pragma once

#include <cstdint>

namespace triscope {

/// What happens at one call that writes, syncs, truncates or deletes. The calls after it succeed.
enum class Fault {
  none,
  disk_full,        ///< ENOSPC
  io_error,         ///< EIO
  late_error,       ///< the call is made, then EIO all the same
  short_write,      ///< half of the bytes, then EIO
  interrupted,      ///< EINTR, by the first system call that writes
  kill,             ///< the process ends before the call; what was written stays
  kill_after,       ///< the process ends after the call: it has synced, and does not know
  kill_amid,        ///< the process ends when half of the bytes are written
  power_cut,        ///< the process ends before the call; every write that was not synced is lost
  power_cut_after,  ///< the same after the call
  torn_cut,         ///< as power_cut, but every second of those writes had reached the disk
  other_torn_cut,   ///< and the others of them
};

inline constexpr int kKilledExitCode = 77;

/// From here on SQLite writes through this VFS. `at`: the number of the call that fails, counted from 0.
void install_failing_vfs(Fault fault, std::int64_t at);
/// The calls counted since. Puts the usual VFS back.
std::int64_t remove_failing_vfs();

}  // namespace triscope
