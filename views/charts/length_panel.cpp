// Chart (4): latency or counted work against sequence length, with the crossings, and the windows of the same budget.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiler/plan/sweep_title.hpp"
#include "views/charts/charts_panels.hpp"
#include "views/charts/length_plot.hpp"
#include "views/charts/length_table.hpp"
#include "views/data/format.hpp"
#include "views/model/charts/length_budget.hpp"
#include "views/model/charts/length_words.hpp"
#include "views/parts/chart_tools.hpp"
#include "views/parts/data_state.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

constexpr float kLowPanel = 420, kLeastPlot = 136;  ///< design pixels

/// Too low for a plot above its sentences: a chip shows either.
bool is_low(const Context& context) {
  return !context.ui.printing && ImGui::GetWindowHeight() < context.look.px(kLowPanel);
}

/// The pass that is looked at, or the step.
const LengthPass& shown_part(const Context& context, const LengthChart& chart) {
  return context.ui.length_step ? chart.step : chart.of(context.ui.length_pass);
}

/// The answer that was chosen; null: it is not among these.
const SameBudget* chosen_budget(const Context& context, const LengthPass& pass) {
  const auto found =
      std::ranges::find_if(pass.budgets, [&](const SameBudget& budget) { return is_chosen(context, budget); });
  return found == pass.budgets.end() ? nullptr : &*found;
}

/// Shows a pass, or the step. A length that was chosen in the one before is chosen in it too: its rows are selected.
void show_part(Context& context, const LengthChart& chart, bool step, Pass pass) {
  UiState& ui = context.ui;
  const SameBudget* before = chosen_budget(context, shown_part(context, chart));
  ui.length_step = step;
  ui.length_pass = pass;
  if (ui.length_view != LengthView::budget || before == nullptr || ui.selection.all() != before->measurements) return;
  const std::vector<SameBudget>& budgets = shown_part(context, chart).budgets;
  const auto now = std::ranges::find(budgets, before->seq_len, &SameBudget::seq_len);
  if (now != budgets.end()) choose_length(context, *now);
}

/// Which view and which pass; the pass only when both have curves.
void draw_choices(Context& context, const LengthChart& chart) {
  UiState& ui = context.ui;
  if (ui.printing) return;
  for (const auto& [view, name] : {std::pair{LengthView::latency, "Latency"},
                                   {LengthView::rate, "TFLOP/s"},
                                   {LengthView::counted, "Work"},
                                   {LengthView::budget, "Same cost"}}) {
    if (view != LengthView::latency) ImGui::SameLine();
    if (chip(context, name, ui.length_view == view)) ui.length_view = view;
    if (view == LengthView::budget)
      tooltip(context,
              "Which pair of windows takes as long as dot-product attention at each length, and how sure that is.");
    if (ui.length_view == view) continue;  // the heading says it
    if (view == LengthView::rate) tooltip(context, "Useful work per second, by the exact count.");
    if (view == LengthView::counted) tooltip(context, "FLOPs of one launch, by the exact count.");
  }
  if (ui.length_words_behind) {
    ImGui::SameLine();
    if (chip(context, "In words", ui.length_words)) ui.length_words = !ui.length_words;
  }
  if (chart.passes[0].curves.empty() != chart.passes[1].curves.empty()) return;
  ImGui::SameLine(0, context.look.px(16));
  const float passes = button_width("Forward") + button_width("Backward") + ImGui::GetStyle().ItemSpacing.x +
                       (chart.has_step() ? button_width("Step") + ImGui::GetStyle().ItemSpacing.x : 0);
  if (ImGui::GetContentRegionAvail().x < passes) ImGui::NewLine();
  for (const auto& [pass, name] : {std::pair{Pass::forward, "Forward"}, {Pass::backward, "Backward"}}) {
    if (pass == Pass::backward) ImGui::SameLine();
    if (chip(context, name, !ui.length_step && ui.length_pass == pass)) show_part(context, chart, false, pass);
  }
  if (!chart.has_step()) return;
  ImGui::SameLine();
  if (chip(context, "Step", ui.length_step)) show_part(context, chart, true, ui.length_pass);
  tooltip(context, "A training step: forward and backward together, each by its fastest kernel.");
}

