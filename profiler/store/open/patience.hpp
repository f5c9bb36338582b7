// How long a statement waits for locks, and whether it goes on.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <stop_token>

namespace triscope {

struct Patience {
  std::stop_token cancel;
  std::chrono::milliseconds busy_timeout{};
  std::chrono::steady_clock::time_point waits_since{};
  std::int64_t steps_left = kNoLimit;  ///< of SQLite's machine; at 0 a statement ends

  static constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

  /// Throws SQLITE_INTERRUPT after a stop.
  void require() const;
};

/// From here on SQLite asks `patience`, which must outlive `database`, while it works and while it waits.
void set_patience(SQLite::Database& database, Patience& patience);

/// Whether the last lock that this thread waited for was refused because the file system has none (ENOLCK).
bool locks_are_missing();

/// Whether the last statement of this thread that SQLite interrupted had no steps left; otherwise it was cancelled.
bool steps_ran_out();

}  // namespace triscope
