// The clickable grid of windows in the setup.
#pragma once

#include "views/parts/context.hpp"

namespace triscope {

/// Draws it at the cursor, as wide as there is room. A click on a cell, or a dragged rectangle, changes the form.
void draw_window_grid(Context& context);

}  // namespace triscope
