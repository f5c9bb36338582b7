#include "views/model/tables/selected_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "kernels/attention/flops.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/statistics/comparison_facts.hpp"
#include "profiler/statistics/convergence.hpp"
#include "profiler/statistics/student_t.hpp"
#include "views/data/brief_label.hpp"
#include "views/data/format.hpp"
#include "views/model/tables/latency_model.hpp"

namespace triscope {
namespace {

/// The rows of one pass: of the first step, and of the one that it stands beside.
struct PassPair {
  const SelectedRow &a, &b;
};
PassPair pair_of(const SelectedStep& first, const SelectedStep& step, Pass pass) {
  return pass == Pass::forward ? PassPair{*first.forward, *step.forward} : PassPair{*first.backward, *step.backward};
}

/// No verdict, and why; an empty reason: nothing is against one.
struct Doubt {
  std::string why;
  Verdict verdict = Verdict::unclear;
};

/// What says that two rows are not comparable whatever their samples are.
Doubt doubt_of_conditions(const ResultRow& a, const ResultRow& b, double tolerance) {
  const Comparison ways = compare({{}, a.regime, a.timing_source}, {{}, b.regime, b.timing_source}, false, tolerance);
  if (ways.verdict == Verdict::not_comparable) return {ways.explanation, ways.verdict};
  if (a.device != b.device)
    return {fmt::format("A was measured on {} and B on {}.", a.device, b.device), Verdict::not_comparable};
  return {};
}

Doubt few_blocks_of(Pass pass) {
  return {fmt::format("Of a {} pass fewer than {} blocks were measured, too few to trust.", to_string(pass),
                      kFewestBlocks)};
}

/// Of the pass whose rows were compared.
Doubt doubt_of_comparison(const std::optional<Comparison>& time, Pass pass, double tolerance) {
  if (!time) return {fmt::format("The {} passes are not compared.", to_string(pass))};
  if (time->verdict == Verdict::not_comparable) return {time->explanation, time->verdict};
  if (!interval_known(*time)) return {"An interval of one of its passes is unknown."};
  if (time->few_blocks) return {};  // which leaves the interval
  if (time->verdict == Verdict::unclear && verdict_of(time->interval, tolerance, time->same_within) != time->verdict)
    return {
        fmt::format("Of the {} passes alone no verdict is clear: what disturbed their samples, their clocks or "
                    "their modes may be the reason.",
                    to_string(pass))};
  return {};
}

/// The first pass of `pairs` that was compared by too few blocks for a verdict.
std::optional<Pass> pass_of_few_blocks(std::initializer_list<const PassPair*> pairs) {
  for (const PassPair* pair : pairs) {
    if (pair->b.time && pair->b.time->few_blocks) return pair->a.row.pass;
  }
  return std::nullopt;
}

bool held_down(const ResultRow& a, const ResultRow& b) { return !a.limiter.empty() || !b.limiter.empty(); }

/// Of the pass whose rows were not: what is known of `compared` holds for it where it is of the same sweeps.
Doubt doubt_of_the_other(const PassPair& other, const PassPair& compared, double tolerance) {
  const ResultRow &a = other.a.row, &b = other.b.row;
  const auto why = [&](std::string_view words) { return Doubt{fmt::format(fmt::runtime(words), to_string(a.pass))}; };
  const bool one_sweep = a.sweep == b.sweep;
  if (!one_sweep && (a.sweep != compared.a.row.sweep || b.sweep != compared.b.row.sweep))
    return why("The {} passes are of two sweeps that are not compared here: they may be of two GPUs.");
  const auto disturbed = [](const ResultRow& row) { return row.limiter.empty() && 2 * row.flagged > row.samples; };
  if (has_few_blocks(a) || has_few_blocks(b)) return few_blocks_of(a.pass);
  if (disturbed(a) || disturbed(b)) return why("Most samples of a {} pass were disturbed: measure again.");
  if (!one_sweep && held_down(a, b) && !held_down(compared.a.row, compared.b.row))
    return why("The GPU held its clock down in the {} passes, which are of two sweeps.");
  if (a.regime == Regime::burst && a.sm_clock_mhz && b.sm_clock_mhz &&
      std::abs(*a.sm_clock_mhz / *b.sm_clock_mhz - 1) > tolerance)
    return why("The {} passes ran at two clocks: the difference may come from these, not from the kernels.");
  return {};
}

/// Half the interval of the logarithm of the ratio of two medians, as wide as of separate runs.
std::optional<double> half_of_medians(const ResultRow& a, const ResultRow& b) {
  constexpr double kUsual = 0.95;
  const ValueWithInterval ratio = ratio_of(value_of(b), value_of(a));
  if (!ratio.high || ratio.value <= 0) return std::nullopt;
  const double half = std::log(*ratio.high / ratio.value);
  const double confidence = confidence_of(false, a.restarts, b.restarts);
  if (confidence <= kUsual) return half;
  const std::int64_t fewest =
      std::min(a.restarts > 1 ? a.restarts : b.restarts, b.restarts > 1 ? b.restarts : a.restarts);
  const auto degrees = static_cast<double>(fewest - 1);
  return half * t_quantile((1 + confidence) / 2, degrees) / t_quantile((1 + kUsual) / 2, degrees);
}

/// The same of both passes: of the compared one that of its comparison, and how far its ratio is from that of medians.
std::optional<double> half_of_step(const PassPair& compared, const PassPair& other) {
  const Comparison& time = *compared.b.time;
  const std::optional<double> of_medians = half_of_medians(other.a.row, other.b.row);
  if (!of_medians) return std::nullopt;
  const double medians = *compared.b.row.median_ms / *compared.a.row.median_ms;
  const double of_compared =
      std::log(time.interval.high / time.interval.low) / 2 + std::abs(std::log(time.ratio / medians));
  // Clocks that are held down make separate runs of the other pass as uncertain as those of this one.
  const bool as_uncertain = !time.paired && held_down(other.a.row, other.b.row);
  const double of_other = as_uncertain ? std::max(*of_medians, of_compared) : *of_medians;
  const double sum = *compared.b.row.median_ms + *other.b.row.median_ms;
  return std::hypot(*compared.b.row.median_ms / sum * of_compared, *other.b.row.median_ms / sum * of_other);
}

/// The step beside the first, where each pass took turns with the first's; unset: one did not.
std::optional<Comparison> beside_in_turns(const SelectedStep& first, const SelectedStep& step) {
  const PassPair forward = pair_of(first, step, Pass::forward), backward = pair_of(first, step, Pass::backward);
  const auto beside = [](const PassPair& pair) {
    return PassBeside{*pair.b.row.median_ms, *pair.a.row.median_ms, *pair.b.time};
  };
  for (const PassPair& pair : {forward, backward})
    if (!pair.b.time || !in_turns(*pair.b.time)) return std::nullopt;
  return compare_steps(beside(forward), beside(backward));
}

}  // namespace

std::vector<SelectedStep> selected_steps(const SelectionFigures& figures) {
  struct Both {
    const SelectedRow *forward = nullptr, *backward = nullptr;
    bool twice = false;
  };
  std::vector<std::string> order;
  std::map<std::string, Both> steps;
  for (const SelectedRow& one : figures.rows) {
    const ResultRow& row = one.row;
    if (row.status != Status::ok || !row.median_ms) continue;
    // Passes of windows may be of two kernels, each the fastest; two of dot-product attention are two steps.
    const std::string key = step_question(row) + (row.problem.form == Form::dot_product ? "|" + row.kernel : "");
    if (!steps.contains(key)) order.push_back(key);
    Both& both = steps[key];
    const SelectedRow*& place = row.pass == Pass::forward ? both.forward : both.backward;
    both.twice |= place != nullptr;
    place = &one;
  }
  std::vector<SelectedStep> result;
  std::optional<ValueWithInterval> first;
  for (const std::string& key : order) {
    const Both& both = steps[key];
    if (both.forward == nullptr || both.backward == nullptr || both.twice) continue;
    SelectedStep step{fmt::format("{} {}", line_label(both.backward->row), brief_label(both.backward->row.card)),
                      sum_of(value_of(both.forward->row), value_of(both.backward->row)),
                      {},
                      0,
                      both.forward,
                      both.backward};
    const double flops = useful_flops(both.forward->row.problem, Pass::forward) +
                         useful_flops(both.backward->row.problem, Pass::backward);
    step.tflops = 1e-9 * flops / step.ms.value;
    if (result.empty() && key == order.front()) first = step.ms;
    if (first && !result.empty()) {
      step.beside = ratio_of(step.ms, *first);
      if (const auto turns = beside_in_turns(result.front(), step))
        step.beside = {turns->ratio, turns->interval.low, turns->interval.high};
    }
    result.push_back(std::move(step));
  }
  return result;
}

std::string step_text(const SelectedStep& step) {
  std::string text = format_ms(step.ms.value, half_width(step.ms));
  if (step.beside.value <= 0) return text;
  text += fmt::format(", {}×", format_fixed(step.beside.value, 3));
  if (step.beside.low && step.beside.high)
    text += fmt::format(" ({} to {})", format_fixed(*step.beside.low, 3), format_fixed(*step.beside.high, 3));
  return text;
}

std::string step_rate_text(const SelectedStep& first, const SelectedStep& step, const Comparison& comparison) {
  if (!(first.tflops > 0) || !(step.tflops > 0) || !(comparison.ratio > 0)) return {};
  const double work = first.tflops * first.ms.value / (step.tflops * step.ms.value);
  std::string text = fmt::format("{} times the rate of {}", format_fixed(work / comparison.ratio, 3), step.name);
  if (interval_known(comparison)) {
    text += fmt::format(", {} to {}", format_fixed(work / comparison.interval.high, 3),
                        format_fixed(work / comparison.interval.low, 3));
  }
  return fmt::format("{}: {} beside {} TFLOP/s.", text, significant_text(first.tflops, 4),
                     significant_text(step.tflops, 4));
}

bool only_steps(const SelectionFigures& figures, const std::vector<SelectedStep>& steps) {
  return !steps.empty() && steps.front().beside.value == 0 && 2 * steps.size() == figures.rows.size();
}

Comparison beside_step(const SelectedStep& first, const SelectedStep& step, Pass compared, double tolerance) {
  Comparison comparison;
  if (step.beside.value <= 0) return comparison;
  comparison.ratio = 1 / step.beside.value;
  comparison.same_within = same_within_of(false, tolerance);
  const Pass other = compared == Pass::forward ? Pass::backward : Pass::forward;
  const PassPair of_compared = pair_of(first, step, compared), of_other = pair_of(first, step, other);
  Doubt doubt = doubt_of_conditions(of_compared.a.row, of_compared.b.row, tolerance);
  if (doubt.why.empty()) doubt = doubt_of_conditions(of_other.a.row, of_other.b.row, tolerance);
  if (doubt.why.empty()) doubt = doubt_of_comparison(of_compared.b.time, compared, tolerance);
  if (const auto turns = beside_in_turns(first, step); turns && doubt.why.empty()) {
    doubt = doubt_of_comparison(of_other.b.time, other, tolerance);
    comparison.paired = true;
    comparison.same_within = same_within_of(true, tolerance);
    comparison.a_ms = turns->b_ms;
    comparison.b_ms = turns->a_ms;
    if (doubt.why.empty()) {
      comparison.interval = {1 / turns->interval.high, 1 / turns->interval.low};
      comparison.verdict = verdict_of(comparison.interval, tolerance, comparison.same_within);
      comparison.explanation =
          "Of the sums of both passes, each by its neighbouring turns; their intervals are added in squares.";
      if (const std::optional<Pass> few = pass_of_few_blocks({&of_compared, &of_other})) {
        comparison.few_blocks = true;
        comparison.verdict = Verdict::unclear;
        comparison.explanation = few_blocks_of(*few).why;
      }
      return comparison;
    }
  }
  if (const auto few = pass_of_few_blocks({&of_compared}); few && doubt.why.empty()) doubt = few_blocks_of(*few);
  if (doubt.why.empty()) doubt = doubt_of_the_other(of_other, of_compared, tolerance);
  const std::optional<double> half = doubt.why.empty() ? half_of_step(of_compared, of_other) : std::nullopt;
  if (!half) {
    comparison.verdict = doubt.verdict;
    comparison.explanation = doubt.why.empty() ? "An interval of one of its passes is unknown." : doubt.why;
    return comparison;
  }
  comparison.interval = {comparison.ratio * std::exp(-*half), comparison.ratio * std::exp(*half)};
  comparison.verdict = verdict_of(comparison.interval, tolerance, comparison.same_within);
  comparison.explanation = fmt::format(
      "Of the sums of both passes: the interval of the {} passes is that of their comparison, that of the {} "
      "passes is of their medians, and both are added in squares.",
      to_string(compared), to_string(other));
  return comparison;
}

}  // namespace triscope
