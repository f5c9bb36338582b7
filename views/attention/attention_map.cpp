#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "kernels/inspect/slice_rules.hpp"
#include "profiler/record/columns.hpp"
#include "views/attention/attention_axes.hpp"
#include "views/data/format.hpp"
#include "views/model/attention/attention_zoom.hpp"
#include "views/model/attention/figure_words.hpp"
#include "views/model/attention/triple_hits.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

// Design pixels. In less room than `kRoomForStrip` the map has no strip of tokens below it.
constexpr float kLowRoom = 260, kRoomForTwo = 560, kRoomForStrip = 420;

constexpr float kNumberWidth = 58, kNumberHeight = 18;  // cells at least this large show their numbers
constexpr double kSmallestNumber = 1e-99;               // below it a cell's number would be too wide
constexpr float kMatchSize = 5;                         // marks on cells smaller than this would hide them

void handle_mouse(Context& context, const MapView& view) {
  AttentionUi& ui = context.ui.attention;
  const ImVec2 mouse = ImGui::GetMousePos();
  if (ImGui::IsItemHovered()) {
    const AttentionCell cell = view.cell_at(mouse);
    ui.hovered_now = cell;  // also of a pair that does not exist: it is told so
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
      ui.part.reset();
    } else if (ImGui::IsMouseReleased(ImGuiMouseButton_Left) &&
               ImGui::GetMouseDragDelta(ImGuiMouseButton_Left).x == 0 &&
               ImGui::GetMouseDragDelta(ImGuiMouseButton_Left).y == 0 && exists(cell)) {
      if (ui.pinned == cell) {
        ui.pinned.reset();
      } else {
        frame_cell(ui, view.side->slice_of.query.query, cell);
      }
    }
  }
  zoom_and_pan(ui, view.frame, view.rect);
}

/// A marginal as a filled outline beside the map, largest of each pixel's keys.
void draw_marginal(const Context& context, const MapView& view, bool across, float thickness) {
  const Slice& slice = *view.side->slice;
  const std::vector<float>& values = across ? slice.marginal1 : slice.marginal2;
  const std::int64_t cells = across ? view.frame.width : view.frame.height,
                     masked = cells - static_cast<std::int64_t>(values.size());
  const double low = across ? view.part.left : view.part.top, high = across ? view.part.right : view.part.bottom;
  const float from = across ? view.rect.low.x : view.rect.low.y, to = across ? view.rect.high.x : view.rect.high.y;
  const float largest = *std::max_element(values.begin(), values.end());
  if (!(largest > 0)) return;
  const Look& look = context.look;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const int pixels = static_cast<int>(to - from);
  ImVec2 before;
  for (int p = 0; p < pixels; ++p) {
    const auto first = static_cast<std::int64_t>(std::floor(low + (high - low) * p / pixels)) - masked;
    const auto end =
        std::max(first + 1, static_cast<std::int64_t>(std::ceil(low + (high - low) * (p + 1) / pixels)) - masked);
    float value = 0;
    for (std::int64_t n = std::max<std::int64_t>(0, first);
         n < std::min<std::int64_t>(end, static_cast<std::int64_t>(values.size())); ++n)
      value = std::max(value, values[static_cast<std::size_t>(n)]);
    const float length = value / largest * (thickness - look.px(2)), at = from + static_cast<float>(p) + 0.5F;
    const ImVec2 base = across ? ImVec2(at, view.rect.low.y - look.px(4)) : ImVec2(view.rect.high.x + look.px(4), at);
    const ImVec2 tip = across ? ImVec2(at, base.y - length) : ImVec2(base.x + length, at);
    list->AddLine(base, tip, faded(look.theme.accent, 0.22F));
    if (p > 0) list->AddLine(before, tip, look.theme.accent, std::max(1.0F, look.px(1)));
    before = tip;
  }
}

