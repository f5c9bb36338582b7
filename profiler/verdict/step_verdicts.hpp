// Training steps of a database beside dot-product attention, as every program says them.
#pragma once

#include <string>
#include <vector>

#include "profiler/statistics/training_step.hpp"
#include "profiler/store/store.hpp"

namespace triscope {

/// `training_steps`, where a step whose passes both took turns with those of dot-product attention is compared with it
/// by these turns (`compare_steps`), not by its medians.
std::vector<TrainingStep> steps_in_turns(const Snapshot& snapshot, const std::vector<ResultRow>& rows,
                                         const std::string& baseline);

}  // namespace triscope
