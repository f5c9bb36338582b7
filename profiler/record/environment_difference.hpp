// In what two places and ways of measuring differ.
#pragma once

#include <string>
#include <vector>

#include "profiler/record/measurement.hpp"

namespace triscope {

/// What a time may depend on besides what was measured. `group` is device, driver, commit (which counts compiler and
/// version), host or settings.
struct PlaceFact {
  std::string group, name, value;  ///< "driver", "CUDA", "12.8"; value empty: unknown
};
/// Most important first: the device and its limits, then the software, then the host. Of any two the same names.
std::vector<PlaceFact> facts_of(const Environment& environment);
/// How a sweep was measured: what of its request is not part of a measurement's own configuration. A request of an
/// older version lacks some, and one that cannot be read all.
std::vector<PlaceFact> settings_of(const SweepInfo& sweep);

/// One fact that differs.
struct EnvironmentDifference {
  std::string group;
  std::string text;  ///< "commit a596f9e (not 1b245ca)"
};
/// Facts of both that differ; what is missing in either is not known to. Two machines that cannot be read are never
/// the same.
std::vector<EnvironmentDifference> fact_differences(const std::vector<PlaceFact>& here,
                                                    const std::vector<PlaceFact>& there);
std::vector<EnvironmentDifference> environment_differences(const Environment& environment, const Environment& usual);

/// The same in one line: "commit a596f9e (not 1b245ca), host a (not b)". Empty when the two are equal.
std::string environment_difference(const Environment& environment, const Environment& usual);

}  // namespace triscope
