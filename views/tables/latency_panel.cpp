// The latency table: windows down, passes across.
#include <fmt/format.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <utility>

#include "profiler/record/columns.hpp"
#include "profiler/statistics/centre.hpp"
#include "views/data/format.hpp"
#include "views/model/tables/no_partner.hpp"
#include "views/parts/chart_tools.hpp"
#include "views/parts/data_state.hpp"
#include "views/parts/row_selection.hpp"
#include "views/parts/widgets.hpp"
#include "views/tables/columns_beyond.hpp"
#include "views/tables/latency_summary.hpp"
#include "views/tables/latency_widths.hpp"
#include "views/tables/tables_panels.hpp"

namespace triscope {
namespace {

int colour_of(Context& context, const LatencyModel& model, const LatencyLine& line, std::size_t group) {
  for (const Series& series : context.models.map_choices(context.data)) {
    if (series.kernel == line.kernel && series.pass == model.groups[group].pass &&
        series.regime == model.groups[group].regime)
      return series.colour;
  }
  return -1;
}

/// Name of a column in menus and tests, as it is copied: with the pass, since headers leave it out.
std::string full_name(const LatencyModel& model, const LatencyColumn& column) {
  return latency_text(model, {}, {column}).header.front();
}

/// Columns that can be shown or hidden, checked where they are shown.
void draw_columns_menu(Context& context, const LatencyModel& model) {
  UiState& ui = context.ui;
  if (!ImGui::BeginPopup("columns")) return;
  for (const LatencyColumn& column : latency_columns(model)) {
    if (column.field == LatencyField::label) continue;
    const bool shown =
        std::find(ui.visible_columns.begin(), ui.visible_columns.end(), column.id) != ui.visible_columns.end();
    ImGui::PushItemFlag(ImGuiItemFlags_AutoClosePopups, false);
    if (ImGui::MenuItem(full_name(model, column).c_str(), nullptr, shown)) ui.toggled_column = column.id;
    ImGui::PopItemFlag();
    tooltip(context, field_text(column.field).meaning);
  }
  ImGui::EndPopup();
}

void draw_copy_menu(Context& context) {
  if (!ImGui::BeginPopup("copy")) return;
  const auto item = [&](const char* label, Request request) {
    if (ImGui::MenuItem(label)) context.request(std::move(request));
  };
  item("Tab-separated, for a spreadsheet", ask::CopyTable{TableFormat::tsv});
  item("Markdown", ask::CopyTable{TableFormat::markdown});
  item("CSV", ask::CopyTable{TableFormat::csv});
  item("LaTeX", ask::CopyTable{TableFormat::latex});
  ImGui::Separator();
  item("Save as CSV...", ask::SaveTable{});
  ImGui::EndPopup();
}

/// What all rows share, in a wide table beside the filter and the buttons, else in a line of its own: which of them is
/// told by the width alone, so that the table stays where it is from sweep to sweep.
void draw_filter_row(Context& context, const LatencyModel& model, std::size_t shown_lines) {
  UiState& ui = context.ui;
  const Look& look = context.look;
  if (ui.printing) return draw_summary(context, model, shown_lines, 0);
  const float spacing = ImGui::GetStyle().ItemSpacing.x, width = ImGui::GetContentRegionAvail().x;
  const std::string beyond = beyond_label(ui.latency_beyond);
  float buttons = button_width("Columns") + button_width(reference_label(context, model).c_str()) + 3 * spacing +
                  (beyond.empty() ? 0 : button_width(beyond.c_str()) + spacing);
  const char* copy = width - buttons - button_width(kCopySave) < look.px(60) ? "Copy" : kCopySave;
  buttons += button_width(copy);
  std::string reference = reference_label(context, model);
  if (const float left = width - buttons - look.px(60); left < 0) {
    buttons -= button_width(reference.c_str());
    reference = reference_label(context, model, ImGui::CalcTextSize(reference.c_str()).x + left);
    buttons += button_width(reference.c_str());
  }
  float filter = std::clamp(width * 0.24F, look.px(90), look.px(150));
  {
    const SmallFont font(look);
    const float room = width - filter - buttons - look.px(12);
    const bool beside = room >= look.px(640);
    if (beside) ImGui::AlignTextToFramePadding();
    draw_summary(context, model, shown_lines, beside ? room : width);
    if (beside) {
      align_right(filter + buttons);
    } else {
      filter = std::max(look.px(60), width - buttons);
    }
  }
  // In a panel too narrow for one line each of them begins another where it has no room.
  const auto flow = [](float wanted) {
    ImGui::SameLine();
    if (ImGui::GetContentRegionAvail().x < wanted) ImGui::NewLine();
  };
  if (width - buttons < look.px(60)) {
    filter = width;
    reference = reference_label(context, model,
                                std::min(ImGui::CalcTextSize(reference_label(context, model).c_str()).x,
                                         width - 2 * ImGui::GetStyle().FramePadding.x));
  }
  ImGui::SetNextItemWidth(filter);
  if (ui.focus_filter) ImGui::SetKeyboardFocusHere();
  ui.focus_filter = false;
  ImGui::InputTextWithHint("##filter", filter < look.px(130) ? "filter" : "filter  (Ctrl+F)", &ui.table_filter,
                           ImGuiInputTextFlags_EscapeClearsAll);
  if (!beyond.empty()) {
    flow(button_width(beyond.c_str()));
    draw_beyond(context, ui.latency_beyond);
  }
  flow(button_width(reference.c_str()));
  draw_reference_choice(context, model, reference);
  flow(button_width("Columns"));
  if (ImGui::Button("Columns", fitting("Columns"))) ImGui::OpenPopup("columns");
  flow(button_width(copy));
  if (ImGui::Button(fmt::format("{}###Copy", copy).c_str(), fitting(copy))) ImGui::OpenPopup("copy");
  draw_columns_menu(context, model);
  draw_copy_menu(context);
}

void draw_headers(Context& context, const LatencyModel& model, const std::vector<LatencyColumn>& columns) {
  const Theme& theme = context.look.theme;
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers, context.look.px(28));
  for (int i = 0; i < static_cast<int>(columns.size()); ++i) {
    if (!ImGui::TableSetColumnIndex(i)) continue;
    const LatencyColumn& column = columns[static_cast<std::size_t>(i)];
    // A heading goes with its cells: rates have bars, and verdicts more words than their titles.
    const bool wide = column.field == LatencyField::tflops || is_verdict(column.field);
    const float needed = std::min(ImGui::GetContentRegionAvail().x, width_of(context.look, column));
    const bool cut =
        wide && is_cut_by_edge(column.field == LatencyField::tflops ? ImGui::GetContentRegionAvail().x : needed);
    // Dear ImGui's header gives sorting, dragging and the menu; its text is ours, aligned as the numbers are. Of a cut
    // name it would open a tooltip, the beginning of ours.
    ImGui::PushStyleColor(ImGuiCol_Text, faded(theme.text, 0));  // of its arrow: ours stands before the title
    ImGui::PushID(i);
    ImGui::TableHeader("##header");
    ImGui::PopID();
    ImGui::PopStyleColor();
    field_tooltip(context, full_name(model, column), field_text(column.field));
    const bool sorted = !context.ui.sort_column.empty() && context.ui.sort_column == column.id;
    const std::string title =
        sorted ? fmt::format("{} {}", context.ui.sort_descending ? "▼" : "▲", column.title) : column.title;
    const bool right = is_numeric(column.field) && column.field != LatencyField::tflops;
    header_text(context, i, cut ? "" : title, right, sorted ? theme.text : theme.muted);
  }
}

void draw_rate(Context& context, const LatencyModel& model, const LatencyLine& line, std::size_t group,
               const std::string& text) {
  const Theme& theme = context.look.theme;
  const LatencyCell& cell = *line.cells[group];
  if (text.empty() || is_cut_by_edge(ImGui::GetContentRegionAvail().x)) return;  // half a bar is another bar
  const float text_width = rate_text_width(context.look, model.groups[group]);
  const float room = ImGui::GetContentRegionAvail().x;
  const float right = ImGui::GetCursorPosX() + room;
  const float length = room - text_width - ImGui::GetStyle().ItemSpacing.x;
  if (length > context.look.px(12)) {
    const float height = context.look.px(6), top = ImGui::GetCursorPosY();
    ImGui::SetCursorPosY(top + (ImGui::GetTextLineHeight() - height) / 2);
    const int colour = colour_of(context, model, line, group);
    const double most = model.groups[group].max_tflops;
    bar(context, most > 0 ? static_cast<float>(*cell.row.tflops / most) : 0, ImVec2(length, height),
        colour < 0 ? theme.baseline : colour_of_style(theme, colour));
    ImGui::SameLine();
    ImGui::SetCursorPosY(top);
  }
  number_right(context, text, line.baseline ? theme.muted : 0, right);
}

void align_right_in_cell(const std::string& text) {
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() +
                       std::max(0.0F, ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text.c_str()).x));
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789.,/-") == std::string::npos;
}