const char* subtitle(LengthView view) {
  switch (view) {
    case LengthView::latency:
      return "ms by tokens, both logarithmic";
    case LengthView::rate:
      return "TFLOP/s by tokens, exact count";
    case LengthView::counted:
      return "TFLOP a launch by tokens, exact count; both logarithmic";
    case LengthView::budget:
      return "area w1 × w2 that costs as much";
  }
  return "";
}

bool draws_times(LengthView view) { return view == LengthView::latency || view == LengthView::rate; }

/// What is drawn: "trilinear, 64/1 heads, head size 128, sustained". A count has no regime.
std::string problem_of(const LengthPass& pass, const LengthChart& chart, LengthView view) {
  const std::string& problem = view == LengthView::budget ? pass.question : pass.shared;
  if (problem.empty() || view == LengthView::counted) return problem;
  return problem + (chart.regime == Regime::sustained ? ", sustained" : ", burst");
}

/// What stands below the curves: the answers, and in words what a row cannot say.
struct Answers {
  LengthTable table;
  std::vector<std::string> above, below;  ///< sentences
  std::vector<std::string> with_words;    ///< that stand where the words about a length do
  const SameBudget* chosen = nullptr;     ///< whose words stand above the table
  bool empty() const { return table.text.rows.empty() && above.empty() && below.empty(); }
};

LengthTable table_of(const LengthPass& pass, LengthView view) {
  LengthTable table;
  if (view == LengthView::budget) {
    table.text = budget_table(pass);
    table.budgets = answers_first(pass.budgets);
    for (const SameBudget* budget : table.budgets) table.said.push_back(budget->headline + "\n" + budget->sentence);
  } else {
    table.text = crossing_table(pass);
    for (const LengthCrossing& crossing : pass.crossings) table.said.push_back(crossing.sentence);
  }
  return table;
}

/// What is said of the hollow marks that are drawn.
const char* note_of_hollow(const LengthPass& pass, LengthView view) {
  if (view == LengthView::budget) {
    const auto is_hollow = [](const SameBudget& budget) { return budget.windows && budget.windows->extrapolated(); };
    return std::ranges::any_of(pass.budgets, is_hollow) ? "hollow: extrapolated" : "";
  }
  if (!draws_times(view)) return "";
  bool unknown = false, unconverged = false;
  for (const LengthCurve& curve : pass.curves) {
    for (const LengthPoint& point : curve.points) {
      unknown |= !interval_known(point);
      unconverged |= interval_known(point) && !point.converged;
    }
  }
  return hollow_note(unknown, unconverged);
}

float height_in(const std::string& text, float width) {
  return ImGui::CalcTextSize(text.c_str(), nullptr, false, width).y + ImGui::GetStyle().ItemSpacing.y;
}

/// Of the words about a length, in their two sizes.
float height_of(const Context& context, const SameBudget& budget, float width) {
  const float headline = height_in(budget.headline, width);
  const SmallFont font(context.look);
  return headline + height_in(budget.sentence, width);
}

/// What stands below the plot.
struct Below {
  float height = 0;   ///< the plot keeps its least, and what has no room scrolls
  bool words = true;  ///< about one length have room, whichever is chosen: the chart above does not move on a click
};

Below below_of(const Context& context, const Answers& answers, ImVec2 room) {
  const float width = room.x - context.look.px(20), space = ImGui::GetStyle().ItemSpacing.y;
  float height = answers.table.text.rows.empty() ? 0 : height_of(context, answers.table, width) + space;
  float longest = 0, all = 0;
  for (const SameBudget* budget : answers.table.budgets) {
    longest = std::max(longest, height_of(context, *budget, width));
    all += height_of(context, *budget, width);
  }
  float with_words = 0;
  {
    const SmallFont font(context.look);
    for (const std::string& sentence : answers.with_words) with_words += height_in(sentence, width);
    for (const auto* sentences : {&answers.above, &answers.below}) {
      for (const std::string& sentence : *sentences) height += height_in(sentence, width);
    }
  }
  if (context.ui.printing) return {height + with_words + all + space};
  const float most = std::max(0.0F, room.y - context.look.px(kLeastPlot));
  with_words += height + space + (longest > 0 ? longest + ImGui::GetFrameHeightWithSpacing() : 0);
  return with_words <= most ? Below{with_words} : Below{std::min(height + space, most), longest == 0};
}

