#include "profiler/store/open/patience.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cerrno>
#include <thread>

namespace triscope {
namespace {

constexpr int kStepsBetweenLooks = 10'000;  // of SQLite's machine: well below a millisecond

thread_local bool last_end_by_steps = false;
thread_local int last_lock_errno = 0;

int should_end(void* working) {
  Patience& patience = *static_cast<Patience*>(working);
  const bool cancelled = patience.cancel.stop_requested();
  if (patience.steps_left != Patience::kNoLimit)
    patience.steps_left = std::max<std::int64_t>(0, patience.steps_left - kStepsBetweenLooks);
  if (!cancelled && patience.steps_left > 0) return 0;
  last_end_by_steps = !cancelled;
  return 1;
}

int should_wait(void* waiting, int times) {
  last_lock_errno = errno;  // SQLite keeps only "busy" of it
  if (last_lock_errno == ENOLCK) return 0;
  Patience& patience = *static_cast<Patience*>(waiting);
  const auto now = std::chrono::steady_clock::now();
  if (times == 0) patience.waits_since = now;
  if (patience.cancel.stop_requested() || now - patience.waits_since >= patience.busy_timeout) return 0;
  std::this_thread::sleep_for(std::chrono::milliseconds(std::min(times + 1, 25)));
  return 1;
}

}  // namespace

void Patience::require() const {
  if (!cancel.stop_requested()) return;
  last_end_by_steps = false;
  throw SQLite::Exception("interrupted", SQLITE_INTERRUPT);
}

void set_patience(SQLite::Database& database, Patience& patience) {
  sqlite3_progress_handler(database.getHandle(), kStepsBetweenLooks, should_end, &patience);
  sqlite3_busy_handler(database.getHandle(), should_wait, &patience);
}

bool locks_are_missing() { return last_lock_errno == ENOLCK; }

bool steps_ran_out() { return last_end_by_steps; }

}  // namespace triscope