/// Milliseconds, rates and their factors line up on their points, whatever number of digits each row's interval bears.
std::string padded(const LatencyModel& model, const LatencyLine& line, const LatencyColumn& column, std::string text) {
  if (column.group >= line.cells.size() || !line.cells[column.group] || text.empty() || text == "unknown") return text;
  const ResultRow& row = line.cells[column.group]->row;
  const LatencyGroup& group = model.groups[column.group];
  if (column.field == LatencyField::median || column.field == LatencyField::interval)
    return text + point_padding(ms_decimals(row), group.decimals);
  if (column.field == LatencyField::tflops) return text + point_padding(rate_decimals(row), group.rate_decimals);
  if (const auto& factor = line.cells[column.group]->of_reference; column.field == LatencyField::of_reference && factor)
    return text + point_padding(times_decimals(*factor), group.of_decimals);
  return text;
}

/// Of a row that has a time and stands beside nothing: a dash, which says why.
void draw_no_partner(const Context& context, const std::string& why, bool right) {
  if (why.empty()) return;
  if (right) {
    number_right(context, "–", context.look.theme.muted);
  } else {
    coloured_text(context.look.theme.muted, "–");
  }
  tooltip(context, why);
}

/// The interval of a row in work, with how far it has narrowed.
void draw_narrowing(Context& context, const LiveRow& live, const std::string& text) {
  number_right(context, text, context.look.theme.accent);
  const std::optional<double> spread = spread_percent(live.row.median_ms, live.row.ci_low_ms, live.row.ci_high_ms);
  const std::string now = live.samples.empty() ? "It waits for its turn."
                          : spread             ? fmt::format("{} of this restart, ±{} % so far; ±{:.2f} % ends it.",
                                                             counted(live.samples.size(), "sample"), significant_text(*spread, 2),
                                                             100 * widest_converged(context.data.run.live.precision))
                                               : counted(live.samples.size(), "sample") + " of this restart so far.";
  tooltip(context, "Measured right now. " + now);
}

