// What one training step costs: forward and backward of the same problem together, beside dot-product attention.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiler/record/measurement.hpp"
#include "profiler/statistics/comparison_facts.hpp"

namespace triscope {

/// A number with its 95 % interval.
struct ValueWithInterval {
  double value = 0;
  std::optional<double> low, high;  ///< unset: the interval is not known
};

/// Half the width of the interval; unset when it is not known.
std::optional<double> half_width(const ValueWithInterval& e);

/// Of medians of separate runs. Half-widths add in squares, of a sum in ms and of a ratio relatively: the runs are
/// independent, and what changed on the machine between them is not in the interval.
ValueWithInterval sum_of(const ValueWithInterval& a, const ValueWithInterval& b);
ValueWithInterval ratio_of(const ValueWithInterval& a, const ValueWithInterval& b);
/// The median of an ok row; its interval is unset when it says nothing.
ValueWithInterval value_of(const ResultRow& row);

/// The time of a step / that of another.
struct StepRatio {
  ValueWithInterval time;           ///< without an interval where that of a pass is not known
  bool in_turns = false;            ///< by the turns of both passes, not by the medians
  double own_ms = 0, other_ms = 0;  ///< medians of both, in these turns or of the whole rows
};
StepRatio ratio_of_steps(const PassBeside& forward, const PassBeside& backward);
/// The verdict on a step, whose ratio and interval are those of `ratio_of_steps`: as of a row shorter, longer, same,
/// unclear, or not comparable where a pass is not. A pass whose samples bear no verdict, however narrow its interval,
/// leaves the step without one.
Comparison judge_step(const PassBeside& forward, const PassBeside& backward);

/// Its rows are those that it was made of, and must outlive it.
struct TrainingStep {
  const ResultRow *forward, *backward;  ///< the fastest kernel of each pass
  ValueWithInterval step;               ///< ms of both
  ValueWithInterval backward_forward;   ///< ratio of the two
  /// Dot-product attention of the same sizes, and the time of ours / its time.
  const ResultRow *baseline_forward = nullptr, *baseline_backward = nullptr;
  std::optional<ValueWithInterval> baseline_step, over_baseline;
  bool in_turns = false;  ///< `over_baseline` is by the turns of both passes, not by the medians
  std::optional<ValueWithInterval>
      determinant_trilinear;  ///< of a determinant step: its time / that of the trilinear one
  /// What both took in the turns that `over_baseline` is of, else their medians.
  double compared_ms = 0, compared_baseline_ms = 0;
  std::optional<Comparison> verdict{};  ///< `over_baseline` as it is judged; unset: their samples were not asked for
};

/// The same question: two rows with equal text are passes of one problem (determinism left out, of a forward it says
/// nothing), in the same regime, by the same clock, on a device of the same name.
std::string step_question(const ResultRow& row);

/// The same of a step: two with equal text are of one problem, and both have deterministic gradients or neither.
std::string step_question(const TrainingStep& step);

/// The steps of all problems of which both passes are ok in `rows`, in the same regime and by the same clock on a
/// device of the same name. `baseline`: a kernel id; "auto": of the dot products that see all tokens and have both
/// passes, the one whose card has the lowest rank; "none". A problem whose backward was measured with deterministic
/// gradients too has two steps, since either pairs with the forward; what stands beside each has the same determinism.
std::vector<TrainingStep> training_steps(std::span<const ResultRow* const> rows, const std::string& baseline);
std::vector<TrainingStep> training_steps(const std::vector<ResultRow>& rows, const std::string& baseline);
std::vector<TrainingStep> training_steps(std::vector<ResultRow>&&, const std::string&) = delete;

}  // namespace triscope
