// The line above the latency table.
#pragma once

#include <cstddef>

#include "views/model/tables/latency_model.hpp"
#include "views/parts/context.hpp"

namespace triscope {

/// What failed, in its colour; then what all rows share, and how many there are. Cut after `width` pixels; in a picture
/// it is whole.
void draw_summary(const Context& context, const LatencyModel& model, std::size_t shown_lines, float width);

}  // namespace triscope
