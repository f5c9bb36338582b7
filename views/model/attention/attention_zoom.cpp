#include "views/model/attention/attention_zoom.hpp"

#include <algorithm>

namespace triscope {
namespace {

constexpr double kSmallestPart = 4;  // cells, at the deepest zoom

}  // namespace

HeatmapPart whole_part(const AttentionFrame& frame) {
  return {0, 0, static_cast<double>(frame.width), static_cast<double>(frame.height)};
}

HeatmapPart kept_inside(HeatmapPart part, const AttentionFrame& frame) {
  const auto keep = [](double& low, double& high, double size) {
    const double extent = std::clamp(high - low, std::min(kSmallestPart, size), size);
    low = std::clamp((low + high - extent) / 2, 0.0, size - extent);
    high = low + extent;
  };
  keep(part.left, part.right, static_cast<double>(frame.width));
  keep(part.top, part.bottom, static_cast<double>(frame.height));
  return part;
}

std::optional<HeatmapPart> zoomed(const HeatmapPart& part, const AttentionFrame& frame, MapShare at, MapShare factor) {
  const double x = part.left + at.x * (part.right - part.left), y = part.top + at.y * (part.bottom - part.top);
  const HeatmapPart made = kept_inside({x + (part.left - x) * factor.x, y + (part.top - y) * factor.y,
                                        x + (part.right - x) * factor.x, y + (part.bottom - y) * factor.y},
                                       frame);
  const HeatmapPart all = whole_part(frame);
  if (made.right - made.left >= all.right && made.bottom - made.top >= all.bottom) return std::nullopt;
  return made;
}

HeatmapPart centred(const HeatmapPart& part, const AttentionFrame& frame, MapShare at) {
  const double width = part.right - part.left, height = part.bottom - part.top;
  const double left = at.x * static_cast<double>(frame.width) - width / 2,
               top = at.y * static_cast<double>(frame.height) - height / 2;
  return kept_inside({left, top, left + width, top + height}, frame);
}

HeatmapPart panned(const HeatmapPart& part, const AttentionFrame& frame, MapShare by) {
  const double dx = by.x * (part.right - part.left), dy = by.y * (part.bottom - part.top);
  return kept_inside({part.left + dx, part.top + dy, part.right + dx, part.bottom + dy}, frame);
}

}  // namespace triscope
