// Training steps of a database beside dot-product attention, as every program says them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "profiler/statistics/training_step.hpp"
#include "profiler/statistics/verdicts.hpp"
#include "profiler/store/store.hpp"

namespace triscope {

/// Sets each step that has dot-product attention beside it by what `compare_rows` says of both passes: its ratio, by
/// the turns where both took turns, and its verdict (`judge_step`). What `known` says of a pass and the same partner is
/// taken from there.
void judge_steps(std::vector<TrainingStep>& steps, const Snapshot& snapshot, double tolerance = 0.005,
                 const Verdicts* known = nullptr);

/// Enters those that have a verdict; of two with the same passes the first.
void add_steps(Verdicts& verdicts, const std::vector<TrainingStep>& steps);

/// `training_steps`, each beside dot-product attention by the turns of both passes where these took turns
/// (`compare_steps`), else of the medians, with the interval that `compare_rows` gives their passes.
std::vector<TrainingStep> steps_in_turns(const Snapshot& snapshot, std::span<const ResultRow* const> rows,
                                         const std::string& baseline);

}  // namespace triscope
