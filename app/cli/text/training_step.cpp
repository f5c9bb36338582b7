#include "app/cli/text/training_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "app/cli/text/number_text.hpp"
#include "app/cli/text/result_table.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/record/json.hpp"
#include "profiler/statistics/statistics.hpp"

namespace triscope {
namespace {

using nlohmann::json;

ValueWithInterval with_half(double value, std::optional<double> half) {
  if (!half) return {value, std::nullopt, std::nullopt};
  return {value, value - *half, value + *half};
}

std::optional<double> half_of(const ValueWithInterval& e) {
  if (!e.low || !e.high) return std::nullopt;
  return (*e.high - *e.low) / 2;
}

std::optional<double> in_squares(std::optional<double> a, std::optional<double> b) {
  if (!a || !b) return std::nullopt;
  return std::sqrt(*a * *a + *b * *b);
}

bool is_simplicial(const ResultRow& row) {
  return row.problem.form == Form::trilinear || row.problem.form == Form::determinant;
}

bool same_way(const ResultRow& a, const ResultRow& b) {
  return a.regime == b.regime && a.timing_source == b.timing_source && a.device == b.device;
}

bool same_sizes(const Problem& a, const Problem& b) {
  return a.batch == b.batch && a.seq_len == b.seq_len && a.q_heads == b.q_heads && a.kv_heads == b.kv_heads &&
         a.head_dim == b.head_dim && a.element == b.element;
}

/// The fastest ok row of `pass` that `fits`; null when there is none.
template <typename Fits>
const ResultRow* fastest(const std::vector<ResultRow>& rows, Pass pass, Fits fits) {
  const ResultRow* best = nullptr;
  for (const ResultRow& row : rows) {
    if (row.status != Status::ok || !row.median_ms || row.pass != pass || !fits(row)) continue;
    if (best == nullptr || *row.median_ms < *best->median_ms) best = &row;
  }
  return best;
}

/// The dot product that stands beside every step: baseline.fa3 where it was measured in both passes.
std::string chosen_baseline(const std::vector<ResultRow>& rows, const std::string& baseline) {
  if (baseline != "auto") return baseline == "none" ? "" : baseline;
  std::set<std::string> forward, backward;
  std::string first;
  for (const ResultRow& row : rows) {
    if (row.problem.form != Form::dot_product || row.status != Status::ok) continue;
    (row.pass == Pass::forward ? forward : backward).insert(row.kernel);
    if (first.empty() && forward.contains(row.kernel) && backward.contains(row.kernel)) first = row.kernel;
  }
  return forward.contains("baseline.fa3") && backward.contains("baseline.fa3") ? "baseline.fa3" : first;
}

void add_baseline(TrainingStep& step, const std::vector<ResultRow>& rows, const std::string& kernel) {
  const auto fits = [&](const ResultRow& row) {
    return row.kernel == kernel && row.problem.form == Form::dot_product && same_way(row, step.forward) &&
           same_sizes(row.problem, step.forward.problem);
  };
  const ResultRow* forward = fastest(rows, Pass::forward, fits);
  const ResultRow* backward = fastest(rows, Pass::backward, fits);
  if (kernel.empty() || forward == nullptr || backward == nullptr) return;
  step.baseline_forward = *forward;
  step.baseline_backward = *backward;
  step.baseline_step = sum_of(value_of(*forward), value_of(*backward));
  step.over_baseline = ratio_of(step.step, *step.baseline_step);
}

void add_forms(std::vector<TrainingStep>& steps) {
  for (TrainingStep& step : steps) {
    if (step.forward.problem.form != Form::determinant) continue;
    Problem twin = step.forward.problem;
    twin.form = Form::trilinear;
    const auto other = std::find_if(steps.begin(), steps.end(), [&](const TrainingStep& one) {
      return one.forward.problem == twin && same_way(one.forward, step.forward);
    });
    if (other != steps.end()) step.determinant_trilinear = ratio_of(step.step, other->step);
  }
}

std::string ms_text(const ValueWithInterval& e) {
  const std::optional<double> half = half_of(e);
  return fmt::format("{}{}", milliseconds_text(e.value), half ? " +-" + significant_text(*half, 2) : " +-?");
}

std::string ratio_text(const std::optional<ValueWithInterval>& e) {
  if (!e) return "";
  if (!e->low) return significant_text(e->value) + " (interval unknown)";
  return fmt::format("{} ({} .. {})", significant_text(e->value), significant_text(*e->low, 4),
                     significant_text(*e->high, 4));
}

json value_json(const std::optional<ValueWithInterval>& e) {
  if (!e) return nullptr;
  return {{"value", e->value}, {"low", e->low}, {"high", e->high}};
}

}  // namespace

ValueWithInterval sum_of(const ValueWithInterval& a, const ValueWithInterval& b) {
  return with_half(a.value + b.value, in_squares(half_of(a), half_of(b)));
}

ValueWithInterval ratio_of(const ValueWithInterval& a, const ValueWithInterval& b) {
  const auto relative = [](const ValueWithInterval& e) {
    const std::optional<double> half = half_of(e);
    return half ? std::optional(*half / e.value) : std::nullopt;
  };
  const double value = a.value / b.value;
  const std::optional<double> half = in_squares(relative(a), relative(b));
  if (!half) return {value, std::nullopt, std::nullopt};
  return {value, value * std::exp(-*half), value * std::exp(*half)};
}

ValueWithInterval value_of(const ResultRow& row) {
  ValueWithInterval estimate{row.median_ms.value_or(0), std::nullopt, std::nullopt};
  if (interval_known(row)) {
    estimate.low = row.ci_low_ms;
    estimate.high = row.ci_high_ms;
  }
  return estimate;
}

std::vector<TrainingStep> training_steps(const std::vector<ResultRow>& rows, const std::string& baseline) {
  const std::string dot_product = chosen_baseline(rows, baseline);
  std::vector<TrainingStep> steps;
  for (const ResultRow& row : rows) {
    if (!is_simplicial(row) || row.status != Status::ok || row.pass != Pass::forward) continue;
    const auto known = [&](const TrainingStep& step) {
      return step.forward.problem == row.problem && same_way(step.forward, row);
    };
    if (std::any_of(steps.begin(), steps.end(), known)) continue;
    const auto fits = [&](const ResultRow& one) {
      Problem problem = one.problem;
      problem.deterministic = row.problem.deterministic;  // of a forward it says nothing
      return problem == row.problem && same_way(one, row);
    };
    const ResultRow* forward = fastest(rows, Pass::forward, fits);
    const ResultRow* backward = fastest(rows, Pass::backward, fits);
    if (forward == nullptr || backward == nullptr) continue;
    const ValueWithInterval first = value_of(*forward), second = value_of(*backward);
    TrainingStep step{*forward, *backward, sum_of(first, second), ratio_of(second, first), {}, {}, {}, {}, {}};
    add_baseline(step, rows, dot_product);
    steps.push_back(std::move(step));
  }
  add_forms(steps);
  return steps;
}

std::string training_step_table(const std::vector<TrainingStep>& steps, std::size_t width) {
  const auto baseline = std::find_if(steps.begin(), steps.end(), [](const auto& step) { return step.over_baseline; });
  const std::string name = baseline == steps.end() ? "" : baseline->baseline_forward->kernel;
  TerminalTable table;
  table.columns = {{"windows", Align::left, 95, false},
                   {"form", Align::left, 60, false},
                   {"regime", Align::left, 30, false},
                   {"seq", Align::right, 85, false},
                   {"heads", Align::right, 50, false},
                   {"dim", Align::right, 48, false},
                   {"forward", Align::left, 40, true},
                   {"ms", Align::right, 80, false},
                   {"backward", Align::left, 40, true},
                   {"ms", Align::right, 80, false},
                   {"step ms", Align::right, 100, false},
                   {"backward / forward", Align::left, 75, false},
                   {name + " step ms", Align::right, 70, false},
                   {"step / " + name, Align::left, 90, false},
                   {"determinant / trilinear", Align::left, 65, false}};
  for (const TrainingStep& step : steps) {
    const Problem& problem = step.forward.problem;
    table.rows.push_back(
        {windows_text(problem), std::string(to_string(problem.form)), std::string(to_string(step.forward.regime)),
         fmt::format("{}", problem.seq_len), fmt::format("{}/{}", problem.q_heads, problem.kv_heads),
         fmt::format("{}", problem.head_dim), step.forward.kernel, milliseconds_text(*step.forward.median_ms),
         step.backward.kernel, milliseconds_text(*step.backward.median_ms), ms_text(step.step),
         ratio_text(step.backward_forward), step.baseline_step ? ms_text(*step.baseline_step) : std::string(),
         ratio_text(step.over_baseline), ratio_text(step.determinant_trilinear)});
  }
  return render(table, width) +
         "\nA step is the fastest forward and the fastest backward of a problem together. Intervals hold 95 %; the "
         "passes were\nmeasured in separate runs, and what changed on the machine in between is not in them.\n";
}

std::string training_step_json(const std::vector<TrainingStep>& steps) {
  std::string text;
  for (const TrainingStep& step : steps) {
    const Problem& problem = step.forward.problem;
    text += dump_line({{"type", "training_step"},
                       {"windows", {problem.window1, problem.window2}},
                       {"form", to_string(problem.form)},
                       {"seq_len", problem.seq_len},
                       {"batch", problem.batch},
                       {"q_heads", problem.q_heads},
                       {"kv_heads", problem.kv_heads},
                       {"head_dim", problem.head_dim},
                       {"regime", to_string(step.forward.regime)},
                       {"device", step.forward.device},
                       {"forward", step.forward.measurement},
                       {"backward", step.backward.measurement},
                       {"step_ms", value_json(step.step)},
                       {"backward_forward", value_json(step.backward_forward)},
                       {"baseline", step.baseline_forward ? json(step.baseline_forward->kernel) : json(nullptr)},
                       {"baseline_step_ms", value_json(step.baseline_step)},
                       {"over_baseline", value_json(step.over_baseline)},
                       {"determinant_trilinear", value_json(step.determinant_trilinear)}}) +
            "\n";
  }
  return text;
}

}  // namespace triscope
