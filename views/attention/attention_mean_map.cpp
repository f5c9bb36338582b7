// The mean over queries of a head as a map by distance: with edges, axes and its scale of colours.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "kernels/inspect/slice_rules.hpp"
#include "views/attention/attention_axes.hpp"
#include "views/attention/attention_panels.hpp"
#include "views/model/attention/figure_words.hpp"
#include "views/model/attention/mean_words.hpp"
#include "views/model/attention/triple_hits.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

struct MeanPlace {
  PixelRect rect;
  const MeanMaps* maps = nullptr;
  std::int64_t head = 0;

  float x_of(double back) const { return along(back, maps->width, rect.low.x, rect.high.x); }
  float y_of(double back) const { return along(back, maps->height, rect.low.y, rect.high.y); }

 private:
  /// The middle of the cell so far back; the query's own is the last.
  static float along(double back, std::int64_t cells, float low, float high) {
    return low +
           static_cast<float>((static_cast<double>(cells) - 0.5 - back) / static_cast<double>(cells)) * (high - low);
  }
};

HeatmapStyle style_of(const Context& context, const MeanPlace& place) {
  HeatmapStyle style = mean_style(*place.maps, place.head, context.ui.attention.map);
  set_theme(style, context.look.theme);
  return style;
}

void paint_mean(Context& context, const MeanPlace& place) {
  const AttentionUi& ui = context.ui.attention;
  const MeanMaps& maps = *place.maps;
  const auto paint = [&](std::uint32_t* pixels, int stride, int width, int height) {
    Heatmap map = mean_heatmap(maps, place.head);
    const HeatmapPart whole{0, 0, static_cast<double>(maps.width), static_cast<double>(maps.height)};
    paint_heatmap(HeatmapPyramid(std::move(map), Pooling::largest), whole, style_of(context, place), width, height,
                  pixels, stride);
  };
  const std::string key = fmt::format("{}/{}/{}/{}", static_cast<const void*>(&maps), place.head,
                                      static_cast<int>(ui.map), context.look.theme.dark);
  painted_texture(context.models.attention(), 5, key, place.rect.width, place.rect.height, paint)
      .draw(ImGui::GetWindowDrawList(), place.rect.low, place.rect.high);
}

/// An edge of the map: sums over the other axis, the largest of each pixel's keys.
void draw_edge(const Context& context, const MeanPlace& place, bool across, float thickness) {
  const MeanMaps& maps = *place.maps;
  const std::int64_t cells = across ? maps.width : maps.height;
  const float* values = (across ? maps.edge1 : maps.edge2).data() + place.head * cells;
  const float most = *std::max_element(values, values + cells);
  if (!(most > 0)) return;
  const PixelRect& rect = place.rect;
  const float from = across ? rect.low.x : rect.low.y, to = across ? rect.high.x : rect.high.y;
  const int pixels = std::max(1, static_cast<int>(to - from));
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (int pixel = 0; pixel < pixels; ++pixel) {
    const std::int64_t first = cells * pixel / pixels, end = std::max(first + 1, cells * (pixel + 1) / pixels);
    const float length = *std::max_element(values + first, values + end) / most * thickness;
    const float at = from + static_cast<float>(pixel) + 0.5F, gap = context.look.px(2);
    const ImVec2 base = across ? ImVec2(at, rect.low.y - gap) : ImVec2(rect.high.x + gap, at);
    list->AddLine(base, across ? ImVec2(at, base.y - length) : ImVec2(base.x + length, at), context.look.theme.accent);
  }
}

/// Ticks and names of both axes; the one at the left begins at `left`.
void draw_mean_axes(const Context& context, const MeanPlace& place, float left) {
  const Look& look = context.look;
  const PixelRect& rect = place.rect;
  const std::string name = mean_axis_name(*place.maps, 1), second = mean_axis_name(*place.maps, 2);
  ImDrawList* list = ImGui::GetWindowDrawList();
  {
    const NumberFont font(look, kSecondarySize);
    const auto cell = [](float low, float high, std::int64_t cells) {
      return static_cast<double>(high - low) / static_cast<double>(cells);
    };
    const std::int64_t across = tick_step(cell(rect.low.x, rect.high.x, place.maps->width), look.px(56)),
                       down = tick_step(cell(rect.low.y, rect.high.y, place.maps->height), look.px(30));
    for (std::int64_t back = 0; back < place.maps->width; back += across) {
      const float x = place.x_of(static_cast<double>(back));
      const std::string text = fmt::format("{}", -back);
      const float width = ImGui::CalcTextSize(text.c_str()).x;
      list->AddLine(ImVec2(x, rect.high.y), ImVec2(x, rect.high.y + look.px(4)), look.theme.line);
      list->AddText(
          ImVec2(std::round(std::min(x - width / 2, rect.high.x - width + look.px(8))), rect.high.y + look.px(5)),
          look.theme.muted, text.c_str());
    }
    for (std::int64_t back = 0; back < place.maps->height && !second.empty(); back += down) {
      const float y = place.y_of(static_cast<double>(back));
      const std::string text = fmt::format("{}", -back);
      const ImVec2 size = ImGui::CalcTextSize(text.c_str());
      list->AddLine(ImVec2(rect.low.x - look.px(4), y), ImVec2(rect.low.x, y), look.theme.line);
      list->AddText(ImVec2(rect.low.x - size.x - look.px(6), std::round(y - size.y / 2)), look.theme.muted,
                    text.c_str());
    }
  }
  const SmallFont font(look);
  const float middle = (rect.low.x + rect.high.x - ImGui::CalcTextSize(name.c_str()).x) / 2;
  list->AddText(ImVec2(std::round(std::max(left, middle)), rect.high.y + look.px(20)), look.theme.muted, name.c_str());
  if (!second.empty()) name_left_axis(context, left, rect, second, "k: second key");
}

