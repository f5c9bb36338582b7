#include "views/tables/details_beside.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiler/plan/request.hpp"
#include "profiler/record/columns.hpp"
#include "views/data/brief_label.hpp"
#include "views/data/format.hpp"
#include "views/model/tables/beside_model.hpp"
#include "views/model/tables/compare_model.hpp"
#include "views/model/tables/computed_words.hpp"
#include "views/model/tables/version_words.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

constexpr std::size_t kMostRows = 8;  ///< of a list; of rows the table scrolls then

std::string short_name(const ResultRow& row) {
  return fmt::format("{} {} {}", line_label(row), brief_label(row.card), row.pass == Pass::forward ? "fwd" : "bwd");
}

/// "A" for what the others stand beside, "B" for what it is compared with in full.
const char* letter_of(const Selection& selection, std::int64_t measurement) {
  return measurement == selection.pinned() ? "A" : measurement == selection.beside() ? "B" : "";
}

/// In what the selected rows differ beside their windows, so that a narrow list names no more.
struct NamedBy {
  bool kernel = false, pass = false, tokens = false, sweep = false;
  bool more_than_windows() const { return kernel || pass || tokens || sweep; }
};
NamedBy naming(const SelectionFigures& figures) {
  NamedBy by;
  for (const SelectedRow& one : figures.rows) {
    const ResultRow &row = one.row, &first = figures.rows.front().row;
    by.kernel |= row.kernel != first.kernel;
    by.pass |= row.pass != first.pass;
    by.tokens |= row.problem.seq_len != first.problem.seq_len;
    by.sweep |= row.sweep != first.sweep;
  }
  return by;
}

std::string name_by(const NamedBy& by, const ResultRow& row) {
  std::string name = line_label(row);
  if (by.tokens) name += " " + format_tokens(row.problem.seq_len);
  if (by.kernel) name += " " + brief_label(row.card);
  if (by.pass) name += row.pass == Pass::forward ? " fwd" : " bwd";
  if (by.sweep) name += fmt::format(", sweep {}", row.sweep);
  return name;
}

/// What the selected rows have in common of that: "Hopper forward, 32,768 tokens".
std::string shared_name(const NamedBy& by, const ResultRow& row) {
  std::string name = by.kernel ? "" : row.card.label;
  if (!by.pass) name += fmt::format("{}{}", name.empty() ? "" : " ", to_string(row.pass));
  if (!by.tokens) name += fmt::format("{}{} tokens", name.empty() ? "" : ", ", format_count(row.problem.seq_len));
  return name;
}

/// "▲ 0.576": the ratio that the heading names; of what is not comparable in grey.
std::string brief_time(const Comparison& time) {
  const std::string ratio = time.ratio > 0 ? format_fixed(time.ratio, time.ratio < 10 ? 3 : 2) : "–";
  if (time.verdict == Verdict::unclear) return "? unclear";
  return time.verdict == Verdict::faster || time.verdict == Verdict::slower ? marked(time, ratio) : ratio;
}

/// A beside the row, as every ratio here is: the comparison the other way round. Its explanation is below, in full.
Comparison turned_round(Comparison time) {
  if (time.ratio > 0) time.ratio = 1 / time.ratio;
  std::swap(time.a_ms, time.b_ms);
  if (interval_known(time)) time.interval = {1 / time.interval.high, 1 / time.interval.low};
  if (time.cycle_ratio) time.cycle_ratio = 1 / *time.cycle_ratio;
  if (time.verdict == Verdict::faster || time.verdict == Verdict::slower)
    time.verdict = time.verdict == Verdict::faster ? Verdict::slower : Verdict::faster;
  time.explanation.clear();
  return time;
}

