#include "profiler/verdict/step_verdicts.hpp"

#include <cstdint>
#include <map>
#include <utility>

#include "profiler/statistics/comparison_facts.hpp"
#include "profiler/verdict/row_verdicts.hpp"

namespace triscope {
namespace {

/// Both passes are of the sweeps of those beside them: else they took no turns.
bool may_be_in_turns(const TrainingStep& step) {
  return step.over_baseline && step.forward.sweep == step.baseline_forward->sweep &&
         step.backward.sweep == step.baseline_backward->sweep;
}

void compare_by_turns(TrainingStep& step, StoredSamples& samples) {
  const Comparison forward = compare_rows(samples, step.forward, samples, *step.baseline_forward);
  if (!in_turns(forward)) return;
  const Comparison backward = compare_rows(samples, step.backward, samples, *step.baseline_backward);
  if (!in_turns(backward)) return;
  const Comparison both = compare_steps({*step.forward.median_ms, *step.baseline_forward->median_ms, forward},
                                        {*step.backward.median_ms, *step.baseline_backward->median_ms, backward});
  step.over_baseline = {both.ratio, both.interval.low, both.interval.high};
  step.in_turns = true;
}

}  // namespace

std::vector<TrainingStep> steps_in_turns(const Snapshot& snapshot, const std::vector<ResultRow>& rows,
                                         const std::string& baseline) {
  std::vector<TrainingStep> steps = training_steps(rows, baseline);
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<TrainingStep*>> by_sweeps;
  for (TrainingStep& step : steps)
    if (may_be_in_turns(step)) by_sweeps[{step.forward.sweep, step.backward.sweep}].push_back(&step);
  for (const auto& [sweeps, of_them] : by_sweeps) {
    StoredSamples samples(snapshot);  // of these sweeps alone: those of a whole database are too many to hold
    for (const TrainingStep* step : of_them) {
      for (const ResultRow* row :
           {&step->forward, &step->backward, &*step->baseline_forward, &*step->baseline_backward})
        samples.expect(*row);
    }
    for (TrainingStep* step : of_them) compare_by_turns(*step, samples);
  }
  return steps;
}

}  // namespace triscope