/// Numbers inside cells, once these are large enough; what the small map would cover in part is left out.
void draw_numbers(const Context& context, const MapView& view, const Minimap& minimap) {
  const Look& look = context.look;
  if (view.cell_width() < look.px(kNumberWidth) || view.cell_height() < look.px(kNumberHeight)) return;
  const NumberFont font(look, kSecondarySize);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->PushClipRect(view.rect.low, view.rect.high, true);
  for (auto y = std::max(view.masked2(), static_cast<std::int64_t>(view.part.top));
       y < std::min(view.frame.height, static_cast<std::int64_t>(std::ceil(view.part.bottom))); ++y) {
    for (auto x = std::max(view.masked1(), static_cast<std::int64_t>(view.part.left));
         x < std::min(view.frame.width, static_cast<std::int64_t>(std::ceil(view.part.right))); ++x) {
      const float value = view.pyramid->base().at(x - view.masked1(), y - view.masked2());
      if (std::isinf(value)) continue;
      const bool nan = std::isnan(value);
      const ImU32 ground =
          nan ? look.theme.not_a_number
              : to_colour(colour_at(view.style.map, static_cast<float>(heatmap_position(view.style, value))));
      const double shown = view.which == 2 ? value : std::exp(static_cast<double>(value));
      const bool tiny = shown > 0 && shown < kSmallestNumber;
      const std::string text = nan ? "NaN" : tiny ? "<1e-99" : significant_text(shown, 2);
      const ImVec2 size = ImGui::CalcTextSize(text.c_str());
      const ImVec2 at((view.x_of(static_cast<double>(x) + 0.5) - size.x / 2),
                      view.y_of(static_cast<double>(y) + 0.5) - size.y / 2);
      const float rim = look.px(4);
      const bool covered = minimap.shown && at.x < minimap.rect.high.x + rim && at.y < minimap.rect.high.y + rim &&
                           at.x + size.x > minimap.rect.low.x - rim && at.y + size.y > minimap.rect.low.y - rim;
      if (!covered) list->AddText(ImVec2(std::round(at.x), std::round(at.y)), readable_on(ground), text.c_str());
    }
  }
  list->PopClipRect();
}

/// Pairs that complete the query's number to a multiple of the modulus.
void draw_matches(const Context& context, const MapView& view) {
  const AttentionSource& source = *view.side->asked;
  if (source.kind != SourceKind::match3 || view.cell_width() < context.look.px(kMatchSize) ||
      view.cell_height() < context.look.px(kMatchSize))
    return;
  const auto residue = [&](std::int64_t position) {
    return source.numbers[static_cast<std::size_t>(position)] % source.modulus;
  };
  const auto query = static_cast<std::int64_t>(view.side->slice_of.query.query);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->PushClipRect(view.rect.low, view.rect.high, true);
  const auto end = [](double edge, std::int64_t cells) {
    return std::min(cells, static_cast<std::int64_t>(std::ceil(edge)));
  };
  const std::int64_t end1 = end(view.part.right, view.frame.width), end2 = end(view.part.bottom, view.frame.height);
  for (auto k = static_cast<std::int64_t>(view.part.top); k < end2; ++k) {
    for (auto j = static_cast<std::int64_t>(view.part.left); j < end1; ++j) {
      if ((residue(query) + residue(j) + residue(k)) % source.modulus != 0) continue;
      const ImVec2 low(view.x_of(static_cast<double>(j)) + 1, view.y_of(static_cast<double>(k)) + 1),
          high(view.x_of(static_cast<double>(j + 1)) - 1, view.y_of(static_cast<double>(k + 1)) - 1);
      // A dark frame around the red one: on yellow cells red alone is weak. Both leave the cell its colour.
      const float cell = std::min(view.cell_width(), view.cell_height());
      const float thick = std::max(1.0F, std::round(std::min(context.look.px(2), cell / 8)));
      if (cell > context.look.px(8)) list->AddRect(low, high, context.look.theme.rim, 0, thick + 2);
      list->AddRect(low, high, context.look.theme.match, 0, thick);
    }
  }
  list->PopClipRect();
}

void draw_marked_cell(const Context& context, const MapView& view, AttentionCell cell, float thickness) {
  if (!exists(cell)) return;
  const auto x = static_cast<double>(cell.j - view.frame.first1), y = static_cast<double>(cell.k - view.frame.first2);
  if (x < view.part.left - 1 || x > view.part.right || y < view.part.top - 1 || y > view.part.bottom) return;
  const float grow = std::max(0.0F, (context.look.px(9) - std::min(view.cell_width(), view.cell_height())) / 2);
  const ImVec2 low(std::round(view.x_of(x) - grow), std::round(view.y_of(y) - grow)),
      high(std::round(view.x_of(x + 1) + grow), std::round(view.y_of(y + 1) + grow));
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRect(ImVec2(low.x - 1, low.y - 1), ImVec2(high.x + 1, high.y + 1), context.look.theme.rim, 0, thickness + 2);
  list->AddRect(low, high, context.look.theme.kept, 0, thickness);
}

