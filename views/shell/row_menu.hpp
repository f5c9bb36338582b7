// A click with the right button on a row: of a table, or a bar, cell or mark of a chart.
#pragma once

#include "views/data/panel.hpp"
#include "views/parts/context.hpp"

namespace triscope {

/// In the window of `panel`, after it was drawn: remembers the row under the pointer when its menu is asked for.
void ask_row_menu(Context& context, Panel panel);
/// Once a frame, after all panels.
void draw_row_menu(Context& context);

}  // namespace triscope
