// Two or more sweeps, row by row: ratio with interval, verdict; and what else differs, most important first.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "views/data/format.hpp"
#include "views/model/tables/compare_model.hpp"
#include "views/model/tables/version_words.hpp"
#include "views/parts/chart_tools.hpp"
#include "views/parts/data_state.hpp"
#include "views/parts/row_selection.hpp"
#include "views/parts/widgets.hpp"
#include "views/tables/compare_differences.hpp"
#include "views/tables/compare_versions.hpp"
#include "views/tables/tables_panels.hpp"

namespace triscope {
namespace {

constexpr float kSettingBesideVerdict = 200;  ///< of more it is cut, and said when hovered
constexpr float kCompareCellPadding = 5;      ///< in design pixels, on each side of a cell

/// A column of the table: what stands in it, of which side.
struct CompareColumn {
  CompareField field = CompareField::window;
  std::size_t side = 0;
  std::string title;
  float width = 0;  ///< in design pixels
  bool right = false;
  ImGuiID id() const { return static_cast<ImGuiID>(side * 16 + static_cast<std::size_t>(field) + 1); }
};

void draw_time(Context& context, const CompareModel& model, const std::optional<CompareCell>& cell) {
  const Theme& theme = context.look.theme;
  if (cell && cell->ms) {
    number_right(context, format_fixed(*cell->ms, cell->decimals) + point_padding(cell->decimals, model.decimals));
  } else if (cell) {
    coloured_text(cell->status == Status::failed ? theme.slower : theme.muted, to_string(cell->status));
  } else {
    coloured_text(theme.muted, "not measured");
  }
}

/// What a comparison says in one of its columns.
void draw_comparison(Context& context, CompareField field, const std::optional<CompareCell>& cell) {
  const Theme& theme = context.look.theme;
  if (!cell && field == CompareField::verdict) return coloured_text(theme.muted, "not measured");
  if (!cell || !cell->comparison) return;
  const Comparison& comparison = *cell->comparison;
  if (field == CompareField::verdict) {
    coloured_text(verdict_colour(theme, comparison.verdict), verdict_brief(comparison));
  } else if (field == CompareField::ratio) {
    if (comparison.ratio > 0) number_right(context, format_fixed(comparison.ratio, kRatioDecimals));
  } else if (field == CompareField::cycles) {
    number_right(context, cycle_ratio_text(comparison));
  } else if (field == CompareField::doubts) {
    const SmallFont font(context.look);
    clipped_text(context, theme.unclear, cell->doubts, ImGui::GetContentRegionAvail().x);
  } else {
    number_right(context, interval_text(comparison), theme.muted);
  }
}

/// Beside what unchanged kernels do: "slower, +6.1 %".
void draw_band(const Context& context, const CompareLine& line, const std::optional<CompareCell>& cell) {
  const Theme& theme = context.look.theme;
  if (!cell) return;
  ImU32 colour = theme.muted;
  if (cell->band && cell->band->is == BesideUnchanged::slower) colour = theme.slower;
  if (cell->band && cell->band->is == BesideUnchanged::faster) colour = theme.faster;
  if (cell->band && cell->band->is == BesideUnchanged::unclear) colour = theme.unclear;
  coloured_text(colour, beside_text(line, *cell));
}

bool of_several(const CompareLine& line) { return line.of_before * line.of_after > 1; }

/// What the comparison of a line says in words, with what it was chosen from.
std::string cell_explanation(const CompareLine& line) {
  const std::optional<CompareCell>& cell = line.cells.back();
  return cell && cell->comparison ? cell->comparison->explanation : std::string();
}

/// What is said of the cell of a line under the pointer.
std::string cell_words(const CompareModel& model, const CompareLine& line, const CompareColumn& column) {
  const std::optional<CompareCell>& cell = line.cells[column.side];
  switch (column.field) {
    case CompareField::verdict:
    case CompareField::ratio:
    case CompareField::cycles:
    case CompareField::interval: {
      if (!cell || !cell->comparison) return {};
      return fmt::format("{} A is {}, B {}.", ratio_words(*cell->comparison), model.sweeps[column.side],
                         model.sweeps.front());
    }
    case CompareField::band:
      if (cell && cell->band && model.band) return band_sentence(*model.band, *cell->band);
      return line.unchanged ? "Of a kernel that did not change: its ratio is the machine's." : "";
    case CompareField::doubts:
      return cell ? cell->doubts : std::string();
    case CompareField::chosen:
      return of_several(line) ? cell_explanation(line) : std::string();
    case CompareField::time:
      return cell ? cell->from : std::string();
    case CompareField::setting:
      return model.band ? line.setting : std::string();  // there it is abbreviated
    default:
      return {};  // a setting that is cut says itself what it is
  }
}

/// What a click on a line selects: A, which is judged, first, and B, the first side's, last. Of several sides A is that
/// of the shown sweep, else the last one that was measured. Nothing where only another database has it.
RowTarget target_of(const Context& context, const CompareLine& line) {
  RowTarget target;
  std::size_t judged = 0;
  for (std::size_t s = 0; s < line.cells.size(); ++s) {
    if (!line.cells[s] || line.cells[s]->measurement == 0) continue;
    target = {{line.cells[s]->measurement}, line.cells[s]->sweep};
    judged = s;
    if (s != 0 && target.sweep == context.ui.selection.shown_sweep) break;
  }
  for (std::size_t s = line.cells.size(); s-- > 0;) {
    if (s != judged && line.cells[s] && line.cells[s]->measurement != 0)
      target.measurements.push_back(line.cells[s]->measurement);
  }
  return target;
}

std::vector<std::int64_t> measurements_of(const CompareLine& line) {
  std::vector<std::int64_t> all;
  for (const auto& cell : line.cells) {
    if (cell && cell->measurement != 0) all.push_back(cell->measurement);
  }
  return all;
}

/// The window's name, over a click area as wide as the row.
void draw_name(Context& context, RowSelection& chosen, const CompareModel& model, const CompareLine& line,
               const std::vector<CompareColumn>& columns, int index) {
  const Theme& theme = context.look.theme;
  Selection& selection = context.ui.selection;
  const auto holds = [&](std::int64_t measurement) {
    return measurement != 0 && std::any_of(line.cells.begin(), line.cells.end(),
                                           [&](const auto& cell) { return cell && cell->measurement == measurement; });
  };
  const bool selected = chosen.contains(index);
  if (selected || holds(selection.hovered))
    ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg1, selected ? theme.accent_soft : theme.raised);
  ImGui::PushID(index);
  chosen.button(index);
  if (ImGui::IsItemHovered()) {
    const RowTarget target = target_of(context, line);
    if (!target.measurements.empty()) selection.hovered_now = target.measurements.front();
    const int column = ImGui::TableGetHoveredColumn();
    if (column >= 0 && column < static_cast<int>(columns.size())) {
      const std::string words = cell_words(model, line, columns[static_cast<std::size_t>(column)]);
      if (!words.empty()) tooltip(context, words);
    }
  }
  ImGui::PopID();
  ImGui::SameLine(0, 0);
  const NumberFont font(context.look);
  coloured_text(theme.text, line.window);
}

void draw_line(Context& context, RowSelection& chosen, const CompareModel& model, const CompareLine& line,
               const std::vector<CompareColumn>& columns, int index) {
  const Theme& theme = context.look.theme;
  ImGui::TableNextRow(0, context.look.px(24));
  for (const CompareColumn& column : columns) {
    ImGui::TableNextColumn();
    const std::optional<CompareCell>& cell = line.cells[column.side];
    switch (column.field) {
      case CompareField::window:
        draw_name(context, chosen, model, line, columns, index);
        break;
      case CompareField::kernel:
        coloured_text(theme.text, line.kernel);
        break;
      case CompareField::time:
        draw_time(context, model, cell);
        break;
      case CompareField::pass:
        coloured_text(theme.muted, line.pass);
        break;
      case CompareField::setting:
        clipped_text(context, theme.muted, model.band ? brief_setting(line.setting) : line.setting,
                     ImGui::GetContentRegionAvail().x);
        break;
      case CompareField::band:
        draw_band(context, line, cell);
        break;
      case CompareField::chosen:
        if (of_several(line)) coloured_text(theme.muted, fmt::format("1 of {}", line.of_before * line.of_after));
        break;
      default:
        draw_comparison(context, column.field, cell);
    }
  }
}

void draw_lines(Context& context, const CompareModel& model, const std::vector<CompareColumn>& columns,
                const std::vector<std::size_t>& order) {
  const auto line_of = [&](int row) -> const CompareLine& {
    return line_at(model, order[static_cast<std::size_t>(row)]);
  };
  const int rows = static_cast<int>(order.size());
  RowSelection chosen(
      context, rows, [&](int row) { return target_of(context, line_of(row)); },
      [&](int row) { return measurements_of(line_of(row)); });
  ImGuiListClipper clipper;
  clipper.Begin(rows);
  if (chosen.source() >= 0) clipper.IncludeItemByIndex(chosen.source());
  while (clipper.Step()) {
    for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row)
      draw_line(context, chosen, model, line_of(row), columns, row);
  }
}