std::string why_no_verdict(const Context& context, const LatencyModel& model, const LatencyLine& line,
                           std::size_t group) {
  if (find_live(context.data.run, line.cells[group]->row.measurement) == nullptr)
    return why_no_partner(model, line, group);
  return kVerdictLater;
}

void draw_median(Context& context, const LatencyLine& line, const LatencyCell* cell, const std::string& aligned,
                 const std::string& text) {
  const Theme& theme = context.look.theme;
  if (cell && cell->row.status != Status::ok) {
    align_right_in_cell(text);
    coloured_text(cell->row.status == Status::failed ? theme.slower : theme.muted, unless_cut(text));
    if (!cell->row.reason.empty()) tooltip(context, cell->row.reason);
    return;
  }
  number_right(context, aligned,
               cell && cell->row.median_ms && std::isnan(*cell->row.median_ms) ? theme.not_a_number
               : line.baseline                                                 ? theme.muted
                                                                               : 0);
}

void draw_cell(Context& context, const LatencyModel& model, const LatencyLine& line, const LatencyColumn& column) {
  const Theme& theme = context.look.theme;
  const std::string text = cell_text(line, column);
  const bool own_cell = column.field != LatencyField::label && column.field != LatencyField::fact &&
                        column.field != LatencyField::paper && column.field != LatencyField::paper_ratio;
  const LatencyCell* cell = own_cell && column.group < line.cells.size() && line.cells[column.group]
                                ? line.cells[column.group].get()
                                : nullptr;
  switch (column.field) {
    case LatencyField::fact: {
      const ImU32 colour = line.baseline ? theme.muted : theme.text;
      if (!is_number(text)) return coloured_text(colour, unless_cut(text));
      const NumberFont font(context.look);
      return coloured_text(colour, unless_cut(text));
    }
    case LatencyField::tflops:
      if (cell) draw_rate(context, model, line, column.group, padded(model, line, column, text));
      return;
    case LatencyField::beside:
      if (cell && cell->is_reference) return coloured_text(theme.muted, unless_cut(text));
      if (cell && !cell->beside) draw_no_partner(context, why_no_verdict(context, model, line, column.group), false);
      if (cell && cell->beside)
        beside_other(context, *cell->beside, cell->beside->verdict == Verdict::unclear ? "? unclear" : text,
                     context.data.beside_reference->label);
      return;
    case LatencyField::of_reference:
      if (cell && text.empty())
        return draw_no_partner(context, why_no_verdict(context, model, line, column.group), true);
      return number_right(context, padded(model, line, column, text), line.baseline ? theme.muted : 0);
    case LatencyField::verdict:
      if (cell && cell->against_baseline) verdict(context, *cell->against_baseline);
      return;
    case LatencyField::median:
      return draw_median(context, line, cell, padded(model, line, column, text), text);
    case LatencyField::flagged:
      number_right(context, text, cell && cell->row.flagged > 0 ? theme.unclear : theme.muted);
      return;
    case LatencyField::interval:
      if (const LiveRow* live = cell ? find_live(context.data.run, cell->row.measurement) : nullptr)
        return draw_narrowing(context, *live, padded(model, line, column, text));
      number_right(context, padded(model, line, column, text), theme.muted);
      return;
    case LatencyField::beside_interval:
    case LatencyField::paper:
      number_right(context, padded(model, line, column, text), theme.muted);
      return;
    default:
      number_right(context, text, line.baseline ? theme.muted : 0);
      return;
  }
}

