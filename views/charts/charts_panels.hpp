// Panels that are charts. Each function draws one panel into the current window: plain data in, requests out.
#pragma once

#include "views/parts/context.hpp"

namespace triscope {

void draw_tflops_panel(Context& context);
void draw_map_panel(Context& context);
void draw_scaling_panel(Context& context);
void draw_length_panel(Context& context);
void draw_samples_panel(Context& context);
void draw_explore_panel(Context& context);

}  // namespace triscope
