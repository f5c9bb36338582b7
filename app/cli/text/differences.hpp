// In what the two sides of a comparison differ besides their times.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "app/cli/text/compared.hpp"
#include "profiler/store/store.hpp"

namespace triscope {

/// Differences of environment, kernel sources and the settings of the sweeps, each with the number of `pairs` that have
/// it. `allowed` names groups that are accepted, or "all".
std::vector<PlaceDifference> place_differences(const Snapshot& of_a, const Snapshot& of_b,
                                               const std::vector<ComparedPair>& pairs,
                                               const std::set<std::string>& allowed);

/// Those that are not allowed, in one line: the first of very many.
std::string difference_words(const std::vector<PlaceDifference>& differences);

}  // namespace triscope