/// The pair that is framed in the map of the query, here by its distances.
void mark_framed(const Context& context, const MeanPlace& place) {
  const AttentionUi& ui = context.ui.attention;
  if (!ui.pinned) return;
  const std::int64_t query = context.data.attention.sides[0].slice_of.query.query;
  const auto [back1, back2] =
      ui.pinned_back ? ui.pinned_back->back : std::array{query - ui.pinned->j, query - ui.pinned->k};
  if (back1 < 0 || back1 >= place.maps->width || back2 < 0 || back2 >= place.maps->height) return;
  const Look& look = context.look;
  const ImVec2 at(place.x_of(static_cast<double>(back1)), place.y_of(static_cast<double>(back2)));
  const float half = look.px(5);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRect(ImVec2(at.x - half - 1, at.y - half - 1), ImVec2(at.x + half + 1, at.y + half + 1), look.theme.ground,
                0, look.px(3));
  list->AddRect(ImVec2(at.x - half, at.y - half), ImVec2(at.x + half, at.y + half), readable_on(look.theme.ground), 0,
                look.px(1.5F));
}

/// Says what is under the pointer; a click frames the pair in the map of the query.
void point_at_mean(Context& context, const MeanPlace& place) {
  if (!ImGui::IsItemHovered()) return;
  const ImVec2 mouse = ImGui::GetMousePos();
  const PixelRect& rect = place.rect;
  const auto back = [](float at, float low, float high, std::int64_t cells) {
    const auto cell = static_cast<std::int64_t>((at - low) / (high - low) * static_cast<float>(cells));
    return cells - 1 - std::clamp<std::int64_t>(cell, 0, cells - 1);
  };
  const std::int64_t back1 = back(mouse.x, rect.low.x, rect.high.x, place.maps->width),
                     back2 = back(mouse.y, rect.low.y, rect.high.y, place.maps->height);
  value_tooltip(context, mean_cell_text(*place.maps, place.head, back1, back2));
  if (ImGui::IsItemClicked())
    frame_peak(context.ui.attention, context.data.attention, *place.maps, {place.head, back1, back2, 0, 0, 0});
}

}  // namespace

void draw_mean_picture(Context& context, const MeanMaps& maps, std::int64_t head, ImVec2 at, ImVec2 size) {
  const Look& look = context.look;
  const float left = look.px(46), strip = look.px(28), below = look.px(64);
  MeanPlace place{{}, &maps, head};
  place.rect =
      pixel_rect(ImVec2(at.x + left, at.y + strip), ImVec2(at.x + std::max(left + look.px(60), size.x - strip),
                                                           at.y + std::max(strip + look.px(60), size.y - below)));
  paint_mean(context, place);
  draw_edge(context, place, true, strip - look.px(4));
  if (!has_one_key(maps.problem)) draw_edge(context, place, false, strip - look.px(4));
  draw_mean_axes(context, place, at.x);
  ImGui::SetCursorScreenPos(place.rect.low);
  ImGui::InvisibleButton("##mean", ImVec2(place.rect.high.x - place.rect.low.x, place.rect.high.y - place.rect.low.y));
  point_at_mean(context, place);
  mark_framed(context, place);
  ImGui::SetCursorScreenPos(ImVec2(place.rect.low.x, place.rect.high.y + look.px(40)));
  draw_range_scale(context, style_of(context, place), place.rect.low.x,
                   place.rect.low.x + std::min(look.px(240), (place.rect.high.x - place.rect.low.x) * 0.5F));
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy(size);
}

void draw_mean_panel(Context& context) {
  const AttentionUi& ui = context.ui.attention;
  const Look& look = context.look;
  const MeanMaps* maps = shown_means(ui, context.data.attention);
  const AttentionSideData& side = context.data.attention.sides[0];
  if (!maps || !side.source) return draw_no_means(context);
  const std::int64_t head = std::clamp<std::int64_t>(ui.head, 0, maps->heads - 1);
  const ImVec2 at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  context.ui.chart_areas[Panel::mean] = {at.x, at.y, room.x, room.y};
  ImGui::PushFont(look.heading, kHeadingSize * 0.9F);
  ImGui::GetWindowDrawList()->AddText(ImVec2(at.x + look.px(46), at.y + look.px(12)), look.theme.text,
                                      mean_title(*maps, head).c_str());
  ImGui::PopFont();
  const float title = look.px(36), caption = look.px(40);
  draw_mean_picture(context, *maps, head, ImVec2(at.x + look.px(12), at.y + title),
                    ImVec2(room.x - look.px(24), room.y - title - caption));
  ImGui::SetCursorScreenPos(ImVec2(at.x + look.px(46), at.y + room.y - caption));
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + room.x - look.px(80));
  muted_text(context, mean_caption(ui, side));
  ImGui::PopTextWrapPos();
}

}  // namespace triscope
