// What has been measured, and what was said. Each function draws one panel into the current window: plain data in,
// requests out.
#pragma once

#include "views/parts/context.hpp"

namespace triscope {

void draw_history_panel(Context& context);
void draw_queue_panel(Context& context);
void draw_log_panel(Context& context);

}  // namespace triscope