/// A click makes a row B, with Ctrl it takes it out.
void draw_figure_button(Context& context, const ResultRow& row, const std::string& letter, int time_column) {
  const Selection& selection = context.ui.selection;
  ImGui::PushID(static_cast<int>(row.measurement));
  if (row_button(false)) {
    if (ImGui::GetIO().KeyCtrl) {
      context.request(ask::SelectMeasurement{row.measurement, 0, true});
    } else if (letter.empty()) {
      std::vector<std::int64_t> all = selection.all();
      std::erase(all, row.measurement);
      all.push_back(row.measurement);
      context.request(ask::SelectMeasurements{std::move(all)});
    }
  }
  if (ImGui::IsItemHovered()) context.ui.selection.hovered_now = row.measurement;
  if (ImGui::TableGetHoveredColumn() < time_column)  // that one has a tooltip of its own
    tooltip(context, fmt::format("{}, {} tokens, {}, sweep {}{}", short_name(row), format_count(row.problem.seq_len),
                                 row.card.label, row.sweep,
                                 letter.empty() ? "\nA click compares A with this one. Ctrl+click takes it out." : ""));
  ImGui::PopID();
}

void draw_figure(Context& context, const SelectedRow& one, const NamedBy& by, bool rates, int decimals,
                 bool has_ratio) {
  const Theme& theme = context.look.theme;
  const ResultRow& row = one.row;
  const std::string letter = letter_of(context.ui.selection, row.measurement);
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  draw_figure_button(context, row, letter, rates ? 4 : 3);
  ImGui::SameLine(0, 0);
  coloured_text(theme.accent, letter);
  ImGui::TableNextColumn();
  {
    const SmallFont font(context.look);
    clipped_text(context, theme.text, name_by(by, row), ImGui::GetContentRegionAvail().x);
  }
  ImGui::TableNextColumn();
  if (row.status == Status::ok && row.median_ms) {
    number_right(context, format_fixed(*row.median_ms, ms_decimals(row)) + point_padding(ms_decimals(row), decimals));
  } else {
    coloured_text(row.status == Status::failed ? theme.slower : theme.muted, to_string(row.status));
  }
  if (rates) {
    ImGui::TableNextColumn();
    if (row.tflops) number_right(context, format_fixed(*row.tflops, rate_decimals(row)), theme.muted);
  }
  ImGui::TableNextColumn();
  if (!one.time || !has_ratio) return;
  const Comparison time = turned_round(*one.time);
  const std::string words = brief_time(time);
  const SmallFont font(context.look);
  const float left = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(words.c_str()).x;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0F, left));  // its column is one of numbers
  beside_other(context, time, words, line_label(row));
}

/// What can be done with all that are selected, on the line of the heading.
void draw_figure_buttons(Context& context, const SelectionFigures& figures) {
  if (context.ui.printing) return;
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  const bool swaps = context.data.versions.kernel.empty();  // of two versions the table says which one is A
  ImGui::SameLine();
  align_right((swaps ? button_width("Swap A and B") + gap : 0) + button_width("Copy"));
  if (swaps && ImGui::Button("Swap A and B")) {
    std::vector<std::int64_t> all = context.ui.selection.all();
    std::swap(all.front(), all.back());
    context.request(ask::SelectMeasurements{std::move(all)});
  }
  if (swaps) ImGui::SameLine();
  if (ImGui::Button("Copy")) context.request(ask::CopyText{write_table(figures_text(figures), TableFormat::tsv)});
}

