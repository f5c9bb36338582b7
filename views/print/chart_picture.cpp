#include "views/print/chart_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <tuple>

#include "kernels/base/error.hpp"
#include "profiler/record/columns.hpp"
#include "views/curves/counted_curves.hpp"
#include "views/curves/drawn_curves.hpp"
#include "views/curves/series_lines.hpp"
#include "views/data/format.hpp"
#include "views/parts/chart_tools.hpp"
#include "views/print/plot_frame.hpp"

namespace triscope {
namespace {

constexpr float kLabelSize = 10, kSeriesMark = 2.5F;
constexpr float kPrintUnit = 0.75F;  ///< of a design pixel

/// Names of levels at the right edge, pushed apart.
struct EdgeLabel {
  float y = 0;
  std::string text;
  ImU32 colour = 0;
};
/// What one needs beside the plot.
float room_of(const std::string& name) { return text_width(name, kLabelSize) + 14; }
void draw_edge_labels(VectorCanvas& canvas, const PlotFrame& frame, std::vector<EdgeLabel> labels) {
  std::sort(labels.begin(), labels.end(), [](const EdgeLabel& a, const EdgeLabel& b) { return a.y < b.y; });
  float next = frame.low().y;
  for (const EdgeLabel& label : labels) {
    const float y = std::max(label.y, next);
    next = y + 13;
    canvas.line({{frame.high().x, label.y}, {frame.high().x + 8, y}}, label.colour, 0.75F);
    canvas.text(frame.high().x + 11, y + 3.5F, label.text, {kLabelSize, label.colour});
  }
}

std::string dashes_for_print(DashPattern dashes) {
  return dashes.drawn > 0 ? fmt::format("{:g} {:g}", dashes.drawn * kPrintUnit, dashes.gap * kPrintUnit)
                          : std::string();
}

/// A level's name: at the right edge of the plot, or in the legend of a picture that is narrow.
void name_level(PlotText& text, std::vector<EdgeLabel>& labels, const std::string& name, const Series& level,
                const PrintStyle& style) {
  const ImU32 colour = series_colour(theme_of(style), level);
  if (is_narrow(style)) {
    text.legend.push_back({name, colour, 0, false, dashes_for_print(dashes_of(level.colour))});
  } else {
    text.right_room = std::max(text.right_room, room_of(name));
    labels.push_back({0, name, colour});
  }
}

/// The levels, and their names that stand at the right edge; of those that the frame shows.
void draw_levels(VectorCanvas& canvas, const PlotFrame& frame, const std::vector<SeriesPoints>& levels,
                 std::vector<EdgeLabel> labels) {
  const auto is_outside = [&](float y) { return y < frame.low().y - 0.5F || y > frame.high().y + 0.5F; };
  for (std::size_t n = 0; n < levels.size(); ++n) {
    const Series& level = levels[n].series;
    const float y = frame.at(1, levels[n].points.front().y).y;
    if (n < labels.size()) labels[n].y = y;
    if (is_outside(y)) continue;
    canvas.line({{frame.low().x, y}, {frame.high().x, y}}, series_colour(canvas.theme(), level), 1,
                dashes_for_print(dashes_of(level.colour)));
  }
  std::erase_if(labels, [&](const EdgeLabel& label) { return is_outside(label.y); });
  draw_edge_labels(canvas, frame, std::move(labels));
}

std::string bar_level_name(const SeriesPoints& level, const std::vector<SeriesPoints>& levels) {
  return level_name(level.series, levels, true) + " " + significant_text(level.points.front().y);
}

/// Whole, or in strokes where it lies on others.
void draw_stacked(VectorCanvas& canvas, const PlotFrame& frame, const std::vector<ImVec2>& line,
                  const DashPattern& dashes, ImU32 colour, float width) {
  if (dashes.drawn <= 0) return canvas.line(line, colour, width);
  for (const std::vector<ImVec2>& stroke : strokes_of(line, dashes, kPrintUnit, frame.low(), frame.high()))
    canvas.line(stroke, colour, width);
}

void plot_line(VectorCanvas& canvas, const PlotFrame& frame, const SeriesLine& of) {
  const SeriesPoints& series = *of.series;
  const ImU32 colour = series_colour(canvas.theme(), series.series);
  std::vector<ImVec2> line;
  for (std::size_t n = 0; n < of.x.size(); ++n) line.push_back(frame.at(of.x[n], of.y[n]));
  draw_stacked(canvas, frame, line, of.dashes, colour, 1.75F);
  for (const ChartPoint& point : series.points) {
    const double low = point.y - point.below, high = point.y + point.above;
    draw_whisker(canvas, frame, point.x, low, high, colour, kSeriesMark);
    canvas.mark(frame.at(point.x, point.y), mark_of_style(series.series.colour), kSeriesMark, colour,
                is_hollow(point.known, point.converged));
  }
}

/// What was asked for and has no rate, as in the window: where a bar would stand, no higher than one that says nothing.
void draw_missing(VectorCanvas& canvas, const PlotFrame& frame, const SeriesPoints::Missing& missing, double left,
                  double right) {
  constexpr float kHigh = 15;
  const Theme& theme = canvas.theme();
  const ImVec2 high = frame.at(right, 0), low(frame.at(left, 0).x, high.y - kHigh);
  const bool failed = missing.status == Status::failed;
  canvas.box(low, high, theme.missing);
  canvas.hatch(low, high, theme.muted, 4);
  canvas.line({low, {high.x, low.y}, high, {low.x, high.y}, low}, failed ? theme.slower : theme.muted, 1.25F);
}

void draw_bars(VectorCanvas& canvas, const PlotFrame& frame, const BarChart& chart, const PrintStyle& style) {
  const FrameClip clip(canvas, frame, style);
  const Theme& theme = canvas.theme();
  const double width = 0.76 / static_cast<double>(std::max<std::size_t>(1, chart.series.size()));
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    const SeriesPoints& series = chart.series[s];
    for (const ChartPoint& point : series.points) {
      const double left = point.x - 0.38 + width * static_cast<double>(s);
      draw_bar(canvas, frame.at(left + width * 0.05, point.y), frame.at(left + width * 0.95, 0),
               {series_colour(theme, series.series), series.series.colour}, is_hollow(point.known, point.converged));
      draw_whisker(canvas, frame, left + width / 2, point.y - point.below, point.y + point.above, theme.text, 0);
    }
    for (const SeriesPoints::Missing& missing : series.missing) {
      const double left = missing.x - 0.38 + width * static_cast<double>(s);
      draw_missing(canvas, frame, missing, left + width * 0.05, left + width * 0.95);
    }
  }
}

}  // namespace

