// An exploration for print: its panels in rows and columns, with axes named at the edges.
#include <algorithm>
#include <cmath>

#include "views/data/format.hpp"
#include "views/model/charts/explore_axis.hpp"
#include "views/parts/chart_tools.hpp"
#include "views/print/chart_picture.hpp"
#include "views/print/plot_frame.hpp"

namespace triscope {
namespace {

constexpr float kTickLetter = 6.2F,
                kTickRoom = 8;  ///< width of a letter of a tick: an estimate, no font is loaded here

PlotAxis axis_of(const ExploreAxis& axis, const std::string& column, bool upright, float length) {
  const auto [low, high] = explore_limits(axis, upright);
  if (axis.names.empty() && axis.ticks.empty())
    return axis.logarithmic ? decade_axis(low, high, axis.label)
                            : range_axis(low, high, axis.label, length < 250 ? 4 : 6);
  PlotAxis named{low, high, axis.logarithmic, {}, axis.label};
  float free_from = -1e9F;
  for (auto& tick : explore_ticks(axis, counts_tokens(column))) {
    const float half = upright ? 6 : static_cast<float>(tick.second.size()) * kTickLetter / 2;
    const float at = static_cast<float>(named.share(tick.first)) * length;
    if (at - half < free_from) continue;
    free_from = at + half + kTickRoom;
    named.ticks.push_back(std::move(tick));
  }
  return named;
}

int shape_of(const ExploreLine& line) { return explore_marker(line) % 8; }

void plot_line(VectorCanvas& canvas, const PlotFrame& frame, const ExploreLine& line, ImU32 colour) {
  std::vector<ImVec2> points;
  for (const ExploreMark& mark : line.marks) points.push_back(frame.at(mark.x, mark.y));
  if (line.joined && points.size() > 1) canvas.line(points, colour, 1.5F);
  for (std::size_t n = 0; n < points.size(); ++n) {
    const ExploreMark& mark = line.marks[n];
    if (mark.known) draw_whisker(canvas, frame, mark.x, mark.low, mark.high, colour);
    canvas.mark(points[n], shape_of(line), 3, colour, !mark.known);
  }
}

std::vector<LegendEntry> legend_of(const ExploreChart& chart) {
  std::vector<LegendEntry> legend;
  for (const ExplorePlot& plot : chart.plots) {
    for (const ExploreLine& line : plot.lines) {
      const bool known = std::ranges::any_of(legend, [&](const LegendEntry& one) { return one.name == line.name; });
      if (!line.name.empty() && !known)
        legend.push_back({line.name, explore_colour(light_theme(), chart, line), shape_of(line), line.joined});
    }
  }
  return legend;
}

}  // namespace

std::string explore_picture(const ExploreChart& chart, const std::string& title, const std::string& caption,
                            VectorFormat format) {
  const Theme& theme = light_theme();
  const std::size_t count = chart.plots.size();
  const std::size_t columns = chart.columns > 0 ? chart.columns : std::min<std::size_t>(count, count > 4 ? 3 : 2);
  const std::size_t rows = (count + columns - 1) / columns;
  const bool named =
      std::ranges::any_of(chart.plots, [](const ExplorePlot& plot) { return !plot.name.empty() || !plot.row.empty(); });
  const float head = named ? 18 : 0, between = 14;
  const ImVec2 size(kPrintSize.x, rows == 1 ? kPrintSize.y : 170 + 170 * static_cast<float>(rows));
  const std::unique_ptr<VectorCanvas> made = make_canvas(format, size, title, theme.panel);
  VectorCanvas& canvas = *made;
  const PlotRoom room = draw_plot_text(canvas, size, {title, caption, legend_of(chart)});
  const float wide = (room.high.x - room.low.x + between) / static_cast<float>(columns),
              high = (room.high.y - room.low.y + between) / static_cast<float>(rows);
  for (std::size_t n = 0; n < count; ++n) {
    const ExplorePlot& plot = chart.plots[n];
    const auto column = n % columns, row = n / columns;
    const bool left = column == 0, bottom = n + columns >= count;
    const ImVec2 low(room.low.x + wide * static_cast<float>(column),
                     room.low.y + high * static_cast<float>(row) + head);
    const PlotRoom place{low, {low.x + wide - between, low.y + high - between - head}};
    PlotAxis x = axis_of(chart.x, chart.query.x, false, place.high.x - low.x),
             y = axis_of(chart.y, chart.query.y, true, place.high.y - low.y);
    if (!bottom) x.title.clear();
    if (!left) {  // the plots of a row share their axis
      y.title.clear();
      for (auto& tick : y.ticks) tick.second.clear();
    }
    if (!bottom) x.ticks.clear();
    const std::string name = plot.name + (plot.name.empty() || plot.row.empty() ? "" : ", ") + plot.row;
    if (!name.empty()) canvas.text(low.x, low.y - 5, name, {11, theme.text});
    const PlotFrame frame(canvas, place, std::move(x), std::move(y));
    for (const ExploreLine& line : plot.lines)
      plot_line(canvas, frame, line, explore_colour(light_theme(), chart, line));
  }
  return canvas.finish();
}

}  // namespace triscope
