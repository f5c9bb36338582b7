// Inside the attention tensor. Each function draws one panel into the current window: plain data in, requests out.
#pragma once

#include "views/parts/context.hpp"

namespace triscope {

void draw_attention_panel(Context& context);

}  // namespace triscope
