#include "profiler/verdict/step_verdicts.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "profiler/verdict/row_verdicts.hpp"

namespace triscope {
namespace {

/// By what `compare_rows` says of both passes.
void compare_passes(TrainingStep& step, StoredSamples& samples) {
  const Comparison forward = compare_rows(samples, *step.forward, samples, *step.baseline_forward);
  const Comparison backward = compare_rows(samples, *step.backward, samples, *step.baseline_backward);
  const StepRatio ratio = ratio_of_steps({*step.forward->median_ms, *step.baseline_forward->median_ms, forward},
                                         {*step.backward->median_ms, *step.baseline_backward->median_ms, backward});
  step.over_baseline = ratio.time;
  step.in_turns = ratio.in_turns;
  step.compared_ms = ratio.own_ms;
  step.compared_baseline_ms = ratio.other_ms;
}

}  // namespace

std::vector<TrainingStep> steps_in_turns(const Snapshot& snapshot, std::span<const ResultRow* const> rows,
                                         const std::string& baseline) {
  std::vector<TrainingStep> steps = training_steps(rows, baseline);
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<TrainingStep*>> by_sweeps;
  for (TrainingStep& step : steps)
    if (step.over_baseline) by_sweeps[{step.forward->sweep, step.backward->sweep}].push_back(&step);
  for (const auto& [sweeps, of_them] : by_sweeps) {
    StoredSamples samples(snapshot);  // of these sweeps alone: those of a whole database are too many to hold
    for (const TrainingStep* step : of_them) {
      for (const ResultRow* row : {step->forward, step->backward, step->baseline_forward, step->baseline_backward})
        samples.expect(*row);
    }
    for (TrainingStep* step : of_them) compare_passes(*step, samples);
  }
  return steps;
}

}  // namespace triscope
