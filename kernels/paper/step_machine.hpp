// What the interpreters of algorithm_steps.hpp share: tensors, tiles, products, and the list of steps that grows.
#pragma once

#include <functional>
#include <initializer_list>
#include <limits>
#include <string_view>
#include <utility>

#include "kernels/paper/algorithm_steps.hpp"

namespace triscope {

inline constexpr double kUnwritten = std::numeric_limits<double>::quiet_NaN();

class StepMachine {
 public:
  StepMachine(Algorithm algorithm, const StepSizes& sizes, std::vector<std::string> listing);
  AlgorithmSteps take() { return std::move(run_); }

  const StepSizes& sizes() const { return run_.sizes; }
  const StepTensors& tensors() const { return tensors_; }
  double scale() const { return step_scale(run_.sizes); }
  /// What the forward leaves for a backward.
  double lse(std::int64_t i) const { return lse_[static_cast<std::size_t>(i)]; }
  double delta(std::int64_t i) const { return delta_[static_cast<std::size_t>(i)]; }
  StepResult& result() { return run_.result; }

  /// Element of a tensor; 0 beyond its ends, as masked loads give.
  double element(const std::vector<double>& tensor, std::int64_t row, std::int64_t d) const;
  /// Rows of a tensor as a register.
  StepGrid load(const char* name, const char* rows, const std::vector<double>& tensor, StepSpan span) const;
  StepGrid zeros(const char* name, const char* rows, StepSpan span) const;
  bool sees(std::int64_t i, std::int64_t j, std::int64_t k) const;

  /// A program begins: registers are empty.
  void begin(std::string where);
  /// An output that memory shows, not written yet.
  void output(const char* name, const char* rows);
  StepGrid& in_memory(std::string_view name);
  /// Puts `grid` into a register of its name, which this step changed.
  StepGrid& put(StepGrid grid);
  StepGrid& reg(std::string_view name);
  void drop(std::string_view name);
  /// Marks what this step changed beside what was put.
  StepGrid& change(StepGrid& grid) {
    grid.changed = true;
    return grid;
  }
  /// The step ends: what is in registers and memory now is kept with it.
  void end_step(StepKind kind, int line, std::string says, StepSpan queries, StepSpan keys1, StepSpan keys2);

 private:
  AlgorithmSteps run_;
  StepTensors tensors_;
  std::vector<double> lse_, delta_;
  std::string where_;
  std::vector<StepGrid> registers_, memory_;
};

/// a b^T, a b and a^T b of registers; `grid` gives name and axes of the result, whose values are overwritten.
StepGrid times_transposed(StepGrid grid, const StepGrid& a, const StepGrid& b);
StepGrid times(StepGrid grid, const StepGrid& a, const StepGrid& b);
StepGrid transposed_times(StepGrid grid, const StepGrid& a, const StepGrid& b);
/// An empty grid of that shape.
StepGrid shaped(const char* name, const char* rows, const char* columns, StepSpan row_span, StepSpan column_span);
/// `grid` with each element made by `make(row, column)`.
StepGrid filled(StepGrid grid, const std::function<double(std::int64_t, std::int64_t)>& make);
void add_to(StepGrid& sum, const StepGrid& more);

/// The interpreters.
AlgorithmSteps run_paper_forward(const StepSizes& sizes);
AlgorithmSteps run_paper_keys(const StepSizes& sizes);
AlgorithmSteps run_paper_two_stage(const StepSizes& sizes);
AlgorithmSteps run_our_forward(const StepSizes& sizes);
AlgorithmSteps run_our_backward(const StepSizes& sizes);

}  // namespace triscope
