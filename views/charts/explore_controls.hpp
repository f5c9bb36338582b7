// What the Explore panel is asked with: fields, filter, views.
#pragma once

#include "views/parts/context.hpp"

namespace triscope {

void draw_explore_controls(Context& context);

}  // namespace triscope