std::string bars_picture(const BarChart& chart, const std::string& title, const std::string& caption,
                         const PrintStyle& style) {
  const Theme& theme = theme_of(style);
  const double top = value_range(chart.series, chart.levels).high;
  const double last = static_cast<double>(std::max<std::size_t>(1, chart.categories.size())) - 0.5;
  const ChartLimits shown = style.limits.value_or(ChartLimits{-0.5, last, 0, top > 0 ? top * 1.06 : 1});
  PlotAxis x{shown[0], shown[1], false, {}, "windows"};
  for (std::size_t n = 0; n < chart.categories.size(); ++n) {
    const auto at = static_cast<double>(n);
    if (at >= shown[0] && at <= shown[1]) x.ticks.emplace_back(at, chart.categories[n]);
  }
  PlotText text{title, caption, legend_for_print(legend_of(theme, chart.series, LegendName::Mark::bar))};
  std::vector<EdgeLabel> labels;
  for (const SeriesPoints& level : chart.levels)
    name_level(text, labels, bar_level_name(level, chart.levels), level.series, style);
  place_names(x, text, plot_width(style, text.right_room));
  const PrintPage page = make_page(style, text);
  VectorCanvas& canvas = *page.canvas;
  const PlotFrame frame(page, std::move(x), range_axis(shown[2], shown[3], "TFLOP/s"), text);
  draw_bars(canvas, frame, chart, style);
  draw_levels(canvas, frame, chart.levels, std::move(labels));
  return canvas.finish();
}

