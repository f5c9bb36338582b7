#include "views/history/sweep_thumbnail.hpp"

#include <algorithm>
#include <cmath>

#include "views/parts/chart_tools.hpp"

namespace triscope {
namespace {

/// A stair for each length, up to its height.
void draw_steps(const SweepShape& shape, ImVec2 low, ImVec2 size, ImU32 colour) {
  const auto count = static_cast<float>(shape.steps.size());
  for (std::size_t n = 0; n < shape.steps.size(); ++n) {
    const float left = std::round(low.x + size.x * static_cast<float>(n) / count),
                right = std::round(low.x + size.x * static_cast<float>(n + 1) / count),
                top = std::round(low.y + size.y * (1 - shape.steps[n]));
    ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(left, top), ImVec2(right, low.y + size.y), colour);
  }
}

/// Cells as those of the setup, whole pixels each.
void draw_cells(const Look& look, const SweepShape& shape, ImVec2 low, ImVec2 size, ImU32 colour) {
  const auto columns = static_cast<float>(shape.columns), rows = static_cast<float>(shape.rows);
  const float largest = look.px(6), gap = std::max(1.0F, std::floor(look.px(0.75F)));
  const float wide = std::max(gap + 1, std::floor(std::min(largest, size.x / columns))),
              high = std::max(gap + 1, std::floor(std::min(largest, size.y / rows)));
  const float top = std::round(low.y + (size.y - rows * high + gap) / 2);
  for (std::size_t row = 0; row < shape.rows; ++row) {
    for (std::size_t column = 0; column < shape.columns; ++column) {
      const ImVec2 at(low.x + static_cast<float>(column) * wide, top + (rows - 1 - static_cast<float>(row)) * high);
      const bool filled = shape.filled[row * shape.columns + column];
      ImGui::GetWindowDrawList()->AddRectFilled(at, ImVec2(at.x + wide - gap, at.y + high - gap),
                                                filled ? colour : faded(look.theme.faint, 0.4F));
    }
  }
}

}  // namespace

void draw_sweep_shape(const Look& look, const SweepShape& shape, ImVec2 low) {
  const ImVec2 size(std::round(look.px(kThumbnailWidth)), std::round(look.px(kThumbnailHeight)));
  const ImU32 colour = colour_of_style(look.theme, shape.style);
  low = ImVec2(std::round(low.x), std::round(low.y));
  switch (shape.kind) {
    case SweepShape::Kind::none:
      return;
    case SweepShape::Kind::lengths:
      return draw_steps(shape, low, size, colour);
    case SweepShape::Kind::windows:
      return draw_cells(look, shape, low, size, colour);
    case SweepShape::Kind::line: {
      const float middle = std::round(low.y + size.y / 2);
      ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(low.x, middle - std::max(1.0F, std::round(look.px(1)))),
                                                ImVec2(low.x + size.x, middle + std::max(1.0F, std::round(look.px(1)))),
                                                colour);
    }
  }
}

}  // namespace triscope
