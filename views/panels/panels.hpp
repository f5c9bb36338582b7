// All panels, in one table: what each draws and what it says as text.
#pragma once

#include "views/parts/context.hpp"

namespace triscope {

/// The panel's content, drawn into the current window.
void draw_panel(Context& context, Panel panel);

/// What the panel shows as text: for copying, exporting and reports. Empty when it shows nothing.
TextTable panel_text(Context& context, Panel panel);

}  // namespace triscope
