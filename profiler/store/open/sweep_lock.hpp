// Which sweeps are being measured right now, across processes: a lock that ends with its process, however that ends.
#pragma once

#include <cstdint>
#include <filesystem>

namespace triscope {

/// Held while a sweep is measured: a lock of the operating system on a file beside the database
/// (`results.db.sweep3.lock`). The file goes when the sweep ends; after a kill -9 it stays, unlocked, until the sweep
/// is resumed.
class SweepLock {
 public:
  /// Throws `Error`: (usage) another process is measuring that sweep; (environment) the file cannot be made, or is no
  /// lock: those are empty.
  SweepLock(const std::filesystem::path& database, std::int64_t sweep);
  ~SweepLock();
  SweepLock(const SweepLock&) = delete;
  SweepLock& operator=(const SweepLock&) = delete;

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
};

/// True while some process holds the `SweepLock` of that sweep, and when the lock is there but cannot be asked (another
/// user's, or a file system without locks): such a sweep is not called interrupted. Takes no lock itself.
bool is_being_measured(const std::filesystem::path& database, std::int64_t sweep);

/// Removes the lock file of a process that was killed, where there is one. One that is held stays.
void remove_stale_lock(const std::filesystem::path& database, std::int64_t sweep);

}  // namespace triscope
