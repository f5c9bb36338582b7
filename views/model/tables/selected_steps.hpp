// Training steps of which both passes are selected, and what is said of them when nothing else is.
#pragma once

#include <string>
#include <vector>

#include "profiler/statistics/training_step.hpp"
#include "views/data/window_data.hpp"

namespace triscope {

/// A training step whose forward and backward are both selected.
struct SelectedStep {
  std::string name;      ///< "256 × 32 Hopper"
  ValueWithInterval ms;  ///< of both passes
  /// Its time / that of the step of the first, by the turns of each pass where both took turns; value 0: it is that
  /// one, or that has none.
  ValueWithInterval beside;
  double tflops = 0;                                          ///< useful work of both passes in that time
  const SelectedRow *forward = nullptr, *backward = nullptr;  ///< of the figures, which must live as long
};
/// In the order in which they were selected, that of the first row first.
std::vector<SelectedStep> selected_steps(const SelectionFigures& figures);
std::vector<SelectedStep> selected_steps(SelectionFigures&&) = delete;
/// "28.92 ms, 1.122×, 1.113 to 1.132".
std::string step_text(const SelectedStep& step);
/// "1.020 times the rate of 256 × 32 Hopper, 1.010 to 1.030: 570.4 beside 559.2 TFLOP/s.": of the first step beside
/// this one. `comparison` is that of their times.
std::string step_rate_text(const SelectedStep& first, const SelectedStep& step, const Comparison& comparison);
/// Nothing but whole steps is selected, as by a click on a training step.
bool only_steps(const SelectionFigures& figures, const std::vector<SelectedStep>& steps);
/// The first step beside this one, as a row beside another. Where each pass took turns with the first's, by those
/// (`compare_steps`). Else rows are compared with the first row alone, which is of the pass `compared`: what refuses a
/// verdict there refuses one of the step, and of the other pass what its rows say. Its interval then is that of their
/// medians, as wide as of separate runs.
Comparison beside_step(const SelectedStep& first, const SelectedStep& step, Pass compared, double tolerance);

}  // namespace triscope
