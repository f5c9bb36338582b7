#include "profiler/statistics/training_step.hpp"

#include <fmt/compile.h>

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "profiler/record/dot_product.hpp"
#include "profiler/statistics/row_that_counts.hpp"
#include "profiler/statistics/statistics.hpp"

namespace triscope {
namespace {

ValueWithInterval with_half(double value, std::optional<double> half) {
  if (!half) return {value, std::nullopt, std::nullopt};
  return {value, value - *half, value + *half};
}

std::optional<double> in_squares(std::optional<double> a, std::optional<double> b) {
  if (!a || !b) return std::nullopt;
  return std::sqrt(*a * *a + *b * *b);
}

bool is_simplicial(const ResultRow& row) {
  return row.problem.form == Form::trilinear || row.problem.form == Form::determinant;
}

std::string way_of(const ResultRow& row) {
  return fmt::format(FMT_COMPILE("{} {}"), to_string(row.regime), to_string(row.timing_source));
}

/// Its samples leave the verdict open: their number, what disturbed them, their clocks or modes, not the interval
/// alone.
bool bears_no_verdict(const Comparison& time) {
  return time.verdict == Verdict::unclear &&
         (time.few_blocks || verdict_of(time.interval, time.same_within, time.same_within) != Verdict::unclear);
}

/// The fastest row of each pass; deterministic gradients are a backward of their own.
struct Passes {
  const ResultRow *forward = nullptr, *backward = nullptr, *deterministic = nullptr;
  void add(const ResultRow& row) {
    const ResultRow*& best = row.pass == Pass::forward ? forward : row.problem.deterministic ? deterministic : backward;
    if (best == nullptr || *row.median_ms < *best->median_ms) best = &row;
  }
};

/// Rows of the dot product that stands beside: where both were measured in one sweep they took turns, and what changes
/// between two sweeps is not in their ratio.
class Baselines {
 public:
  void add(const ResultRow& row) {
    const Question question(row);
    const ResultRow*& best = in_sweep_[{question, row.sweep}];
    if (best == nullptr || *row.median_ms < *best->median_ms) best = &row;
    const ResultRow*& newest = newest_[question];
    if (newest == nullptr || newest->started <= row.started) newest = &row;
  }
  /// Of the sweep of `row`, else the newest; null: not measured.
  const ResultRow* beside(const ResultRow& row) const {
    const Question question(row);
    if (const auto found = in_sweep_.find({question, row.sweep}); found != in_sweep_.end()) return found->second;
    const auto found = newest_.find(question);
    return found == newest_.end() ? nullptr : found->second;
  }

