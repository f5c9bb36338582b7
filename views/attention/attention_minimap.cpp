// Where a part of an attention map lies in the whole.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "views/attention/attention_parts.hpp"
#include "views/model/attention/attention_zoom.hpp"

namespace triscope {
namespace {

constexpr int kMinimapTexture = 4;                  // the grid's, which never stands beside a map
constexpr float kSide = 128, kRoom[] = {300, 240};  // design pixels: its longer side, and the least map that has one

/// In the corner of the keys that lie farthest back.
Minimap minimap_of(const Context& context, const MapPlace& large) {
  const Look& look = context.look;
  Minimap map;
  const float width = large.rect.high.x - large.rect.low.x, height = large.rect.high.y - large.rect.low.y;
  if (!context.ui.attention.part || context.ui.printing || width < look.px(kRoom[0]) || height < look.px(kRoom[1]))
    return map;
  map.shown = true;
  map.frame = large.frame;
  map.part = whole_part(large.frame);
  const float most = std::min({look.px(kSide), width / 3, height / 3});
  const auto longest = static_cast<double>(std::max(large.frame.width, large.frame.height));
  const auto side = [&](std::int64_t cells) {
    return std::max(look.px(32), static_cast<float>(static_cast<double>(cells) / longest) * most);
  };
  const ImVec2 low(large.rect.low.x + look.px(10), large.rect.low.y + look.px(10));
  map.rect = pixel_rect(low, ImVec2(low.x + side(large.frame.width), low.y + side(large.frame.height)));
  map.seen.low = ImVec2(map.x_of(large.part.left), map.y_of(large.part.top));
  map.seen.high = ImVec2(map.x_of(large.part.right), map.y_of(large.part.bottom));
  return map;
}

/// At least a mark, however small the part is.
PixelRect large_enough(PixelRect seen, float least) {
  const auto widen = [least](float& low, float& high) {
    const float missing = std::max(0.0F, least - (high - low)) / 2;
    low -= missing;
    high += missing;
  };
  widen(seen.low.x, seen.high.x);
  widen(seen.low.y, seen.high.y);
  return seen;
}

}  // namespace

Minimap begin_minimap(Context& context, const MapPlace& large) {
  Minimap map = minimap_of(context, large);
  if (!map.shown) return map;
  AttentionUi& ui = context.ui.attention;
  const ImVec2 size(map.rect.high.x - map.rect.low.x, map.rect.high.y - map.rect.low.y);
  ImGui::SetCursorScreenPos(map.rect.low);
  ImGui::InvisibleButton("##minimap", size);
  map.held = ImGui::IsItemHovered() || ImGui::IsItemActive();
  if (!ImGui::IsItemActive()) return map;
  const ImVec2 mouse = ImGui::GetMousePos(), moved = ImGui::GetIO().MouseDelta;
  const bool beside =
      mouse.x < map.seen.low.x || mouse.x > map.seen.high.x || mouse.y < map.seen.low.y || mouse.y > map.seen.high.y;
  if (ImGui::IsItemActivated()) {
    const MapShare at{(mouse.x - map.rect.low.x) / size.x, (mouse.y - map.rect.low.y) / size.y};
    if (beside) ui.part = centred(large.part, map.frame, at);
  } else if (moved.x != 0 || moved.y != 0) {
    const double width = large.part.right - large.part.left, height = large.part.bottom - large.part.top;
    ui.part = panned(large.part, map.frame,
                     {moved.x / size.x * static_cast<double>(map.frame.width) / width,
                      moved.y / size.y * static_cast<double>(map.frame.height) / height});
  }
  return map;
}

void draw_minimap(Context& context, const Minimap& map, const HeatmapPyramid& pyramid, const HeatmapStyle& style,
                  const Slice* slice) {
  if (!map.shown) return;
  const Theme& theme = context.look.theme;
  const float rim = std::max(1.0F, context.look.px(1));
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(ImVec2(map.rect.low.x - 3 * rim, map.rect.low.y - 3 * rim),
                      ImVec2(map.rect.high.x + 3 * rim, map.rect.high.y + 3 * rim), theme.panel);
  const std::string key =
      fmt::format("minimap {}/{}/{},{},{}/{}/{}", static_cast<const void*>(&pyramid), static_cast<const void*>(slice),
                  style.low, style.high, static_cast<int>(style.scale), static_cast<int>(style.map), theme.dark);
  painted_texture(context.models.attention(), kMinimapTexture, key, map.rect.width, map.rect.height,
                  [&](std::uint32_t* pixels, int stride, int width, int height) {
                    paint_heatmap(pyramid, map.seen_part(pyramid), style, width, height, pixels, stride);
                  })
      .draw(list, map.rect.low, map.rect.high);
  list->AddRect(ImVec2(map.rect.low.x - rim, map.rect.low.y - rim),
                ImVec2(map.rect.high.x + rim, map.rect.high.y + rim), theme.muted, 0, rim);
  const PixelRect seen = large_enough(map.seen, context.look.px(5));
  list->AddRect(ImVec2(seen.low.x - rim, seen.low.y - rim), ImVec2(seen.high.x + rim, seen.high.y + rim), theme.ground,
                0, 3 * rim);
  list->AddRect(seen.low, seen.high, map.held ? theme.accent : theme.text, 0, 1.5F * rim);
}

}  // namespace triscope
