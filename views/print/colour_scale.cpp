#include "views/print/colour_scale.hpp"

#include <algorithm>

#include "views/print/plot_frame.hpp"

namespace triscope {

void draw_scale(VectorCanvas& canvas, float left, ImVec2 corner, const std::function<ImU32(float)>& colour_of_share,
                const std::string& low, const std::string& high) {
  constexpr int kSteps = 48;
  constexpr float kGap = 6;
  const float from = left + std::max(48.0F, number_width(low, 10) + kGap),
              wide = std::min(160.0F, corner.x - from - number_width(high, 10) - kGap);
  const float y = corner.y + 41;
  if (wide < 20) return;
  for (int n = 0; n < kSteps; ++n) {
    const auto edge = [&](int step) { return from + wide * static_cast<float>(step) / kSteps; };
    canvas.box(ImVec2(edge(n), y), ImVec2(std::min(edge(n + 1) + 0.15F, from + wide), y + 8),
               colour_of_share((static_cast<float>(n) + 0.5F) / kSteps));
  }
  const Theme& theme = canvas.theme();
  canvas.text(from - kGap, y + 7.5F, low, {10, theme.muted, Anchor::end, false, true});
  canvas.text(from + wide + kGap, y + 7.5F, high, {10, theme.muted, Anchor::start, false, true});
}

}  // namespace triscope