/// The measurement a click on a line means: the one under the pointer's column group, else the line's first.
std::int64_t measurement_of(const LatencyLine& line, const std::vector<LatencyColumn>& columns, int hovered_column) {
  if (hovered_column >= 0 && hovered_column < static_cast<int>(columns.size())) {
    const LatencyColumn& column = columns[static_cast<std::size_t>(hovered_column)];
    const bool grouped = is_numeric(column.field) || is_verdict(column.field);
    if (grouped && column.field != LatencyField::paper && column.field != LatencyField::paper_ratio &&
        line.cells[column.group]) {
      return line.cells[column.group]->row.measurement;
    }
  }
  for (const auto& cell : line.cells) {
    if (cell) return cell->row.measurement;
  }
  return 0;
}

std::vector<std::int64_t> measurements_of(const LatencyLine& line) {
  std::vector<std::int64_t> all;
  for (const auto& cell : line.cells) {
    if (cell) all.push_back(cell->row.measurement);
  }
  return all;
}

bool line_is(const LatencyLine& line, std::int64_t measurement) {
  return measurement != 0 && std::any_of(line.cells.begin(), line.cells.end(), [&](const auto& cell) {
           return cell && cell->row.measurement == measurement;
         });
}

bool is_in_work(const Context& context, const LatencyLine& line) {
  return std::any_of(line.cells.begin(), line.cells.end(), [&](const auto& cell) {
    return cell && find_live(context.data.run, cell->row.measurement) != nullptr;
  });
}

