// Charts as inline SVG: lines, bands and points on linear or logarithmic axes, and bars. Text stays text.
#pragma once

#include <string>
#include <vector>

namespace triscope {

struct SvgPoint {
  double x = 0, y = 0;
};

struct SvgSeries {
  std::string name;
  char colour = 'a';  ///< a, b or c
  std::vector<SvgPoint> line;
  std::vector<SvgPoint> marks;
  std::vector<SvgPoint> low, high;  ///< edges of a band, by x; empty: none
};

struct SvgTick {
  double at = 0;
  std::string label;
};

struct SvgChart {
  std::string title, x_label, y_label;
  bool log_x = false, log_y = false;
  std::vector<SvgTick> x_ticks;  ///< empty: made
  std::vector<SvgSeries> series;
  int width = 420, height = 280;
};
/// The chart as an element <svg>. Points that have no place on an axis (not finite, on a logarithmic axis not above 0)
/// are left out.
std::string svg_chart(const SvgChart& chart);

struct SvgBar {
  std::string label;
  double value = 0;
  std::string text;  ///< beside the bar
  char colour = 'a';
};
/// Horizontal bars from 0 to `most`.
std::string svg_bars(const std::string& title, const std::vector<SvgBar>& bars, double most, int width = 640);

/// Round numbers that divide `low` .. `high` into about `count` steps; powers of ten, and of two where those are few,
/// on a logarithmic axis.
std::vector<SvgTick> round_ticks(double low, double high, bool logarithmic, int count = 5);

}  // namespace triscope
