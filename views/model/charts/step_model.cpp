#include "views/model/charts/step_model.hpp"

#include <fmt/compile.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "kernels/attention/flops.hpp"
#include "profiler/record/dot_product.hpp"
#include "profiler/statistics/convergence.hpp"
#include "profiler/statistics/row_that_counts.hpp"
#include "views/model/charts/chart_model.hpp"

namespace triscope {

std::vector<const ResultRow*> all_that_count(const std::vector<const SweepResults*>& sweeps, Regime regime) {
  std::vector<const ResultRow*> rows;
  for (const SweepResults* sweep : sweeps) {
    for (const ResultRow& row : sweep->rows) {
      if (row.status == Status::ok && row.regime == regime) rows.push_back(&row);
    }
  }
  std::ranges::stable_sort(rows, {}, &ResultRow::measurement);
  return rows_of_steps(rows);
}

namespace {

/// Rows of one problem: what a step is a step of.
std::string problem_of(const ResultRow& row) {
  return fmt::format(FMT_COMPILE("{}|{}"), step_question(row), row.problem.deterministic);
}

/// The lines of our kernels that were measured: by their measurements, and the first of each problem.
struct Lines {
  std::map<std::int64_t, const LatencyLine*> by_measurement;
  std::map<std::string, const LatencyLine*> by_problem;

  explicit Lines(const LatencyModel& table) {
    for (const LatencyLine& line : table.lines) {
      for (const std::shared_ptr<const LatencyCell>& cell : line.cells) {
        if (!cell || line.baseline || cell->row.status != Status::ok) continue;
        by_measurement.emplace(cell->row.measurement, &line);
        by_problem.emplace(problem_of(cell->row), &line);
      }
    }
  }
  /// That of a pass of the step; of a step of other sweeps one of its problem. Null: the table has none.
  const LatencyLine* find(const TrainingStep& step) const {
    for (const ResultRow* pass : {step.forward, step.backward}) {
      if (const auto found = by_measurement.find(pass->measurement); found != by_measurement.end())
        return found->second;
    }
    const auto found = by_problem.find(problem_of(*step.backward));
    return found == by_problem.end() ? nullptr : found->second;
  }
};

/// A step as a row: its rate is that of the work of both passes.
LatencyCell step_cell(const ResultRow& forward, const ResultRow& backward, const ValueWithInterval& step) {
  LatencyCell cell{forward, {}, {}, {}, backward.measurement};
  cell.row.median_ms = step.value;
  cell.row.ci_low_ms = step.low;
  cell.row.ci_high_ms = step.high;
  const double flops = useful_flops(forward.problem, Pass::forward) + useful_flops(backward.problem, Pass::backward);
  cell.row.tflops = 1e-9 * flops / step.value;
  cell.row.peak_fraction.reset();
  if (has_converged(forward)) cell.row.reason = backward.reason;  // a step converged where both passes did
  if (backward.kernel != forward.kernel) {                        // the fastest of each pass
    cell.row.kernel += "+" + backward.kernel;
    cell.row.card.label += " + " + backward.card.label;
  }
  return cell;
}

/// Makes the table step by step.
class StepTable {
 public:
  explicit StepTable(const LatencyModel& table) : table_(table), lines_(table) {
    steps_.fact_names = table.fact_names;
    steps_.conditions = table.conditions;
  }

  void add(const TrainingStep& step) {
    const LatencyLine* like = lines_.find(step);
    if (!like || !taken_.insert(problem_of(*step.backward)).second) return;
    const std::size_t group = group_of(step.forward->regime);
    put(*like, step_cell(*step.forward, *step.backward, step.step), group);
    if (!step.baseline_step) return;
    const ResultRow& forward = *step.baseline_forward;
    if (!levels_.insert(fmt::format("{}|{}", forward.kernel, problem_of(*step.baseline_backward))).second) return;
    LatencyLine line;
    line.baseline = true;
    line.problem = forward.problem;
    line.label = line_label(forward);
    line.facts.resize(table_.fact_names.size());
    put(line, step_cell(forward, *step.baseline_backward, *step.baseline_step), group);
  }

  LatencyModel taken() {
    for (LatencyLine& line : steps_.lines) {
      line.cells.resize(steps_.groups.size());
    }
    std::ranges::stable_partition(steps_.lines, [](const LatencyLine& line) { return !line.baseline; });
    steps_.series = all_series(steps_);
    return std::move(steps_);
  }

 private:
  std::size_t group_of(Regime regime) {
    for (std::size_t g = 0; g < steps_.groups.size(); ++g) {
      if (steps_.groups[g].regime == regime) return g;
    }
    LatencyGroup& group =
        steps_.groups.emplace_back(LatencyGroup{Pass::forward, regime, "training step", 0, 0, 0, true});
    if (regime == Regime::burst) group.title += ", burst";
    return steps_.groups.size() - 1;
  }

  void put(const LatencyLine& like, LatencyCell cell, std::size_t group) {
    LatencyLine& line = steps_.lines.emplace_back(like);
    line.kernel = cell.row.kernel;
    line.card = cell.row.card;
    line.instance.clear();
    line.cells.assign(group + 1, nullptr);
    line.cells[group] = std::make_shared<const LatencyCell>(std::move(cell));
  }

  const LatencyModel& table_;
  const Lines lines_;
  LatencyModel steps_;
  std::set<std::string> taken_, levels_;  ///< problems that have their step
};

}  // namespace

std::vector<TrainingStep> steps_beside(const std::vector<const ResultRow*>& rows, const std::string& reference) {
  const bool measured =
      std::ranges::any_of(rows, [&](const ResultRow* row) { return row->kernel == reference && is_baseline(*row); });
  return training_steps(rows, measured ? reference : "auto");
}

LatencyModel make_step_model(const LatencyModel& table, const SweepResults& shown,
                             const std::vector<std::shared_ptr<const SweepResults>>& others) {
  StepTable made(table);
  for (const TrainingStep& step : steps_beside(addresses_of(shown.rows), table.reference)) made.add(step);
  std::vector<const SweepResults*> sweeps{&shown};
  for (const auto& other : others) sweeps.push_back(other.get());
  std::set<Regime> regimes;
  for (const LatencyGroup& group : table.groups) regimes.insert(group.regime);
  for (const Regime regime : regimes) {
    for (const TrainingStep& step : steps_beside(all_that_count(sweeps, regime), table.reference)) made.add(step);
  }
  return made.taken();
}

}  // namespace triscope
