// What is to be measured. Each function draws one panel into the current window: plain data in, requests out.
#pragma once

#include "views/parts/context.hpp"

namespace triscope {

void draw_setup_panel(Context& context);

}  // namespace triscope
