// Two or more sweeps, row by row: ratio with interval, verdict; and what else differs, most important first.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiler/statistics/comparison_facts.hpp"
#include "views/data/format.hpp"
#include "views/model/tables/compare_model.hpp"
#include "views/model/tables/version_words.hpp"
#include "views/parts/chart_tools.hpp"
#include "views/parts/data_state.hpp"
#include "views/parts/row_selection.hpp"
#include "views/parts/widgets.hpp"
#include "views/tables/columns_beyond.hpp"
#include "views/tables/compare_above.hpp"
#include "views/tables/compare_columns.hpp"
#include "views/tables/compare_differences.hpp"
#include "views/tables/compare_versions.hpp"
#include "views/tables/tables_panels.hpp"

namespace triscope {
namespace {

/// How much of the current cell is seen: the table's edge may go through its column.
float seen_width() {
  return std::min(ImGui::GetContentRegionAvail().x,
                  ImGui::GetCurrentTable()->InnerClipRect.Max.x - ImGui::GetCursorScreenPos().x);
}

bool fits(const std::string& text) { return ImGui::CalcTextSize(text.c_str()).x <= seen_width(); }

/// What the table's edge would cut is not drawn. What is too long for a column that a person made narrow ends in dots,
/// and is said whole when hovered; where not even these have room, nothing.
void draw_words(const Context& context, ImU32 colour, const std::string& text) {
  if (is_cut_by_edge(ImGui::CalcTextSize(text.c_str()).x)) return;
  if (const float width = seen_width(); width > context.look.px(14)) clipped_text(context, colour, text, width);
}

/// The same where the row says more when the cell is hovered.
void draw_explained(const Context& context, ImU32 colour, const std::string& text) {
  if (is_cut_by_edge(ImGui::CalcTextSize(text.c_str()).x)) return;
  if (const float width = seen_width(); width > context.look.px(14)) coloured_text(colour, shortened(text, width));
}

void draw_time(Context& context, const CompareModel& model, const std::optional<CompareCell>& cell) {
  const Theme& theme = context.look.theme;
  if (cell && cell->ms) {
    number_right(context, format_fixed(*cell->ms, cell->decimals) + point_padding(cell->decimals, model.decimals));
  } else if (cell) {
    draw_explained(context, cell->status == Status::failed ? theme.slower : theme.muted,
                   std::string(to_string(cell->status)));
  } else {
    number_right(context, "–", theme.muted);  // the verdict says that it was not measured
  }
}

/// "A failed", "B not measured": which side has no time, so that there is no verdict. Of several sides the judged one.
void draw_no_verdict(const Context& context, const CompareModel& model, const CompareLine& line, std::size_t side) {
  const Theme& theme = context.look.theme;
  for (const std::size_t one : {side, std::size_t{0}}) {
    const std::optional<CompareCell>& cell = line.cells[one];
    const std::string letter = side_letter(model, one);
    if ((cell && cell->ms) || (letter.empty() && one != side)) continue;
    const bool failed = cell && cell->status == Status::failed;
    return draw_words(context, failed ? theme.slower : theme.muted,
                      fmt::format("{}{}{}", letter, letter.empty() ? "" : " ",
                                  cell ? to_string(cell->status) : std::string_view("not measured")));
  }
}

/// "▼ longer": where "▼ 1.08× longer" has no room, as the ratio stands beside it.
std::string verdict_word(const Comparison& comparison) {
  return comparison.verdict == Verdict::slower   ? "▼ longer"
         : comparison.verdict == Verdict::faster ? "▲ shorter"
                                                 : verdict_brief(comparison);
}

/// What a comparison says in one of its columns.
void draw_comparison(Context& context, CompareField field, const std::optional<CompareCell>& cell) {
  const Theme& theme = context.look.theme;
  if (!cell || !cell->comparison) return;
  const Comparison& comparison = *cell->comparison;
  if (field == CompareField::verdict) {
    const std::string words = verdict_brief(comparison);
    draw_explained(context, verdict_colour(theme, comparison.verdict), fits(words) ? words : verdict_word(comparison));
  } else if (field == CompareField::ratio) {
    if (comparison.ratio > 0) number_right(context, format_fixed(comparison.ratio, kRatioDecimals));
  } else if (field == CompareField::cycles) {
    number_right(context, cycle_ratio_text(comparison));
  } else if (field == CompareField::doubts) {
    const SmallFont font(context.look);
    const float width = seen_width();
    if (width <= context.look.px(14) || cell->doubts.empty()) return;
    const std::string shown = fitting_doubts(cell->doubts, width);
    coloured_text(theme.unclear, shown);
    if (shown != cell->doubts) tooltip(context, cell->doubts);
  } else {
    number_right(context, interval_text(comparison), theme.muted);
  }
}

/// Beside what unchanged kernels do: "longer, +6.1 %".
void draw_band(const Context& context, const CompareLine& line, const std::optional<CompareCell>& cell) {
  const Theme& theme = context.look.theme;
  if (!cell) return;
  ImU32 colour = theme.muted;
  if (cell->band && cell->band->is == BesideUnchanged::slower) colour = theme.slower;
  if (cell->band && cell->band->is == BesideUnchanged::faster) colour = theme.faster;
  if (cell->band && cell->band->is == BesideUnchanged::unclear) colour = theme.unclear;
  draw_explained(context, colour, beside_text(line, *cell));
}

bool of_several(const CompareLine& line) { return line.of_before * line.of_after > 1; }

/// What the comparison of a line says in words, with what it was chosen from.
std::string cell_explanation(const CompareLine& line) {
  const std::optional<CompareCell>& cell = line.cells.back();
  return cell && cell->comparison ? cell->comparison->explanation : std::string();
}

/// " Its interval is one of 99 %."; empty where none is known.
std::string confidence_words(const CompareLine& line, const CompareCell& cell) {
  if (!line.cells.front() || !interval_known(*cell.comparison)) return {};
  const double confidence = confidence_of(cell.comparison->paired, cell.restarts, line.cells.front()->restarts);
  return fmt::format(" Its interval is one of {:.0f} %.", 100 * confidence);
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
      return fmt::format("{}{}{} A is {}, B {}.",
                         column.field == CompareField::verdict ? sentence(verdict_brief(*cell->comparison)) + " " : "",
                         ratio_words(*cell->comparison),
                         column.field == CompareField::interval ? confidence_words(line, *cell) : "",
                         model.sweeps[column.side], model.sweeps.front());
    }
    case CompareField::band:
      if (cell && cell->band && model.band) return sentence(band_sentence(*model.band, *cell->band));
      return line.unchanged ? "Of a kernel that did not change: its ratio is the machine's." : "";
    case CompareField::chosen:
      return of_several(line) ? cell_explanation(line) : std::string();
    case CompareField::time:
      if (!cell) return {};
      return cell->reason.empty() ? cell->from : cell->from + "\n" + sentence(cell->reason);
    case CompareField::setting:
      return model.band ? line.setting : std::string();  // there it is abbreviated
    default:
      return {};  // what is cut says itself what it is
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
        draw_words(context, theme.text, fits(line.kernel) ? line.kernel : line.brief_kernel);
        break;
      case CompareField::time:
        draw_time(context, model, cell);
        break;
      case CompareField::pass:
        draw_words(context, theme.muted, fits(line.pass) ? line.pass : brief_pass(line.pass));
        break;
      case CompareField::setting:
        if (model.band) {
          draw_explained(context, theme.muted, brief_setting(line));
        } else {
          draw_words(context, theme.muted, line.setting);
        }
        break;
      case CompareField::band:
        draw_band(context, line, cell);
        break;
      case CompareField::chosen:
        if (of_several(line))
          draw_explained(context, theme.muted, fmt::format("1 of {}", line.of_before * line.of_after));
        break;
      case CompareField::verdict:
        if (!cell || !cell->comparison) {
          draw_no_verdict(context, model, line, column.side);
          break;
        }
        [[fallthrough]];
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

void draw_headers(const Context& context, const std::vector<CompareColumn>& columns,
                  const std::optional<std::pair<unsigned int, bool>>& sort) {
  const Theme& theme = context.look.theme;
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers, context.look.px(28));
  for (int i = 0; i < static_cast<int>(columns.size()); ++i) {
    if (!ImGui::TableSetColumnIndex(i)) continue;
    const CompareColumn& column = columns[static_cast<std::size_t>(i)];
    // Without a name: of a cut one Dear ImGui opens a tooltip, which would be the beginning of ours.
    ImGui::PushStyleColor(ImGuiCol_Text, faded(theme.text, 0));  // of its arrow: ours stands before the title
    ImGui::TableHeader(fmt::format("##{}", column.id()).c_str());
    ImGui::PopStyleColor();
    const std::string words = header_words(column.field);
    tooltip(context, words.empty() ? column.title : column.title + "\n" + words);
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
  const std::vector<CompareColumn> columns = compare_columns(context, model, with_unchanged);
  const float room = ImGui::GetContentRegionAvail().x;
  const ImGuiTableFlags flags = ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY | ImGuiTableFlags_Resizable |
                                ImGuiTableFlags_NoBordersInBody | ImGuiTableFlags_BordersInnerH |
                                ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_PadOuterX | ImGuiTableFlags_Sortable |
                                ImGuiTableFlags_SortTristate | ImGuiTableFlags_NoSavedSettings;
  // Other columns are another table, whose widths and sort are its own.
  std::string name = "compare";
  for (const CompareColumn& column : columns) name += fmt::format(" {}", column.id());
  float* fitted = ImGui::GetStateStorage()->GetFloatRef(ImGui::GetID(name.c_str()), 0);
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
  // In a panel of another width the columns are fitted anew; until then they have the widths that a person gave them.
  if (std::exchange(*fitted, room) != room) {
    for (std::size_t n = 0; n < columns.size(); ++n)
      ImGui::GetCurrentTable()->Columns[static_cast<int>(n)].WidthRequest = context.look.px(columns[n].width);
  }
  bool* had_unchanged = ImGui::GetStateStorage()->GetBoolRef(ImGui::GetID("unchanged drawn"));
  if (std::exchange(*had_unchanged, with_unchanged) != with_unchanged) ImGui::SetScrollY(0);
  const std::vector<std::size_t>& order = order_of(context, model, columns, with_unchanged);
  draw_headers(context, columns, context.ui.compare_order.sort);
  draw_lines(context, model, columns, order);
  find_beyond(context.ui.compare_beyond);
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

/// What a button takes beside others; nothing where there is none.
float taken(const std::string& label) {
  return label.empty() ? 0 : button_width(label.c_str()) + ImGui::GetStyle().ItemSpacing.x;
}

/// Leads to columns that have no room; empty: all have, or nothing can be clicked.
std::string more_label(const Context& context) {
  return context.ui.printing ? std::string() : beyond_label(context.ui.compare_beyond);
}

/// The choice of versions, whose answer is long: the button for more columns stands here and not beside that.
void draw_versions_line(Context& context) {
  const float beside = taken(more_label(context));
  draw_versions(context, beside);
  if (beside == 0) return;
  align_right(beside - ImGui::GetStyle().ItemSpacing.x);
  draw_beyond(context, context.ui.compare_beyond);
}

/// The answer, and at its right what leads away and to columns that have no room.
void draw_heading(Context& context, const std::string& summary, bool versions) {
  const std::optional<WayBack> back = way_back(context);
  const std::string more = versions ? std::string() : more_label(context);
  float room = button_width(kCopySave) + taken(more) + (back ? taken(back->label) : 0);
  // Where the answer would stand in a narrow column beside the buttons it has lines of its own above them.
  const float width = ImGui::GetContentRegionAvail().x;
  const bool above = !context.ui.printing && room > width / 2 && ImGui::CalcTextSize(summary.c_str()).x > width - room;
  panel_heading(context, summary, "", above ? 0 : room);
  if (above) ImGui::Dummy(ImVec2(0, ImGui::GetFrameHeight()));
  if (!more.empty()) {
    align_right(room);
    draw_beyond(context, context.ui.compare_beyond);
    room -= taken(more);
  }
  if (back) {
    align_right(room);
    if (ImGui::Button((back->label + "###leave").c_str())) context.request(back->request);
  }
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
  if (context.data.sweeps.empty())
    return empty_state(context, "A comparison needs two sweeps, and this database holds none yet.",
                       {{"Run", ask::Run{}}});
  if (context.data.sweeps.size() == 1) {
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

}  // namespace

void draw_compare_panel(Context& context) {
  const CompareModel* model = context.models.compare(context.data, context.now);
  if (!model) {
    const bool few = context.data.sweeps.size() < 2 && context.data.problem.empty() && !context.data.loading;
    if (few || draw_data_state(context)) draw_nothing_compared(context);
    return;
  }
  const ChartFrame frame(context, Panel::compare);
  const bool versions = !context.data.versions.kernel.empty();
  std::string summary = compare_summary(*model);
  if (versions) summary = sentence(versions_summary(*model, context.data.versions.pass));
  if (!versions && !model->has_passes && !model->lines.empty())
    summary += " " + sentence(model->kernel.empty() ? model->lines.front().pass
                                                    : model->kernel + " " + model->lines.front().pass);
  draw_heading(context, summary, versions);
  chart_button(context, Panel::compare);
  if (versions) draw_versions_line(context);
  const bool with_unchanged = draw_words_above(context, *model);
  draw_differences(context, *model);
  if (model->lines.empty()) return;
  ImGui::Dummy(ImVec2(0, context.look.px(4)));
  draw_rows(context, *model, with_unchanged);
}

}  // namespace triscope