/// Nothing that two sides have in common is comparable: the lines above say so, and a column would say it again.
bool is_nothing_judged(const CompareModel& model) {
  return model.not_comparable > 0 && model.faster + model.slower + model.same + model.unclear == 0;
}

/// Of the widest interval, in design pixels.
float interval_width(const Context& context, const CompareModel& model) {
  const NumberFont font(context.look);
  const std::string end = format_fixed(model.highest_ratio, kRatioDecimals);
  return std::clamp(ImGui::CalcTextSize((end + " .. " + end).c_str()).x / context.look.px(1) + 2, 60.0F, 160.0F);
}

/// What answers the question comes first, so that it needs no scrolling; what only places a row comes last. What is the
/// same in all rows, or known of none, has no column: the lines above say it.
std::vector<CompareColumn> columns_of(const Context& context, const CompareModel& model, bool with_unchanged) {
  const bool several = model.sweeps.size() > 2;
  std::vector<CompareColumn> columns;
  const auto text_width = [&](const std::string& text) {
    const SmallFont font(context.look);
    return ImGui::CalcTextSize(text.c_str()).x / context.look.px(1) + 8;
  };
  const float interval = model.has_intervals ? interval_width(context, model) : 0;
  columns.push_back({CompareField::window, 0, "window", 74});
  if (model.kernel.empty() || with_unchanged) columns.push_back({CompareField::kernel, 0, "kernel", 96});
  for (std::size_t s = 1; s < model.sweeps.size(); ++s) {
    if (several || !is_nothing_judged(model))
      columns.push_back({CompareField::verdict, s, several ? model.sweeps[s] : "verdict", 100});
    if (model.band) columns.push_back({CompareField::band, s, "beside unchanged", 106});
    columns.push_back({CompareField::ratio, s, "ratio", 44, true});
    if (model.has_intervals) columns.push_back({CompareField::interval, s, "interval", interval, true});
    if (model.has_cycles) columns.push_back({CompareField::cycles, s, "in cycles", 60, true});
  }
  // Where the versions differ is asked for with by how much.
  if (model.band && model.has_settings)
    columns.push_back(
        {CompareField::setting, 0, "setting",
         std::clamp(ImGui::CalcTextSize(brief_setting(model.longest_setting).c_str()).x / context.look.px(1) + 12,
                    80.0F, kSettingBesideVerdict)});
  for (const std::size_t side : sides_of(model)) {
    const std::string title = side_name(model, side) + ", ms";
    columns.push_back({CompareField::time, side, title, std::clamp(text_width(title), 72.0F, 130.0F), true});
  }
  if (model.has_doubts) columns.push_back({CompareField::doubts, 1, "doubts", 96});
  if (model.has_choices) columns.push_back({CompareField::chosen, 0, "chosen", 60});
  if (model.has_passes || with_unchanged) columns.push_back({CompareField::pass, 0, "pass", 64});
  if (!model.has_settings || model.band) return columns;
  // The settings take the room that is left, so that nothing is scrolled out of sight for them.
  float taken = 24;
  const float widest = ImGui::CalcTextSize(model.longest_setting.c_str()).x;
  for (const CompareColumn& column : columns) taken += column.width + 2 * kCompareCellPadding;
  const float room = ImGui::GetContentRegionAvail().x / context.look.px(1) - taken - 2 * kCompareCellPadding;
  columns.push_back({CompareField::setting, 0, "setting",
                     std::clamp(widest / context.look.px(1) + 12, 80.0F, std::max(80.0F, room))});
  return columns;
}

