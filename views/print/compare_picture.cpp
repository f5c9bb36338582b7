// A comparison of sweeps for print: of each row the ratio of times with its interval, on one line each.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/error.hpp"
#include "profiler/statistics/statistics.hpp"
#include "views/data/format.hpp"
#include "views/parts/widgets.hpp"
#include "views/print/chart_picture.hpp"
#include "views/print/plot_frame.hpp"

namespace triscope {
namespace {

constexpr float kLine = 16, kNames = 250, kAnswer = 92,
                kLeastRatios = 60;  ///< height of a row, the widths of what stands beside it and of the plot

struct Drawn {
  const CompareLine* line = nullptr;
  std::vector<std::pair<std::size_t, const Comparison*>> beside;  ///< by sweep
};

std::vector<Drawn> drawn_lines(const CompareModel& model) {
  std::vector<Drawn> all;
  for (const CompareLine& line : model.lines) {
    Drawn one{&line, {}};
    for (std::size_t s = 1; s < line.cells.size(); ++s) {
      if (line.cells[s] && line.cells[s]->comparison && line.cells[s]->comparison->ratio > 0)
        one.beside.emplace_back(s, &*line.cells[s]->comparison);
    }
    if (!one.beside.empty()) all.push_back(std::move(one));
  }
  return all;
}

std::string name_of(const CompareModel& model, const CompareLine& line) {
  std::string name = line.window + " " + line.kernel;
  if (model.has_passes) name += ", " + line.pass;
  if (model.has_settings && !line.setting.empty()) name += ", " + line.setting;
  return name;
}

/// Of all ratios and intervals, and of 1; a very wide interval is cut off.
PlotAxis ratio_axis(const std::vector<Drawn>& lines, const std::string& first) {
  double low = 1, high = 1;
  for (const Drawn& line : lines) {
    for (const auto& [sweep, comparison] : line.beside) {
      low = std::min(low, std::max(interval_known(*comparison) ? comparison->interval.low : comparison->ratio,
                                   comparison->ratio / 2));
      high = std::max(high, std::min(interval_known(*comparison) ? comparison->interval.high : comparison->ratio,
                                     comparison->ratio * 2));
    }
  }
  const double margin = std::max(0.06 * (high - low), 0.005);
  return range_axis(low - margin, high + margin, fmt::format("time here / time of {}; below 1 is shorter", first));
}

}  // namespace

std::string compare_picture(const CompareModel& model, const std::string& title, const std::string& caption,
                            const PrintStyle& style) {
  const Theme& theme = theme_of(style);
  const std::vector<Drawn> lines = drawn_lines(model);
  std::vector<LegendEntry> legend;
  for (std::size_t s = 1; s < model.sweeps.size() && model.sweeps.size() > 2; ++s)
    legend.push_back({model.sweeps[s], theme.text, static_cast<int>(s - 1) % 8});
  const bool narrow = is_narrow(style);
  const bool two = model.sweeps.size() == 2 && !narrow;  // there is room for the answer in words
  float names = narrow ? 0 : kNames;
  for (const Drawn& line : lines) names = std::max(names, text_width(name_of(model, *line.line), 10) + 8);
  PlotText text{title, caption, std::move(legend)};
  const PrintPage page = make_page(style, text, kLine * static_cast<float>(lines.size()));
  VectorCanvas& canvas = *page.canvas;
  PlotRoom room = draw_plot_text(canvas, page.size, text);
  room.low.x = room.left / 4 + names;
  if (room.high.x - (two ? kAnswer : 0) - room.low.x < kLeastRatios)
    throw Error("The picture was not made", "the names of its rows leave no room for the plot",
                "make it wider, or its words smaller", ExitCode::usage);
  if (two) room.high.x -= kAnswer;
  const PlotFrame frame(canvas, room, ratio_axis(lines, model.sweeps.front()),
                        PlotAxis{-static_cast<double>(lines.size()) + 0.5, 0.5, false, {}, ""});
  canvas.line({{frame.at(1, 0).x, frame.low().y}, {frame.at(1, 0).x, frame.high().y}}, theme.muted, 1, "4 3");
  const auto within = [&](float x) { return std::clamp(x, frame.low().x, frame.high().x); };
  for (std::size_t n = 0; n < lines.size(); ++n) {
    const double y = -static_cast<double>(n);
    const CompareLine& line = *lines[n].line;
    canvas.text(room.low.x - 8, frame.at(1, y).y + 3.5F, name_of(model, line), {10, theme.text, Anchor::end});
    for (const auto& [sweep, comparison] : lines[n].beside) {
      const ImVec2 at = frame.at(comparison->ratio, y);
      const ImU32 colour = verdict_colour(theme, comparison->verdict);
      if (interval_known(*comparison))
        canvas.line({{within(frame.at(comparison->interval.low, y).x), at.y},
                     {within(frame.at(comparison->interval.high, y).x), at.y}},
                    colour, 1.5F);
      if (two)
        canvas.text(
            room.high.x + 10, at.y + 3.5F,
            fmt::format("{} {}", format_fixed(comparison->ratio, kRatioDecimals), to_string(comparison->verdict)),
            {10, colour});
      canvas.mark(at, static_cast<int>(sweep - 1) % 8, 3.2F, colour, !interval_known(*comparison));
    }
  }
  return canvas.finish();
}

}  // namespace triscope
