// The parts of Details that stand there when several measurements are selected.
#pragma once

#include <vector>

#include "views/model/tables/selected_steps.hpp"
#include "views/parts/context.hpp"

namespace triscope {

/// Where nothing but training steps is selected, first of all: the first one's total, and what it is beside the others.
/// `steps` are those of `figures`. False where other rows are selected too.
bool draw_steps(Context& context, const SelectionFigures& figures, const std::vector<SelectedStep>& steps);
/// Those that are selected: their times, and those beside the first.
void draw_selected_rows(Context& context, const SelectionFigures& figures, const std::vector<SelectedStep>& steps);
/// A beside B: the time, in what they differ, and their counters, what differs most first.
void draw_beside_last(Context& context, const SelectedMeasurement& selected, const MeasurementBeside& beside);

}  // namespace triscope
