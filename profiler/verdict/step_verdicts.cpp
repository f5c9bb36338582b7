#include "profiler/verdict/step_verdicts.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "kernels/attention/flops.hpp"
#include "profiler/verdict/row_verdicts.hpp"

namespace triscope {
namespace {

/// A row beside its partner, by what is known of them, else by their samples.
class KnownRows {
 public:
  KnownRows(const Snapshot& snapshot, double tolerance, const Verdicts* known)
      : samples_(snapshot), tolerance_(tolerance), known_(known) {}

  void expect(const ResultRow& row, const ResultRow& partner) {
    if (find(row, partner) != nullptr) return;
    samples_.expect(row);
    samples_.expect(partner);
  }
  Comparison beside(const ResultRow& row, const ResultRow& partner) {
    const Comparison* known = find(row, partner);
    return known != nullptr ? *known : compare_rows(samples_, row, samples_, partner, tolerance_);
  }

 private:
  /// Null: not known.
  const Comparison* find(const ResultRow& row, const ResultRow& partner) const {
    if (known_ == nullptr) return nullptr;
    const auto of = known_->partners.find(row.measurement);
    if (of == known_->partners.end() || of->second != partner.measurement) return nullptr;
    const auto time = known_->by_measurement.find(row.measurement);
    return time == known_->by_measurement.end() ? nullptr : &time->second;
  }

  StoredSamples samples_;
  double tolerance_;
  const Verdicts* known_;
};

void judge(TrainingStep& step, KnownRows& rows) {
  const Comparison forward = rows.beside(*step.forward, *step.baseline_forward);
  const Comparison backward = rows.beside(*step.backward, *step.baseline_backward);
  const PassBeside first{*step.forward->median_ms, *step.baseline_forward->median_ms, forward},
      second{*step.backward->median_ms, *step.baseline_backward->median_ms, backward};
  const StepRatio ratio = ratio_of_steps(first, second);
  step.over_baseline = ratio.time;
  step.in_turns = ratio.in_turns;
  step.compared_ms = ratio.own_ms;
  step.compared_baseline_ms = ratio.other_ms;
  step.verdict = judge_step(first, second);
}

double work_of(const ResultRow& forward, const ResultRow& backward) {
  return useful_flops(forward.problem, Pass::forward) + useful_flops(backward.problem, Pass::backward);
}

}  // namespace

void judge_steps(std::vector<TrainingStep>& steps, const Snapshot& snapshot, double tolerance, const Verdicts* known) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<TrainingStep*>> by_sweeps;
  for (TrainingStep& step : steps)
    if (step.over_baseline) by_sweeps[{step.forward->sweep, step.backward->sweep}].push_back(&step);
  for (const auto& [sweeps, of_them] : by_sweeps) {
    KnownRows rows(snapshot, tolerance,
                   known);  // of these sweeps alone: those of a whole database are too many to hold
    for (const TrainingStep* step : of_them) {
      rows.expect(*step->forward, *step->baseline_forward);
      rows.expect(*step->backward, *step->baseline_backward);
    }
    for (TrainingStep* step : of_them) judge(*step, rows);
  }
}

void add_steps(Verdicts& verdicts, const std::vector<TrainingStep>& steps) {
  for (const TrainingStep& step : steps) {
    if (!step.verdict) continue;
    const Comparison& time = *step.verdict;
    const double work =
        work_of(*step.forward, *step.backward) / work_of(*step.baseline_forward, *step.baseline_backward);
    const KernelCard& card = step.baseline_forward->card;
    verdicts.steps.try_emplace({step.forward->measurement, step.backward->measurement},
                               StepVerdict{card.label, card.short_label, time, time.ratio > 0 ? work / time.ratio : 0});
  }
}

std::vector<TrainingStep> steps_in_turns(const Snapshot& snapshot, std::span<const ResultRow* const> rows,
                                         const std::string& baseline) {
  std::vector<TrainingStep> steps = training_steps(rows, baseline);
  judge_steps(steps, snapshot);
  return steps;
}

}  // namespace triscope
