// Maps for print: of windows, and of the mean over queries of a head of attention.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/error.hpp"
#include "profiler/record/columns.hpp"
#include "views/data/axis_ticks.hpp"
#include "views/data/format.hpp"
#include "views/model/attention/mean_words.hpp"
#include "views/parts/chart_tools.hpp"
#include "views/print/chart_picture.hpp"
#include "views/print/colour_scale.hpp"
#include "views/print/plot_frame.hpp"

namespace triscope {
namespace {

PlotAxis window_axis(const std::vector<std::int64_t>& windows, std::string title) {
  PlotAxis axis{-0.5, static_cast<double>(windows.size()) - 0.5, false, {}, std::move(title)};
  for (std::size_t n = 0; n < windows.size(); ++n)
    axis.ticks.emplace_back(static_cast<double>(n), fmt::format("{}", windows[n]));
  return axis;
}

constexpr std::int64_t kMostBoxes = 512;  // along an axis: more are not told apart on a page
constexpr int kColours = 128;             // neighbours of one colour are one box

/// Of distances: 0 is the query's own place.
PlotAxis distance_axis(std::int64_t cells, bool across, std::string title) {
  const double last = static_cast<double>(cells) - 0.5;
  PlotAxis axis{across ? -last : -0.5, across ? 0.5 : last, false, {}, std::move(title)};
  for (const double back : linear_ticks(0, static_cast<double>(cells - 1), cells > 8 ? 6 : 4)) {
    if (back == std::round(back)) axis.ticks.emplace_back(across ? -back : back, fmt::format("{:.0f}", 0.0 - back));
  }
  for (auto& [value, name] : axis.ticks) name = name == "-0" ? "0" : name;
  return axis;
}

/// The level of the pyramid with the most cells that are told apart; each is a half of the one before.
std::size_t level_for_page(const HeatmapPyramid& pyramid) {
  std::size_t n = 0;
  while (n + 1 < pyramid.levels().size() &&
         std::max(pyramid.levels()[n].width, pyramid.levels()[n].height) > kMostBoxes)
    ++n;
  return n;
}

ImU32 colour_of(const Theme& theme, const HeatmapStyle& style, double value) {
  if (std::isinf(value) && value < 0) return theme.missing;
  const double share = std::clamp(heatmap_position(style, value), 0.0, 1.0);
  return to_colour(colour_at(style.map, static_cast<float>(std::round(share * kColours) / kColours)));
}

void draw_cells(VectorCanvas& canvas, const PlotFrame& frame, const HeatmapPyramid& pyramid,
                const HeatmapStyle& style) {
  const std::size_t n = level_for_page(pyramid);
  const Heatmap &level = pyramid.levels()[n], &whole = pyramid.base();
  const std::int64_t each = std::int64_t{1} << n;
  const auto x_of = [&](std::int64_t cell) {
    return 0.5 - static_cast<double>(whole.width - std::min(cell * each, whole.width));
  };
  const auto y_of = [&](std::int64_t cell) {
    return static_cast<double>(whole.height - std::min(cell * each, whole.height)) - 0.5;
  };
  for (std::int64_t y = 0; y < level.height; ++y) {
    for (std::int64_t x = 0; x < level.width;) {
      const ImU32 colour = colour_of(canvas.theme(), style, static_cast<double>(level.at(x, y)));
      std::int64_t end = x + 1;
      while (end < level.width && colour_of(canvas.theme(), style, static_cast<double>(level.at(end, y))) == colour)
        ++end;
      const ImVec2 low = frame.at(x_of(x), y_of(y)), corner = frame.at(x_of(end), y_of(y + 1));
      // A hair over its neighbours: viewers show the ground between boxes that only touch.
      canvas.box(low, ImVec2(std::min(corner.x + 0.15F, frame.high().x), std::min(corner.y + 0.15F, frame.high().y)),
                 colour);
      x = end;
    }
  }
}

const MeanMaps& means_of(Context& context) {
  const MeanMaps* maps = shown_means(context.ui.attention, context.data.attention);
  if (!maps || !context.data.attention.sides[0].source)
    throw Error("The mean over queries was not saved", "it is not there yet", "wait until the panel shows it",
                ExitCode::usage);
  return *maps;
}

}  // namespace

std::string map_picture(const WindowMap& map, MapMetric metric, const std::string& title, const std::string& caption,
                        const PrintStyle& style) {
  const Theme& theme = theme_of(style);
  PlotText text{title, caption};
  const bool any = std::ranges::any_of(map.cells, [](const MapCell& one) { return one.state == MapCell::State::ok; });
  if (any) text.below_room = kScaleRoom;
  const PrintPage page = make_page(style, text);
  VectorCanvas& canvas = *page.canvas;
  const PlotFrame frame(page, window_axis(map.window1, "w1, tokens"), window_axis(map.window2, "w2, tokens"), text);
  for (std::size_t i2 = 0; i2 < map.window2.size(); ++i2) {
    for (std::size_t i1 = 0; i1 < map.window1.size(); ++i1) {
      const MapCell& cell = map.at(i1, i2);
      if (cell.state == MapCell::State::absent) continue;
      const auto x = static_cast<double>(i1), y = static_cast<double>(i2);
      const bool ok = cell.state == MapCell::State::ok;
      const ImU32 fill = ok                                  ? viridis(brightness(map, metric, cell.value))
                         : cell.state == MapCell::State::nan ? theme.not_a_number
                                                             : theme.missing;
      canvas.box(frame.at(x - 0.49, y + 0.48), frame.at(x + 0.49, y - 0.48), fill, ok && !cell.known);
      const std::string words = ok ? format_fixed(cell.value, cell.decimals) + (cell.known ? "" : " ?")
                                : cell.state == MapCell::State::nan     ? "NaN"
                                : cell.state == MapCell::State::skipped ? "skipped"
                                                                        : "failed";
      const ImVec2 at = frame.at(x, y);
      canvas.text(at.x, at.y + 3.5F, words,
                  {10, ok && !cell.known ? theme.text : readable_on(fill), Anchor::middle, false, true});
    }
  }
  const bool best_is_low = metric == MapMetric::latency;
  if (any)
    draw_scale(
        canvas, frame.low().x, frame.high(), [](float share) { return viridis(share); },
        significant_text(best_is_low ? map.high : map.low),
        fmt::format("{}  {}", significant_text(best_is_low ? map.low : map.high), unit_of(metric)));
  return canvas.finish();
}

std::string mean_picture(Context& context, VectorFormat format, PrintChoice& choice) {
  const MeanMaps& maps = means_of(context);
  const AttentionUi& ui = context.ui.attention;
  const std::int64_t head = std::clamp<std::int64_t>(ui.head, 0, maps.heads - 1);
  fill_in(choice, mean_title(maps, head), mean_caption(ui, context.data.attention.sides[0]));
  PlotText text{*choice.title, *choice.caption};
  text.below_room = kScaleRoom;
  const PrintPage page = make_page({format, choice.size}, text);
  const HeatmapPyramid pyramid(mean_heatmap(maps, head), Pooling::largest);
  const HeatmapStyle style = mean_style(maps, head, ui.map);
  const PlotFrame frame(page, distance_axis(maps.width, true, mean_axis_name(maps, 1)),
                        distance_axis(maps.height, false, mean_axis_name(maps, 2)), text);
  draw_cells(*page.canvas, frame, pyramid, style);
  draw_scale(
      *page.canvas, frame.low().x, frame.high(), [&](float share) { return to_colour(colour_at(style.map, share)); },
      significant_text(std::exp(style.low), 2), significant_text(std::exp(style.high), 2) + "  p");
  return page.canvas->finish();
}

}  // namespace triscope