/// What A and B say of one thing, and the factor between them. A stands at the left and B in the middle below the name,
/// in every line, so that both can be read downwards; in a wide panel all stand on one line, in columns too. What is
/// too long for its column has a line of its own.
void draw_pair(Context& context, const std::string& what, const std::string& meaning, const std::string& a,
               const std::string& b, const std::string& factor, const std::string& busy_cycles = "") {
  constexpr float kWide = 420, kNames = 0.38F, kValues = 0.22F;
  const Look& look = context.look;
  const float room = ImGui::GetContentRegionAvail().x, left = ImGui::GetCursorPosX(), right = left + room;
  const bool wide = room > look.px(kWide);
  const float column = room * (wide ? kValues : 0.5F), at_a = left + (wide ? room * kNames : 0), at_b = at_a + column;
  const std::string in_a = "A " + (a.empty() ? "unknown" : a), in_b = "B " + (b.empty() ? "unknown" : b);
  ImGui::BeginGroup();
  ImGui::AlignTextToFramePadding();
  clipped_text(context, look.theme.muted, what, (wide ? room * kNames : room - look.px(58)) - look.px(8));
  if (!factor.empty()) {
    ImGui::SameLine();
    number_right(context, factor, 0, right);
  }
  {
    const SmallFont font(look);
    const float gap = look.px(8);
    const bool fits = ImGui::CalcTextSize(in_a.c_str()).x + gap <= column &&
                      ImGui::CalcTextSize(in_b.c_str()).x + (wide ? gap : 0) <= column;
    if (wide && fits) ImGui::SameLine();
    ImGui::SetCursorPosX(wide && !fits ? left : at_a);
    ImGui::PushTextWrapPos(right);
    coloured_text(look.theme.text, in_a);
    if (fits) {
      ImGui::SameLine();
      ImGui::SetCursorPosX(at_b);
    }
    coloured_text(look.theme.text, in_b);
    if (!busy_cycles.empty()) {
      ImGui::SetCursorPosX(left);
      coloured_text(look.theme.muted, fmt::format("busy cycles, A / B {}", busy_cycles));
    }
    ImGui::PopTextWrapPos();
  }
  ImGui::EndGroup();
  if (!meaning.empty()) tooltip(context, meaning);
}

/// Both can be measured in one group of turns: they differ in their windows and kernels at most.
bool fit_one_sweep(const ResultRow& a, const ResultRow& b) {
  Problem like_a = b.problem;
  like_a.window1 = a.problem.window1, like_a.window2 = a.problem.window2;
  return like_a == a.problem && a.pass == b.pass && a.regime == b.regime && a.problem.form != Form::dot_product &&
         a.problem.mask == Mask::causal && a.problem.k2_bias == 0 && a.problem.v2_bias == 0;
}

/// Fills the form of the sweep setup with both rows, in turns and with counters.
void plan_both(Context& context, const std::string& device, const ResultRow& a, const ResultRow& b) {
  const Problem& problem = a.problem;
  SweepRequest request;
  request.forms = {problem.form};
  request.passes = {a.pass};
  request.regimes = {a.regime};
  request.batches = {problem.batch};
  request.seq_lens = {problem.seq_len};
  request.q_heads = {problem.q_heads};
  request.kv_heads = {problem.kv_heads};
  request.head_dims = {problem.head_dim};
  request.scale = problem.scale;
  request.sink = problem.sink;
  request.deterministic = problem.deterministic;
  request.counters = CounterSet::standard;
  for (const ResultRow* row : {&a, &b}) {
    const Windows windows{row->problem.window1, row->problem.window2};
    if (std::ranges::find(request.windows, windows) == request.windows.end()) request.windows.push_back(windows);
    if (std::ranges::find(request.kernels, row->kernel) == request.kernels.end())
      request.kernels.push_back(row->kernel);
  }
  request.stopping.precision = context.ui.form.precision_percent / 100;
  SetupForm form = form_of(request, context.data.machine.catalog.get());
  form.device = context.ui.form.device;
  form.precision_percent = context.ui.form.precision_percent;
  form.budget_seconds = context.ui.form.budget_seconds;
  form.restarts = context.ui.form.restarts;
  plan_on(form, {device, request.kernels}, context.data.machine.catalog.get());
  fill_setup(context, std::move(form), fmt::format("{} and {}", short_name(a), short_name(b)));
}

void draw_without_counters(Context& context, const SelectedMeasurement& a, const SelectedMeasurement& b) {
  const bool none_a = a.measurement.counters.empty(), none_b = b.measurement.counters.empty();
  if (!none_a && !none_b) return;
  std::string words = fmt::format("Hardware counters were read of {}.", none_a && none_b ? "neither"
                                                                        : none_a         ? "B alone"
                                                                                         : "A alone");
  const CountedElsewhere* elsewhere = context.models.counted_elsewhere(context.data);
  if (none_a && none_b && elsewhere && !elsewhere->pass_counted)
    words +=
        fmt::format(" No {} of {} has any in this database, on this device.", to_string(a.row.pass), a.row.card.label);
  const bool other_pass = elsewhere && !elsewhere->measurements.empty();
  if (other_pass) words += fmt::format(" The {} of this pair has.", to_string(elsewhere->pass));
  muted_text(context, words, true);
  if (context.ui.printing) return;
  if (other_pass) {
    if (ImGui::SmallButton(fmt::format("Show the {} of both###counted", to_string(elsewhere->pass)).c_str()))
      context.request(ask::SelectMeasurements{elsewhere->measurements, elsewhere->sweep});
  }
  if (!fit_one_sweep(a.row, b.row)) return;
  if (ImGui::SmallButton("Plan both with counters###plan")) plan_both(context, a.environment.device_name, a.row, b.row);
  tooltip(context,
          "Fills the sweep setup with these two, in turns and with hardware counters. Run (F5) measures them.");
}

