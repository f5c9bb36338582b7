// The maps of attention for print: their cells are raster, and all around them lines and text.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/base/error.hpp"
#include "kernels/inspect/slice_rules.hpp"
#include "profiler/export/heatmap.hpp"
#include "profiler/record/columns.hpp"
#include "views/data/axis_ticks.hpp"
#include "views/data/format.hpp"
#include "views/model/attention/attention_model.hpp"
#include "views/model/attention/attention_zoom.hpp"
#include "views/model/attention/figure_words.hpp"
#include "views/model/attention/grid_plan.hpp"
#include "views/parts/chart_tools.hpp"
#include "views/print/chart_picture.hpp"
#include "views/print/colour_scale.hpp"
#include "views/print/plot_frame.hpp"

namespace triscope {
namespace {

constexpr int kMostPixels = 1024, kTilePixels = 256;  ///< along an axis of a map

[[noreturn]] void refuse_map(const char* why, const char* fix = "wait until the panel shows it") {
  throw Error("The attention map was not saved", why, fix, ExitCode::usage);
}

/// A map and what is seen of it, in cells of its frame.
struct Map {
  const HeatmapPyramid* pyramid = nullptr;
  HeatmapStyle style;
  AttentionFrame frame;
  HeatmapPart part;
};

Map map_of(const Context& context, const HeatmapPyramid* pyramid, const HeatmapStyle& style,
           const SliceRequest& request, const SourceReply& source) {
  Map map{pyramid, style, frame_of(request, source), {}};
  const std::optional<HeatmapPart>& part = context.ui.attention.part;
  map.part = part ? kept_inside(*part, map.frame) : whole_part(map.frame);
  return map;
}

/// As the window paints it: each pixel holds all cells that it touches.
void draw_cells(VectorCanvas& canvas, const Map& map, ImVec2 low, ImVec2 high, int most) {
  const auto pixels_of = [&](double cells) {
    const int whole = std::max(1, static_cast<int>(std::ceil(cells)));
    return std::clamp(whole * std::max(1, most / whole), 1, most);
  };
  const int width = pixels_of(map.part.right - map.part.left), height = pixels_of(map.part.bottom - map.part.top);
  const auto before_x = static_cast<double>(map.frame.width - map.pyramid->base().width),
             before_y = static_cast<double>(map.frame.height - map.pyramid->base().height);
  const HeatmapPart part{map.part.left - before_x, map.part.top - before_y, map.part.right - before_x,
                         map.part.bottom - before_y};
  HeatmapStyle style = map.style;
  set_theme(style, canvas.theme());
  std::vector<std::uint32_t> painted(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  paint_heatmap(*map.pyramid, part, style, width, height, painted.data(), width);
  std::vector<std::uint8_t> bytes;
  bytes.reserve(painted.size() * 3);
  for (const std::uint32_t pixel : painted) {
    for (const int shift : {IM_COL32_R_SHIFT, IM_COL32_G_SHIFT, IM_COL32_B_SHIFT})
      bytes.push_back(static_cast<std::uint8_t>((pixel >> shift) & 255U));
  }
  canvas.image(low, high, width, height, bytes);
}

/// Of cells from `low` to `high`, the first of which is at position `first`; `down`: from the top.
PlotAxis cell_axis(const Context& context, const AttentionSideData& side, double low, double high, std::int64_t first,
                   bool down) {
  const AttentionUi& ui = context.ui.attention;
  const std::vector<std::string>& labels = side.source->labels;
  PlotAxis axis{down ? -high : low, down ? -low : high, false, {}, ""};
  const auto origin = static_cast<double>(first);
  const bool relative = !ui.absolute_axes && side.slice_of.query.problem.mask == Mask::causal;
  const double from = relative ? static_cast<double>(side.slice_of.query.query) : 0;
  constexpr double kNamed = 48;  // of fewer cells each has a name
  if (!labels.empty() && high - low <= kNamed) {
    for (auto cell = static_cast<std::int64_t>(std::ceil(low)); static_cast<double>(cell) + 0.5 < high; ++cell) {
      const std::int64_t position = first + cell;
      if (position < 0 || position >= static_cast<std::int64_t>(labels.size())) continue;
      const double at = static_cast<double>(cell) + 0.5;
      axis.ticks.emplace_back(down ? -at : at, labels[static_cast<std::size_t>(position)]);
    }
    return axis;
  }
  for (const double value : linear_ticks(origin + low - from, origin + high - from, 6)) {
    if (value != std::round(value)) continue;
    const double at = value + from - origin + 0.5;
    if (at > low && at < high)
      axis.ticks.emplace_back(down ? -at : at, axis_text(ui, side.slice_of, std::llround(value + from)));
  }
  return axis;
}

/// A frame in the colour of what is kept, with a rim around it.
void draw_pinned(VectorCanvas& canvas, const PlotFrame& frame, const Map& map, AttentionCell cell) {
  if (!exists(cell)) return;
  const auto x = static_cast<double>(cell.j - map.frame.first1), y = static_cast<double>(cell.k - map.frame.first2);
  if (x + 1 < map.part.left || x > map.part.right || y + 1 < map.part.top || y > map.part.bottom) return;
  ImVec2 low = frame.at(x, -y), high = frame.at(x + 1, -y - 1);
  const float grow = std::max(0.0F, (6 - std::min(high.x - low.x, high.y - low.y)) / 2);
  low = ImVec2(low.x - grow, low.y - grow), high = ImVec2(high.x + grow, high.y + grow);
  const std::vector<ImVec2> around{low, {high.x, low.y}, high, {low.x, high.y}, low};
  canvas.line(around, canvas.theme().rim, 2.5F);
  canvas.line(around, canvas.theme().kept, 1.25F);
}

/// The colours with what they stand for at either end, as below the maps of the window.
void draw_colours(VectorCanvas& canvas, float left, ImVec2 corner, const HeatmapStyle& style) {
  const bool p = style.scale != HeatmapStyle::Scale::plain, linear = style.scale == HeatmapStyle::Scale::probability;
  const auto end_text = [&](double end) { return significant_text(p ? std::exp(end) : end, 2); };
  const ColourMap map = style.map == ColourMap::difference ? difference_map(canvas.theme()) : style.map;
  draw_scale(
      canvas, left, corner, [map](float share) { return to_colour(colour_at(map, share)); },
      begins_at_zero(style) ? "0" : end_text(style.low),
      (p ? "" : "+") + end_text(style.high) +
          (!p       ? "  pA - pB"
           : linear ? "  p, linear"
                    : "  p, logarithmic"));
}

void draw_map(Context& context, VectorCanvas& canvas, const PlotRoom& room, int which, const std::string& title) {
  const AttentionUi& ui = context.ui.attention;
  const AttentionData& data = context.data.attention;
  AttentionModel& model = context.models.attention();
  const AttentionSideData& side = model.shown(ui, data)[which == 1 ? 1 : 0];
  const HeatmapPyramid* pyramid = model.map(ui, data, which);
  if (pyramid == nullptr || !side.slice || !side.source) refuse_map("it is not there yet");
  const Map map = map_of(context, pyramid, model.style(ui, data, which), side.slice_of, *side.source);
  const bool one_key = has_one_key(side.slice_of.query.problem);
  const bool relative = !ui.absolute_axes && side.slice_of.query.problem.mask == Mask::causal;
  const std::string unit = relative ? "tokens from the query" : "position";
  PlotAxis x = cell_axis(context, side, map.part.left, map.part.right, map.frame.first1, false);
  PlotAxis y = cell_axis(context, side, map.part.top, map.part.bottom, map.frame.first2, true);
  x.title = (one_key ? "j: key, " : "j: first key, ") + unit;
  y.title = one_key ? "" : "k: second key, " + unit;
  if (one_key) y.ticks.clear();
  const PlotFrame frame(canvas, room, std::move(x), std::move(y));
  draw_cells(canvas, map, frame.low(), frame.high(), kMostPixels);
  if (ui.pinned) draw_pinned(canvas, frame, map, cell_in(side, *ui.pinned));
  canvas.text(room.low.x, room.low.y - 6, title, {11, canvas.theme().text});
  draw_colours(canvas, frame.low().x, frame.high(), map.style);
}

constexpr float kTitleRoom = 14;

std::string maps_now(Context& context, const PrintStyle& style, const PlotText& text, const std::vector<int>& which) {
  const AttentionUi& ui = context.ui.attention;
  const bool stacked = which.size() > 1 && is_narrow(style);
  const auto rows = static_cast<float>(stacked ? which.size() : 1), columns = static_cast<float>(which.size()) / rows;
  const float each = plot_width(style) / columns - (columns > 1 ? 64 : 0);
  constexpr float kBelow = 36 + kScaleRoom, kHighest = 380;
  const float high = std::min(kHighest, each) + kTitleRoom;
  const PrintPage page = make_page(style, text, rows * high + (rows - 1) * kBelow);
  const PlotRoom room = draw_plot_text(*page.canvas, page.size, text);
  const float wide = (room.high.x - room.low.x - (columns - 1) * room.left) / columns,
              tall = (room.high.y - room.low.y - (rows - 1) * kBelow) / rows;
  if (wide < 40 || tall < 40 + kTitleRoom)
    throw Error("The picture was not made", "its words leave no room for the maps",
                "make it larger, its words smaller, or leave the caption out", ExitCode::usage);
  for (std::size_t n = 0; n < which.size(); ++n) {
    const auto at = static_cast<float>(n);
    const ImVec2 low(room.low.x + (stacked ? 0 : at * (wide + room.left)),
                     room.low.y + (stacked ? at * (tall + kBelow) : 0) + kTitleRoom);
    draw_map(context, *page.canvas, {low, {low.x + wide, low.y + tall - kTitleRoom}, room.left, room.edge}, which[n],
             map_title(ui, context.models.attention().shown(ui, context.data.attention), which[n]));
  }
  return page.canvas->finish();
}

/// Queries down, heads across, one range of colours.
std::string grid_now(Context& context, const PrintStyle& style, const PlotText& text) {
  const AttentionData& data = context.data.attention;
  const AttentionSideData& side = data.sides[0];
  AttentionModel& model = context.models.attention();
  const std::optional<AttentionGridRequest>& shown = data.grid.of;
  if (!shown || data.grid.cells.empty() || !side.source || shown->queries.empty() || shown->heads.empty())
    refuse_map("it is not there yet");
  model.grid.update(data.grid, context.ui.attention.mean_pooling);
  constexpr float kGap = 4, kMostHigh = 120;
  const auto rows = static_cast<float>(shown->queries.size()), columns = static_cast<float>(shown->heads.size());
  const float each = std::min(kMostHigh, (plot_width(style) - (columns - 1) * kGap) / columns);
  const PrintPage page = make_page(style, text, kTitleRoom + rows * each + (rows - 1) * kGap);
  VectorCanvas& canvas = *page.canvas;
  const PlotRoom room = draw_plot_text(canvas, page.size, text);
  const Theme& theme = canvas.theme();
  const float top = room.low.y + kTitleRoom, wide = (room.high.x - room.low.x - (columns - 1) * kGap) / columns,
              tall = (room.high.y - top - (rows - 1) * kGap) / rows;
  if (wide < 6 || tall < 6)
    throw Error("The picture was not made", "its maps have no room", "make it larger, or show fewer", ExitCode::usage);
  const HeatmapStyle colours = model.style(context.ui.attention, data, 0);
  const bool brief = wide < text_width("head 00", 10);
  for (std::size_t row = 0; row < shown->queries.size(); ++row) {
    const float y = top + static_cast<float>(row) * (tall + kGap);
    canvas.text(room.low.x - 7, y + tall / 2 + 3.5F, format_count(shown->queries[row]),
                {10, theme.muted, Anchor::end, false, true});
    for (std::size_t column = 0; column < shown->heads.size(); ++column) {
      const float x = room.low.x + static_cast<float>(column) * (wide + kGap);
      if (row == 0)
        canvas.text(x + wide / 2, top - 5, fmt::format("{}{}", brief ? "" : "head ", shown->heads[column]),
                    {10, theme.muted, Anchor::middle});
      const HeatmapPyramid* pyramid = model.grid.pyramid(shown->queries[row], shown->heads[column]);
      if (pyramid == nullptr) refuse_map("some of its maps are not there yet");
      SliceRequest request{shown->source, shown->query, 1};
      request.query.query = shown->queries[row];
      draw_cells(canvas, map_of(context, pyramid, colours, request, *side.source), {x, y}, {x + wide, y + tall},
                 kTilePixels);
    }
  }
  canvas.text(room.low.x - room.left + (room.left < 64 ? 13 : 18), (top + room.high.y) / 2, "query",
              {11, theme.text, Anchor::middle, true});
  canvas.text((room.low.x + room.high.x) / 2, room.high.y + 18, "of each map: j across, k down",
              {11, theme.text, Anchor::middle});
  draw_colours(canvas, room.low.x, room.high, colours);
  return canvas.finish();
}

}  // namespace

std::string attention_picture(Context& context, VectorFormat format, PrintChoice& choice) {
  const AttentionUi& ui = context.ui.attention;
  const AttentionData& data = context.data.attention;
  if (!data.sides[0].source) refuse_map("no tensors are open", "open some");
  fill_in(choice, "", map_caption_text(context.models.attention(), ui, data));
  PlotText text{*choice.title, *choice.caption};
  text.below_room = kScaleRoom;
  const PrintStyle style{format, choice.size};
  switch (ui.show) {
    case AttentionShow::grid:
      return grid_now(context, style, text);
    case AttentionShow::side_by_side:
      return maps_now(context, style, text, {0, 1});
    case AttentionShow::difference:
      return maps_now(context, style, text, {2});
    default:
      return maps_now(context, style, text, {ui.flipped ? 1 : 0});
  }
}

}  // namespace triscope