/// Fills the form of the next sweep; it is measured when a person starts it.
void plan_neighbours(Context& context, const LengthPass& pass, const SameBudget& budget) {
  const UiState& ui = context.ui;
  const LengthCurve& nearest = curve_at(pass, budget.nearest);
  Problem like = nearest.problem;
  like.seq_len = budget.seq_len;
  const std::vector<Pass> passes =
      ui.length_step ? std::vector{Pass::forward, Pass::backward} : std::vector{ui.length_pass};
  SetupForm form = ui.form;
  plan_windows(
      form, like, budget.neighbours, passes,
      {context.data.shown->info.environment.device_name, {nearest.kernel, curve_at(pass, budget.baseline).kernel}},
      context.data.machine.catalog.get());
  fill_setup(context, std::move(form),
             fmt::format("{} windows at {} beside {}", budget.neighbours.size(), format_tokens(budget.seq_len),
                         curve_at(pass, budget.baseline).label));
}

/// What the words of a sentence mean, and what a click does.
std::string sentence_help(const std::string& text, bool step) {
  std::string help;
  const auto explain = [&](std::string_view words, std::string_view meaning) {
    if (text.find(words) != std::string::npos) help += fmt::format("{}\n", meaning);
  };
  explain(", in turns", "In turns: by one sweep, alternating, so that heat and clock were those of both.");
  explain("not in turns", "Not in turns: by two sweeps; what changed between them is not in the interval.");
  explain(" (beside ",
          "Beside: what dot-product attention took in these turns, which is not quite its median elsewhere.");
  explain("power-capped", "Power-capped: the power limit held the clock down in at least half of the samples.");
  explain(" an area of ",
          "The range of an area has the 95 % intervals of the times and how far such lines missed measurements before, "
          "not the steps of tiles, in which times go: it is no 95 % interval itself.");
  return help +
         (step ? "The shown sweep's steps count, else those of the rows that count in the database.\n"
               : "The shown sweep's times count, else the newest.\n") +
         "A click selects the measurements that it stands on.";
}

/// The answer at a length and what it stands on.
void draw_words(const Context& context, const SameBudget& budget) {
  ImGui::PushTextWrapPos(0);
  coloured_text(context.look.theme.text, budget.headline);
  ImGui::PopTextWrapPos();
  muted_text(context, budget.sentence, true);
  if (!context.ui.printing) tooltip(context, sentence_help(budget.sentence, context.ui.length_step));
}

void draw_chosen(Context& context, const LengthPass& pass, const SameBudget& budget) {
  draw_words(context, budget);
  std::string windows;
  for (const Windows& one : budget.neighbours)
    windows += (windows.empty() ? "" : ", ") + format_windows(one.window1, one.window2);
  if (ImGui::Button(fmt::format("Plan the neighbours at {}###neighbours", format_tokens(budget.seq_len)).c_str()))
    plan_neighbours(context, pass, budget);
  tooltip(context, fmt::format("Fills the sweep setup with {} beside {}. Nothing is measured until you start it.",
                               windows, curve_at(pass, budget.baseline).label));
}

/// `words`: those about the chosen length too.
void draw_answers(Context& context, const LengthPass& pass, const Answers& answers, bool words) {
  UiState& ui = context.ui;
  const std::string listed = fmt::format("{} {}", static_cast<int>(ui.length_view), length_part_name(context));
  const std::string chosen = fmt::format("{} {}", listed, fmt::join(ui.length_chosen, " "));
  const bool other = ui.length_listed != chosen;
  ui.length_listed = chosen;
  if (ImGui::BeginChild("sentences", ImVec2(0, 0))) {
    if (other) ImGui::SetScrollY(0);  // where the words about the chosen length stand
    for (const std::string& sentence : answers.above) muted_text(context, sentence, true);
    if (!ui.printing && words && answers.chosen != nullptr) draw_chosen(context, pass, *answers.chosen);
    if (!answers.table.text.rows.empty()) draw_length_table(context, answers.table);
    if (ui.printing) {
      for (const SameBudget* budget : answers.table.budgets) draw_words(context, *budget);
    }
    for (const std::string& sentence : answers.below) muted_text(context, sentence, true);
    if (words) {
      for (const std::string& sentence : answers.with_words) muted_text(context, sentence, true);
    }
  }
  ImGui::EndChild();
}

/// A sweep of one pass that is shown anew: that pass, unless steps are looked at.
void follow_pass(Context& context) {
  UiState& ui = context.ui;
  const SweepResults& shown = *context.data.shown;
  if (std::exchange(ui.length_followed, shown.info.id) == shown.info.id || shown.rows.empty()) return;
  const Pass first = shown.rows.front().pass;
  if (std::ranges::all_of(shown.rows, [&](const ResultRow& row) { return row.pass == first; })) ui.length_pass = first;
}

