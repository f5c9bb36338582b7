#include "views/model/chart_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "profiler/statistics/statistics.hpp"
#include "views/data/format.hpp"

namespace triscope {
namespace {

/// The colour a kernel and pass has in every sweep and chart: two kernels have colours of their own, others follow.
int usual_colour(const KernelCard& card, const LatencyGroup& group) {
  const int pass = group.pass == Pass::forward ? 0 : 1, regime = group.regime == Regime::sustained ? 0 : 4;
  if (card.colour && *card.colour >= 0 && *card.colour < 2) return regime + 2 * static_cast<int>(*card.colour) + pass;
  return 4 + pass;
}

/// Series of a model in order of appearance; two of ours never share a colour while there are colours.
std::vector<Series> all_series(const LatencyModel& model) {
  std::vector<Series> result;
  std::set<std::string> kernels;
  for (const LatencyLine& line : model.lines) {
    if (!line.baseline) kernels.insert(line.kernel);
  }
  std::set<int> taken;
  for (const LatencyLine& line : model.lines) {
    for (std::size_t g = 0; g < model.groups.size(); ++g) {
      if (!line.cells[g]) continue;
      const LatencyGroup& group = model.groups[g];
      const bool known = std::any_of(result.begin(), result.end(), [&](const Series& series) {
        return series.kernel == line.kernel && series.pass == group.pass && series.regime == group.regime;
      });
      if (known) continue;
      const bool name_kernel = line.baseline || kernels.size() > 1;
      std::string label = name_kernel ? line.card.label + " " + group.title : group.title;
      int colour = line.baseline ? 0 : usual_colour(line.card, group);
      while (!line.baseline && !taken.insert(colour).second) ++colour;
      result.push_back(
          {line.kernel, line.card.short_label, group.pass, group.regime, std::move(label), colour, line.baseline});
    }
  }
  return result;
}

bool belongs(const Series& series, const LatencyLine& line, const LatencyGroup& group) {
  return line.kernel == series.kernel && group.pass == series.pass && group.regime == series.regime;
}

/// Each measurement of `series` that has a latency, in lines of `setting`; of all settings when it is null.
template <typename Visit>
void for_each_ok(const LatencyModel& model, const ChartSetting* setting, const Series& series, Visit visit) {
  for (const LatencyLine& line : model.lines) {
    if (setting && !belongs(*setting, line)) continue;
    for (std::size_t g = 0; g < model.groups.size(); ++g) {
      if (!line.cells[g] || !belongs(series, line, model.groups[g])) continue;
      const ResultRow& row = line.cells[g]->row;
      if (row.status == Status::ok && row.median_ms && std::isfinite(*row.median_ms)) visit(line, row);
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
  for (const Series& series : all_series(model)) {
    SeriesPoints points{series, {}};
    std::optional<Problem> level;
    for_each_ok(model, &setting, series, [&](const LatencyLine& line, const ResultRow& row) {
      const std::optional<ChartPoint> point = point_of(line, row);
      if (!point) return;
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
  for (const Series& series : all_series(model)) {
    for_each_ok(model, nullptr, series, [&](const LatencyLine& line, const ResultRow& row) {
      const std::optional<ChartPoint> point = point_of(line, row);
      if (!point) return;
      std::vector<std::string> cells{series.label};
      add_setting_cells(cells, model, line);
      cells.push_back(x_of(line));
      for (const std::string& number :
           {fmt::format("{:.6g}", point->y), fmt::format("{:.3g}", point->below), fmt::format("{:.3g}", point->above)})
        cells.push_back(number);
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
  ChartPoint point{x, *row.tflops, 0, 0, row.measurement, row.peak_fraction};
  if (!interval_known(row)) return point;
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
  return ChartPoint{line.baseline ? 0 : window_area(line), *row.median_ms, ms_below(row), ms_above(row),
                    row.measurement};
}

/// What the device did while it was measured.
std::vector<std::string> conditions_of(const std::vector<Sample>& samples) {
  std::vector<std::string> words;
  const auto add = [&](std::optional<double> Sample::*reading, const char* unit) {
    std::vector<double> values;
    for (const Sample& sample : samples) {
      if (sample.*reading) values.push_back(*(sample.*reading));
    }
    if (!values.empty()) words.push_back(fmt::format("{} {}", format_count(std::llround(median(values))), unit));
  };
  add(&Sample::sm_clock_mhz, "MHz");
  add(&Sample::power_w, "W");
  add(&Sample::temperature_c, "°C");
  return words;
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
  return chart;
}

TextTable bars_text(const LatencyModel& model) {
  return points_text(
      model, "window", false, "TFLOP/s", [](const LatencyLine& line) { return line.label; },
      [](const LatencyLine&, const ResultRow& row) { return rate_point(0, row); });
}

ScalingChart make_scaling_chart(const LatencyModel& model, const ChartSetting& setting) {
  ScalingChart chart;
  add_points(chart, model, setting, latency_point);
  for (SeriesPoints& points : chart.series) {
    std::stable_sort(points.points.begin(), points.points.end(),
                     [](const ChartPoint& a, const ChartPoint& b) { return a.x < b.x; });
  }
  return chart;
}

TextTable scaling_text(const LatencyModel& model) {
  const auto area = [](const LatencyLine& line) {
    return line.baseline ? std::string() : fmt::format("{:.0f}", window_area(line));
  };
  return points_text(model, "w1 x w2", true, "ms", area, latency_point);
}

std::vector<Series> map_series(const LatencyModel& model) {
  std::vector<Series> result = all_series(model);
  std::erase_if(result, [](const Series& series) { return series.baseline; });
  return result;
}

namespace {

bool has_windows(const LatencyLine& line) { return !line.baseline && line.problem.mask != Mask::full; }

MapCell map_cell(const ResultRow& row, MapMetric metric) {
  MapCell cell{MapCell::State::skipped, 0, row.measurement, row.reason};
  const auto value = metric == MapMetric::latency  ? row.median_ms
                     : metric == MapMetric::tflops ? row.tflops
                                                   : row.peak_fraction;
  if (row.status == Status::ok && value) {
    cell.value = metric == MapMetric::peak ? *value * 100 : *value;
    cell.state = std::isfinite(cell.value) ? MapCell::State::ok : MapCell::State::nan;
  } else if (row.status == Status::failed) {
    cell.state = MapCell::State::failed;
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
        cell = map_cell(line.cells[g]->row, metric);
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
      const MapCell cell = map_cell(line.cells[g]->row, metric);
      std::vector<std::string> cells{fmt::format("{}", line.problem.window1), fmt::format("{}", line.problem.window2)};
      add_setting_cells(cells, model, line);
      const bool value = cell.state == MapCell::State::ok || cell.state == MapCell::State::nan;
      cells.push_back(value ? fmt::format("{:.6g}", cell.value) : std::string(to_string(line.cells[g]->row.status)));
      table.rows.push_back(std::move(cells));
    }
  }
  return table;
}

namespace {

Histogram make_histogram(const std::vector<double>& values, const std::vector<bool>& flagged) {
  Histogram histogram;
  if (values.empty()) return histogram;
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  // Freedman-Diaconis width between the 0.1 % and 99.9 % quantiles; what lies outside is counted in the end bins.
  const auto at = [&](double q) {
    return sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1))];
  };
  const double low = at(0.001), high = at(0.999);
  const double spread = at(0.75) - at(0.25);
  const double range = std::max(high - low, 1e-9 * std::max(1.0, std::abs(high)));
  const double ideal = 2 * spread / std::cbrt(static_cast<double>(sorted.size()));
  const auto bins = static_cast<std::size_t>(std::clamp(ideal > 0 ? std::ceil(range / ideal) : 12.0, 8.0, 80.0));
  histogram.first = low;
  histogram.width = range / static_cast<double>(bins);
  histogram.counts.assign(bins, 0);
  histogram.flagged.assign(bins, 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double position = std::clamp((values[i] - low) / histogram.width, 0.0, static_cast<double>(bins - 1));
    histogram.counts[static_cast<std::size_t>(position)] += 1;
    if (flagged[i]) histogram.flagged[static_cast<std::size_t>(position)] += 1;
  }
  return histogram;
}

SampleBuckets make_buckets(const std::vector<double>& seconds, const std::vector<double>& values,
                           std::size_t max_buckets) {
  SampleBuckets buckets;
  buckets.per_bucket =
      std::max<std::size_t>(1, (values.size() + max_buckets - 1) / std::max<std::size_t>(1, max_buckets));
  for (std::size_t begin = 0; begin < values.size(); begin += buckets.per_bucket) {
    const std::size_t end = std::min(begin + buckets.per_bucket, values.size());
    const auto [low, high] = std::minmax_element(values.begin() + static_cast<std::ptrdiff_t>(begin),
                                                 values.begin() + static_cast<std::ptrdiff_t>(end));
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += values[i];
    buckets.seconds.push_back((seconds[begin] + seconds[end - 1]) / 2);
    buckets.minimum.push_back(*low);
    buckets.maximum.push_back(*high);
    buckets.centre.push_back(sum / static_cast<double>(end - begin));
  }
  return buckets;
}

}  // namespace

SampleChart make_sample_chart(const std::vector<Sample>& samples, std::size_t max_buckets) {
  SampleChart chart;
  chart.samples = samples.size();
  std::vector<double> seconds, values;
  std::vector<bool> flagged;
  std::map<std::string, std::size_t> flags;
  std::vector<double> clock_seconds, clocks;
  for (const Sample& sample : samples) {
    const double start = static_cast<double>(sample.started_ns) * 1e-9;
    const double ms = static_cast<double>(sample.duration_ns) * 1e-6;
    if (!sample.flag.empty()) {
      ++chart.flagged;
      ++flags[sample.flag];
    }
    if (sample.duration_ns <= 0) {
      ++chart.invalid;
      continue;
    }
    seconds.push_back(start);
    values.push_back(ms);
    flagged.push_back(!sample.flag.empty());
    if (!sample.flag.empty()) {
      chart.flagged_seconds.push_back(start);
      chart.flagged_ms.push_back(ms);
    }
    if (sample.sm_clock_mhz) {
      clock_seconds.push_back(start);
      clocks.push_back(*sample.sm_clock_mhz);
    }
  }
  // A cloud of flagged points beyond what can be told apart is thinned evenly; the count stays exact.
  if (chart.flagged_ms.size() > max_buckets) {
    const std::size_t step = chart.flagged_ms.size() / max_buckets + 1;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < chart.flagged_ms.size(); i += step, ++kept) {
      chart.flagged_ms[kept] = chart.flagged_ms[i];
      chart.flagged_seconds[kept] = chart.flagged_seconds[i];
    }
    chart.flagged_ms.resize(kept);
    chart.flagged_seconds.resize(kept);
  }
  chart.buckets = make_buckets(seconds, values, max_buckets);
  chart.histogram = make_histogram(values, flagged);
  const SampleBuckets clock_buckets = make_buckets(clock_seconds, clocks, max_buckets);
  chart.clock_seconds = clock_buckets.seconds;
  chart.clock_mhz = clock_buckets.centre;
  chart.conditions = conditions_of(samples);
  std::vector<std::pair<std::size_t, std::string>> by_count;
  for (const auto& [flag, count] : flags) by_count.emplace_back(count, flag);
  std::sort(by_count.rbegin(), by_count.rend());
  for (const auto& [count, flag] : by_count)
    chart.flags.push_back(fmt::format("{} ({})", flag_label(flag), format_count(static_cast<std::int64_t>(count))));
  return chart;
}

TextTable samples_text(const std::vector<Sample>& samples) {
  TextTable table{{"started, s", "ms", "launches", "block", "SM clock, MHz", "power, W", "temperature, C", "flag"},
                  {true, true, true, true, true, true, true, false},
                  {}};
  const auto text = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.6g}", *value) : std::string();
  };
  for (const Sample& sample : samples) {
    table.rows.push_back({fmt::format("{:.6f}", static_cast<double>(sample.started_ns) * 1e-9),
                          fmt::format("{:.6f}", static_cast<double>(sample.duration_ns) * 1e-6),
                          fmt::format("{}", sample.launches), fmt::format("{}", sample.block),
                          text(sample.sm_clock_mhz), text(sample.power_w), text(sample.temperature_c), sample.flag});
  }
  return table;
}

}  // namespace triscope
