#include "app/window/main/window_fit.hpp"

#include <algorithm>

namespace triscope {
namespace {

/// How much of `a` lies in `b`, in pixels.
long shared_area(const ScreenRect& a, const ScreenRect& b) {
  const long width = std::min(a.x + a.width, b.x + b.width) - std::max(a.x, b.x),
             height = std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y);
  return std::max(0L, width) * std::max(0L, height);
}

}  // namespace

ScreenRect fit_window(const ScreenRect& asked, const WindowFrame& frame, std::span<const ScreenRect> free) {
  const auto area = std::ranges::max_element(free, {}, [&](const ScreenRect& one) { return shared_area(asked, one); });
  if (area == free.end() || area->width <= 0 || area->height <= 0) return asked;
  const ScreenRect room{area->x + frame.left, area->y + frame.top, area->width - frame.left - frame.right,
                        area->height - frame.top - frame.bottom};
  ScreenRect fitted = asked;
  fitted.width = std::min(asked.width, room.width);
  fitted.height = std::min(asked.height, room.height);
  fitted.x = std::clamp(asked.x, room.x, room.x + room.width - fitted.width);
  fitted.y = std::clamp(asked.y, room.y, room.y + room.height - fitted.height);
  return fitted;
}

}  // namespace triscope
