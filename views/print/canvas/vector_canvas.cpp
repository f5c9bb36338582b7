#include "views/print/canvas/vector_canvas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace triscope {

void VectorCanvas::box(ImVec2 low, ImVec2 high, ImU32 colour, bool hollow) {
  polygon({low, ImVec2(high.x, low.y), high, ImVec2(low.x, high.y)}, colour, hollow);
}

void VectorCanvas::hatch(ImVec2 low, ImVec2 high, ImU32 colour, float step) {
  const float height = high.y - low.y;
  for (float x = low.x - height + step; x < high.x; x += step) {  // of a stroke that rises to the right: its foot
    const float from = std::max(0.0F, low.x - x), to = std::min(height, high.x - x);
    line({{x + from, high.y - from}, {x + to, high.y - to}}, colour, 0.5F);
  }
}

void VectorCanvas::mark(ImVec2 at, int shape, float radius, ImU32 colour, bool hollow) {
  static constexpr std::array<std::array<ImVec2, 4>, 7> kCorners{{
      {{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}},
      {{{0, -1.3F}, {1.3F, 0}, {0, 1.3F}, {-1.3F, 0}}},
      {{{0, -1.2F}, {1.1F, 0.8F}, {-1.1F, 0.8F}, {0, -1.2F}}},
      {{{0, 1.2F}, {1.1F, -0.8F}, {-1.1F, -0.8F}, {0, 1.2F}}},
      {{{-1.2F, 0}, {0.8F, -1.1F}, {0.8F, 1.1F}, {-1.2F, 0}}},
      {{{1.2F, 0}, {-0.8F, -1.1F}, {-0.8F, 1.1F}, {1.2F, 0}}},
      {{{-1, -0.4F}, {1, -0.4F}, {1, 0.4F}, {-1, 0.4F}}},
  }};
  if (shape <= 0) return circle(at, radius, colour, hollow);
  std::vector<ImVec2> corners;
  for (const ImVec2& corner : kCorners[static_cast<std::size_t>(shape - 1) % kCorners.size()])
    corners.emplace_back(at.x + corner.x * radius, at.y + corner.y * radius);
  polygon(corners, colour, hollow);
}

std::string vector_number(float value) {
  std::string text = fmt::format("{:.2f}", value);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

}  // namespace triscope