const char* header_words(CompareField field) {
  switch (field) {
    case CompareField::ratio:
      return "Time of A / time of B: below 1 A is faster.";
    case CompareField::cycles:
      return "Time x clock of A / that of B: without what two cards, or one at another temperature, differ by in "
             "clock. "
             "Unchanged kernels differ in cycles too: the line above says by how much.";
    case CompareField::interval:
      return "Of the ratio of times: 99 % between sweeps with restarts, else 95 %. Of two GPUs it is that of the "
             "samples "
             "alone: what the cards differ by is not in it.";
    case CompareField::band:
      return "The ratio over the average of kernels that did not change. Inside: no further from it than one of those "
             "would be in 99 of 100 cases, so that the machine may be the reason. Slower, faster: further, also with "
             "the "
             "row's own interval. Unclear: further, but for its interval or its two modes.";
    case CompareField::setting:
      return "In what rows differ: tokens, query / key heads, head size (D); trilinear, unless det. says determinant.";
    case CompareField::doubts:
      return "What the samples leave open: two modes, not converged, too few blocks, one process.";
    case CompareField::chosen:
      return "Of several measurements those two that are of one sweep, else of one card, else without a doubt, else of "
             "more restarts, else the newest.";
    default:
      return "";
  }
}

void draw_headers(const Context& context, const std::vector<CompareColumn>& columns,
                  const std::optional<std::pair<unsigned int, bool>>& sort) {
  const Theme& theme = context.look.theme;
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers, context.look.px(28));
  for (int i = 0; i < static_cast<int>(columns.size()); ++i) {
    if (!ImGui::TableSetColumnIndex(i)) continue;
    const CompareColumn& column = columns[static_cast<std::size_t>(i)];
    ImGui::PushStyleColor(ImGuiCol_Text, faded(theme.text, 0));
    ImGui::TableHeader(ImGui::TableGetColumnName(i));
    ImGui::PopStyleColor();
    if (const char* words = header_words(column.field); *words != 0) tooltip(context, words);
    const bool sorted = sort && sort->first == column.id();
    const std::string title = sorted ? fmt::format("{} {}", sort->second ? "▼" : "▲", column.title) : column.title;
    header_text(context, i, title, column.right, sorted ? theme.text : theme.muted);
  }
}

