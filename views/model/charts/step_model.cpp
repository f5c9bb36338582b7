#include "views/model/charts/step_model.hpp"

#include <fmt/compile.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "kernels/attention/flops.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/record/dot_product.hpp"
#include "profiler/statistics/convergence.hpp"
#include "profiler/statistics/row_that_counts.hpp"
#include "profiler/statistics/statistics.hpp"
#include "views/data/format.hpp"
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

std::vector<TrainingStep> steps_of_shown(const SweepResults& shown,
                                         const std::vector<std::shared_ptr<const SweepResults>>& others,
                                         const std::string& reference) {
  std::vector<TrainingStep> steps = steps_beside(addresses_of(shown.rows), reference);
  std::vector<const SweepResults*> sweeps{&shown};
  for (const auto& other : others) sweeps.push_back(other.get());
  std::set<Regime> regimes;
  std::set<std::string> problems;
  for (const ResultRow& row : shown.rows) {
    regimes.insert(row.regime);
    if (row.status == Status::ok) problems.insert(step_question(row));
  }
  for (const Regime regime : regimes)
    std::ranges::move(steps_beside(all_that_count(sweeps, regime), reference), std::back_inserter(steps));
  std::erase_if(steps, [&](const TrainingStep& step) { return !problems.contains(step_question(*step.forward)); });
  return steps;
}

LatencyModel make_step_model(const LatencyModel& table, const SweepResults& shown,
                             const std::vector<std::shared_ptr<const SweepResults>>& others) {
  StepTable made(table);
  for (const TrainingStep& step : steps_of_shown(shown, others, table.reference)) made.add(step);
  return made.taken();
}

namespace {

/// One line of `steps_text`: a step of ours, in one regime.
std::vector<std::string> step_line(const LatencyCell& cell, const std::string& regime, const Verdicts* verdicts) {
  const ResultRow& row = cell.row;
  std::vector<std::string> line{
      line_label(row),
      format_count(row.problem.seq_len),
      row.kernel,
      regime,
      format_fixed(*row.median_ms, ms_decimals(row)),
      interval_known(row) ? significant_text((*row.ci_high_ms - *row.ci_low_ms) / 2, 2) : "unknown",
      row.tflops ? format_fixed(*row.tflops, rate_decimals(row)) : ""};
  const StepVerdict* found = find_step(verdicts, row.measurement, cell.backward);
  if (found == nullptr) {
    line.resize(line.size() + 5);
    return line;
  }
  const StepVerdict& beside = *found;
  line.insert(line.end(), {beside.label, marked(beside.time, time_text(beside.time)), time_interval_text(beside.time),
                           beside.time.paired ? "yes" : "no", beside.rate > 0 ? significant_text(beside.rate) : ""});
  return line;
}

}  // namespace

TextTable steps_text(const LatencyModel& steps, const Verdicts* verdicts) {
  TextTable table;
  for (const auto& [name, numeric] :
       {std::pair("window", false), std::pair("tokens", true), std::pair("kernels", false), std::pair("regime", false),
        std::pair("step ms", true), std::pair("± ms", true), std::pair("TFLOP/s", true), std::pair("beside", false),
        std::pair("time beside it", false), std::pair("interval", false), std::pair("in turns", false),
        std::pair("rate beside it", true)})
    table.add_column(name, numeric);
  for (const LatencyLine& line : steps.lines) {
    if (line.baseline) continue;
    for (const std::shared_ptr<const LatencyCell>& cell : line.cells) {
      if (cell) table.rows.push_back(step_line(*cell, std::string(to_string(cell->row.regime)), verdicts));
    }
  }
  return table;
}

}  // namespace triscope