/// The kernels of one launch are of the first one: its factor is not that of the medians.
void draw_launch_kernels(Context& context, const Measurement& a, const Measurement& b) {
  const std::vector<BesideLine> kernels = beside_kernels(a, b);
  if (kernels.empty()) return;
  const std::string words = first_launch_words(a, b);
  const bool cold = !words.empty();
  section(context, cold ? "Kernels of the first launch, cold, A / B" : "Kernels of one launch, A / B");
  for (const BesideLine& line : kernels)
    draw_pair(context, cold ? line.label + ", cold" : line.label, line.meaning, line.a, line.b, line.factor);
  if (cold) muted_text(context, words, true);
}

/// Of a pair of two versions, what the comparison of versions says of it.
std::optional<VersionVerdict> verdict_of_versions(Context& context, const SelectedMeasurement& selected,
                                                  const MeasurementBeside& beside) {
  if (context.data.versions.kernel.empty()) return std::nullopt;
  const CompareModel* model = context.models.compare(context.data, context.now);
  if (model == nullptr) return std::nullopt;
  return version_verdict(*model, selected.row.measurement, beside.of->row.measurement);
}

void draw_version_verdict(const Context& context, const VersionVerdict& verdict) {
  const Theme& theme = context.look.theme;
  ImGui::PushTextWrapPos(0);
  coloured_text(verdict.is == BesideUnchanged::slower    ? theme.slower
                : verdict.is == BesideUnchanged::faster  ? theme.faster
                : verdict.is == BesideUnchanged::unclear ? theme.unclear
                                                         : theme.text,
                verdict.text + " " + sentence(verdict.meaning));
  ImGui::PopTextWrapPos();
}

/// What the interval of two that did not take turns holds.
std::string apart_words(const Comparison& time) {
  const bool judged = time.verdict == Verdict::faster || time.verdict == Verdict::slower;
  return judged && !time.explanation.empty() ? time.explanation
                                             : "Not measured in turns: what changed in between is not in the interval.";
}

/// What A is beside B, with its ratio; of two versions also beside what did not change. One verdict stands first.
void draw_verdict(Context& context, const SelectedMeasurement& selected, const MeasurementBeside& beside) {
  const std::string name = short_name(beside.of->row);
  const Comparison& time = beside.time;
  const std::optional<VersionVerdict> versions = verdict_of_versions(context, selected, beside);
  const bool refused = time.verdict == Verdict::not_comparable;
  if (refused && versions) draw_version_verdict(context, *versions);
  ImGui::PushTextWrapPos(0);
  beside_other(
      context, time,
      refused ? not_comparable_words(time, name, versions.has_value()) : marked(time, time_sentence(time, name)), name);
  ImGui::PopTextWrapPos();
  if (const std::string gap = gap_words(time, selected.measurement, beside.of->measurement); !gap.empty())
    muted_text(context, gap, true);
  if (!refused && versions) draw_version_verdict(context, *versions);
}

/// What the first step is beside another. Where it has no verdict, why; else the interval is that of the verdict.
void draw_step_beside(Context& context, const SelectedStep& first, const SelectedStep& step, Pass compared) {
  const Comparison comparison = beside_step(first, step, compared, context.ui.settings.tolerance);
  ImGui::PushTextWrapPos(0);
  beside_other(context, comparison, marked(comparison, time_sentence(comparison, step.name)), step.name);
  ImGui::PopTextWrapPos();
  const bool judged = interval_known(comparison);
  if (const std::string rate = step_rate_text(first, step, comparison); !rate.empty()) muted_text(context, rate, true);
  const bool separate = judged && !comparison.paired;
  if (separate || !judged)
    muted_text(context, separate ? "* The interval is that of separate runs." : comparison.explanation, true);
  SelectedStep plain = step;
  if (judged) plain.beside.low = plain.beside.high = std::nullopt;
  muted_text(context, fmt::format("{}: {}", step.name, step_text(plain)), true);
}