std::string scaling_picture(const ScalingChart& chart, const std::string& title, const std::string& caption,
                            const PrintStyle& style) {
  double x_low = 1e300, x_high = 1;
  for (const SeriesPoints& series : chart.series) {
    for (const ChartPoint& point : series.points) x_low = std::min(x_low, point.x), x_high = std::max(x_high, point.x);
  }
  const ValueRange values = value_range(chart.series, chart.levels);
  const std::vector<SeriesLine> lines = series_lines(chart);
  PlotText text{title, caption, legend_for_print(legend_of(theme_of(style), chart.series, LegendName::Mark::joined))};
  for (std::size_t n = 0; n < lines.size(); ++n) text.legend[n].dashes = dashes_for_print(lines[n].dashes);
  std::vector<EdgeLabel> labels;
  for (const SeriesPoints& level : chart.levels)
    name_level(text, labels, level_name(level.series, chart.levels, true), level.series, style);
  const PrintPage page = make_page(style, text);
  VectorCanvas& canvas = *page.canvas;
  const ChartLimits shown =
      style.limits.value_or(ChartLimits{x_low / 1.4, x_high * 1.4, values.low / 1.2, values.high * 1.2});
  const PlotFrame frame(page, power_axis(shown[0], shown[1], "window area w1 × w2, tokens²", style.limits.has_value()),
                        decade_axis(shown[2], shown[3], "latency, ms"), text);
  draw_levels(canvas, frame, chart.levels, std::move(labels));
  {
    const FrameClip clip(canvas, frame, style);
    draw_strokes_last(lines, [&](const SeriesLine& line) { plot_line(canvas, frame, line); });
  }
  return canvas.finish();
}

namespace {

std::vector<ImVec2> line_of(const PlotFrame& frame, const LengthCurve& curve, const LengthUnit& unit) {
  std::vector<ImVec2> line;
  for (const LengthPoint& point : curve.points) {
    const double x = static_cast<double>(point.seq_len);
    line.push_back(frame.at(x, length_value(curve, x, point.ms, unit)));
  }
  return line;
}

/// The line, the intervals and the marks of a curve.
void plot_curve(VectorCanvas& canvas, const PlotFrame& frame, const DrawnCurve& drawn, const LengthUnit& unit) {
  const LengthCurve& curve = *drawn.curve;
  const auto value = [&](const LengthPoint& point, double ms) {
    return length_value(curve, static_cast<double>(point.seq_len), ms, unit);
  };
  const std::vector<ImVec2> line = line_of(frame, curve, unit);
  if (curve.baseline) {
    canvas.line(line, drawn.colour, 1.25F, dashes_for_print(drawn.dashes));
  } else {
    draw_stacked(canvas, frame, line, drawn.dashes, drawn.colour, 1.75F);
  }
  for (std::size_t n = 0; n < line.size(); ++n) {
    const LengthPoint& point = curve.points[n];
    const bool known = interval_known(point);
    const double low = value(point, point.low_ms), high = value(point, point.high_ms);
    if (known)
      draw_whisker(canvas, frame, static_cast<double>(point.seq_len), std::min(low, high), std::max(low, high),
                   drawn.colour, kSeriesMark);
    canvas.mark(line[n], mark_of_style(curve.style, curve.baseline), kSeriesMark, drawn.colour,
                is_hollow(known, point.converged));
  }
}

/// All of the curves, with a margin.
ChartLimits limits_of(const LengthPass& pass, const LengthUnit& unit) {
  double x_low = 1e300, x_high = 1, y_low = 1e300, y_high = 1e-300;
  for (const LengthCurve& curve : pass.curves) {
    for (const LengthPoint& point : curve.points) {
      const double x = static_cast<double>(point.seq_len), y = length_value(curve, x, point.ms, unit);
      x_low = std::min(x_low, x), x_high = std::max(x_high, x);
      y_low = std::min(y_low, y), y_high = std::max(y_high, y);
    }
  }
  return {x_low / 1.2, x_high * 1.2, unit.rate ? 0 : y_low / 1.5, y_high * (unit.rate ? 1.06 : 1.5)};
}

}  // namespace

