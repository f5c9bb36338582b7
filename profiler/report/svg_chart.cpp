#include "profiler/report/svg_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>

#include "profiler/report/html.hpp"

namespace triscope {
namespace {

constexpr double kLeft = 58, kRight = 14, kTop = 46, kBottom = 42;

/// One axis: values to pixels.
struct Axis {
  bool logarithmic = false;
  double low = 0, high = 1, from = 0, to = 1;

  bool has(double value) const { return std::isfinite(value) && (!logarithmic || value > 0); }
  double at(double value) const {
    const double a = logarithmic ? std::log(low) : low, b = logarithmic ? std::log(high) : high;
    return from + ((logarithmic ? std::log(value) : value) - a) / (b - a) * (to - from);
  }
};

struct Frame {
  Axis x, y;
};

void widen(Axis& axis, double value, bool& first) {
  if (!axis.has(value)) return;
  axis.low = first ? value : std::min(axis.low, value);
  axis.high = first ? value : std::max(axis.high, value);
  first = false;
}

void pad(Axis& axis) {
  if (axis.logarithmic) {
    const double factor = std::max(1.02, std::pow(axis.high / axis.low, 0.06));
    axis.low /= factor;
    axis.high *= factor;
  } else {
    const double room =
        axis.high > axis.low ? 0.06 * (axis.high - axis.low) : std::max(1e-9, std::abs(axis.high) * 0.1);
    axis.low -= room;
    axis.high += room;
  }
}

Frame frame_of(const SvgChart& chart) {
  Frame frame;
  frame.x = {chart.log_x, 0, 1, kLeft, chart.width - kRight};
  frame.y = {chart.log_y, 0, 1, chart.height - kBottom, kTop};
  bool first_x = true, first_y = true;
  for (const SvgSeries& series : chart.series) {
    for (const auto* points : {&series.line, &series.marks, &series.low, &series.high}) {
      for (const SvgPoint& point : *points) {
        widen(frame.x, point.x, first_x);
        widen(frame.y, point.y, first_y);
      }
    }
  }
  if (first_x || first_y) frame.x.low = frame.y.low = 1, frame.x.high = frame.y.high = 2;
  pad(frame.x);
  pad(frame.y);
  return frame;
}

std::string path_of(const Frame& frame, const std::vector<SvgPoint>& points) {
  std::string out;
  for (const SvgPoint& point : points) {
    if (frame.x.has(point.x) && frame.y.has(point.y))
      out += fmt::format("{:.1f},{:.1f} ", frame.x.at(point.x), frame.y.at(point.y));
  }
  return out;
}

std::string text_at(double x, double y, const char* anchor, const std::string& text, const char* style = "soft") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" class=\"{}\">{}</text>\n", x, y, anchor, style,
                     html_text(text));
}

std::string axes_of(const SvgChart& chart, const Frame& frame) {
  std::string out;
  const double bottom = chart.height - kBottom, right = chart.width - kRight;
  for (const SvgTick& tick : round_ticks(frame.y.low, frame.y.high, chart.log_y)) {
    const double y = frame.y.at(tick.at);
    out += fmt::format("<line class=\"grid\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" />\n", kLeft,
                       right, y, y);
    out += text_at(kLeft - 6, y + 4, "end", tick.label);
  }
  const std::vector<SvgTick> ticks =
      chart.x_ticks.empty() ? round_ticks(frame.x.low, frame.x.high, chart.log_x) : chart.x_ticks;
  double free_from = -1e9;  // where the next name has room; a mark without one still stands
  for (const SvgTick& tick : ticks) {
    if (tick.at < frame.x.low || tick.at > frame.x.high) continue;
    const double x = frame.x.at(tick.at);
    out += fmt::format("<line class=\"axis\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" />\n", x, x,
                       bottom, bottom + 4);
    const double half = 3.5 * static_cast<double>(tick.label.size());
    if (x - half < free_from) continue;
    out += text_at(x, bottom + 17, "middle", tick.label);
    free_from = x + half + 4;
  }
  out += fmt::format("<line class=\"axis\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" />\n", kLeft, right,
                     bottom, bottom);
  out += text_at((kLeft + right) / 2, chart.height - 8, "middle", chart.x_label);
  return out + text_at(4, kTop - 8, "start", chart.y_label);
}

