#include "app/cli/text/training_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "app/cli/text/number_text.hpp"
#include "app/cli/text/terminal_table.hpp"
#include "kernels/base/text/number_of.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/record/json.hpp"
#include "profiler/record/words/factor_text.hpp"
#include "profiler/record/words/problem_facts.hpp"
#include "profiler/statistics/convergence.hpp"
#include "profiler/statistics/row_that_counts.hpp"
#include "profiler/statistics/verdicts.hpp"

namespace triscope {
namespace {

using nlohmann::json;

std::string ms_text(const ValueWithInterval& e) {
  const std::optional<double> half = half_width(e);
  return milliseconds_text(e.value) + (half ? " +-" + significant_text(*half, 2) : " (interval unknown)");
}

std::string ratio_text(const std::optional<ValueWithInterval>& e) {
  if (!e) return "";
  if (!e->low) return factor_text(e->value) + " (interval unknown)";
  return fmt::format("{} ({} .. {})", factor_text(e->value), factor_text(*e->low, 4), factor_text(*e->high, 4));
}

constexpr const char* kFewMark = " ?";

/// With a star where the medians were divided, and a mark where too few blocks were.
std::string marked_ratio_text(const std::optional<ValueWithInterval>& ratio, bool in_turns, bool few_blocks) {
  if (!ratio) return "";
  return ratio_text(ratio) + (in_turns ? "" : " *") + (few_blocks ? kFewMark : "");
}

/// As `show` says it of a row.
std::string verdict_cell(const TrainingStep& step) {
  return step.verdict ? time_text(*step.verdict) + (step.verdict->paired ? "" : "*") : "";
}

/// The medians of both beside each other. Their quotient is not that of their turns.
std::string compared_text(const TrainingStep& step) {
  if (!step.over_baseline) return "";
  return fmt::format("{} / {} = {}", milliseconds_text(step.compared_ms), milliseconds_text(step.compared_baseline_ms),
                     factor_text(step.compared_ms / step.compared_baseline_ms));
}

std::string form_text(const TrainingStep& step) {
  const std::string form(to_string(step.forward->problem.form));
  return step.backward->problem.deterministic ? form + ", deterministic gradients" : form;
}

json value_json(const std::optional<ValueWithInterval>& e) {
  if (!e) return nullptr;
  return {{"value", e->value}, {"low", e->low}, {"high", e->high}};
}

bool has_few_blocks(const TrainingStep& step) {
  return has_few_blocks(*step.forward) || has_few_blocks(*step.backward);
}

/// Of one of the rows that the step, or its ratio, is made of.
bool leans_on_few_blocks(const TrainingStep& step) {
  return has_few_blocks(step) || (step.baseline_forward && has_few_blocks(*step.baseline_forward)) ||
         (step.baseline_backward && has_few_blocks(*step.baseline_backward));
}

std::string marked_ms_text(const TrainingStep& step) {
  return ms_text(step.step) + (has_few_blocks(step) ? kFewMark : "");
}

std::string few_blocks_words() {
  return fmt::format("?: a pass has fewer than {} blocks, too few to trust: measure longer (--budget).\n",
                     kFewestBlocks);
}

std::size_t devices_of(const std::vector<TrainingStep>& steps) {
  std::set<std::string> devices;
  for (const TrainingStep& step : steps) devices.insert(step.forward->device);
  return devices.size();
}

/// `name` is the dot product that steps stand beside.
TerminalTable table_of_steps(const std::vector<TrainingStep>& steps, const std::string& name) {
  const bool some_in_turns = std::ranges::any_of(steps, &TrainingStep::in_turns);
  const bool several_devices = devices_of(steps) > 1;
  TerminalTable table;
  table.columns = {{"windows", Align::left, 95, false},
                   {"device", Align::left, 82, false},
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
                   {"backward / forward", Align::point, 75, false},
                   {"medians, step / " + name, Align::right, 70, false},
                   {(some_in_turns ? "in turns, step / " : "step / ") + name, Align::point, 90, false},
                   {"time vs " + name, Align::left, 92, false},
                   {"determinant / trilinear", Align::point, 65, false}};
  for (const TrainingStep& step : steps) {
    const Problem& problem = step.forward->problem;
    table.rows.push_back({windows_text(problem), several_devices ? step.forward->device : "", form_text(step),
                          std::string(to_string(step.forward->regime)), fmt::format("{}", problem.seq_len),
                          fmt::format("{}/{}", problem.q_heads, problem.kv_heads), fmt::format("{}", problem.head_dim),
                          step.forward->kernel, milliseconds_text(*step.forward->median_ms), step.backward->kernel,
                          milliseconds_text(*step.backward->median_ms), marked_ms_text(step),
                          ratio_text(step.backward_forward), compared_text(step),
                          marked_ratio_text(step.over_baseline, step.in_turns, leans_on_few_blocks(step)),
                          verdict_cell(step), ratio_text(step.determinant_trilinear)});
  }
  return table;
}

/// Which steps have medians whose quotient lies outside the interval of their turns.
std::string medians_outside(const std::vector<TrainingStep>& steps) {
  std::vector<std::string> outside;
  for (const TrainingStep& step : steps) {
    if (!step.over_baseline || !step.in_turns || !step.over_baseline->low) continue;
    const double quotient = step.compared_ms / step.compared_baseline_ms;
    if (quotient >= *step.over_baseline->low && quotient <= *step.over_baseline->high) continue;
    outside.push_back(fmt::format("{} at {}", windows_text(step.forward->problem), step.forward->problem.seq_len));
  }
  if (outside.empty()) return {};
  return fmt::format(
      "Outside the interval lies that of {}: blocks that stand out within a turn count in the ratio, not in a "
      "median (docs/method.md, \"Verdicts\").\n",
      first_words(std::move(outside)));
}

}  // namespace

std::string training_step_table(const std::vector<TrainingStep>& steps, std::size_t width) {
  const auto baseline = std::find_if(steps.begin(), steps.end(), [](const auto& step) { return step.over_baseline; });
  const std::string name = baseline == steps.end() ? "" : baseline->baseline_forward->kernel;
  std::string text =
      render(table_of_steps(steps, name), width) +
      "\nA step is the fastest forward and the fastest backward of a problem together. Intervals hold 95 %; the "
      "passes were measured in separate runs, and what changed on the machine in between is not in them.\n";
  const bool by_medians =
      std::ranges::any_of(steps, [](const TrainingStep& step) { return step.over_baseline && !step.in_turns; });
  if (!name.empty())
    text += fmt::format(
        "In turns, step / {} is the mean over the neighbouring turns of each pass. The medians before it are of the "
        "same "
        "turns; where single turns stand out, their quotient is another one, by some percent{}.\n",
        name, by_medians ? "; * not in turns: of the medians of the whole rows" : "");
  text += medians_outside(steps);
  if (std::ranges::any_of(steps, leans_on_few_blocks)) text += few_blocks_words();
  const auto is_not_bounded = [](const TrainingStep& step) { return step.over_baseline && !step.over_baseline->low; };
  if (std::ranges::any_of(steps, is_not_bounded))
    text += fmt::format(
        "interval unknown: a pass and {} were measured on two GPUs, whose difference is in no sample, or too rarely; "
        "`triscope compare` of the two measurements says which.\n",
        name);
  return text;
}

std::string training_step_json(const std::vector<TrainingStep>& steps) {
  std::string text;
  for (const TrainingStep& step : steps) {
    const Problem& problem = step.forward->problem;
    text += dump_line({{"type", "training_step"},
                       {"windows", {problem.window1, problem.window2}},
                       {"form", to_string(problem.form)},
                       {"seq_len", problem.seq_len},
                       {"batch", problem.batch},
                       {"q_heads", problem.q_heads},
                       {"kv_heads", problem.kv_heads},
                       {"head_dim", problem.head_dim},
                       {"deterministic", step.backward->problem.deterministic},
                       {"regime", to_string(step.forward->regime)},
                       {"device", step.forward->device},
                       {"forward", step.forward->measurement},
                       {"backward", step.backward->measurement},
                       {"step_ms", value_json(step.step)},
                       {"backward_forward", value_json(step.backward_forward)},
                       {"baseline", step.baseline_forward ? json(step.baseline_forward->kernel) : json(nullptr)},
                       {"baseline_step_ms", value_json(step.baseline_step)},
                       {"over_baseline", value_json(step.over_baseline)},
                       {"in_turns", step.in_turns},
                       {"verdict", step.verdict ? json(to_string(step.verdict->verdict)) : json(nullptr)},
                       {"few_blocks", leans_on_few_blocks(step)},
                       {"in_turns_ms", step.in_turns ? json(step.compared_ms) : json(nullptr)},
                       {"baseline_in_turns_ms", step.in_turns ? json(step.compared_baseline_ms) : json(nullptr)},
                       {"determinant_trilinear", value_json(step.determinant_trilinear)}}) +
            "\n";
  }
  return text;
}

std::vector<ComparedStep> steps_of_both_sides(
    const std::vector<ResultRow>& a, const std::vector<ResultRow>& b,
    const std::function<std::optional<RowRatio>(const ResultRow& a, const ResultRow& b)>& ratio_of_rows) {
  std::map<std::string, const TrainingStep*> of_b;
  const std::vector<TrainingStep> ours = training_steps(a, "none"), theirs = training_steps(b, "none");
  for (const TrainingStep& step : theirs) of_b.emplace(step_question(step), &step);
  std::vector<ComparedStep> compared;
  for (const TrainingStep& step : ours) {
    const auto other = of_b.find(step_question(step));
    if (other == of_b.end()) continue;
    const TrainingStep& beside = *other->second;
    ComparedStep& both = compared.emplace_back(ComparedStep{.a = step, .b = beside, .ratio = {}});
    both.ratio.value = step.step.value / beside.step.value;
    const std::optional<RowRatio> forward = ratio_of_rows(*step.forward, *beside.forward),
                                  backward = ratio_of_rows(*step.backward, *beside.backward);
    if (!forward || !backward) continue;
    both.confidence = std::min(forward->confidence, backward->confidence);
    const StepRatio ratio = ratio_of_steps({*step.forward->median_ms, *beside.forward->median_ms, forward->time},
                                           {*step.backward->median_ms, *beside.backward->median_ms, backward->time});
    both.ratio = ratio.time;
    both.in_turns = ratio.in_turns;
  }
  return compared;
}

std::string compared_steps_table(const std::vector<ComparedStep>& steps, std::size_t width) {
  double confidence = 1;
  for (const ComparedStep& step : steps) confidence = std::min(confidence, step.confidence);
  TerminalTable table;
  table.columns = {{"windows", Align::left, 95, false},
                   {"form", Align::left, 60, false},
                   {"seq", Align::right, 85, false},
                   {"A step ms", Align::right, 90, false},
                   {"B step ms", Align::right, 90, false},
                   {fmt::format("time A / B, {:.0f} %", 100 * confidence), Align::point, 100, false},
                   {"A backward / forward", Align::point, 40, false},
                   {"B backward / forward", Align::point, 40, false}};
  for (const ComparedStep& step : steps) {
    const Problem& problem = step.a.forward->problem;
    table.rows.push_back(
        {windows_text(problem), form_text(step.a), fmt::format("{}", problem.seq_len), marked_ms_text(step.a),
         marked_ms_text(step.b),
         marked_ratio_text(step.ratio, step.in_turns, has_few_blocks(step.a) || has_few_blocks(step.b)),
         ratio_text(step.a.backward_forward), ratio_text(step.b.backward_forward)});
  }
  std::string text = render(table, width);
  if (!std::ranges::all_of(steps, &ComparedStep::in_turns))
    text += "* not in turns: of the medians; else of the neighbouring turns of each pass\n";
  if (std::ranges::any_of(steps, [](const auto& step) { return has_few_blocks(step.a) || has_few_blocks(step.b); }))
    text += few_blocks_words();
  return text;
}

std::string compared_steps_json(const std::vector<ComparedStep>& steps) {
  std::string text;
  for (const ComparedStep& step : steps) {
    text += dump_line({{"type", "training_step"},
                       {"a", {step.a.forward->measurement, step.a.backward->measurement}},
                       {"b", {step.b.forward->measurement, step.b.backward->measurement}},
                       {"a_step_ms", value_json(step.a.step)},
                       {"b_step_ms", value_json(step.b.step)},
                       {"time_a_over_b", value_json(step.ratio)},
                       {"in_turns", step.in_turns},
                       {"confidence", step.confidence}}) +
            "\n";
  }
  return text;
}

std::string training_steps_words(const std::vector<TrainingStep>& steps) {
  if (steps.empty()) return "";
  double low = std::numeric_limits<double>::infinity(), high = 0;
  double least = low, most = 0;
  std::string baseline;
  std::size_t beside = 0, of_medians = 0;
  const auto few = static_cast<std::size_t>(std::ranges::count_if(steps, leans_on_few_blocks));
  for (const TrainingStep& step : steps) {
    low = std::min(low, step.step.value);
    high = std::max(high, step.step.value);
    if (!step.over_baseline) continue;
    baseline = step.baseline_forward->kernel;
    ++beside;
    of_medians += step.in_turns ? 0 : 1;
    least = std::min(least, step.over_baseline->value);
    most = std::max(most, step.over_baseline->value);
  }
  const auto range = [](double from, double to, auto text) {
    return from == to ? text(from) : fmt::format("{} to {}", text(from), text(to));
  };
  std::string words = fmt::format("{}, {} ms", number_of(steps.size(), "problem"),
                                  range(low, high, [](double ms) { return milliseconds_text(ms); }));
  if (!baseline.empty())
    words += fmt::format(", {}x {}", range(least, most, [](double ratio) { return factor_text(ratio); }), baseline);
  if (const std::size_t devices = devices_of(steps); devices > 1) words += fmt::format(", on {} devices", devices);
  if (few > 0)
    words += fmt::format(", {} by too few blocks to trust", few == steps.size() ? "all" : std::to_string(few));
  if (of_medians > 0)
    words += of_medians == beside ? ", not in turns" : fmt::format(", {} of {} not in turns", of_medians, beside);
  return words;
}

}  // namespace triscope