/// A step beside that of dot-product attention, as a row beside the reference.
void draw_step_reference(Context& context, const SelectedStep& step) {
  const StepVerdict* found =
      find_step(context.data.beside_reference.get(), step.forward->row.measurement, step.backward->row.measurement);
  if (found == nullptr) return;
  const StepVerdict& beside = *found;
  ImGui::PushTextWrapPos(0);
  beside_other(context, beside.time, marked(beside.time, time_sentence(beside.time, beside.label)), beside.label);
  ImGui::PopTextWrapPos();
  if (beside.rate > 0)
    muted_text(context, fmt::format("{}× its rate; the two do different work", significant_text(beside.rate)), true);
}

}  // namespace

bool draw_steps(Context& context, const SelectionFigures& figures, const std::vector<SelectedStep>& steps) {
  if (!only_steps(figures, steps)) return false;
  const SelectedStep& first = steps.front();
  coloured_text(context.look.theme.text, first.name + ", training step");
  ImGui::PushFont(context.look.numbers, kHeadingSize);
  coloured_text(context.look.theme.text, format_ms(first.ms.value, half_width(first.ms)));
  ImGui::PopFont();
  muted_text(context,
             fmt::format("Forward and backward together, {}; {} TFLOP/s.",
                         first.ms.low && first.ms.high
                             ? "95 % interval " + format_ms_interval(*first.ms.low, *first.ms.high, first.ms.value)
                             : std::string("interval unknown"),
                         significant_text(first.tflops, 4)),
             true);
  draw_step_reference(context, first);
  const std::size_t listed = std::min(steps.size(), kMostRows);
  for (std::size_t n = 1; n < listed; ++n) draw_step_beside(context, first, steps[n], figures.rows.front().row.pass);
  if (steps.size() > listed) muted_text(context, fmt::format("and {} more", steps.size() - listed), true);
  return true;
}

void draw_selected_rows(Context& context, const SelectionFigures& figures, const std::vector<SelectedStep>& steps) {
  const Look& look = context.look;
  const std::size_t selected = context.ui.selection.all().size();
  section(context, fmt::format("{} selected", counted(selected, "row")).c_str());
  draw_figure_buttons(context, figures);
  const NamedBy by = naming(figures);
  if (!figures.rows.empty()) muted_text(context, shared_name(by, figures.rows.front().row), true);
  const float room = ImGui::GetContentRegionAvail().x;
  const bool rates = room > look.px(340) || (room > look.px(230) && !by.more_than_windows());
  int decimals = 0;
  for (const SelectedRow& one : figures.rows) decimals = std::max(decimals, ms_decimals(one.row));
  const float line = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  const bool scrolls = figures.rows.size() > kMostRows;
  const ImGuiTableFlags flags = ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_NoPadOuterX |
                                ImGuiTableFlags_BordersInnerH | (scrolls ? ImGuiTableFlags_ScrollY : 0);
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, ImVec2(look.px(3), ImGui::GetStyle().CellPadding.y));
  const bool open = ImGui::BeginTable("figures", rates ? 5 : 4, flags,
                                      ImVec2(0, scrolls ? line * (static_cast<float>(kMostRows) + 1.5F) : 0));
  ImGui::PopStyleVar();
  if (open) {
    ImGui::TableSetupScrollFreeze(0, 1);
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, look.px(10));
    ImGui::TableSetupColumn("row", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("ms", ImGuiTableColumnFlags_WidthFixed, look.px(54));
    if (rates) ImGui::TableSetupColumn("TFLOP/s", ImGuiTableColumnFlags_WidthFixed, look.px(46));
    ImGui::TableSetupColumn("A / row", ImGuiTableColumnFlags_WidthFixed, look.px(58));
    header_row(context, rates ? std::vector{false, false, true, true, true} : std::vector{false, false, true, true});
    // The passes of steps are no two things to compare.
    const bool whole_steps = only_steps(figures, steps);
    const Pass first = figures.rows.front().row.pass;
    const auto draw_row = [&](const SelectedRow& one) {
      draw_figure(context, one, by, rates, decimals, !whole_steps || one.row.pass == first);
    };
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(figures.rows.size()));
    while (clipper.Step()) {
      for (int n = clipper.DisplayStart; n < clipper.DisplayEnd; ++n)
        draw_row(figures.rows[static_cast<std::size_t>(n)]);
    }
    ImGui::EndTable();
  }
  if (!steps.empty() && steps.size() <= kMostRows && !only_steps(figures, steps)) {  // those stand first of all
    section(context, steps.size() > 1 && steps[1].beside.value > 0 ? "Training steps, beside A's"
                                                                   : "Training steps: forward and backward");
    for (const SelectedStep& step : steps) fact_line(context, step.name.c_str(), step_text(step), true);
  }
  if (!figures.all_compared) muted_text(context, "Only the first 64 are compared with A.", true);
  if (figures.rows.size() == kMostSelectedRows && selected > kMostSelectedRows)
    muted_text(context, fmt::format("The first {} are listed and copied.", format_count(kMostSelectedRows)), true);
}

