// How a sweep ended.
#pragma once

#include <cstdint>

namespace triscope {

struct SweepOutcome {
  std::int64_t sweep = 0;
  std::int64_t ok = 0, failed = 0, skipped = 0, cancelled = 0;  ///< of the whole sweep
  std::int64_t measured_now = 0;  ///< of `ok`: by this run, which may have resumed the sweep
  std::int64_t repeated_now = 0;  ///< rows of an earlier run to which this one added restarts
  bool stopped = false;           ///< ended by the stop token
};

}  // namespace triscope
