#include "views/paper/step_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

constexpr float kCellWidth = 40, kCellHeight = 17, kRowLabel = 22, kTitle = 18, kColumnLabel = 15;

std::string cell_text(double value) {
  if (std::isnan(value)) return "·";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  const std::string text = fmt::format("{:.2f}", value);
  return text == "-0.00" ? "0.00" : text;
}

/// How many labels a grid needs: none where its one column has no name.
bool labels_columns(const StepGrid& grid) { return !grid.columns.empty(); }

ImVec2 size_of(const Look& look, const StepGrid& grid) {
  const float width = kRowLabel + kCellWidth * static_cast<float>(grid.width);
  const float least = 70;  // for the title
  const float height = kTitle + kColumnLabel + kCellHeight * static_cast<float>(grid.height);
  return {look.px(std::max(width, least)), look.px(height)};
}

void centred(ImDrawList* list, ImVec2 low, ImVec2 size, ImU32 colour, const std::string& text) {
  const ImVec2 extent = ImGui::CalcTextSize(text.c_str());
  list->AddText(ImVec2(std::round(low.x + (size.x - extent.x) / 2), std::round(low.y + (size.y - extent.y) / 2)),
                colour, text.c_str());
}

void draw_cell(const Look& look, ImVec2 low, double value, double largest) {
  const ImVec2 size(look.px(kCellWidth), look.px(kCellHeight)), high(low.x + size.x, low.y + size.y);
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (value <= kMaskedLogit && !std::isinf(value)) return hatch(list, low, high, look.theme.missing, look.px(5));
  if (std::isfinite(value) && largest > 0) {
    const auto share = static_cast<float>(std::abs(value) / largest);
    list->AddRectFilled(low, high, faded(value < 0 ? look.theme.series[1] : look.theme.series[0], 0.45F * share));
  }
  centred(list, low, size, std::isnan(value) ? look.theme.muted : look.theme.text, cell_text(value));
}

void draw_labels(const Look& look, const StepGrid& grid, ImVec2 low) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImU32 muted = look.theme.muted;
  for (std::int64_t c = 0; labels_columns(grid) && c < grid.width; ++c) {
    centred(list, ImVec2(low.x + look.px(kCellWidth) * static_cast<float>(c), low.y - look.px(kColumnLabel)),
            ImVec2(look.px(kCellWidth), look.px(kColumnLabel)), muted, std::to_string(grid.first_column + c));
  }
  for (std::int64_t r = 0; r < grid.height; ++r) {
    const std::string text = std::to_string(grid.first_row + r);
    const float width = ImGui::CalcTextSize(text.c_str()).x;
    list->AddText(ImVec2(std::round(low.x - look.px(4) - width),
                         std::round(low.y + look.px(kCellHeight) * static_cast<float>(r) + look.px(1))),
                  muted, text.c_str());
  }
}

void draw_grid(const Context& context, const StepGrid& grid) {
  const Look& look = context.look;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddText(at, grid.changed ? look.theme.accent : look.theme.text, grid.name.c_str());
  const ImVec2 low(at.x + look.px(kRowLabel), at.y + look.px(kTitle + kColumnLabel));
  double largest = 0;
  for (const double value : grid.values) {
    if (std::isfinite(value) && value > kMaskedLogit) largest = std::max(largest, std::abs(value));
  }
  {
    const NumberFont font(look, 11);
    draw_labels(look, grid, low);
    for (std::int64_t r = 0; r < grid.height; ++r) {
      for (std::int64_t c = 0; c < grid.width; ++c) {
        const ImVec2 cell(low.x + look.px(kCellWidth) * static_cast<float>(c),
                          low.y + look.px(kCellHeight) * static_cast<float>(r));
        draw_cell(look, cell, grid.at(r, c), largest);
      }
    }
  }
  const ImVec2 high(low.x + look.px(kCellWidth) * static_cast<float>(grid.width),
                    low.y + look.px(kCellHeight) * static_cast<float>(grid.height));
  list->AddRect(low, high, grid.changed ? look.theme.accent : look.theme.line, 0, look.px(grid.changed ? 1.5F : 1));
  ImGui::Dummy(size_of(look, grid));
  if (grid.columns.empty()) {
    tooltip(context, fmt::format("{}: one number for each {}", grid.name, grid.rows));
  } else {
    tooltip(context, fmt::format("{}: rows are {}, columns {}", grid.name, grid.rows, grid.columns));
  }
}

}  // namespace

void draw_step_grids(const Context& context, const std::vector<StepGrid>& grids) {
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x, gap = context.look.px(16);
  for (std::size_t n = 0; n < grids.size(); ++n) {
    if (n > 0) {
      ImGui::SameLine(0, gap);
      if (ImGui::GetCursorScreenPos().x + size_of(context.look, grids[n]).x > right) {
        ImGui::NewLine();
        ImGui::Dummy(ImVec2(0, context.look.px(4)));
      }
    }
    draw_grid(context, grids[n]);
  }
}

}  // namespace triscope