/// Why there is no map, in its place.
void draw_no_map(Context& context, ImVec2 origin, ImVec2 room, int which) {
  const AttentionData& data = context.data.attention;
  const AttentionSideData& side = data.sides[which == 1 ? 1 : 0];
  const AttentionSideData& b = data.sides[1];
  const bool sizes = which == 2 && side.slice && b.slice && !same_frames(data),
             ends = which == 2 && side.slice && b.slice && side.slice_of.query.query >= b.source->seq_len;
  const std::string &why = refusal_of(side), &why_b = refusal_of(b);
  const std::string text = !why.empty()                   ? sentence(why)
                           : which == 2 && !why_b.empty() ? "B: " + sentence(why_b)
                           : ends                         ? "B ends before this query, so there is no difference."
                           : sizes ? "A and B see windows of different sizes, so there is no difference cell by cell."
                                   : "Computing ...";
  const Look& look = context.look;
  ImGui::SetCursorScreenPos(ImVec2(origin.x + look.px(64), origin.y + look.px(48)));
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + std::max(look.px(80), room.x - look.px(80)));
  muted_text(context, text);
  ImGui::PopTextWrapPos();
}

void paint_map(Context& context, const MapView& view) {
  const Look& look = context.look;
  const std::string key =
      fmt::format("{}/{}/{},{},{},{}/{},{},{}/{}/{}", static_cast<const void*>(view.pyramid),
                  static_cast<const void*>(view.side->slice.get()), view.part.left, view.part.top, view.part.right,
                  view.part.bottom, view.style.low, view.style.high, static_cast<int>(view.style.scale),
                  static_cast<int>(view.style.map), look.theme.dark);
  painted_texture(context.models.attention(), view.which == 1 ? 1 : 0, key, view.rect.width, view.rect.height,
                  [&](std::uint32_t* pixels, int stride, int width, int height) {
                    paint_heatmap(*view.pyramid, view.seen_part(*view.pyramid), view.style, width, height, pixels,
                                  stride);
                  })
      .draw(ImGui::GetWindowDrawList(), view.rect.low, view.rect.high);
}

/// From the left edge of a map's room to the map: words of tokens need more.
float room_for_axis(const Look& look, const AttentionSideData& side) {
  return look.px(!side.source || side.source->labels.empty() ? 64 : 108);
}

/// The title, in a low room with the axes instead, and what Space does.
void draw_title(const Context& context, const MapView& view, ImVec2 origin, float width) {
  const Look& look = context.look;
  const AttentionUi& ui = context.ui.attention;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float left = room_for_axis(look, *view.side);
  float end = origin.x + left;
  if (!view.low) {
    ImGui::PushFont(look.heading, kHeadingSize * 0.9F);
    const std::string title = shortened(view.title, width - left);
    list->AddText(ImVec2(end, origin.y), look.theme.text, title.c_str());
    end += ImGui::CalcTextSize(title.c_str()).x;
    ImGui::PopFont();
  }
  if (context.ui.printing || !(ui.flipped || ui.show == AttentionShow::difference)) return;
  const SmallFont font(look);
  const char* hint = ui.flipped ? "release Space for A" : "hold Space for B";
  ImVec2 at(origin.x + width - look.px(56) - ImGui::CalcTextSize(hint).x, origin.y + look.px(3));
  if (!view.low && at.x < end + look.px(12)) {
    if (ui.flipped) return;  // below it are B's marginals, and Space is held
    at.y += look.px(22);
  }
  list->AddText(at, look.theme.muted, hint);
}

