#include "views/model/charts/chart_model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "profiler/record/columns.hpp"
#include "profiler/statistics/convergence.hpp"
#include "profiler/statistics/statistics.hpp"
#include "views/data/format.hpp"
#include "views/model/styles/series_style.hpp"

namespace triscope {
namespace {

/// Of one setting.
std::vector<const LatencyLine*> lines_at(const LatencyModel& model, const ChartSetting& setting) {
  std::vector<const LatencyLine*> lines;
  for (const LatencyLine& line : model.lines) {
    if (belongs(setting, line)) lines.push_back(&line);
  }
  return lines;
}

std::vector<const LatencyLine*> all_lines(const LatencyModel& model) {
  std::vector<const LatencyLine*> lines;
  for (const LatencyLine& line : model.lines) lines.push_back(&line);
  return lines;
}

/// Each measurement of `series` that has a latency, in these lines of the model.
template <typename Visit>
void for_each_ok(const LatencyModel& model, const std::vector<const LatencyLine*>& lines, const Series& series,
                 Visit visit) {
  for (const LatencyLine* line : lines) {
    for (std::size_t g = 0; g < model.groups.size(); ++g) {
      if (!line->cells[g] || !belongs(series, *line, model.groups[g])) continue;
      const ResultRow& row = line->cells[g]->row;
      if (row.status == Status::ok && row.median_ms && std::isfinite(*row.median_ms)) visit(*line, *line->cells[g]);
    }
  }
}

/// The level a baseline has at a setting: of the same grouping of heads before others, of the widest window before
/// others.
bool nearer(const ChartSetting& setting, const Problem& a, const Problem& b) {
  const bool same_a = a.kv_heads == setting.problem.kv_heads, same_b = b.kv_heads == setting.problem.kv_heads;
  return same_a != same_b ? same_a : a.window1 > b.window1;
}

/// The points of each series at `setting`, made by `point_of` where it returns one; baselines as levels of one point.
template <typename Chart, typename PointOf>
void add_points(Chart& chart, const LatencyModel& model, const ChartSetting& setting, PointOf point_of) {
  const std::vector<const LatencyLine*> lines = lines_at(model, setting);
  for (const Series& series : model.series) {
    SeriesPoints points{series, {}};
    std::optional<Problem> level;
    for_each_ok(model, lines, series, [&](const LatencyLine& line, const LatencyCell& cell) {
      std::optional<ChartPoint> point = point_of(line, cell.row);
      if (!point) return;
      point->backward = cell.backward;
      if (!series.baseline) {
        points.points.push_back(*point);
      } else if (!level || nearer(setting, line.problem, *level)) {
        level = line.problem;
        points.points.assign(1, *point);
      }
    });
    if (!points.points.empty()) (series.baseline ? chart.levels : chart.series).push_back(std::move(points));
  }
}

/// What lines differ in beside kernel, windows and tokens, by index: columns of a chart's text.
std::vector<std::size_t> setting_facts(const LatencyModel& model) {
  std::vector<std::size_t> facts;
  for (std::size_t i = 0; i < model.fact_names.size(); ++i) {
    const std::string& name = model.fact_names[i];
    if (name != "kernel" && name != "timed by" && name != "tokens") facts.push_back(i);
  }
  return facts;
}

/// Adds the columns that say at which setting a row was measured, and their cells of one line.
void add_setting_columns(TextTable& table, const LatencyModel& model) {
  table.header.emplace_back("tokens");
  table.numeric.push_back(true);
  for (const std::size_t i : setting_facts(model)) {
    table.header.push_back(model.fact_names[i]);
    table.numeric.push_back(false);
  }
}
void add_setting_cells(std::vector<std::string>& cells, const LatencyModel& model, const LatencyLine& line) {
  cells.push_back(fmt::format("{}", line.problem.seq_len));
  for (const std::size_t i : setting_facts(model)) cells.push_back(line.facts[i]);
}

/// Points of every setting: `x_of` names where a line of our kernels stands.
template <typename XOf, typename PointOf>
TextTable points_text(const LatencyModel& model, const char* x, bool numeric_x, const char* y, XOf x_of,
                      PointOf point_of) {
  TextTable table{{"series"}, {false}, {}};
  add_setting_columns(table, model);
  table.header.insert(table.header.end(), {x, y, "below", "above"});
  table.numeric.insert(table.numeric.end(), {numeric_x, true, true, true});
  const std::vector<const LatencyLine*> lines = all_lines(model);
  for (const Series& series : model.series) {
    for_each_ok(model, lines, series, [&](const LatencyLine& line, const LatencyCell& cell) {
      const std::optional<ChartPoint> point = point_of(line, cell.row);
      if (!point) return;
      std::vector<std::string> cells{series.label};
      add_setting_cells(cells, model, line);
      cells.push_back(x_of(line));
      const int decimals =
          known_decimals(point->y, point->known ? std::optional((point->below + point->above) / 2) : std::nullopt);
      cells.push_back(format_fixed(point->y, decimals));
      for (const double end : {point->below, point->above})
        cells.push_back(point->known ? significant_text(end, 2) : "unknown");
      table.rows.push_back(std::move(cells));
    });
  }
  return table;
}

// An interval that says nothing has no whiskers.
double ms_below(const ResultRow& row) {
  return interval_known(row) ? std::max(0.0, *row.median_ms - *row.ci_low_ms) : 0;
}
double ms_above(const ResultRow& row) {
  return interval_known(row) ? std::max(0.0, *row.ci_high_ms - *row.median_ms) : 0;
}

/// A rate is work / time: the interval turns over.
std::optional<ChartPoint> rate_point(double x, const ResultRow& row) {
  if (!row.tflops || !std::isfinite(*row.tflops)) return std::nullopt;
  const double work = *row.tflops * *row.median_ms;
  ChartPoint point{x, *row.tflops, 0, 0, row.measurement, row.peak_fraction, interval_known(row)};
  point.converged = has_converged(row);
  if (!point.known) return point;
  point.below = std::max(0.0, *row.tflops - work / *row.ci_high_ms);
  point.above = std::max(0.0, work / *row.ci_low_ms - *row.tflops);
  return point;
}

double window_area(const LatencyLine& line) {
  return static_cast<double>(line.problem.window1) * static_cast<double>(line.problem.window2);
}

std::optional<ChartPoint> latency_point(const LatencyLine& line, const ResultRow& row) {
  if (*row.median_ms <= 0 || line.problem.form == Form::gemm)
    return std::nullopt;  // a product's rate compares, its latency does not
  return ChartPoint{line.baseline ? 0 : window_area(line),
                    *row.median_ms,
                    ms_below(row),
                    ms_above(row),
                    row.measurement,
                    std::nullopt,
                    interval_known(row),
                    0,
                    has_converged(row)};
}

}  // namespace

bool belongs(const ChartSetting& setting, const LatencyLine& line) {
  if (!line.baseline) return line.setting == setting.text;
  const Problem &a = line.problem, &b = setting.problem;
  return a.form == Form::gemm ||
         std::tie(a.batch, a.seq_len, a.q_heads, a.head_dim) == std::tie(b.batch, b.seq_len, b.q_heads, b.head_dim);
}

std::vector<ChartSetting> chart_settings(const LatencyModel& model) {
  std::vector<ChartSetting> settings;
  const bool only_baselines =
      std::all_of(model.lines.begin(), model.lines.end(), [](const LatencyLine& line) { return line.baseline; });
  for (const LatencyLine& line : model.lines) {
    if (line.baseline != only_baselines) continue;
    const bool known = std::any_of(settings.begin(), settings.end(),
                                   [&](const ChartSetting& one) { return one.text == line.setting; });
    if (!known) settings.push_back({line.setting, line.problem});
  }
  std::stable_sort(settings.begin(), settings.end(),
                   [](const ChartSetting& a, const ChartSetting& b) { return a.problem.seq_len > b.problem.seq_len; });
  return settings;
}

std::string point_text(const ChartPoint& point, const char* unit) {
  const std::string value = fmt::format("{} {}", significant_text(point.y), unit);
  if (!point.known) return value + ", interval unknown";
  return fmt::format("{}, 95 % interval {} to {}{}", value, significant_text(point.y - point.below),
                     significant_text(point.y + point.above), point.converged ? "" : ", not converged");
}

ValueRange value_range(const std::vector<SeriesPoints>& series, const std::vector<SeriesPoints>& levels) {
  constexpr double kShare = 0.5;
  double low = std::numeric_limits<double>::infinity(), high = 0;
  const auto each = [&](auto visit) {
    for (const auto* group : {&series, &levels}) {
      for (const SeriesPoints& one : *group) std::for_each(one.points.begin(), one.points.end(), visit);
    }
  };
  each([&](const ChartPoint& point) {
    low = std::min(low, point.y);
    high = std::max(high, point.y);
  });
  if (!(low <= high)) return {};
  const double least = low * kShare, most = high * (1 + kShare);
  each([&](const ChartPoint& point) {
    low = std::min(low, std::max(point.y - point.below, least));
    high = std::max(high, std::min(point.y + point.above, most));
  });
  return {low, high};
}

bool any_unknown(const std::vector<SeriesPoints>& series) {
  return std::any_of(series.begin(), series.end(), [](const SeriesPoints& one) {
    return std::any_of(one.points.begin(), one.points.end(), [](const ChartPoint& point) { return !point.known; });
  });
}

bool any_unconverged(const std::vector<SeriesPoints>& series) {
  return std::any_of(series.begin(), series.end(), [](const SeriesPoints& one) {
    return std::any_of(one.points.begin(), one.points.end(),
                       [](const ChartPoint& point) { return point.known && !point.converged; });
  });
}

namespace {

/// What was asked for at this setting and has no rate: at its place in the chart, so that it is not taken for what was
/// never asked for. A series that has nothing else stands last.
void add_missing(BarChart& chart, const LatencyModel& model, const ChartSetting& setting,
                 const std::map<std::string, std::size_t>& categories) {
  for (const LatencyLine& line : model.lines) {
    if (line.baseline || !belongs(setting, line)) continue;
    for (std::size_t g = 0; g < model.groups.size(); ++g) {
      if (!line.cells[g]) continue;
      const ResultRow& row = line.cells[g]->row;
      if (row.status != Status::failed && row.status != Status::skipped) continue;
      const auto is_its = [&](const Series& series) { return belongs(series, line, model.groups[g]); };
      auto found = std::ranges::find_if(chart.series, [&](const SeriesPoints& one) { return is_its(one.series); });
      if (found == chart.series.end()) {
        chart.series.push_back({*std::ranges::find_if(model.series, is_its), {}});
        found = std::prev(chart.series.end());
      }
      found->missing.push_back(
          {static_cast<double>(categories.at(line.label)), row.status, row.reason, row.measurement});
    }
  }
}

}  // namespace

BarChart make_bar_chart(const LatencyModel& model, const ChartSetting& setting) {
  BarChart chart;
  std::map<std::string, std::size_t> index;
  for (const LatencyLine& line : model.lines) {
    if (line.baseline || !belongs(setting, line)) continue;
    if (index.emplace(line.label, chart.categories.size()).second) chart.categories.push_back(line.label);
  }
  add_points(chart, model, setting, [&](const LatencyLine& line, const ResultRow& row) {
    return rate_point(line.baseline ? 0 : static_cast<double>(index[line.label]), row);
  });
  add_missing(chart, model, setting, index);
  return chart;
}

std::string missing_sentences(const BarChart& chart) {
  constexpr std::size_t kMostNamed = 6;
  std::string text;
  for (const Status status : {Status::failed, Status::skipped}) {
    std::vector<std::string> names;
    for (const SeriesPoints& one : chart.series) {
      for (const SeriesPoints::Missing& missing : one.missing) {
        if (missing.status == status)
          names.push_back(
              fmt::format("{} at {}", one.series.label, chart.categories[static_cast<std::size_t>(missing.x)]));
      }
    }
    if (names.empty()) continue;
    text += fmt::format("{}: {}. ", status == Status::failed ? "Failed (red edge)" : "Skipped",
                        names.size() > kMostNamed ? format_count(static_cast<std::int64_t>(names.size()))
                                                  : fmt::format("{}", fmt::join(names, ", ")));
  }
  return text.empty() ? text : "Hatched bars have no rate. " + text;
}

TextTable bars_text(const LatencyModel& model) {
  return points_text(
      model, "window", false, "TFLOP/s", [](const LatencyLine& line) { return line.label; },
      [](const LatencyLine&, const ResultRow& row) { return rate_point(0, row); });
}

StackLine fastest_line(const SeriesPoints& series) {
  StackLine line;
  for (const ChartPoint& point : series.points) {
    if (!line.x.empty() && line.x.back() == point.x) {
      line.y.back() = std::min(line.y.back(), point.y);
    } else {
      line.x.push_back(point.x);
      line.y.push_back(point.y);
    }
  }
  return line;
}

namespace {

std::vector<PlaceInStack> places_of(const std::vector<SeriesPoints>& series) {
  std::vector<StackLine> lines;
  for (const SeriesPoints& one : series) lines.push_back(fastest_line(one));
  return stack_lines(lines);
}

}  // namespace

ScalingChart make_scaling_chart(const LatencyModel& model, const ChartSetting& setting) {
  ScalingChart chart;
  add_points(chart, model, setting, latency_point);
  for (SeriesPoints& points : chart.series) {
    std::stable_sort(points.points.begin(), points.points.end(),
                     [](const ChartPoint& a, const ChartPoint& b) { return a.x < b.x; });
  }
  chart.places = places_of(chart.series);
  return chart;
}

void add_steps(ScalingChart& chart, const LatencyModel& steps, const ChartSetting& setting) {
  ScalingChart of_steps = make_scaling_chart(steps, setting);
  std::set<int> taken;
  for (const SeriesPoints& one : chart.series) taken.insert(one.series.colour);
  for (SeriesPoints& one : of_steps.series)  // no pass and no other step has its colour and its mark
    one.series.colour = next_free_style(taken, one.series.colour);
  std::ranges::move(of_steps.series, std::back_inserter(chart.series));
  std::ranges::move(of_steps.levels, std::back_inserter(chart.levels));
  chart.places = places_of(chart.series);
}

TextTable scaling_text(const LatencyModel& model) {
  const auto area = [](const LatencyLine& line) {
    return line.baseline ? std::string() : fmt::format("{:.0f}", window_area(line));
  };
  return points_text(model, "w1 x w2", true, "ms", area, latency_point);
}

std::vector<Series> map_series(const LatencyModel& model) {
  std::vector<Series> result = model.series;
  std::erase_if(result, [](const Series& series) { return series.baseline; });
  return result;
}

const Series* chosen_series(const std::vector<Series>& choices, const std::optional<Series>& chosen) {
  if (choices.empty()) return nullptr;
  const auto is_alike = [&](const Series& one) {
    return one.step == chosen->step && one.pass == chosen->pass && one.regime == chosen->regime;
  };
  const Series* other_step = nullptr;
  for (const Series& one : choices) {
    if (!chosen || !is_alike(one)) continue;
    if (one.kernel == chosen->kernel) return &one;
    if (one.step && !other_step) other_step = &one;
  }
  return other_step ? other_step : choices.data();
}

namespace {

bool has_windows(const LatencyLine& line) { return !line.baseline && line.problem.mask != Mask::full; }

MapCell map_cell(const LatencyCell& of, MapMetric metric) {
  const ResultRow& row = of.row;
  MapCell cell{MapCell::State::skipped, 0, row.measurement, row.reason, interval_known(row), 0, of.backward};
  const auto value = metric == MapMetric::latency  ? row.median_ms
                     : metric == MapMetric::tflops ? row.tflops
                                                   : row.peak_fraction;
  if (row.status == Status::ok && value) {
    cell.value = metric == MapMetric::peak ? *value * 100 : *value;
    cell.decimals = metric == MapMetric::latency  ? ms_decimals(row)
                    : metric == MapMetric::tflops ? rate_decimals(row)
                                                  : 1;
    cell.state = std::isfinite(cell.value) ? MapCell::State::ok : MapCell::State::nan;
  } else if (row.status == Status::failed) {
    cell.state = MapCell::State::failed;
  } else if (metric == MapMetric::peak && of.backward != 0) {
    cell.reason = "The share of the peak is known of each pass.";
  }
  return cell;
}

}  // namespace

WindowMap make_window_map(const LatencyModel& model, const ChartSetting& setting, const Series& series,
                          MapMetric metric) {
  WindowMap map;
  std::set<std::int64_t> axis1, axis2;
  for (const LatencyLine& line : model.lines) {
    if (!has_windows(line) || !belongs(setting, line)) continue;
    axis1.insert(line.problem.window1);
    axis2.insert(line.problem.window2);
  }
  map.window1.assign(axis1.begin(), axis1.end());
  map.window2.assign(axis2.begin(), axis2.end());
  map.cells.resize(map.window1.size() * map.window2.size());
  bool first = true;
  for (const LatencyLine& line : model.lines) {
    if (!has_windows(line) || !belongs(setting, line)) continue;
    const auto i1 = std::distance(axis1.begin(), axis1.find(line.problem.window1));
    const auto i2 = std::distance(axis2.begin(), axis2.find(line.problem.window2));
    MapCell& cell = map.cells[static_cast<std::size_t>(i2) * map.window1.size() + static_cast<std::size_t>(i1)];
    for (std::size_t g = 0; g < model.groups.size(); ++g) {
      if (line.cells[g] && belongs(series, line, model.groups[g]) && cell.state != MapCell::State::ok)
        cell = map_cell(*line.cells[g], metric);
    }
    if (cell.state != MapCell::State::ok) continue;
    map.low = first ? cell.value : std::min(map.low, cell.value);
    map.high = first ? cell.value : std::max(map.high, cell.value);
    first = false;
  }
  // Colours span at least a quarter of the best value, so that noise does not look like structure.
  if (metric == MapMetric::latency) {
    map.high = std::max(map.high, map.low / 0.75);
  } else {
    map.low = std::min(map.low, map.high * 0.75);
  }
  return map;
}

TextTable map_text(const LatencyModel& model, const Series& series, MapMetric metric) {
  TextTable table{{"w1", "w2"}, {true, true}, {}};
  add_setting_columns(table, model);
  table.header.emplace_back(metric == MapMetric::latency  ? "ms"
                            : metric == MapMetric::tflops ? "TFLOP/s"
                                                          : "% of peak");
  table.numeric.push_back(true);
  for (const LatencyLine& line : model.lines) {
    for (std::size_t g = 0; has_windows(line) && g < model.groups.size(); ++g) {
      if (!line.cells[g] || !belongs(series, line, model.groups[g])) continue;
      const MapCell cell = map_cell(*line.cells[g], metric);
      std::vector<std::string> cells{fmt::format("{}", line.problem.window1), fmt::format("{}", line.problem.window2)};
      add_setting_cells(cells, model, line);
      const bool value = cell.state == MapCell::State::ok || cell.state == MapCell::State::nan;
      cells.push_back(value ? format_fixed(cell.value, cell.decimals)
                            : std::string(to_string(line.cells[g]->row.status)));
      table.rows.push_back(std::move(cells));
    }
  }
  return table;
}

}  // namespace triscope
