// The rows that are measured right now, as their samples come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "profiler/plan/sweep_queue.hpp"
#include "profiler/record/measurement.hpp"

namespace triscope {

/// A row in work.
struct LiveRow {
  ResultRow row;  ///< of the samples so far, of this restart; `measurement` is negative while it is not stored
  Summary summary;
  std::vector<Sample> samples;
  bool summarized = true;  ///< false: there are samples since that `row` and `summary` do not know
};

struct LiveSweep {
  std::vector<LiveRow> rows;  ///< these take turns
  std::shared_ptr<const SweepQueue> queue;
  std::vector<std::size_t> waiting;  ///< groups of the queue in the order in which they will begin
  std::optional<std::size_t> at;     ///< the group of the queue that is in work
  double correction = 1;             ///< as `SweepStage`'s
  double precision = 0;              ///< the same
  std::set<std::size_t> left_out;    ///< groups that a person skipped
};

}  // namespace triscope
