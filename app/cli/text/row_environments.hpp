// Where rows of one table were measured: a sweep that was resumed elsewhere, or by another build, holds more than one
// place.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "profiler/record/measurement.hpp"
#include "profiler/store/store.hpp"

namespace triscope {

/// The rows that were not measured in the environment of most of them (of equally many: the first).
struct OtherEnvironments {
  std::set<std::int64_t> rows;  ///< measurement ids; empty: all were measured in one
  std::string remark;           ///< a line for each other environment: its rows, and what differs; empty when `rows` is
};
OtherEnvironments other_environments(const Snapshot& snapshot, const std::vector<ResultRow>& rows);

/// One fact that differs: `group` is device, host, driver or commit (which counts compiler and version).
struct EnvironmentDifference {
  std::string group;
  std::string text;  ///< "commit a596f9e (not 1b245ca)"
};
std::vector<EnvironmentDifference> environment_differences(const Environment& environment, const Environment& usual);

/// The same in one line: "commit a596f9e (not 1b245ca), host a (not b)". Empty when the two are equal.
std::string environment_difference(const Environment& environment, const Environment& usual);

}  // namespace triscope
