// The plots of the chart by sequence length.
#pragma once

#include <imgui.h>

#include <string>
#include <vector>

#include "views/parts/chart_tools.hpp"
#include "views/parts/context.hpp"

namespace triscope {

/// What is shown: "forward", "backward" or "training step".
std::string length_part_name(const Context& context);

/// The names of its curves, and what each is drawn with; pale those that are left out, which a picture has not.
std::vector<LegendName> legend_of(const Context& context, const LengthPass& pass);
/// The names of the curves of `pass`, with those that are left out. A click leaves one out or takes it in again, a
/// double click shows it alone or all of them.
void draw_length_legend(Context& context, const LengthPass& pass);

/// Latency or counted work of `pass` against the sequence length, with the crossings, in `room` pixels at the cursor.
void draw_length_curves(Context& context, const LengthPass& pass, ImVec2 room);

/// A length was clicked in "Same cost": what its sentence stands on is selected, and the charts over windows show that
/// length where the sweep has it.
void choose_length(Context& context, const SameBudget& budget);
/// It was the last that was clicked.
bool is_chosen(const Context& context, const SameBudget& budget);

/// The window area that takes as long as dot-product attention, by length; what the counts predict; the measured
/// windows.
void draw_length_budget(Context& context, const LengthPass& pass, ImVec2 room);

}  // namespace triscope
