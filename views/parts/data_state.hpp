// What a panel shows instead of data.
#pragma once

#include "views/parts/context.hpp"

namespace triscope {

/// True when there are data. Otherwise draws a text that says what to do, and returns false. The table says
/// it in full, with buttons; charts keep to one line.
bool draw_data_state(Context& context, bool in_full = false);

}  // namespace triscope