void draw_line(Context& context, RowSelection& chosen, int row, const LatencyModel& model, const LatencyLine& line,
               const std::vector<LatencyColumn>& columns, int hovered_column) {
  const Theme& theme = context.look.theme;
  Selection& selection = context.ui.selection;
  ImGui::TableNextRow(0, context.look.px(24));
  const bool selected = chosen.contains(row);
  for (int i = 0; i < static_cast<int>(columns.size()); ++i) {
    if (!ImGui::TableSetColumnIndex(i)) continue;
    const LatencyColumn& column = columns[static_cast<std::size_t>(i)];
    if (column.field != LatencyField::label) {
      draw_cell(context, model, line, column);
      continue;
    }
    ImGui::PushID(row);
    if (selected) {
      ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg1, theme.accent_soft);
    } else if (line_is(line, selection.hovered)) {
      ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg1, theme.raised);
    }
    if (is_in_work(context, line)) {
      const ImVec2 at = ImGui::GetCursorScreenPos();
      ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(at.x - context.look.px(6), at.y),
                                                ImVec2(at.x - context.look.px(3), at.y + ImGui::GetTextLineHeight()),
                                                theme.accent);
    }
    chosen.button(row);
    if (ImGui::IsItemHovered()) selection.hovered_now = measurement_of(line, columns, hovered_column);
    ImGui::SameLine(0, 0);
    {
      const NumberFont font(context.look);
      coloured_text(line.baseline ? theme.muted : theme.text, line.label);
    }
    ImGui::PopID();
  }
}

/// What was selected elsewhere comes into view.
void follow_selection(Context& context, const LatencyModel& model, const std::vector<std::size_t>& order) {
  const std::int64_t pinned = context.ui.selection.pinned();
  if (std::exchange(context.ui.table_followed, pinned) == pinned) return;
  const auto found =
      std::find_if(order.begin(), order.end(), [&](std::size_t index) { return line_is(model.lines[index], pinned); });
  if (found == order.end()) return;
  const float row = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  const float height = std::max(context.look.px(24), row), top = static_cast<float>(found - order.begin()) * height;
  const float view = ImGui::GetWindowHeight() - context.look.px(28) - ImGui::GetStyle().ScrollbarSize;
  if (top < ImGui::GetScrollY() || top + height > ImGui::GetScrollY() + view)
    ImGui::SetScrollY(std::max(0.0F, top - view / 2));
}

void draw_lines(Context& context, const LatencyModel& model, const std::vector<std::size_t>& order,
                const std::vector<LatencyColumn>& columns, int hovered_column) {
  const auto line_of = [&](int row) -> const LatencyLine& { return model.lines[order[static_cast<std::size_t>(row)]]; };
  const auto target = [&](int row) {
    const std::int64_t measurement = measurement_of(line_of(row), columns, context.ui.selecting_column);
    return RowTarget{measurement == 0 ? std::vector<std::int64_t>() : std::vector{measurement}, 0};
  };
  RowSelection chosen(context, static_cast<int>(order.size()), target,
                      [&](int row) { return measurements_of(line_of(row)); });
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(order.size()));
  if (chosen.source() >= 0) clipper.IncludeItemByIndex(chosen.source());
  while (clipper.Step()) {
    for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row)
      draw_line(context, chosen, row, model, line_of(row), columns, hovered_column);
  }
}

