// The clickable grid of windows, w1 across and w2 up.
#include "views/setup/window_grid.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "views/data/format.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

constexpr float kGridRow = 20, kLowGridRow = 16;  // design pixels, as all of these
constexpr float kLowFields = 480;                 // of the panel, below which rows are low

/// Bounds of a running rectangle drag.
bool in_drag(const UiState& ui, std::size_t i1, std::size_t i2) {
  if (!ui.dragging) return false;
  const auto between = [](std::size_t v, std::size_t a, std::size_t b) {
    return v >= std::min(a, b) && v <= std::max(a, b);
  };
  return between(i1, ui.drag_from[0], ui.drag_to[0]) && between(i2, ui.drag_from[1], ui.drag_to[1]);
}

void drag_cells(UiState& ui, const WindowGrid& grid, std::array<std::size_t, 2> cell, bool over_cell) {
  if (over_cell && ImGui::IsItemActivated()) {
    ui.dragging = true;
    ui.drag_from = ui.drag_to = cell;
    ui.drag_on = !grid.chosen(ui.form, cell[0], cell[1]);
  }
  if (!ui.dragging) return;
  ui.drag_to = cell;
  if (ImGui::IsMouseDown(ImGuiMouseButton_Left)) return;
  ui.dragging = false;
  set_rectangle(ui.form, grid, ui.drag_from, ui.drag_to, ui.drag_on);
}

/// The windows' widths left of the grid's rows and below its columns, where there is room up to `right`.
void draw_grid_names(const Look& look, const WindowGrid& grid, ImVec2 corner, ImVec2 cell, float right) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const auto rows = static_cast<float>(grid.axis2.size());
  for (std::size_t i2 = 0; i2 < grid.axis2.size(); ++i2) {
    const std::string name = fmt::format("{}", grid.axis2[i2]);
    const ImVec2 size = ImGui::CalcTextSize(name.c_str());
    const float middle = corner.y + (rows - 0.5F - static_cast<float>(i2)) * cell.y;
    list->AddText(ImVec2(corner.x - size.x - look.px(6), std::round(middle - size.y / 2)), look.theme.muted,
                  name.c_str());
  }
  float free_from = 0;
  for (std::size_t i1 = 0; i1 < grid.axis1.size(); ++i1) {
    const std::string name = fmt::format("{}", grid.axis1[i1]);
    const float text = ImGui::CalcTextSize(name.c_str()).x,
                middle = corner.x + (static_cast<float>(i1) + 0.5F) * cell.x;
    const float at = std::round(std::min(middle - text / 2, right - text));
    if (at < free_from) continue;
    free_from = at + text + look.px(3);
    list->AddText(ImVec2(at, corner.y + rows * cell.y + look.px(2)), look.theme.muted, name.c_str());
  }
}

}  // namespace

void draw_window_grid(Context& context) {
  UiState& ui = context.ui;
  const Look& look = context.look;
  const Theme& theme = look.theme;
  const WindowGrid grid = make_grid(ui.form);
  const NumberFont font(look, 11);
  const float left = look.px(32), gap = look.px(2);
  const float columns = static_cast<float>(grid.axis1.size()), rows = static_cast<float>(grid.axis2.size());
  const float width = ImGui::GetContentRegionAvail().x;
  const float row = look.px(ImGui::GetWindowHeight() < look.px(kLowFields) ? kLowGridRow : kGridRow);
  const ImVec2 cell((width - left) / columns, std::min(row, (width - left) / columns));
  const ImVec2 origin = ImGui::GetCursorScreenPos(), corner(origin.x + left, origin.y);
  ImGui::InvisibleButton("##window_grid", ImVec2(width, rows * cell.y + look.px(18)));
  const ImVec2 mouse = ImGui::GetMousePos();
  const float x = (mouse.x - corner.x) / cell.x, y = (mouse.y - corner.y) / cell.y;
  const bool over_cell = x >= 0 && x < columns && y >= 0 && y < rows;
  const auto clamp_index = [](float v, float count) {
    return static_cast<std::size_t>(std::clamp(v, 0.0F, count - 1));
  };
  const std::array<std::size_t, 2> under{clamp_index(x, columns),
                                         static_cast<std::size_t>(rows) - 1 - clamp_index(y, rows)};
  const bool hovered = ImGui::IsItemHovered() && over_cell;
  drag_cells(ui, grid, under, over_cell);
  const Windows pointed{grid.axis1[under[0]], grid.axis2[under[1]]};
  ImDrawList* list = ImGui::GetWindowDrawList();
  const auto low_of = [&](std::size_t i1, std::size_t i2) {
    return ImVec2(corner.x + static_cast<float>(i1) * cell.x + gap / 2,
                  corner.y + (rows - 1 - static_cast<float>(i2)) * cell.y + gap / 2);
  };
  for (std::size_t i2 = 0; i2 < grid.axis2.size(); ++i2) {
    for (std::size_t i1 = 0; i1 < grid.axis1.size(); ++i1) {
      const ImVec2 low = low_of(i1, i2), high(low.x + cell.x - gap, low.y + cell.y - gap);
      const bool on = in_drag(ui, i1, i2) ? ui.drag_on : grid.chosen(ui.form, i1, i2);
      const bool wide_first = grid.axis1[i1] >= grid.axis2[i2];
      list->AddRectFilled(low, high,
                          on           ? theme.accent
                          : wide_first ? theme.raised
                                       : faded(theme.raised, 0.5F),
                          look.px(2));
      const bool same_area = hovered && grid.axis1[i1] * grid.axis2[i2] == pointed.window1 * pointed.window2;
      if (same_area || in_drag(ui, i1, i2))
        list->AddRect(low, high, on ? theme.text : theme.accent, look.px(2), std::max(1.0F, look.px(1)));
    }
  }
  draw_grid_names(look, grid, corner, cell, origin.x + width);
  if (hovered && !ui.dragging) {
    value_tooltip(context, fmt::format("{}: {} pairs per query. Outlined: the same area.\nClick or drag a rectangle.",
                                       format_windows(pointed.window1, pointed.window2),
                                       format_count(pointed.window1 * pointed.window2)));
  }
}

}  // namespace triscope