std::string lengths_picture(const LengthPass& pass, const LengthUnit& unit, const std::string& title,
                            const std::string& caption, const PrintStyle& style) {
  PlotText text{title, caption};
  const bool narrow = is_narrow(style);
  const std::vector<DrawnCurve> curves = drawn_curves(theme_of(style), pass);
  for (const DrawnCurve& drawn : curves) {
    const LengthCurve& curve = *drawn.curve;
    if (curve.baseline && !narrow) {
      text.right_room = std::max(text.right_room, room_of(curve.label));
    } else {
      text.legend.push_back({curve.label, drawn.colour, mark_of_style(curve.style, curve.baseline), true,
                             dashes_for_print(drawn.dashes)});
    }
  }
  const PrintPage page = make_page(style, text);
  VectorCanvas& canvas = *page.canvas;
  const ChartLimits shown = style.limits.value_or(limits_of(pass, unit));
  const PlotFrame frame(
      page, power_axis(shown[0], shown[1], "sequence length, tokens", style.limits.has_value()),
      unit.rate ? range_axis(shown[2], shown[3], "TFLOP/s") : decade_axis(shown[2], shown[3], "latency, ms"), text);
  std::vector<EdgeLabel> labels;
  {
    const FrameClip clip(canvas, frame, style);
    draw_strokes_last(curves, [&](const DrawnCurve& drawn) { plot_curve(canvas, frame, drawn, unit); });
  }
  for (const DrawnCurve& drawn : curves) {
    if (!drawn.curve->baseline || narrow) continue;
    if (const auto end = last_seen(line_of(frame, *drawn.curve, unit), frame.low(), frame.high()))
      labels.push_back({end->y, drawn.curve->label, drawn.colour});
  }
  draw_edge_labels(canvas, frame, std::move(labels));
  return canvas.finish();
}

namespace {

/// A line without measurements, its name in the legend or at the right end.
struct NamedLine {
  std::string name;
  ImU32 colour = 0;
  DashPattern dashes{};
  float width = 1.25F;
  bool at_end = false;  ///< of a picture that is not narrow the name stands at the right end
  bool marked = false;  ///< marks stand on it
  std::vector<double> x, y;
};

/// All of the lines, with a margin.
ChartLimits limits_of(const std::vector<NamedLine>& lines) {
  ChartLimits limits{1e300, 1, 1e300, 1e-300};
  for (const NamedLine& line : lines) {
    for (const double x : line.x) limits[0] = std::min(limits[0], x / 1.2), limits[1] = std::max(limits[1], x * 1.2);
    for (const double y : line.y) limits[2] = std::min(limits[2], y / 1.5), limits[3] = std::max(limits[3], y * 1.5);
  }
  return limits;
}

/// Names of `lines` for the legend, and the room that those at the right end take.
void name_lines(PlotText& text, const std::vector<NamedLine>& lines, const PrintStyle& style) {
  constexpr const char* kWhole = "12 0";  // a stroke of a legend without a mark has dashes
  for (const NamedLine& line : lines) {
    if (line.at_end && !is_narrow(style)) {
      text.right_room = std::max(text.right_room, room_of(line.name));
    } else {
      text.legend.push_back({line.name, line.colour, 0, line.marked,
                             line.dashes.drawn > 0 || line.marked ? dashes_for_print(line.dashes) : kWhole});
    }
  }
}

void draw_lines(VectorCanvas& canvas, const PlotFrame& frame, const std::vector<NamedLine>& lines,
                const PrintStyle& style) {
  std::vector<EdgeLabel> labels;
  {
    const FrameClip clip(canvas, frame, style);
    draw_strokes_last(lines, [&](const NamedLine& line) {
      std::vector<ImVec2> points;
      for (std::size_t n = 0; n < line.x.size(); ++n) points.push_back(frame.at(line.x[n], line.y[n]));
      if (line.at_end) {
        canvas.line(points, line.colour, line.width, dashes_for_print(line.dashes));
      } else {
        draw_stacked(canvas, frame, points, line.dashes, line.colour, line.width);
      }
      const auto end = last_seen(points, frame.low(), frame.high());
      if (line.at_end && end && !is_narrow(style)) labels.push_back({end->y, line.name, line.colour});
    });
  }
  draw_edge_labels(canvas, frame, std::move(labels));
}

}  // namespace

