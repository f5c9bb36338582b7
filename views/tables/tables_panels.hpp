// Panels that are tables. Each function draws one panel into the current window: plain data in, requests out.
#pragma once

#include "views/parts/context.hpp"

namespace triscope {

void draw_latency_panel(Context& context);
void draw_compare_panel(Context& context);
void draw_paper_panel(Context& context);
void draw_details_panel(Context& context);

}  // namespace triscope