/// The lines in the order that a header was clicked for.
const std::vector<std::size_t>& order_of(Context& context, const CompareModel& model,
                                         const std::vector<CompareColumn>& columns, bool with_unchanged) {
  UiState::CompareOrder& order = context.ui.compare_order;
  std::optional<std::pair<unsigned int, bool>> asked;
  std::optional<CompareSort> sort;
  const ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs();
  if (specs != nullptr && specs->SpecsCount > 0) {
    const ImGuiTableColumnSortSpecs& first = specs->Specs[0];
    const auto column = std::ranges::find(columns, first.ColumnUserID, &CompareColumn::id);
    const bool descending = first.SortDirection == ImGuiSortDirection_Descending;
    if (column != columns.end()) {
      asked = {first.ColumnUserID, descending};
      sort = CompareSort{column->field, column->side, descending};
    }
  }
  const bool known = order.revision == context.data.revision && order.sort == asked;
  if (!known || order.lines.size() != model.lines.size() + (with_unchanged ? model.unchanged_lines.size() : 0))
    order = {context.data.revision, asked, sorted_lines(model, sort, with_unchanged)};
  return order.lines;
}

void draw_rows(Context& context, const CompareModel& model, bool with_unchanged) {
  const std::vector<CompareColumn> columns = columns_of(context, model, with_unchanged);
  const ImGuiTableFlags flags = ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY | ImGuiTableFlags_Resizable |
                                ImGuiTableFlags_NoBordersInBody | ImGuiTableFlags_BordersInnerH |
                                ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_PadOuterX | ImGuiTableFlags_Sortable |
                                ImGuiTableFlags_SortTristate | ImGuiTableFlags_NoSavedSettings;
  // Other columns are another table, whose widths and sort are its own.
  std::string name = "compare";
  for (const CompareColumn& column : columns) name += fmt::format(" {}", column.id());
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, ImVec2(context.look.px(kCompareCellPadding), context.look.px(4)));
  const bool open = ImGui::BeginTable(name.c_str(), static_cast<int>(columns.size()), flags);
  ImGui::PopStyleVar();
  if (!open) return;
  ImGui::TableSetupScrollFreeze(1, 1);
  for (const CompareColumn& column : columns) {
    const bool worst_first = column.field == CompareField::ratio || column.field == CompareField::cycles ||
                             column.field == CompareField::band || column.field == CompareField::chosen;
    ImGui::TableSetupColumn(fmt::format("{}##{}", column.title, column.id()).c_str(),
                            ImGuiTableColumnFlags_WidthFixed |
                                (worst_first ? ImGuiTableColumnFlags_PreferSortDescending : ImGuiTableColumnFlags_None),
                            context.look.px(column.width), column.id());
  }
  const std::vector<std::size_t>& order = order_of(context, model, columns, with_unchanged);
  draw_headers(context, columns, context.ui.compare_order.sort);
  draw_lines(context, model, columns, order);
  ImGui::EndTable();
}

