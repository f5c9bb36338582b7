#include "views/print/chart_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/error.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/statistics/statistics.hpp"
#include "views/data/format.hpp"
#include "views/parts/chart_tools.hpp"
#include "views/print/plot_frame.hpp"

namespace triscope {
namespace {

constexpr float kLabelSize = 10, kLevelRoom = 96;

/// "12 to 40", or "32" when both are the same.
std::string range_text(std::int64_t low, std::int64_t high) {
  return low == high ? format_count(low) : fmt::format("{} to {}", format_count(low), format_count(high));
}

/// Names of levels at the right edge, pushed apart.
struct EdgeLabel {
  float y = 0;
  std::string text;
};
void draw_edge_labels(VectorCanvas& canvas, const PlotFrame& frame, std::vector<EdgeLabel> labels) {
  const ImU32 colour = light_theme().baseline;
  std::sort(labels.begin(), labels.end(), [](const EdgeLabel& a, const EdgeLabel& b) { return a.y < b.y; });
  float next = frame.low().y;
  for (const EdgeLabel& label : labels) {
    const float y = std::max(label.y, next);
    next = y + 13;
    canvas.line({{frame.high().x, label.y}, {frame.high().x + 8, y}}, colour, 0.75F);
    canvas.text(frame.high().x + 11, y + 3.5F, label.text, {kLabelSize, colour});
  }
}

std::vector<LegendEntry> legend_of(const std::vector<SeriesPoints>& series, bool lines) {
  std::vector<LegendEntry> legend;
  for (const SeriesPoints& one : series) {
    legend.push_back(
        {one.series.label, series_colour(light_theme(), one.series), lines ? one.series.colour % 8 : 1, lines});
  }
  return legend;
}

void plot_line(VectorCanvas& canvas, const PlotFrame& frame, const SeriesPoints& series) {
  const ImU32 colour = series_colour(light_theme(), series.series);
  // Shapes of one area differ: the line follows the fastest of each.
  std::vector<ImVec2> line;
  double last_x = -1;
  for (const ChartPoint& point : series.points) {
    const ImVec2 at = frame.at(point.x, point.y);
    if (point.x != last_x) {
      line.push_back(at);
    } else {
      line.back().y = std::max(line.back().y, at.y);
    }
    last_x = point.x;
  }
  canvas.line(line, colour, 1.75F);
  for (const ChartPoint& point : series.points) {
    draw_whisker(canvas, frame, point.x, point.y - point.below, point.y + point.above, colour);
    canvas.mark(frame.at(point.x, point.y), series.series.colour % 8, 3.5F, colour, !point.known);
  }
}

}  // namespace

std::string print_caption(const SweepResults& sweep) {
  std::vector<double> clocks;
  std::int64_t fewest = 0, most = 0;
  bool sustained = false, burst = false, unknown = false;
  std::string timed;
  for (const ResultRow& row : sweep.rows) {
    if (row.status != Status::ok) continue;
    if (row.sm_clock_mhz) clocks.push_back(*row.sm_clock_mhz);
    fewest = most == 0 ? row.samples : std::min(fewest, row.samples);
    most = std::max(most, row.samples);
    (row.regime == Regime::burst ? burst : sustained) = true;
    unknown |= !interval_known(row);
    timed = timing_label(row.timing_source);
  }
  std::string text = sweep.info.environment.device_name;
  if (!clocks.empty()) text += fmt::format(", {} MHz", format_count(std::llround(median(clocks))));
  text += sustained && burst ? ", sustained and burst" : burst ? ", burst" : ", sustained";
  if (!timed.empty()) text += ", timed by " + timed;
  return text + fmt::format("; medians of n = {} samples, bars of 95 % intervals{}. {}.", range_text(fewest, most),
                            unknown ? ", hollow where the interval is unknown" : "", sweep.info.started.substr(0, 10));
}

std::string bars_picture(const BarChart& chart, const std::string& title, const std::string& caption,
                         VectorFormat format) {
  const Theme& theme = light_theme();
  const double top = value_range(chart.series, chart.levels).high;
  PlotAxis x{-0.5, static_cast<double>(std::max<std::size_t>(1, chart.categories.size())) - 0.5, false, {}, "windows"};
  for (std::size_t n = 0; n < chart.categories.size(); ++n)
    x.ticks.emplace_back(static_cast<double>(n), chart.categories[n]);
  const std::unique_ptr<VectorCanvas> made = make_canvas(format, kPrintSize, title, theme.panel);
  VectorCanvas& canvas = *made;
  const PlotFrame frame(canvas, kPrintSize, std::move(x), linear_axis(top * 1.06, "TFLOP/s"),
                        {title, caption, legend_of(chart.series, false), chart.levels.empty() ? 0 : kLevelRoom});
  const double width = 0.76 / static_cast<double>(std::max<std::size_t>(1, chart.series.size()));
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    const SeriesPoints& series = chart.series[s];
    for (const ChartPoint& point : series.points) {
      const double left = point.x - 0.38 + width * static_cast<double>(s);
      canvas.box(frame.at(left + width * 0.05, point.y), frame.at(left + width * 0.95, 0),
                 series_colour(theme, series.series), !point.known);
      draw_whisker(canvas, frame, left + width / 2, point.y - point.below, point.y + point.above, theme.text);
    }
  }
  std::vector<EdgeLabel> labels;
  for (const SeriesPoints& level : chart.levels) {
    const float y = frame.at(0, level.points.front().y).y;
    canvas.line({{frame.low().x, y}, {frame.high().x, y}}, theme.baseline, 1, "5 3");
    labels.push_back({y, level_name(level.series, chart.levels) + " " + significant_text(level.points.front().y)});
  }
  draw_edge_labels(canvas, frame, std::move(labels));
  return canvas.finish();
}

