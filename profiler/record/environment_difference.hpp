// In what two environments differ, in words.
#pragma once

#include <string>
#include <vector>

#include "profiler/record/measurement.hpp"

namespace triscope {

/// One fact that differs: `group` is device, host, driver or commit (which counts compiler and version).
struct EnvironmentDifference {
  std::string group;
  std::string text;  ///< "commit a596f9e (not 1b245ca)"
};
std::vector<EnvironmentDifference> environment_differences(const Environment& environment, const Environment& usual);

/// The same in one line: "commit a596f9e (not 1b245ca), host a (not b)". Empty when the two are equal.
std::string environment_difference(const Environment& environment, const Environment& usual);

}  // namespace triscope
