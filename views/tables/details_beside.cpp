#include "views/tables/details_beside.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "profiler/record/columns.hpp"
#include "views/data/format.hpp"
#include "views/model/tables/beside_model.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

std::string short_name(const ResultRow& row) {
  return fmt::format("{} {} {}", line_label(row), row.card.short_label, row.pass == Pass::forward ? "fwd" : "bwd");
}

/// "A" for what the others stand beside, "B" for what it is compared with in full.
const char* letter_of(const Selection& selection, std::int64_t measurement) {
  return measurement == selection.pinned() ? "A" : measurement == selection.beside() ? "B" : "";
}

/// In what the selected rows differ beside their windows, so that a narrow list names no more.
struct NamedBy {
  bool kernel = false, pass = false, tokens = false, sweep = false;
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
  if (by.kernel) name += " " + row.card.short_label;
  if (by.pass) name += row.pass == Pass::forward ? " fwd" : " bwd";
  if (by.sweep) name += fmt::format(" ({})", row.sweep);
  return name;
}

/// "▲ 2.53×": shorter or longer is said by its colour and on hover.
std::string brief_time(const Comparison& time) {
  if (time.verdict == Verdict::unclear) return "? unclear";
  const std::string text = marked(time, time_text(time));
  const std::size_t times = text.find("×");
  return times == std::string::npos ? text : text.substr(0, times + std::string_view("×").size());
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

void draw_figure(Context& context, const SelectedRow& one, const NamedBy& by, bool rates, int decimals) {
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
  if (one.time) beside_other(context, *one.time, brief_time(*one.time), "A");
}

/// What can be done with all that are selected, on the line of the heading.
void draw_figure_buttons(Context& context, const SelectionFigures& figures) {
  if (context.ui.printing) return;
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  ImGui::SameLine();
  align_right(button_width("Swap A and B") + gap + button_width("Copy"));
  if (ImGui::SmallButton("Swap A and B")) {
    std::vector<std::int64_t> all = context.ui.selection.all();
    std::swap(all.front(), all.back());
    context.request(ask::SelectMeasurements{std::move(all)});
  }
  ImGui::SameLine();
  if (ImGui::SmallButton("Copy")) context.request(ask::CopyText{write_table(figures_text(figures), TableFormat::tsv)});
}

/// What A and B say of one thing, and the factor between them: on one line where there is room.
void draw_pair(Context& context, const std::string& what, const std::string& meaning, const std::string& a,
               const std::string& b, const std::string& factor) {
  const Look& look = context.look;
  const std::string in_a = a.empty() ? "unknown" : a, in_b = b.empty() ? "unknown" : b;
  const std::string both = fmt::format("A {}, B {}", in_a, in_b);
  const float room = ImGui::GetContentRegionAvail().x;
  float wanted = ImGui::CalcTextSize(what.c_str()).x + look.px(76);
  {
    const SmallFont font(look);
    wanted += ImGui::CalcTextSize(both.c_str()).x;
  }
  ImGui::BeginGroup();
  const float right = ImGui::GetCursorPosX() + room;
  ImGui::AlignTextToFramePadding();
  coloured_text(look.theme.muted, what);
  if (wanted <= room) {
    const SmallFont font(look);
    const float at = right - ImGui::CalcTextSize(both.c_str()).x - (factor.empty() ? 0 : look.px(58));
    ImGui::SameLine();
    ImGui::SetCursorPosX(at);
    coloured_text(look.theme.text, both);
  }
  if (!factor.empty()) {
    ImGui::SameLine();
    number_right(context, factor, 0, right);
  }
  if (wanted > room) {
    const SmallFont font(look);
    ImGui::PushTextWrapPos(right);
    coloured_text(look.theme.text, both);
    ImGui::PopTextWrapPos();
  }
  ImGui::EndGroup();
  if (!meaning.empty()) tooltip(context, meaning);
}

}  // namespace

