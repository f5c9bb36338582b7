// Names below an axis, on as many lines as they were placed on.
#pragma once

#include <vector>

#include "views/model/charts/explore_axis.hpp"

namespace triscope {

/// Of the x axis of the plot that is set up.
void set_placed_ticks(std::vector<PlacedTick> placed);

}  // namespace triscope