/// Which dot-product attention both passes have and no step, "FlashAttention-3 64/8"; empty: there is none.
std::string without_step_words(const LengthChart& chart) {
  std::string names;
  const auto has = [](const LengthPass& pass, const std::string& label) {
    return std::ranges::find(pass.curves, label, &LengthCurve::label) != pass.curves.end();
  };
  for (const LengthCurve& curve : chart.passes[0].curves) {
    if (!curve.baseline || !has(chart.passes[1], curve.label) || has(chart.step, curve.label)) continue;
    names += (names.empty() ? "" : ", ") + curve.label;
  }
  if (names.empty()) return names;
  return fmt::format(
      "Not drawn as a step, though both passes were measured: {}. Dot-product attention has one where it stands beside "
      "a step of windows.",
      names);
}

/// Windows, or this dot-product attention, are left out, which is why nothing is said: what a click brings back.
std::string left_out_words(const LengthPass& pass, const LengthCurve& baseline) {
  return std::ranges::all_of(pass.curves, &LengthCurve::baseline)
             ? "All windows are left out: a click on a name above shows it again."
             : fmt::format("{} is left out: a click on its name above shows it again.", baseline.label);
}

/// What is left out in the legend is not in what is concluded; empty: all is shown.
std::string not_counted_words(const LengthPass& pass, const LengthPass& whole) {
  std::string names;
  for (const LengthCurve& curve : whole.curves) {
    if (std::ranges::find(pass.curves, curve.label, &LengthCurve::label) == pass.curves.end())
      names += (names.empty() ? "" : ", ") + curve.label;
  }
  return names.empty() ? names : fmt::format("Left out in the legend, and not counted here: {}.", names);
}

/// Of windows that are not drawn; empty: all are.
std::string undrawn_words(const LengthPass& pass, bool budgets) {
  const std::ptrdiff_t ours = std::ranges::count(pass.undrawn, false, &LengthCurve::baseline);
  if (ours == 0) return {};
  if (budgets)
    return "Windows without a curve count here too: of one length alone, or beyond as many as a chart can tell apart.";
  return fmt::format("{} no curve: of one length alone, or beyond as many as a chart can tell apart.",
                     counted(ours, "more problem") + (ours == 1 ? " has" : " have"));
}

/// Of lengths that have no row; empty: all have one.
std::string unanswered_words(const LengthPass& pass) {
  constexpr std::size_t kMostNamed = 8;
  if (pass.unanswered.empty()) return {};
  const std::size_t named = std::min(kMostNamed, pass.unanswered.size());
  std::string lengths;
  for (std::size_t n = 0; n < named; ++n) lengths += (lengths.empty() ? "" : ", ") + format_tokens(pass.unanswered[n]);
  if (named < pass.unanswered.size()) lengths += fmt::format(" and {} more", pass.unanswered.size() - named);
  return fmt::format(
      "Without an answer: {}. No measured windows of at most half the length take a quarter to four times as long as "
      "dot-product attention there.",
      lengths);
}

/// Where rows stand beside a row, a sweep, a file, the paper or nothing: what is drawn here needs a kernel all the
/// same.
std::string reference_words(const Context& context) {
  const std::string words = "Crossings, budgets and steps need a kernel: here they are beside dot-product attention";
  if (context.ui.selection.reference == "none") return words + ".";
  const Verdicts* verdicts = context.data.beside_reference.get();
  if (verdicts == nullptr || verdicts->of_kernel || verdicts->baseline.empty()) return {};
  return fmt::format("{}, not {}.", words, verdicts->short_label);
}