std::string series_of(const SvgSeries& series, const Frame& frame) {
  std::string out;
  if (!series.low.empty()) {
    std::vector<SvgPoint> edge = series.low;
    edge.insert(edge.end(), series.high.rbegin(), series.high.rend());
    out += fmt::format("<polygon class=\"{}\" points=\"{}\" />\n", series.colour, path_of(frame, edge));
  }
  if (!series.line.empty())
    out += fmt::format("<polyline class=\"{}\" points=\"{}\" />\n", series.colour, path_of(frame, series.line));
  for (const SvgPoint& point : series.marks) {
    if (frame.x.has(point.x) && frame.y.has(point.y))
      out += fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.2\" />\n", series.colour,
                         frame.x.at(point.x), frame.y.at(point.y));
  }
  return out;
}

std::string number(double value) {
  value += 0.0;  // -0 is 0
  return value != 0 && (std::abs(value) >= 1e5 || std::abs(value) < 1e-3) ? fmt::format("{:.0e}", value)
                                                                          : fmt::format("{:g}", value);
}

}  // namespace

std::vector<SvgTick> round_ticks(double low, double high, bool logarithmic, int count) {
  std::vector<SvgTick> ticks;
  if (!(high > low) || !std::isfinite(low) || !std::isfinite(high)) return ticks;
  if (logarithmic) {
    const double base = high / low > 200 ? 10 : 2;
    for (double power = std::floor(std::log(low) / std::log(base)); std::pow(base, power) <= high; ++power) {
      const double value = std::pow(base, power);
      if (value >= low) ticks.push_back({value, number(value)});
    }
    if (ticks.size() >= 2) return ticks;
    ticks.clear();
  }
  const double rough = (high - low) / count, magnitude = std::pow(10, std::floor(std::log10(rough)));
  const double ratio = rough / magnitude;
  const double step = magnitude * (ratio > 5 ? 10 : ratio > 2 ? 5 : ratio > 1 ? 2 : 1);
  for (double n = std::ceil(low / step); n * step <= high; ++n) ticks.push_back({n * step, number(n * step)});
  return ticks;
}

std::string svg_chart(const SvgChart& chart) {
  const Frame frame = frame_of(chart);
  std::string out = fmt::format("<svg viewBox=\"0 0 {} {}\" width=\"{}\" height=\"{}\" role=\"img\">\n", chart.width,
                                chart.height, chart.width, chart.height);
  out += "<title>" + html_text(chart.title) + "</title>\n" + text_at(4, 14, "start", chart.title, "title");
  out += axes_of(chart, frame);
  double x = chart.width - kRight;
  for (const auto& series : std::views::reverse(chart.series)) {
    out += series_of(series, frame);
    if (series.name.empty()) continue;
    x -= 7.0 * static_cast<double>(series.name.size()) + 8;
    out += text_at(x, kTop - 8, "start", series.name, "soft");
    out +=
        fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" />\n", series.colour, x - 8, kTop - 12);
    x -= 20;
  }
  return out + "</svg>\n";
}

std::string svg_bars(const std::string& title, const std::vector<SvgBar>& bars, double most, int width) {
  constexpr double kLine = 22, kLabel = 250, kText = 70;
  const auto height = static_cast<int>(26 + kLine * static_cast<double>(bars.size()));
  std::string out = fmt::format("<svg viewBox=\"0 0 {} {}\" width=\"{}\" height=\"{}\" role=\"img\">\n", width, height,
                                width, height);
  out += "<title>" + html_text(title) + "</title>\n" + text_at(4, 14, "start", title, "title");
  double y = 26;
  for (const SvgBar& bar : bars) {
    const double room = width - kLabel - kText;
    const double length = most > 0 && std::isfinite(bar.value) ? std::clamp(bar.value / most, 0.0, 1.0) * room : 0;
    out += text_at(kLabel - 8, y + 14, "end", bar.label, "label");
    out += fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"14\" />\n", bar.colour,
                       kLabel, y + 3, length);
    out += text_at(kLabel + length + 6, y + 14, "start", bar.text);
    y += kLine;
  }
  return out + "</svg>\n";
}

}  // namespace triscope
