#include "views/model/tables/selected_steps.hpp"

namespace triscope {

bool only_steps(const SelectionFigures& figures, const std::vector<SelectedStep>& steps) {
  return !steps.empty() && steps.front().beside.value == 0 && 2 * steps.size() == figures.rows.size();
}

Comparison beside_step(const SelectedStep& step, double tolerance) {
  constexpr double kSeparateRuns = 4;  // as of rows that did not take turns
  Comparison comparison;
  if (step.beside.value <= 0) return comparison;
  comparison.ratio = 1 / step.beside.value;
  comparison.same_within = kSeparateRuns * tolerance;
  if (!step.beside.low || !step.beside.high) {
    comparison.explanation = "An interval of one of its passes is unknown.";
    return comparison;
  }
  comparison.interval = {1 / *step.beside.high, 1 / *step.beside.low};
  if (comparison.interval.high < 1 - tolerance) {
    comparison.verdict = Verdict::faster;
  } else if (comparison.interval.low > 1 + tolerance) {
    comparison.verdict = Verdict::slower;
  } else if (comparison.interval.low >= 1 - comparison.same_within &&
             comparison.interval.high <= 1 + comparison.same_within) {
    comparison.verdict = Verdict::same;
  }
  comparison.explanation = "Of the sums of both passes, whose intervals are added in squares.";
  return comparison;
}

}  // namespace triscope