void draw_one_map(Context& context, ImVec2 origin, ImVec2 room, int which) {
  AttentionUi& ui = context.ui.attention;
  const AttentionData& data = context.data.attention;
  const Look& look = context.look;
  AttentionModel& model = context.models.attention();
  MapView view;
  view.which = which;
  const std::array<AttentionSideData, 2>& sides = model.shown(ui, data);
  view.side = &sides[which == 1 ? 1 : 0];
  view.pyramid = model.map(ui, data, which);
  view.low = room.y < look.px(kLowRoom);
  const bool low = view.low;
  if (view.side->slice) {
    view.title = map_title(ui, sides, which);
    draw_title(context, view, origin, room.x);
  }
  if (!view.pyramid || !view.side->slice) return draw_no_map(context, origin, room, which);
  view.frame = frame_of(view.side->slice_of, *view.side->source);
  view.part = shown_part(ui, view.frame);
  view.style = model.style(ui, data, which);
  set_theme(view.style, look.theme);
  const float strip = low ? 0 : look.px(44), left = room_for_axis(look, *view.side),
              top = look.px(low ? 20 : 28) + strip, bottom = look.px(low ? 24 : 44),
              right = which == 2 ? look.px(12) : strip + look.px(12);
  view.left = origin.x;
  view.rect = pixel_rect(ImVec2(origin.x + left, origin.y + top),
                         ImVec2(origin.x + std::max(left + look.px(40), room.x - right),
                                origin.y + std::max(top + look.px(24), room.y - bottom)));
  ImGui::PushID(which);
  const bool second = which == 1 && !ui.flipped;  // both maps are zoomed alike
  const Minimap minimap = second ? Minimap() : begin_minimap(context, view);
  ImGui::SetCursorScreenPos(view.rect.low);
  ImGui::InvisibleButton("##cells", ImVec2(view.rect.high.x - view.rect.low.x, view.rect.high.y - view.rect.low.y));
  ImGui::PopID();
  if (!minimap.held) handle_mouse(context, view);
  paint_map(context, view);
  if (which == 2)  // what is equal has the colour of the ground
    ImGui::GetWindowDrawList()->AddRect(ImVec2(view.rect.low.x - 1, view.rect.low.y - 1),
                                        ImVec2(view.rect.high.x + 1, view.rect.high.y + 1), look.theme.line);
  name_hatched(context, view);
  draw_axes(context, view);
  if (which != 2 && !low) {
    draw_marginal(context, view, true, strip);
    if (!has_one_key(view.side->slice_of.query.problem)) draw_marginal(context, view, false, strip);
  }
  draw_numbers(context, view, minimap);
  draw_matches(context, view);
  if (ui.hovered) draw_marked_cell(context, view, cell_in(*view.side, *ui.hovered), std::max(1.0F, look.px(1)));
  if (ui.pinned) draw_marked_cell(context, view, cell_in(*view.side, *ui.pinned), std::max(1.0F, look.px(2)));
  draw_minimap(context, minimap, *view.pyramid, view.style, view.side->slice.get());
}

}  // namespace

float MapPlace::x_of(double cell) const {
  return rect.low.x + static_cast<float>((cell - part.left) / (part.right - part.left)) * (rect.high.x - rect.low.x);
}

float MapPlace::y_of(double cell) const {
  return rect.low.y + static_cast<float>((cell - part.top) / (part.bottom - part.top)) * (rect.high.y - rect.low.y);
}

AttentionCell MapPlace::cell_at(ImVec2 mouse) const {
  const double x = part.left + (mouse.x - rect.low.x) / (rect.high.x - rect.low.x) * (part.right - part.left);
  const double y = part.top + (mouse.y - rect.low.y) / (rect.high.y - rect.low.y) * (part.bottom - part.top);
  return {frame.first1 + static_cast<std::int64_t>(std::floor(x)),
          frame.first2 + static_cast<std::int64_t>(std::floor(y))};
}

HeatmapPart MapPlace::seen_part(const HeatmapPyramid& pyramid) const {
  const auto x = static_cast<double>(frame.width - pyramid.base().width),
             y = static_cast<double>(frame.height - pyramid.base().height);
  return {part.left - x, part.top - y, part.right - x, part.bottom - y};
}

HeatmapPart shown_part(const AttentionUi& ui, const AttentionFrame& frame) {
  return ui.part ? kept_inside(*ui.part, frame) : whole_part(frame);
}

