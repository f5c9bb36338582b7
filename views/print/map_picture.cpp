// The map of windows for print.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "views/data/format.hpp"
#include "views/parts/chart_tools.hpp"
#include "views/print/chart_picture.hpp"
#include "views/print/plot_frame.hpp"

namespace triscope {
namespace {

PlotAxis window_axis(const std::vector<std::int64_t>& windows, std::string title) {
  PlotAxis axis{-0.5, static_cast<double>(windows.size()) - 0.5, false, {}, std::move(title)};
  for (std::size_t n = 0; n < windows.size(); ++n)
    axis.ticks.emplace_back(static_cast<double>(n), fmt::format("{}", windows[n]));
  return axis;
}

}  // namespace

std::string map_picture(const WindowMap& map, MapMetric metric, const std::string& title, const std::string& caption,
                        const PrintStyle& style) {
  const Theme& theme = light_theme();
  const PlotText text{title, caption};
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
  return canvas.finish();
}

}  // namespace triscope
