// What a sweep spans, drawn in small.
#pragma once

#include "views/model/sweep_shape.hpp"
#include "views/parts/context.hpp"

namespace triscope {

/// Design pixels.
inline constexpr float kThumbnailWidth = 26, kThumbnailHeight = 12;

/// Within its width and height from `low` on. Draws only.
void draw_sweep_shape(const Look& look, const SweepShape& shape, ImVec2 low);

}  // namespace triscope