void draw_selected_rows(Context& context, const SelectionFigures& figures) {
  constexpr std::size_t kMostRows = 8;  ///< then the table scrolls
  const Look& look = context.look;
  const std::size_t selected = context.ui.selection.all().size();
  section(context, fmt::format("{} selected", counted(selected, "row")).c_str());
  draw_figure_buttons(context, figures);
  const bool rates = ImGui::GetContentRegionAvail().x > look.px(340);
  int decimals = 0;
  for (const SelectedRow& one : figures.rows) decimals = std::max(decimals, ms_decimals(one.row));
  const float line = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  const bool scrolls = figures.rows.size() > kMostRows;
  const ImGuiTableFlags flags = ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_NoPadOuterX |
                                ImGuiTableFlags_BordersInnerH | (scrolls ? ImGuiTableFlags_ScrollY : 0);
  const NamedBy by = naming(figures);
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, ImVec2(look.px(3), ImGui::GetStyle().CellPadding.y));
  const bool open = ImGui::BeginTable("figures", rates ? 5 : 4, flags,
                                      ImVec2(0, scrolls ? line * (static_cast<float>(kMostRows) + 1.5F) : 0));
  ImGui::PopStyleVar();
  if (open) {
    ImGui::TableSetupScrollFreeze(0, 1);
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, look.px(10));
    ImGui::TableSetupColumn("row", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("ms", ImGuiTableColumnFlags_WidthFixed, look.px(54));
    if (rates) ImGui::TableSetupColumn("TFLOP/s", ImGuiTableColumnFlags_WidthFixed, look.px(56));
    ImGui::TableSetupColumn("beside A", ImGuiTableColumnFlags_WidthFixed, look.px(58));
    header_row(context, rates ? std::vector{false, false, true, true, false} : std::vector{false, false, true, false});
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(figures.rows.size()));
    while (clipper.Step()) {
      for (int n = clipper.DisplayStart; n < clipper.DisplayEnd; ++n)
        draw_figure(context, figures.rows[static_cast<std::size_t>(n)], by, rates, decimals);
    }
    ImGui::EndTable();
  }
  if (!figures.all_compared) muted_text(context, "Only the first 64 are compared with A.", true);
  if (figures.rows.size() == kMostSelectedRows && selected > kMostSelectedRows)
    muted_text(context, fmt::format("The first {} are listed and copied.", format_count(kMostSelectedRows)), true);
}

void draw_beside_last(Context& context, const SelectedMeasurement& selected, const MeasurementBeside& beside) {
  const std::string name = short_name(beside.of->row);
  section(context, "A beside B");
  ImGui::PushTextWrapPos(0);
  beside_other(context, beside.time, marked(beside.time, time_sentence(beside.time, name)), name);
  ImGui::PopTextWrapPos();
  if (beside.time.cycle_ratio)
    muted_text(context, fmt::format("In clock cycles {}×.", format_fixed(*beside.time.cycle_ratio, 3)), true);
  for (const auto& [one, letter] : {std::pair(&selected, 'A'), std::pair(beside.of.get(), 'B')}) {
    if (one->measurement.summary.converged && one->row.reason.empty()) continue;
    ImGui::PushTextWrapPos(0);
    coloured_text(
        context.look.theme.unclear,
        fmt::format("{}: {}", letter, one->row.reason.empty() ? "not converged." : sentence(one->row.reason)));
    ImGui::PopTextWrapPos();
  }
  const Measurement &a = selected.measurement, &b = beside.of->measurement;
  if (const std::string words = beside_in_words(a, b); !words.empty()) {
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
    draw_pair(context, line.label, line.meaning, line.a, line.b, line.factor);
  }
  if (!alike.empty()) muted_text(context, fmt::format("Within 5 %, or 3 points of a share: {}.", alike), true);
  if (a.counters.empty() || b.counters.empty()) {
    const char* which = a.counters.empty() && b.counters.empty() ? "neither"
                        : a.counters.empty()                     ? "B alone"
                                                                 : "A alone";
    muted_text(
        context,
        fmt::format("Hardware counters were read of {}: tick Counters in the sweep setup, and measure both.", which),
        true);
  }
}

}  // namespace triscope
