// An exploration for print: its panels in rows and columns, with axes named at the edges.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "kernels/base/error.hpp"
#include "views/curves/drawn_curves.hpp"
#include "views/data/format.hpp"
#include "views/model/charts/explore_axis.hpp"
#include "views/model/charts/explore_chart.hpp"
#include "views/parts/chart_tools.hpp"
#include "views/print/chart_picture.hpp"
#include "views/print/plot_frame.hpp"

namespace triscope {
namespace {

constexpr float kLeastPlot = 60, kMark = 2.5F;  ///< so small that the ends of most intervals are seen around it
constexpr float kTickLetter = 6.2F,
                kTickRoom = 8;            ///< width of a letter of a tick: an estimate, no font is loaded here
constexpr std::size_t kLongestName = 32;  ///< of a value below the axis, in letters: it may stand upright
constexpr float kOverhang = 3;            ///< of a tick's name beyond its plot, whose neighbour begins 14 beside it

PlotAxis axis_of(const ExploreAxis& axis, const std::string& column, bool upright, float length,
                 const PrintStyle& style) {
  const double margin =
      upright ? kLeastMargin : std::clamp(static_cast<double>(kFarthestAside * 2 * kMark / length), kLeastMargin, 0.2);
  auto [low, high] = explore_limits(axis, upright, upright && style.size.from_zero, margin);
  if (style.limits) low = (*style.limits)[upright ? 2 : 0], high = (*style.limits)[upright ? 3 : 1];
  if (axis.names.empty() && axis.ticks.empty())
    return axis.logarithmic ? decade_axis(low, high, axis.label)
                            : range_axis(low, high, axis.label, length < 250 ? 4 : 6);
  PlotAxis named{low, high, axis.logarithmic, {}, axis.label};
  const auto wide = [&](const std::string& text) { return static_cast<float>(text.size()) * kTickLetter; };
  const auto share = [&](double at) { return static_cast<float>(named.share(at)); };
  std::vector<std::pair<double, std::string>> ticks = explore_ticks(axis, counts_tokens(column), kLongestName);
  std::erase_if(ticks, [&](const auto& tick) { return share(tick.first) < 0 || share(tick.first) > 1; });
  if (!axis.names.empty()) {  // `place_names` finds room for each
    named.ticks = std::move(ticks);
    return named;
  }
  for (PlacedTick& tick : place_ticks(std::move(ticks), share, {length, kTickRoom, kOverhang, 1, true}, wide))
    named.ticks.emplace_back(tick.at, std::move(tick.name));
  return named;
}

constexpr float kBetween = 14;  ///< two plots

/// Of one of `columns` plots beside each other.
float column_width(const PrintStyle& style, std::size_t columns) {
  return (plot_width(style) + kBetween) / static_cast<float>(columns) - kBetween;
}

/// In how many columns the plots stand: in fewer where the names below them would have no room beside each other.
std::size_t columns_of(const ExploreChart& chart, const PrintStyle& style) {
  const std::size_t count = chart.plots.size();
  if (chart.columns > 0) return chart.columns;
  std::size_t columns = is_narrow(style) ? 1 : std::min<std::size_t>(count, count > 4 ? 3 : 2);
  const auto fits = [&] {
    const float width = column_width(style, columns);
    return has_room_for_names(axis_of(chart.x, chart.query.x, false, width, style), width);
  };
  while (!chart.x.names.empty() && columns > 1 && !fits()) --columns;
  return columns;
}

/// As in the window.
void draw_spread(VectorCanvas& canvas, const PlotFrame& frame, const ExploreMark& mark, float aside, ImU32 colour) {
  constexpr float kHalf = 4;
  const ImVec2 at = frame.at(mark.x, mark.y);
  const float left = at.x + aside - kHalf, right = at.x + aside + kHalf;
  const auto height = [&](double y) { return frame.at(mark.x, y).y; };
  const auto [strokes, quartiles] = drawn_repeats(mark);
  for (const double y : strokes) {
    const float up = height(y);
    if (std::abs(up - at.y) > kMark && up > frame.low().y && up < frame.high().y)
      canvas.line({{at.x + aside, up}, {right, up}}, colour, 1);  // on both sides it would be an end
  }
  if (!quartiles) return;
  const float top = std::max(height(quartiles->high), frame.low().y),
              foot = std::min(height(quartiles->low), frame.high().y);
  if (foot - top > 2 * kMark)
    canvas.line({{left, top}, {right, top}, {right, foot}, {left, foot}, {left, top}}, colour, 1);
}

/// `aside`: of each mark.
void plot_line(VectorCanvas& canvas, const PlotFrame& frame, const ExploreLine& line, std::span<const float> aside,
               ImU32 colour, bool may_be_hollow) {
  std::vector<ImVec2> points;
  for (std::size_t n = 0; n < line.marks.size(); ++n) {
    const ImVec2 at = frame.at(line.marks[n].x, line.marks[n].y);
    points.emplace_back(at.x + aside[n], at.y);
  }
  if (line.joined) canvas.line(points, colour, 1.5F);
  for (std::size_t n = 0; n < points.size(); ++n) {
    const ExploreMark& mark = line.marks[n];
    if (mark.known)
      draw_whisker(canvas, frame, mark.x, mark.low, mark.high, colour, kMark, mark.repeats == 1, aside[n]);
    draw_spread(canvas, frame, mark, aside[n], colour);
    canvas.mark(points[n], explore_mark(line), kMark, colour, may_be_hollow && mark.hollow());
  }
}

/// The lines of a plot; of marks at one x none hides another. What is named lies over the others.
void plot_lines(VectorCanvas& canvas, const PlotFrame& frame, const ExplorePlot& plot, const Theme& theme,
                bool may_be_hollow) {
  std::vector<ImVec2> points;
  for (const ExploreLine& line : plot.lines) {
    for (const ExploreMark& mark : line.marks) points.push_back(frame.at(mark.x, mark.y));
  }
  const std::vector<float> aside = moved_aside(points, 2 * kMark);
  for (const bool others : {true, false}) {
    std::size_t from = 0;
    for (const ExploreLine& line : plot.lines) {
      if ((line.style == kOtherLines) == others)
        plot_line(canvas, frame, line, std::span(aside).subspan(from, line.marks.size()), explore_colour(theme, line),
                  may_be_hollow);
      from += line.marks.size();
    }
  }
}

}  // namespace

std::string explore_picture(const ExploreChart& chart, const std::string& title, const std::string& caption,
                            const PrintStyle& style) {
  const Theme& theme = theme_of(style);
  const std::size_t count = chart.plots.size(), columns = columns_of(chart, style);
  const std::size_t rows = (count + columns - 1) / columns;
  const bool named =
      std::ranges::any_of(chart.plots, [](const ExplorePlot& plot) { return !plot.name.empty() || !plot.row.empty(); });
  const float head = named ? 18 : 0, between = kBetween;
  PlotText text{title, caption, legend_for_print(legend_of(theme, chart))};
  const float width = column_width(style, columns);
  PlotAxis shared_x = axis_of(chart.x, chart.query.x, false, width, style);
  if (!chart.x.names.empty()) place_names(shared_x, text, width);
  const PrintPage page = make_page(style, text, rows == 1 ? 0 : 170 * static_cast<float>(rows) - between);
  VectorCanvas& canvas = *page.canvas;
  const PlotRoom room = draw_plot_text(canvas, page.size, text);
  const float wide = (room.high.x - room.low.x + between) / static_cast<float>(columns),
              high = (room.high.y - room.low.y + between) / static_cast<float>(rows);
  for (std::size_t n = 0; n < count; ++n) {
    const ExplorePlot& plot = chart.plots[n];
    const auto column = n % columns, row = n / columns;
    const bool left = column == 0, bottom = n + columns >= count;
    const ImVec2 low(room.low.x + wide * static_cast<float>(column),
                     room.low.y + high * static_cast<float>(row) + head);
    const PlotRoom place{low, {low.x + wide - between, low.y + high - between - head}, room.left};
    if (place.high.x - low.x < kLeastPlot || place.high.y - low.y < kLeastPlot / 2)
      throw Error("The picture was not made", fmt::format("{} leave each other no room", counted(count, "panel")),
                  "make it larger, its words smaller, or choose fewer panels", ExitCode::usage);
    PlotAxis x = shared_x, y = axis_of(chart.y, chart.query.y, true, place.high.y - low.y, style);
    if (!bottom) x.title.clear();
    if (!left) {  // the plots of a row share their axis
      y.title.clear();
      for (auto& tick : y.ticks) tick.second.clear();
    }
    if (!bottom) x.ticks.clear();
    const std::string name = drawn_name(chart.query.panels, plot.name) +
                             (plot.name.empty() || plot.row.empty() ? "" : ", ") +
                             drawn_name(chart.query.rows, plot.row);
    if (!name.empty()) canvas.text(low.x, low.y - 5, name, {11, theme.text});
    const PlotFrame frame(canvas, place, std::move(x), std::move(y));
    const FrameClip clip(canvas, frame, style);
    plot_lines(canvas, frame, plot, theme, has_intervals(chart));
  }
  return canvas.finish();
}

}  // namespace triscope