std::string scaling_picture(const ScalingChart& chart, const std::string& title, const std::string& caption,
                            VectorFormat format) {
  const Theme& theme = light_theme();
  double x_low = 1e300, x_high = 1;
  for (const SeriesPoints& series : chart.series) {
    for (const ChartPoint& point : series.points) x_low = std::min(x_low, point.x), x_high = std::max(x_high, point.x);
  }
  const ValueRange values = value_range(chart.series, chart.levels);
  const std::unique_ptr<VectorCanvas> made = make_canvas(format, kPrintSize, title, theme.panel);
  VectorCanvas& canvas = *made;
  const PlotFrame frame(canvas, kPrintSize, power_axis(x_low / 1.4, x_high * 1.4, "window area w1 × w2, tokens²"),
                        decade_axis(values.low / 1.2, values.high * 1.2, "latency, ms"),
                        {title, caption, legend_of(chart.series, true), chart.levels.empty() ? 0 : kLevelRoom});
  std::vector<EdgeLabel> labels;
  for (const SeriesPoints& level : chart.levels) {
    const float y = frame.at(x_low, level.points.front().y).y;
    canvas.line({{frame.low().x, y}, {frame.high().x, y}}, theme.baseline, 1, "5 3");
    labels.push_back({y, level_name(level.series, chart.levels)});
  }
  for (const SeriesPoints& series : chart.series) plot_line(canvas, frame, series);
  draw_edge_labels(canvas, frame, std::move(labels));
  return canvas.finish();
}

std::string lengths_picture(const LengthPass& pass, const std::string& title, const std::string& caption,
                            VectorFormat format) {
  const Theme& theme = light_theme();
  double x_low = 1e300, x_high = 1, y_low = 1e300, y_high = 1e-300;
  std::vector<LegendEntry> legend;
  for (const LengthCurve& curve : pass.curves) {
    for (const LengthPoint& point : curve.points) {
      const double x = static_cast<double>(point.seq_len);
      x_low = std::min(x_low, x), x_high = std::max(x_high, x);
      y_low = std::min(y_low, point.ms), y_high = std::max(y_high, point.ms);
    }
    if (!curve.baseline)
      legend.push_back({curve.label, theme.series[static_cast<std::size_t>(curve.style) % theme.series.size()],
                        curve.style % 8, true});
  }
  const std::unique_ptr<VectorCanvas> made = make_canvas(format, kPrintSize, title, theme.panel);
  VectorCanvas& canvas = *made;
  const PlotFrame frame(canvas, kPrintSize, power_axis(x_low / 1.2, x_high * 1.2, "sequence length, tokens"),
                        decade_axis(y_low / 1.5, y_high * 1.5, "latency, ms"),
                        {title, caption, std::move(legend), kLevelRoom + 12});
  std::vector<EdgeLabel> labels;
  for (const LengthCurve& curve : pass.curves) {
    const ImU32 colour =
        curve.baseline ? theme.baseline : theme.series[static_cast<std::size_t>(curve.style) % theme.series.size()];
    std::vector<ImVec2> line;
    for (const LengthPoint& point : curve.points)
      line.push_back(frame.at(static_cast<double>(point.seq_len), point.ms));
    canvas.line(line, colour, curve.baseline ? 1.0F : 1.75F, curve.baseline ? "5 3" : "");
    if (curve.baseline) {
      std::string name = curve.label;
      if (name.starts_with(curve.card.label)) name.replace(0, curve.card.label.size(), curve.card.short_label);
      labels.push_back({line.back().y, std::move(name)});
      continue;
    }
    for (const LengthPoint& point : curve.points) {
      const double x = static_cast<double>(point.seq_len);
      const bool known = interval_known(point);
      if (known) draw_whisker(canvas, frame, x, point.low_ms, point.high_ms, colour);
      canvas.mark(frame.at(x, point.ms), curve.style % 8, 3.5F, colour, !known);
    }
  }
  draw_edge_labels(canvas, frame, std::move(labels));
  return canvas.finish();
}

}  // namespace triscope
