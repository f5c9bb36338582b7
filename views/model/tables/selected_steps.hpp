// What is said of training steps when nothing else is selected.
#pragma once

#include <vector>

#include "profiler/statistics/statistics.hpp"
#include "views/model/tables/beside_model.hpp"

namespace triscope {

/// Nothing but whole steps is selected, as by a click on a training step.
bool only_steps(const SelectionFigures& figures, const std::vector<SelectedStep>& steps);
/// The first step beside this one, as a row beside another: what its sums and their intervals say.
Comparison beside_step(const SelectedStep& step, double tolerance);

}  // namespace triscope