/// What leads away from a comparison that is not of sweeps of this database.
struct WayBack {
  std::string label;
  Request request;
};
std::optional<WayBack> way_back(const Context& context) {
  if (context.ui.printing) return std::nullopt;
  if (!context.data.versions.kernel.empty()) return WayBack{"Leave the versions", ask::LeaveVersions{}};
  const std::string& other = context.data.compared.front().database;
  if (!other.empty()) return WayBack{fmt::format("Leave {}", other), ask::LeaveOtherDatabase{}};
  return std::nullopt;
}

void draw_nothing_compared(Context& context) {
  // Of selected rows Details says all that is asked for here of sweeps.
  if (const std::size_t rows = context.ui.selection.all().size(); rows > 1) {
    empty_state(
        context,
        fmt::format("{} rows are selected: Details has them side by side, with what differs and their counters. "
                    "This panel compares whole sweeps.",
                    rows),
        {{"Show them in Details", ask::ShowPanel{Panel::details}},
         {"Compare two versions of a kernel", ask::CompareVersions{}, false}});
    return;
  }
  const Step other{"Compare with another database...", FileRequest(ask::CompareDatabase{})};
  const Step versions{"Compare two versions of a kernel", ask::CompareVersions{}};
  if (context.data.sweeps.size() < 2) {
    empty_state(context,
                "A comparison needs two sweeps, and this database holds one. Run the sweep again to see what changed.",
                {{"Run", ask::Run{}}, other});
    return;
  }
  const std::string_view how =
      "Choose two or more sweeps in the history with Ctrl+click, or set a baseline (B) and press C.";
  if (sweep_before(context.data)) {
    empty_state(context, how, {{"Compare with the sweep before it", ask::CompareBefore{}}, versions, other});
  } else {
    empty_state(context, how, {versions, other});
  }
}

