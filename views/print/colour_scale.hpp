// A scale of colours below a plot.
#pragma once

#include <functional>
#include <string>

#include "views/print/canvas/vector_canvas.hpp"

namespace triscope {

/// `PlotText::below_room` for it.
inline constexpr float kScaleRoom = 26;

/// Below the axis of a plot from `left` to its lower right corner `corner`: the colours by their share, with what is at
/// either end. Without room for it nothing.
void draw_scale(VectorCanvas& canvas, float left, ImVec2 corner, const std::function<ImU32(float)>& colour_of_share,
                const std::string& low, const std::string& high);

}  // namespace triscope
