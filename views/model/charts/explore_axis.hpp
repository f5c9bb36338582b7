// The axes of an exploration, in the window and for print.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "views/data/explore_state.hpp"

namespace triscope {

/// From low to high with a margin; `from_zero`: rates and times stand on zero where that is near, with `always` also
/// where it is not.
std::pair<double, double> explore_limits(const ExploreAxis& axis, bool from_zero, bool always = false);
/// Where the axis names its values, and how; none: at round ones. `tokens`: "32k".
std::vector<std::pair<double, std::string>> explore_ticks(const ExploreAxis& axis, bool tokens);
/// Whether the values of this column are counts of tokens.
bool counts_tokens(const std::string& column);

}  // namespace triscope