std::string work_picture(const LengthPass& pass, std::optional<Pass> which, const std::string& title,
                         const std::string& caption, const PrintStyle& style) {
  std::vector<NamedLine> lines;
  for (const DrawnLine& one : counted_lines(theme_of(style), pass, which)) {
    const bool baseline = one.curve->baseline;
    lines.push_back({baseline ? counted_name(*one.curve) : one.curve->label, one.colour, one.dashes,
                     baseline ? 1.25F : 1.75F, baseline, false, one.x, one.y});
  }
  PlotText text{title, caption};
  name_lines(text, lines, style);
  const PrintPage page = make_page(style, text);
  const ChartLimits shown = style.limits.value_or(limits_of(lines));
  const PlotFrame frame(page, power_axis(shown[0], shown[1], "sequence length, tokens", style.limits.has_value()),
                        decade_axis(shown[2], shown[3], "TFLOP a launch"), text);
  draw_lines(*page.canvas, frame, lines, style);
  return page.canvas->finish();
}

std::string budget_picture(const LengthPass& pass, const std::string& title, const std::string& caption,
                           const PrintStyle& style) {
  const Theme& theme = theme_of(style);
  NamedLine equal{"equal area by latency, with its range", theme.accent, {}, 1.75F, false, true, {}, {}};
  for (const SameBudget& budget : pass.budgets) {
    if (!budget.windows) continue;
    equal.x.push_back(static_cast<double>(budget.seq_len));
    equal.y.push_back(budget.windows->area);
  }
  std::vector<NamedLine> lines;
  for (const auto& [name, share, dashes] : {std::tuple("exact count, n/2", 2, 0), {"paper's count, n/3", 3, 1}}) {
    NamedLine& count =
        lines.emplace_back(NamedLine{name, theme.baseline, dashes_of(dashes), 1, true, false, equal.x, equal.x});
    for (double& area : count.y) area /= share;
  }
  lines.push_back(equal);
  PlotText text{title, caption};
  name_lines(text, lines, style);
  const PrintPage page = make_page(style, text);
  VectorCanvas& canvas = *page.canvas;
  const ChartLimits shown = style.limits.value_or(limits_of(lines));
  const PlotFrame frame(page, power_axis(shown[0], shown[1], "sequence length, tokens", style.limits.has_value()),
                        decade_axis(shown[2], shown[3], "area w1 × w2"), text);
  draw_lines(canvas, frame, lines, style);
  const FrameClip clip(canvas, frame, style);
  for (const SameBudget& budget : pass.budgets) {
    if (!budget.windows) continue;
    const AreaEstimate& area = *budget.windows;
    const double x = static_cast<double>(budget.seq_len);
    if (area.low > 0) draw_whisker(canvas, frame, x, area.low, area.high, theme.text, kSeriesMark);
    const ImVec2 at = frame.at(x, area.area);
    canvas.mark(at, mark_of_style(0), kSeriesMark, theme.accent, area.extrapolated());
    if (!std::has_single_bit(static_cast<std::uint64_t>(budget.seq_len)))  // it has no tick, as in the window
      canvas.text(at.x + 6, at.y + 14, format_tokens(budget.seq_len), {10, theme.muted, Anchor::start, false, true});
  }
  return canvas.finish();
}

}  // namespace triscope
