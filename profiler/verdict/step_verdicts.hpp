// Training steps of a database beside dot-product attention, as every program says them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "profiler/statistics/training_step.hpp"
#include "profiler/store/store.hpp"

namespace triscope {

/// `training_steps`, each beside dot-product attention by the turns of both passes where these took turns
/// (`compare_steps`), else of the medians, with the interval that `compare_rows` gives their passes.
std::vector<TrainingStep> steps_in_turns(const Snapshot& snapshot, std::span<const ResultRow* const> rows,
                                         const std::string& baseline);

}  // namespace triscope