 private:
  /// What it must have in common with windows. Must not outlive the row.
  struct Question {
    explicit Question(const ResultRow& row)
        : sizes(row.problem.batch, row.problem.seq_len, row.problem.q_heads, row.problem.kv_heads,
                row.problem.head_dim),
          kind(row.problem.mask, row.problem.element, row.regime, row.timing_source, row.pass,
               row.pass == Pass::backward && row.problem.deterministic),
          device(row.device) {}
    std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t> sizes;
    std::tuple<Mask, Element, Regime, TimingSource, Pass, bool> kind;
    std::string_view device;
    auto operator<=>(const Question&) const = default;
  };
  std::map<std::pair<Question, std::int64_t>, const ResultRow*> in_sweep_;
  std::map<Question, const ResultRow*> newest_;
};

/// The dot product that stands beside every step: of those that were measured in both passes the one of lowest rank.
std::string chosen_baseline(std::span<const ResultRow* const> rows, const std::string& baseline) {
  if (baseline != "auto") return baseline == "none" ? "" : baseline;
  std::set<std::string> forward, backward;
  const ResultRow* best = nullptr;
  const auto rank = [](const ResultRow& row) {
    return row.card.rank.value_or(std::numeric_limits<std::int64_t>::max());
  };
  for (const ResultRow* row : rows) {
    if (!sees_all(row->problem) || row->status != Status::ok || !row->median_ms) continue;
    (row->pass == Pass::forward ? forward : backward).insert(row->kernel);
    if (!forward.contains(row->kernel) || !backward.contains(row->kernel)) continue;
    if (best == nullptr || rank(*row) < rank(*best)) best = row;
  }
  return best == nullptr ? "" : best->kernel;
}

void add_baseline(TrainingStep& step, const Baselines& baselines) {
  const ResultRow *forward = baselines.beside(*step.forward), *backward = baselines.beside(*step.backward);
  if (forward == nullptr || backward == nullptr) return;
  step.baseline_forward = forward;
  step.baseline_backward = backward;
  step.baseline_step = sum_of(value_of(*forward), value_of(*backward));
  step.over_baseline = ratio_of(step.step, *step.baseline_step);
  step.compared_ms = step.step.value;
  step.compared_baseline_ms = step.baseline_step->value;
}

void add_forms(std::vector<TrainingStep>& steps) {
  std::unordered_map<std::string, const TrainingStep*> trilinear;
  for (const TrainingStep& step : steps) {
    if (step.forward->problem.form == Form::trilinear) trilinear.emplace(step_question(step), &step);
  }
  for (TrainingStep& step : steps) {
    if (step.forward->problem.form != Form::determinant) continue;
    ResultRow forward = *step.forward;
    forward.problem.form = Form::trilinear;
    TrainingStep twin = step;
    twin.forward = &forward;
    const auto other = trilinear.find(step_question(twin));
    if (other != trilinear.end()) step.determinant_trilinear = ratio_of(step.step, other->second->step);
  }
}

}  // namespace

std::optional<double> half_width(const ValueWithInterval& e) {
  if (!e.low || !e.high) return std::nullopt;
  return (*e.high - *e.low) / 2;
}

ValueWithInterval sum_of(const ValueWithInterval& a, const ValueWithInterval& b) {
  return with_half(a.value + b.value, in_squares(half_width(a), half_width(b)));
}

ValueWithInterval ratio_of(const ValueWithInterval& a, const ValueWithInterval& b) {
  const auto relative = [](const ValueWithInterval& e) {
    const std::optional<double> half = half_width(e);
    return half ? std::optional(*half / e.value) : std::nullopt;
  };
  const double value = a.value / b.value;
  const std::optional<double> half = in_squares(relative(a), relative(b));
  if (!half) return {value, std::nullopt, std::nullopt};
  return {value, value * std::exp(-*half), value * std::exp(*half)};
}

StepRatio ratio_of_steps(const PassBeside& forward, const PassBeside& backward) {
  StepRatio ratio{.time = {}, .own_ms = forward.a_ms + backward.a_ms, .other_ms = forward.b_ms + backward.b_ms};
  ratio.time.value = ratio.own_ms / ratio.other_ms;
  if (!has_interval(forward.time) || !has_interval(backward.time)) return ratio;
  const Comparison both = compare_steps(forward, backward);
  ratio.in_turns = both.paired;
  const double factor = both.paired ? 1 : ratio.time.value / both.ratio;  // its interval is around the medians
  if (both.paired) {
    ratio.time.value = both.ratio;
    ratio.own_ms = both.a_ms;
    ratio.other_ms = both.b_ms;
  }
  ratio.time.low = both.interval.low * factor;
  ratio.time.high = both.interval.high * factor;
  return ratio;
}

Comparison judge_step(const PassBeside& forward, const PassBeside& backward) {
  const StepRatio said = ratio_of_steps(forward, backward);
  Comparison step;
  step.ratio = said.time.value;
  step.same_within = std::max(forward.time.same_within, backward.time.same_within);
  for (const PassBeside* pass : {&forward, &backward}) {
    if (pass->time.verdict != Verdict::not_comparable) continue;
    step.verdict = Verdict::not_comparable;
    step.explanation = pass->time.explanation;
    return step;
  }
  if (!said.time.low || !said.time.high) {
    step.explanation = "An interval of one of its passes is unknown.";
    return step;
  }
  const Comparison both = compare_steps(forward, backward);
  step.interval = {*said.time.low, *said.time.high};
  step.paired = both.paired;
  step.few_blocks = both.few_blocks;
  step.a_ms = said.own_ms;
  step.b_ms = said.other_ms;
  for (const PassBeside* pass : {&forward, &backward}) {
    if (!bears_no_verdict(pass->time)) continue;
    step.explanation = pass->time.explanation;
    return step;
  }
  step.verdict = verdict_of(step.interval, step.same_within, step.same_within);
  if (step.paired)
    step.explanation =
        "Of the sums of both passes, each by its neighbouring turns; their intervals are added in squares.";
  return step;
}

ValueWithInterval value_of(const ResultRow& row) {
  ValueWithInterval estimate{row.median_ms.value_or(0), std::nullopt, std::nullopt};
  if (interval_known(row)) {
    estimate.low = row.ci_low_ms;
    estimate.high = row.ci_high_ms;
  }
  return estimate;
}

std::string step_question(const ResultRow& row) {
  const Problem& p = row.problem;
  return fmt::format(FMT_COMPILE("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}"), to_string(p.form),
                     to_string(p.mask), to_string(p.element), p.batch, p.seq_len, p.q_heads, p.kv_heads, p.head_dim,
                     p.window1, p.window2, p.scale.value_or(NAN), p.k2_bias, p.v2_bias, p.sink.value_or(NAN),
                     way_of(row), row.device);
}

std::string step_question(const TrainingStep& step) {
  return fmt::format(FMT_COMPILE("{}|{}"), step_question(*step.forward), step.backward->problem.deterministic);
}

std::vector<TrainingStep> training_steps(std::span<const ResultRow* const> rows, const std::string& baseline) {
  const std::string dot_product = chosen_baseline(rows, baseline);
  std::unordered_map<std::string, Passes> ours;
  Baselines baselines;
  std::vector<const Passes*> in_order;
  for (const ResultRow* row : rows) {
    if (row->status != Status::ok || !row->median_ms) continue;
    if (is_simplicial(*row)) {
      const auto [found, is_new] = ours.try_emplace(step_question(*row));
      if (is_new) in_order.push_back(&found->second);
      found->second.add(*row);
    } else if (row->kernel == dot_product && sees_all(row->problem)) {
      baselines.add(*row);
    }
  }
  std::vector<TrainingStep> steps;
  for (const Passes* passes : in_order) {
    for (const ResultRow* backward : {passes->backward, passes->deterministic}) {
      if (passes->forward == nullptr || backward == nullptr) continue;
      const ValueWithInterval first = value_of(*passes->forward), second = value_of(*backward);
      TrainingStep& step = steps.emplace_back(
          TrainingStep{passes->forward, backward, sum_of(first, second), ratio_of(second, first), {}, {}, {}, {}, {}});
      add_baseline(step, baselines);
    }
  }
  add_forms(steps);
  return steps;
}

std::vector<TrainingStep> training_steps(const std::vector<ResultRow>& rows, const std::string& baseline) {
  return training_steps(addresses_of(rows), baseline);
}

}  // namespace triscope
