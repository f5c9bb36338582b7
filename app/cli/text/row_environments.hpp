// Where rows of one table were measured: a sweep that was resumed elsewhere, or by another build, holds more than one
// place.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "profiler/record/environment_difference.hpp"
#include "profiler/record/measurement.hpp"
#include "profiler/store/store.hpp"

namespace triscope {

/// The rows that were not measured in the environment of most of them (of equally many: the first).
struct OtherEnvironments {
  std::set<std::int64_t> rows;  ///< measurement ids; empty: all were measured in one
  std::string remark;           ///< a line for each other environment: its rows, and what differs; empty when `rows` is
};
OtherEnvironments other_environments(const Snapshot& snapshot, const std::vector<ResultRow>& rows);

}  // namespace triscope
