// The line above the latency table.
#pragma once

#include <cfloat>
#include <cstddef>
#include <string>

#include "views/model/tables/latency_model.hpp"
#include "views/parts/context.hpp"

namespace triscope {

/// What failed, in its colour; then what all rows share, and how many there are. Cut after `width` pixels; in a picture
/// it is whole.
void draw_summary(const Context& context, const LatencyModel& model, std::size_t shown_lines, float width);

/// Of a button, which is cut where the line has no room for it.
ImVec2 fitting(const char* label);
/// What rows stand beside: "vs FA3  ▼", "vs row 12: 128x128 Hopper forward  ▼", no wider than `width`.
std::string reference_label(const Context& context, const LatencyModel& model, float width = FLT_MAX);
/// The button that is `shown` so, and its menu.
void draw_reference_choice(Context& context, const LatencyModel& model, const std::string& shown);

}  // namespace triscope