void zoom_and_pan(AttentionUi& ui, const AttentionFrame& frame, const PixelRect& rect) {
  const ImGuiIO& io = ImGui::GetIO();
  const double width = rect.high.x - rect.low.x, height = rect.high.y - rect.low.y;
  // With Shift the wheel turns sideways.
  const double wheel = io.MouseWheel != 0 ? io.MouseWheel : io.MouseWheelH, factor = std::pow(0.8, wheel);
  if (ImGui::IsItemHovered() && wheel != 0) {
    const ImVec2 mouse = ImGui::GetMousePos();
    ui.part = zoomed(shown_part(ui, frame), frame, {(mouse.x - rect.low.x) / width, (mouse.y - rect.low.y) / height},
                     {io.KeyCtrl ? 1 : factor, io.KeyShift ? 1 : factor});
  }
  if (ImGui::IsItemActive() && ui.part && (io.MouseDelta.x != 0 || io.MouseDelta.y != 0))
    ui.part = panned(*ui.part, frame, {-io.MouseDelta.x / width, -io.MouseDelta.y / height});
}

PixelRect pixel_rect(ImVec2 low, ImVec2 high) {
  const float scale = std::max(ImGui::GetIO().DisplayFramebufferScale.x, 0.1F);
  PixelRect rect;
  const auto snap = [scale](float v) { return std::round(v * scale) / scale; };
  rect.low = ImVec2(snap(low.x), snap(low.y));
  rect.high = ImVec2(snap(high.x), snap(high.y));
  rect.width = std::max(1, static_cast<int>(std::lround((rect.high.x - rect.low.x) * scale)));
  rect.height = std::max(1, static_cast<int>(std::lround((rect.high.y - rect.low.y) * scale)));
  return rect;
}

void draw_attention_maps(Context& context) {
  AttentionUi& ui = context.ui.attention;
  const Look& look = context.look;
  const bool printing = context.ui.printing;
  const float inset = printing ? look.px(12) : 0;  // of a picture's title from its edge
  const ImVec2 top = ImGui::GetCursorScreenPos(), whole = ImGui::GetContentRegionAvail();
  const ImVec2 origin(top.x + inset, top.y + inset), room(whole.x - inset, whole.y - inset);
  const float readout = printing                     ? caption_height(context, room.x - look.px(80)) + inset
                        : room.y < look.px(kLowRoom) ? look.px(20)
                                                     : look.px(40);
  const float colours = printing ? 0 : look.px(18);
  const bool walks = !printing && room.y >= look.px(kRoomForStrip);
  const float strip = walks ? token_strip_height(look) : 0;
  const ImVec2 maps(room.x, std::max(look.px(120), room.y - readout - colours - strip));
  context.ui.chart_areas[Panel::attention] = {top.x, top.y, whole.x, inset + maps.y + (printing ? readout : 0)};
  if (ui.flipped) {
    draw_one_map(context, origin, maps, 1);
  } else if (ui.show == AttentionShow::side_by_side) {
    const bool below = maps.x < look.px(kRoomForTwo);  // beside each other they would be stripes
    const ImVec2 half(below ? maps.x : std::floor((maps.x - look.px(8)) / 2), below ? maps.y / 2 : maps.y);
    draw_one_map(context, origin, half, 0);
    draw_one_map(context, ImVec2(origin.x + (below ? 0 : half.x + look.px(8)), origin.y + (below ? half.y : 0)), half,
                 1);
  } else {
    draw_one_map(context, origin, maps, ui.show == AttentionShow::difference ? 2 : 0);
  }
  const AttentionSideData& shown = context.data.attention.sides[ui.flipped ? 1 : 0];
  if (!shown.slice || !shown.source) return;
  if (printing) return draw_caption(context, ImVec2(origin.x + look.px(64), origin.y + maps.y), room.x - look.px(80));
  const float left = room_for_axis(look, shown), width = room.x - left - look.px(16);
  if (walks) draw_token_strip(context, ImVec2(origin.x + left, origin.y + maps.y), width);
  const ImVec2 below(origin.x + left, origin.y + maps.y + strip);
  // Of the colours' line, where the colours leave it the room.
  constexpr float kLeastColours = 260;  // design pixels
  const float keeps = draw_framed_keeps(context, below.x + width, below.y, width - look.px(kLeastColours));
  draw_map_colours(context, below, width - keeps);
  ImGui::SetCursorScreenPos(ImVec2(below.x, below.y + colours + look.px(4)));
  draw_readout(context, width, readout < look.px(40));
}

}  // namespace triscope
