#include "profiler/verdict/step_verdicts.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "profiler/statistics/comparison_facts.hpp"
#include "profiler/verdict/row_verdicts.hpp"

namespace triscope {
namespace {

/// By the turns of both passes, else of the medians. The interval is what `compare` says of both passes: not known
/// where one of theirs is not.
void compare_passes(TrainingStep& step, StoredSamples& samples) {
  const Comparison forward = compare_rows(samples, step.forward, samples, *step.baseline_forward);
  const Comparison backward = compare_rows(samples, step.backward, samples, *step.baseline_backward);
  ValueWithInterval& time = *step.over_baseline;
  time.low = time.high = std::nullopt;
  if (!(forward.ratio > 0) || !(backward.ratio > 0)) return;
  const Comparison both = compare_steps({*step.forward.median_ms, *step.baseline_forward->median_ms, forward},
                                        {*step.backward.median_ms, *step.baseline_backward->median_ms, backward});
  step.in_turns = forward.paired && backward.paired;
  if (step.in_turns) time.value = both.ratio;
  if (has_interval(forward) && has_interval(backward)) time.low = both.interval.low, time.high = both.interval.high;
}

}  // namespace

std::vector<TrainingStep> steps_in_turns(const Snapshot& snapshot, const std::vector<ResultRow>& rows,
                                         const std::string& baseline) {
  std::vector<TrainingStep> steps = training_steps(rows, baseline);
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<TrainingStep*>> by_sweeps;
  for (TrainingStep& step : steps)
    if (step.over_baseline) by_sweeps[{step.forward.sweep, step.backward.sweep}].push_back(&step);
  for (const auto& [sweeps, of_them] : by_sweeps) {
    StoredSamples samples(snapshot);  // of these sweeps alone: those of a whole database are too many to hold
    for (const TrainingStep* step : of_them) {
      for (const ResultRow* row :
           {&step->forward, &step->backward, &*step->baseline_forward, &*step->baseline_backward})
        samples.expect(*row);
    }
    for (TrainingStep* step : of_them) compare_passes(*step, samples);
  }
  return steps;
}

}  // namespace triscope