void draw_beside_last(Context& context, const SelectedMeasurement& selected, const MeasurementBeside& beside) {
  draw_verdict(context, selected, beside);
  if (const ResultRow& of_a = selected.row, &of_b = beside.of->row; of_a.tflops && of_b.tflops)
    muted_text(context, fmt::format("A {}, B {} TFLOP/s.", format_fixed(*of_a.tflops, rate_decimals(of_a)),
                                    format_fixed(*of_b.tflops, rate_decimals(of_b))));
  if (!beside.time.paired && beside.time.verdict != Verdict::not_comparable)
    muted_text(context, "* " + apart_words(beside.time), true);
  for (const auto& [one, letter] : {std::pair(&selected, 'A'), std::pair(beside.of.get(), 'B')}) {
    if (one->measurement.summary.converged && one->row.reason.empty()) continue;
    ImGui::PushTextWrapPos(0);
    coloured_text(
        context.look.theme.unclear,
        fmt::format("{}: {}", letter, one->row.reason.empty() ? "not converged." : sentence(one->row.reason)));
    ImGui::PopTextWrapPos();
  }
  const Measurement &a = selected.measurement, &b = beside.of->measurement;
  for (const std::string& words : {beside_in_words(a, b), tensor_gap_words(context.data)}) {
    if (words.empty()) continue;
    ImGui::PushTextWrapPos(0);
    coloured_text(context.look.theme.text, words);
    ImGui::PopTextWrapPos();
  }
  const std::vector<BesideFact> facts = differing_facts(selected, *beside.of);
  const std::vector<BesideLine> lines = beside_lines(a, b);
  if (facts.empty()) muted_text(context, "Nothing else that was recorded differs.", true);
  std::string alike;
  if (!facts.empty()) section(context, "What differs");
  for (const BesideFact& fact : facts) draw_pair(context, fact.what, "", fact.a, fact.b, "");
  draw_launch_kernels(context, a, b);
  std::string under;
  for (const BesideLine& line : lines) {
    if (line.alike) {
      alike += (alike.empty() ? "" : ", ") + line.label;
      continue;
    }
    const char* heading = line.only_one                    ? "Counted in one of them"
                          : line.role == CounterRole::work ? "What the kernels did, A / B"
                                                           : "What came of it, A / B";
    if (std::exchange(under, heading) != heading) section(context, heading);
    draw_pair(context, line.label, line.meaning, line.a, line.b, line.factor, line.busy_cycles);
  }
  if (!alike.empty()) muted_text(context, fmt::format("Within 5 %, or 3 points of a share: {}.", alike), true);
  draw_without_counters(context, selected, *beside.of);
}

}  // namespace triscope
