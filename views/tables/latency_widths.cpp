#include "views/tables/latency_widths.hpp"

#include <imgui_internal.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <utility>

#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

constexpr float kRate = 104, kMostRate = 1400;  ///< width of a rate with its bar

float column_width(LatencyField field) {
  switch (field) {
    case LatencyField::label:
      return 78;
    case LatencyField::fact:
      return 60;
    case LatencyField::median:
      return 70;
    case LatencyField::interval:
      return 44;
    case LatencyField::tflops:
      return kRate;
    case LatencyField::of_reference:
      return 50;
    case LatencyField::beside_interval:
      return 92;
    case LatencyField::beside:
    case LatencyField::verdict:
      return 108;
    case LatencyField::paper:
      return 60;
    default:
      return 64;
  }
}

bool contains(const std::vector<std::string>& ids, const std::string& id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

bool is_shown(const UiState& ui, const LatencyColumn& column) {
  const auto& visible = ui.visible_columns;
  const bool drawn_before = contains(visible, "window");
  return drawn_before ? contains(visible, column.id) : field_text(column.field).shown_at_first;
}

/// Wide enough for the title alone.
float title_width(const Look& look, const LatencyColumn& column) {
  const SmallFont font(look);
  return ImGui::CalcTextSize(column.title.c_str()).x + look.px(8);
}

std::vector<LatencyColumn> with_first_time_first(std::vector<LatencyColumn> columns) {
  std::ptrdiff_t behind = 1;  // the window, or the kernel
  for (std::size_t n = 0; n < columns.size(); ++n) {
    const auto at = static_cast<std::ptrdiff_t>(n);
    if (columns[n].title == "kernel") behind = at + 1;
    if (columns[n].field != LatencyField::median) continue;
    std::rotate(columns.begin() + behind, columns.begin() + at, columns.begin() + at + 1);
    break;
  }
  return columns;
}

/// What is shown in the one of the two tables that was drawn last: they are two to Dear ImGui, one to a person.
ShownColumns shown_last(const UiState& ui, const std::vector<LatencyColumn>& usual,
                        const std::vector<LatencyColumn>& moved) {
  const ImGuiTable* last = nullptr;
  const std::vector<LatencyColumn>* order = nullptr;
  for (const std::vector<LatencyColumn>* columns : {&usual, &moved}) {
    const ImGuiTable* table = ImGui::TableFindByID(ImGui::GetID(latency_table_name(*columns).c_str()));
    if (!table || table->Columns.size() != static_cast<int>(columns->size())) continue;
    if (last && last->ID == ui.sorted_table) break;
    if (last && table->ID != ui.sorted_table && table->LastFrameActive <= last->LastFrameActive) continue;
    last = table;
    order = columns;
  }
  if (!last) return std::nullopt;
  std::vector<std::string> shown;
  for (std::size_t n = 0; n < order->size(); ++n) {
    if (last->Columns[static_cast<int>(n)].IsUserEnabled) shown.push_back((*order)[n].id);
  }
  return shown;
}

bool has_room_for_first_time(const Context& context, const std::vector<LatencyColumn>& columns,
                             const ShownColumns& shown) {
  const float room = ImGui::GetContentRegionAvail().x - ImGui::GetStyle().ScrollbarSize;
  float taken = 0;
  for (const LatencyColumn& column : columns) {
    if (!(shown ? contains(*shown, column.id) : field_text(column.field).shown_at_first)) continue;
    taken += width_of(context.look, column) + context.look.px(2 * kCellPadding) + 1;
    if (column.field == LatencyField::median) return taken <= room;
  }
  return true;
}

}  // namespace

float width_of(const Look& look, const LatencyColumn& column) {
  return std::max(title_width(look, column), look.px(column.title == "kernel" ? 92
                                                     : column.title == "form" ? 84
                                                                              : column_width(column.field)));
}

ShownColumns bring_first_time_into_view(const Context& context, std::vector<LatencyColumn>& columns) {
  std::vector<LatencyColumn> moved = with_first_time_first(columns);
  const ShownColumns shown = shown_last(context.ui, columns, moved);
  if (!has_room_for_first_time(context, columns, shown)) columns = std::move(moved);
  return shown;
}

bool take_over(UiState& ui, const std::vector<LatencyColumn>& columns, const ShownColumns& shown) {
  const ImGuiTable& table = *ImGui::GetCurrentTable();
  if (ui.sorted_table == 0 || ui.sorted_table == table.ID) {
    ui.sorted_table = table.ID;
    return false;
  }
  if (table.IsSettingsRequestLoad) return true;  // what was saved of it would replace all that is set now
  ui.sorted_table = table.ID;
  for (int i = 0; i < static_cast<int>(columns.size()); ++i) {
    const std::string& id = columns[static_cast<std::size_t>(i)].id;
    if (shown) ImGui::TableSetColumnEnabled(i, contains(*shown, id));
    if (id == ui.sort_column)
      ImGui::TableSetColumnSortDirection(
          i, ui.sort_descending ? ImGuiSortDirection_Descending : ImGuiSortDirection_Ascending, false);
  }
  if (ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs()) specs->SpecsDirty = false;
  return true;
}

float rate_text_width(const Look& look, const LatencyGroup& group) {
  const NumberFont font(look);
  const int before_point = std::max(1, static_cast<int>(std::floor(std::log10(std::max(1.0, group.max_tflops)))) + 1);
  const int digits = before_point + (group.rate_decimals > 0 ? 1 + group.rate_decimals : 0);
  return ImGui::CalcTextSize("0").x * static_cast<float>(std::max(3, digits));
}

float rate_width(const Context& context, const LatencyModel& model, const std::vector<LatencyColumn>& columns) {
  const Look& look = context.look;
  const float left = ImGui::GetContentRegionAvail().x - ImGui::GetStyle().ScrollbarSize - 1;
  float others = 0, least = look.px(40);
  constexpr float kBorder = 1;  // that Dear ImGui draws between columns that can be resized
  int rates = 0;
  std::vector<float> ends;        // of the columns, with bars of the usual width
  std::vector<int> rates_before;  // up to each of these ends
  for (const LatencyColumn& column : columns) {
    if (!is_shown(context.ui, column)) continue;
    const bool rate = column.field == LatencyField::tflops;
    if (rate) least = std::max({least, rate_text_width(look, model.groups[column.group]), title_width(look, column)});
    rates += rate;
    others += (rate ? 0 : width_of(look, column)) + look.px(2 * kCellPadding) + kBorder;
    ends.push_back(others + static_cast<float>(rates) * look.px(kRate));
    rates_before.push_back(rates);
  }
  if (rates == 0) return look.px(kRate);
  const float each = (left - others) / static_cast<float>(rates);
  if (each >= least) return std::min(each, look.px(kMostRate));
  for (std::size_t n = ends.size(); n-- > 0;) {
    if (ends[n] <= left && rates_before[n] > 0)
      return std::min(look.px(kRate) + (left - ends[n]) / static_cast<float>(rates_before[n]), look.px(kMostRate));
  }
  return look.px(kRate);
}

void follow_room(Context& context, const std::vector<LatencyColumn>& columns, float rate) {
  ImGuiTable& table = *ImGui::GetCurrentTable();
  for (int i = 0; i < static_cast<int>(columns.size()); ++i) {
    if (columns[static_cast<std::size_t>(i)].field != LatencyField::tflops) continue;
    if (table.ResizedColumn == i) context.ui.rates_resized = true;
    if (!context.ui.rates_resized) table.Columns[i].WidthRequest = rate;
  }
}

}  // namespace triscope