void remember_columns(Context& context, const std::vector<LatencyColumn>& columns, const ShownColumns& shown) {
  UiState& ui = context.ui;
  const bool taken_over = take_over(ui, columns, shown);
  ui.visible_columns.clear();
  for (int i = 0; i < static_cast<int>(columns.size()); ++i) {
    if (columns[static_cast<std::size_t>(i)].id == ui.toggled_column)
      ImGui::TableSetColumnEnabled(i, !(ImGui::TableGetColumnFlags(i) & ImGuiTableColumnFlags_IsEnabled));
    if (ImGui::TableGetColumnFlags(i) & ImGuiTableColumnFlags_IsEnabled)
      ui.visible_columns.push_back(columns[static_cast<std::size_t>(i)].id);
  }
  ui.toggled_column.clear();
  if (taken_over) return;
  ImGuiTableSortSpecs* sort = ImGui::TableGetSortSpecs();
  if (!sort || !sort->SpecsDirty) return;
  ui.sort_column =
      sort->SpecsCount > 0 ? columns[static_cast<std::size_t>(sort->Specs[0].ColumnIndex)].id : std::string();
  ui.sort_descending = sort->SpecsCount > 0 && sort->Specs[0].SortDirection == ImGuiSortDirection_Descending;
  sort->SpecsDirty = false;
}

}  // namespace

void draw_latency_panel(Context& context) {
  if (!draw_data_state(context, true)) return;
  UiState& ui = context.ui;
  const LatencyModel& model = *context.models.latency(context.data);
  std::vector<LatencyColumn> columns = latency_columns(model);
  const ShownColumns shown = bring_first_time_into_view(context, columns);
  const std::vector<std::size_t>& order =
      context.models.order(context.data, ui.table_filter, ui.sort_column, ui.sort_descending);
  draw_filter_row(context, model, order.size());
  if (order.empty()) {
    empty_state(context, fmt::format("No row contains \"{}\".", ui.table_filter));
    return;
  }
  const ImGuiTableFlags flags = ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY | ImGuiTableFlags_Resizable |
                                ImGuiTableFlags_Hideable | ImGuiTableFlags_Reorderable | ImGuiTableFlags_Sortable |
                                ImGuiTableFlags_SortTristate | ImGuiTableFlags_BordersInnerH |
                                ImGuiTableFlags_NoBordersInBody | ImGuiTableFlags_SizingFixedFit |
                                ImGuiTableFlags_PadOuterX | ImGuiTableFlags_HighlightHoveredColumn;
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, ImVec2(context.look.px(kCellPadding), context.look.px(4)));
  const float rate = rate_width(context, model, columns);
  const bool open = ImGui::BeginTable(latency_table_name(columns).c_str(), static_cast<int>(columns.size()), flags);
  ImGui::PopStyleVar();
  if (!open) return;
  ImGui::TableSetupScrollFreeze(1, 1);
  for (const LatencyColumn& column : columns) {
    ImGuiTableColumnFlags column_flags = ImGuiTableColumnFlags_WidthFixed;
    if (!field_text(column.field).shown_at_first) column_flags |= ImGuiTableColumnFlags_DefaultHide;
    if (column.field == LatencyField::label) column_flags |= ImGuiTableColumnFlags_NoHide;
    if (column.field == LatencyField::tflops || column.field == LatencyField::of_reference ||
        column.field == LatencyField::peak) {
      column_flags |= ImGuiTableColumnFlags_PreferSortDescending;
    }
    ImGui::TableSetupColumn(full_name(model, column).c_str(), column_flags,
                            column.field == LatencyField::tflops ? rate : width_of(context.look, column),
                            ImGui::GetID(column.id.c_str()));
  }
  remember_columns(context, columns, shown);
  follow_room(context, columns, rate);
  draw_headers(context, model, columns);
  const int hovered_column = ImGui::TableGetHoveredColumn();
  if (hovered_column >= 0 && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) ui.selecting_column = hovered_column;
  follow_selection(context, model, order);
  draw_lines(context, model, order, columns, hovered_column);
  find_beyond(ui.latency_beyond);
  ImGui::EndTable();
}

}  // namespace triscope