/// "Ratio = time A / time B, below 1 A is faster. A: 2c6a73, B: 63ca6c."
std::string ratio_text(const CompareModel& model) {
  const std::string& old = model.sweeps.front();
  return model.sweeps.size() == 2
             ? fmt::format("Ratio = time A / time B, below 1 A is faster. A: {}, B: {}.", model.sweeps[1], old)
             : fmt::format("Ratio = time here (A) / time of {} (B), below 1 A is faster.", old);
}

/// What kernels that did not change differ by, with a button that puts their rows among the others. True while it does.
bool draw_unchanged(const Context& context, const CompareModel& model) {
  if (model.unchanged.times.empty()) return false;
  bool* shown = ImGui::GetStateStorage()->GetBoolRef(ImGui::GetID("unchanged shown"));
  const SmallFont font(context.look);
  const bool listed = !model.unchanged_lines.empty() && !context.ui.printing;
  const float button = listed ? button_width("Hide these rows") + ImGui::GetStyle().ItemSpacing.x : 0;
  const float end = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  ImGui::PushTextWrapPos(end - button);
  coloured_text(context.look.theme.text, unchanged_text(model.unchanged) + " " + band_text(model.unchanged));
  ImGui::PopTextWrapPos();
  if (!listed) return false;
  ImGui::SameLine();
  align_right(button_width("Hide these rows"));
  if (ImGui::SmallButton(*shown ? "Hide these rows###unchanged" : "Show these rows###unchanged")) *shown = !*shown;
  tooltip(context, "Puts the rows of kernels that did not change among the others.");
  return *shown;
}

/// Why rows have no verdict of their own, and which way they went. Beside what did not change the heading has judged
/// them.
std::string unjudged_words(const CompareModel& model, bool versions) {
  constexpr std::string_view kNot = "Not comparable: ";
  std::string words = unjudged_text(model.unjudged);
  if (versions && model.band && words.starts_with(kNot))
    words.replace(0, kNot.size(), "Without what did not change no row has a verdict: ");
  return words;
}

}  // namespace

void draw_compare_panel(Context& context) {
  if (!draw_data_state(context)) return;
  const CompareModel* model = context.models.compare(context.data, context.now);
  if (!model) return draw_nothing_compared(context);
  const ChartFrame frame(context, Panel::compare);
  const bool versions = !context.data.versions.kernel.empty();
  std::string summary = compare_summary(*model);
  if (versions) summary = sentence(versions_summary(*model, context.data.versions.pass));
  if (!versions && !model->has_passes && !model->lines.empty())
    summary += " " + sentence(model->kernel.empty() ? model->lines.front().pass
                                                    : model->kernel + " " + model->lines.front().pass);
  const std::optional<WayBack> back = way_back(context);
  const float room = back ? button_width(back->label.c_str()) + ImGui::GetStyle().ItemSpacing.x : 0;
  panel_heading(context, summary, "", button_width(kCopySave) + room);
  if (back) {
    align_right(button_width(kCopySave) + room);
    if (ImGui::Button((back->label + "###leave").c_str())) context.request(back->request);
  }
  chart_button(context, Panel::compare);
  if (versions) draw_versions(context);
  if (const std::string words = unjudged_words(*model, versions); !words.empty()) {
    const SmallFont font(context.look);
    ImGui::PushTextWrapPos(0);
    coloured_text(context.look.theme.text, words);
    ImGui::PopTextWrapPos();
  }
  const bool with_unchanged = draw_unchanged(context, *model);
  muted_text(context, ratio_text(*model) + " " + compare_explanation(*model), true);
  draw_differences(context, *model);
  ImGui::Dummy(ImVec2(0, context.look.px(4)));
  draw_rows(context, *model, with_unchanged);
}

}  // namespace triscope
