// What the Explore panel is asked with: fields, filter, views.
#pragma once

#include "views/parts/context.hpp"

namespace triscope {

/// Of the panel whose window this is: all controls and notes in it would leave the chart no room.
bool is_small(const Context& context);
void draw_explore_controls(Context& context);

}  // namespace triscope
