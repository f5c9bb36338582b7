#include "views/tables/columns_beyond.hpp"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cfloat>
#include <utility>

#include "views/parts/widgets.hpp"

namespace triscope {

std::string beyond_label(const UiState::Beyond& beyond) {
  return beyond.columns > 0 ? fmt::format("{} more →", beyond.columns) : std::string();
}

void draw_beyond(const Context& context, UiState::Beyond& beyond) {
  const std::string label = beyond_label(beyond);
  if (label.empty()) return;
  // It is cut where the line has no room for it.
  const float width = std::min(button_width(label.c_str()), ImGui::GetContentRegionAvail().x);
  if (ImGui::Button((label + "###beyond").c_str(), ImVec2(width, 0))) beyond.scroll_there = true;
  tooltip(context, "Columns that have no room here: a click shows them, and the bar below the table goes back.");
}

void find_beyond(UiState::Beyond& beyond) {
  const ImGuiTable& table = *ImGui::GetCurrentTable();
  const float edge = table.InnerClipRect.Max.x + 1, frozen = table.Columns[0].MaxX;
  float first = FLT_MAX;
  beyond.columns = 0;
  for (const ImGuiTableColumn& column : table.Columns) {
    if (!column.IsEnabled || column.WorkMaxX <= edge) continue;
    ++beyond.columns;
    first = std::min(first, column.MinX);
  }
  if (std::exchange(beyond.scroll_there, false) && first < FLT_MAX)
    ImGui::SetScrollX(table.InnerWindow, ImGui::GetScrollX() + first - frozen);
}

}  // namespace triscope
