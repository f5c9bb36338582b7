// Inside the attention tensor. Each function draws one panel into the current window: plain data in, requests out.
#pragma once

#include "views/parts/context.hpp"

namespace triscope {

void draw_attention_panel(Context& context);
/// The mean over queries of the shown head, as a picture of it has it.
void draw_mean_panel(Context& context);

}  // namespace triscope
