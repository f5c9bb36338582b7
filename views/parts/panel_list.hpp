// One function per panel: draws the panel's content into the current window. Plain data in, requests out.
#pragma once

#include "views/parts/context.hpp"

namespace triscope {

void draw_latency_panel(Context& context);
void draw_tflops_panel(Context& context);
void draw_map_panel(Context& context);
void draw_scaling_panel(Context& context);
void draw_length_panel(Context& context);
void draw_samples_panel(Context& context);
void draw_compare_panel(Context& context);
void draw_paper_panel(Context& context);
void draw_details_panel(Context& context);
void draw_setup_panel(Context& context);
void draw_history_panel(Context& context);
void draw_log_panel(Context& context);
void draw_attention_panel(Context& context);

/// The panel's content by its name.
void draw_panel(Context& context, Panel panel);

/// What the panel shows as text: for copying, exporting and reports. Empty when it shows nothing.
TextTable panel_text(Context& context, Panel panel);

/// True when the data are there; otherwise draws the state that explains what to do and returns false. The table says
/// it in full, with buttons; charts keep to one line.
bool draw_data_state(Context& context, bool in_full = false);

}  // namespace triscope