/// What is said below the curves. `whole`: the pass with what is left out of `pass`.
Answers answers_of(const Context& context, const LengthChart& chart, const LengthPass& pass, const LengthPass& whole) {
  Answers answers{table_of(pass, context.ui.length_view), {}, {}, {}, chosen_budget(context, pass)};
  const bool budgets = context.ui.length_view == LengthView::budget;
  if (!budgets) answers.chosen = nullptr;
  if (budgets && pass.budgets.empty()) {
    answers.below.push_back(
        whole.budgets.empty()
            ? "For a budget, measure windows and causal dot-product attention with the same heads at the same lengths."
            : "What costs the same is of windows beside dot-product attention. " +
                  left_out_words(pass, curve_at(whole, whole.budgets.front().baseline)));
    return answers;
  }
  if (budgets || context.ui.length_step || !pass.crossings.empty()) {
    if (const std::string words = reference_words(context); !words.empty()) answers.above.push_back(words);
  }
  if (const std::string words = not_counted_words(pass, whole); !words.empty() && !answers.table.text.rows.empty())
    answers.above.push_back(words);
  std::vector<std::string>& notes = budgets ? answers.with_words : answers.below;
  if (const std::string words = undrawn_words(pass, budgets); !words.empty()) notes.push_back(words);
  if (const std::string words = budgets ? unanswered_words(pass) : ""; !words.empty()) answers.below.push_back(words);
  if (context.ui.length_step) {
    if (const std::string words = without_step_words(chart); !words.empty()) notes.push_back(words);
  }
  if (pass.crossings.empty())
    answers.below.push_back(
        whole.crossings.empty()
            ? "For crossings, measure dot-product attention with as many query heads at the same lengths."
            : "Crossings are of windows beside dot-product attention. " +
                  left_out_words(pass, whole.curves[whole.crossings.front().baseline]));
  return answers;
}

/// The heading, the choices and the legend.
void draw_above(Context& context, const LengthChart& chart, const LengthChart& whole) {
  const UiState& ui = context.ui;
  const std::string device = short_device(context.data.shown->info.environment.device_name);
  const LengthPass& pass = shown_part(context, chart);
  const std::size_t sweeps_shown = ui.length_view == LengthView::budget ? pass.budget_sweeps : pass.sweeps;
  const std::string sweeps =
      sweeps_shown > 1 ? fmt::format("{} sweeps of {} together", sweeps_shown, device) : "on " + device;
  panel_heading(context, fmt::format("By sequence length, {}", length_part_name(context)),
                subtitle_from({note_of_hollow(pass, ui.length_view), problem_of(pass, chart, ui.length_view),
                               subtitle(ui.length_view), sweeps, context.models.lengths_wait() ? "reading ..." : ""}),
                button_width(kCopySave));
  chart_button(context, Panel::lengths);
  draw_choices(context, whole);
  draw_length_legend(context, shown_part(context, whole));
}

}  // namespace

void draw_length_panel(Context& context) {
  if (!draw_data_state(context)) return;
  const LengthChart* made = context.models.lengths(context.data);
  if (!made) return empty_state(context, "Reading the measurements ...");
  const LengthChart& whole = *made;
  if (whole.passes[0].curves.empty() && whole.passes[1].curves.empty()) {
    empty_state(
        context,
        "Nothing was measured on this device at two sequence lengths. A sweep of several lengths with dot-product "
        "attention shows where windows begin to pay.");
    return;
  }
  follow_pass(context);
  UiState& ui = context.ui;
  if (whole.of(ui.length_pass).curves.empty())
    ui.length_pass = ui.length_pass == Pass::forward ? Pass::backward : Pass::forward;
  const ChartFrame frame(context, Panel::lengths);
  if (!whole.has_step()) ui.length_step = false;
  const LengthChart& chart = *context.models.lengths_without(context.data, ui.lengths_left_out);
  draw_above(context, chart, whole);
  const LengthPass& pass = shown_part(context, chart);
  if (pass.curves.empty())
    return muted_text(context, "Every curve is left out. A click on a name shows it again.", true);
  const Answers answers = answers_of(context, chart, pass, shown_part(context, whole));
  const bool no_budget =
      ui.length_view == LengthView::budget &&
      std::ranges::none_of(pass.budgets, [](const SameBudget& budget) { return budget.windows.has_value(); });
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const bool low = is_low(context);
  const Below below = below_of(context, answers, room);
  const bool behind = !no_budget && (low || !below.words), only_words = no_budget || (behind && ui.length_words);
  if (!ui.printing) ui.length_words_behind = behind;
  if (!only_words) {
    const NumberFont font(context.look, kSecondarySize);
    const ImVec2 size(room.x, room.y - (low || answers.empty() ? 0 : below.height));
    if (ui.length_view == LengthView::budget) {
      draw_length_budget(context, pass, size);
    } else {
      draw_length_curves(context, pass, size);
    }
  }
  if (answers.empty() || (low && !only_words)) return;
  draw_answers(context, pass, answers, only_words || below.words);
}

}  // namespace triscope
