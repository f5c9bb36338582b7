// How far a sweep is.
#pragma once

#include <cstdint>

#include "profiler/record/measurement.hpp"

namespace triscope {

/// Measurements that are done, with or without a time. A cancelled one is not: a resumed sweep takes it again.
inline std::int64_t done_count(const SweepInfo& sweep) { return sweep.ok + sweep.failed + sweep.skipped; }

}  // namespace triscope
