// The charts without their pixels: series, categories and cells, each with its numbers as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/export/text_table.hpp"
#include "views/model/styles/stacked_lines.hpp"
#include "views/model/tables/latency_model.hpp"

namespace triscope {

struct ChartPoint {
  double x = 0;                 ///< category index, or w1 x w2
  double y = 0;                 ///< TFLOP/s, or ms
  double below = 0, above = 0;  ///< 95 % interval, as distances from y
  std::int64_t measurement = 0;
  std::optional<double> peak_fraction{};  ///< of a rate: of the dense peak, by counted cycles
  bool known = true;                      ///< the interval is; otherwise `below` and `above` are 0
  std::int64_t backward = 0;              ///< of a training step: the measurement of its other pass
  bool converged = true;                  ///< its samples reached the precision that was asked for
};
/// A point is drawn hollow where its interval is not known, or its samples did not reach the precision asked for.
inline bool is_hollow(bool known, bool converged) { return !known || !converged; }
/// "0.2 TFLOP/s, 95 % interval 0.198 to 0.203", "1.23 ms, interval unknown"; beside a point that is hovered.
std::string point_text(const ChartPoint& point, const char* unit);

/// One of the settings (tokens, heads, forms, instances, ...) that a sweep was measured at. Charts over windows show
/// one.
struct ChartSetting {
  std::string text;  ///< "32,768 tokens, sink 1"; empty: the sweep has no other
  Problem problem;   ///< of its first line
};
/// The longest sequence first, which is what charts begin with.
std::vector<ChartSetting> chart_settings(const LatencyModel& model);
/// A baseline belongs where its shape does, a matrix product everywhere.
bool belongs(const ChartSetting& setting, const LatencyLine& line);

/// (1) TFLOP/s by window, baselines as levels. (3) latency against window area.
struct SeriesPoints {
  Series series;
  std::vector<ChartPoint> points;
  /// Of bars: what was asked for and has no rate.
  struct Missing {
    double x = 0;  ///< category index
    Status status = Status::failed;
    std::string reason;
    std::int64_t measurement = 0;
  };
  std::vector<Missing> missing = {};
};
struct BarChart {
  std::vector<std::string> categories;  ///< "512 × 32"
  std::vector<SeriesPoints> series;     ///< our kernels; x = category index
  std::vector<SeriesPoints> levels;     ///< baselines; one point each, its y is the level
};
/// What an axis has to show of the points. An interval counts as far as it reaches half of the highest value above that
/// or half of the lowest below: one that is very wide must not press all values against the axis.
struct ValueRange {
  double low = 0, high = 0;  ///< both 0 without a point
};
ValueRange value_range(const std::vector<SeriesPoints>& series, const std::vector<SeriesPoints>& levels);
bool any_unknown(const std::vector<SeriesPoints>& series);
bool any_unconverged(const std::vector<SeriesPoints>& series);

BarChart make_bar_chart(const LatencyModel& model, const ChartSetting& setting);
/// "Hatched bars have no rate. Failed (red edge): forward at 512 × 32. ", for print; empty: every bar has one.
std::string missing_sentences(const BarChart& chart);
/// Every setting's points, for files: a chart shows one.
TextTable bars_text(const LatencyModel& model);

struct ScalingChart {
  std::vector<SeriesPoints> series;  ///< sorted by x
  std::vector<SeriesPoints> levels;  ///< baselines: latency whatever the windows
  std::vector<PlaceInStack> places;  ///< by series: which lie on each other
};
/// Shapes of one area differ: the line follows the fastest of each.
StackLine fastest_line(const SeriesPoints& series);
ScalingChart make_scaling_chart(const LatencyModel& model, const ChartSetting& setting);
/// The same of training steps, beside the passes.
void add_steps(ScalingChart& chart, const LatencyModel& steps, const ChartSetting& setting);
TextTable scaling_text(const LatencyModel& model);

/// (2) w1 across, w2 up.
enum class MapMetric { latency, tflops, peak };
struct MapCell {
  enum class State { absent, ok, nan, failed, skipped } state = State::absent;
  double value = 0;
  std::int64_t measurement = 0;
  std::string reason;         ///< of a cell that is not ok
  bool known = true;          ///< the interval of its latency is
  int decimals = 0;           ///< of `value`, as many as its interval bears
  std::int64_t backward = 0;  ///< of a training step: the measurement of its other pass
};
struct WindowMap {
  std::vector<std::int64_t> window1, window2;  ///< sorted axes
  std::vector<MapCell> cells;                  ///< [window2 index][window1 index]
  double low = 0, high = 0;  ///< of the colours: the ok values, and at least a quarter of the best one
  const MapCell& at(std::size_t i1, std::size_t i2) const { return cells[i2 * window1.size() + i1]; }
};
/// The series a map can show: one per kernel and pass of our kernels.
std::vector<Series> map_series(const LatencyModel& model);
/// That of `choices` which `chosen` was in another sweep, or before a measurement came. A step is still one where
/// another kernel has become the fastest of a pass. Else the first; null: there are none.
const Series* chosen_series(const std::vector<Series>& choices, const std::optional<Series>& chosen);
WindowMap make_window_map(const LatencyModel& model, const ChartSetting& setting, const Series& series,
                          MapMetric metric);
TextTable map_text(const LatencyModel& model, const Series& series, MapMetric metric);

}  // namespace triscope
