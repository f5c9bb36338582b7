#include "views/chart_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "profiler/statistics.hpp"
#include "views/format.hpp"

namespace triscope {
namespace {

/// The colour a kernel and pass has in every sweep and chart; what this list does not know follows after it.
int usual_colour(const std::string& kernel, const LatencyGroup& group) {
  const int pass = group.pass == Pass::forward ? 0 : 1, regime = group.regime == Regime::sustained ? 0 : 4;
  if (kernel == "cuda.hopper" || kernel == "cpu.fast") return regime + pass;
  if (kernel == "cuda.portable") return regime + 2 + pass;
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
      std::string label = name_kernel ? kernel_label(line.kernel) + " " + group.title : group.title;
      int colour = line.baseline ? 0 : usual_colour(line.kernel, group);
      while (!line.baseline && !taken.insert(colour).second) ++colour;
      result.push_back({line.kernel, group.pass, group.regime, std::move(label), colour, line.baseline});
    }
  }
  return result;
}

bool belongs(const Series& series, const LatencyLine& line, const LatencyGroup& group) {
  return line.kernel == series.kernel && group.pass == series.pass && group.regime == series.regime;
}

template <typename Visit>
void for_each_ok(const LatencyModel& model, const Series& series, Visit visit) {
  for (const LatencyLine& line : model.lines) {
    for (std::size_t g = 0; g < model.groups.size(); ++g) {
      if (!line.cells[g] || !belongs(series, line, model.groups[g])) continue;
      const ResultRow& row = line.cells[g]->row;
      if (row.status == Status::ok && row.median_ms && std::isfinite(*row.median_ms)) visit(line, row);
    }
  }
}

/// A category names all in which lines of our kernels differ except the kernel, which is a series.
std::string category_of(const LatencyModel& model, const LatencyLine& line) {
  std::string text = line.label;
  for (std::size_t i = 0; i < model.fact_names.size(); ++i) {
    const std::string& name = model.fact_names[i];
    if (name != "kernel" && name != "timed by") text += "\n" + line.facts[i];
  }
  return text;
}

TextTable points_text(const std::vector<SeriesPoints>& ours, const std::vector<SeriesPoints>& levels, const char* x, const char* y,
                      const std::vector<std::string>* categories) {
  TextTable table{{"series", x, y, "below", "above"}, {false, categories == nullptr, true, true, true}, {}};
  for (const auto* group : {&ours, &levels}) {
    for (const SeriesPoints& series : *group) {
      for (const ChartPoint& point : series.points) {
        std::string where = series.series.baseline ? "" : categories ? (*categories)[static_cast<std::size_t>(point.x)] : fmt::format("{:.0f}", point.x);
        std::replace(where.begin(), where.end(), '\n', ' ');
        table.rows.push_back({series.series.label, where, fmt::format("{:.6g}", point.y), fmt::format("{:.3g}", point.below), fmt::format("{:.3g}", point.above)});
      }
    }
  }
  return table;
}

double ms_below(const ResultRow& row) { return row.ci_low_ms ? std::max(0.0, *row.median_ms - *row.ci_low_ms) : 0; }
double ms_above(const ResultRow& row) { return row.ci_high_ms ? std::max(0.0, *row.ci_high_ms - *row.median_ms) : 0; }

/// A rate is work / time: the interval turns over.
ChartPoint rate_point(double x, const ResultRow& row) {
  const double work = *row.tflops * *row.median_ms;
  ChartPoint point{x, *row.tflops, 0, 0, row.measurement, row.peak_fraction};
  if (row.ci_high_ms && *row.ci_high_ms > 0) point.below = std::max(0.0, *row.tflops - work / *row.ci_high_ms);
  if (row.ci_low_ms && *row.ci_low_ms > 0) point.above = std::max(0.0, work / *row.ci_low_ms - *row.tflops);
  return point;
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

BarChart make_bar_chart(const LatencyModel& model) {
  BarChart chart;
  std::map<std::string, std::size_t> index;
  for (const LatencyLine& line : model.lines) {
    if (line.baseline) continue;
    const std::string category = category_of(model, line);
    if (index.emplace(category, chart.categories.size()).second) chart.categories.push_back(category);
  }
  for (const Series& series : all_series(model)) {
    SeriesPoints points{series, {}};
    for_each_ok(model, series, [&](const LatencyLine& line, const ResultRow& row) {
      if (!row.tflops || !std::isfinite(*row.tflops)) return;
      points.points.push_back(rate_point(series.baseline ? 0 : static_cast<double>(index[category_of(model, line)]), row));
    });
    if (points.points.empty()) continue;
    (series.baseline ? chart.levels : chart.series).push_back(std::move(points));
  }
  chart.text = points_text(chart.series, chart.levels, "window", "TFLOP/s", &chart.categories);
  return chart;
}

ScalingChart make_scaling_chart(const LatencyModel& model) {
  ScalingChart chart;
  for (const Series& series : all_series(model)) {
    SeriesPoints points{series, {}};
    for_each_ok(model, series, [&](const LatencyLine& line, const ResultRow& row) {
      if (*row.median_ms <= 0 || line.problem.form == Form::gemm) return;  // a product's rate compares, its latency does not
      const double area = static_cast<double>(line.problem.window1) * static_cast<double>(line.problem.window2);
      points.points.push_back({series.baseline ? 0 : area, *row.median_ms, ms_below(row), ms_above(row), row.measurement});
    });
    if (points.points.empty()) continue;
    std::stable_sort(points.points.begin(), points.points.end(), [](const ChartPoint& a, const ChartPoint& b) { return a.x < b.x; });
    (series.baseline ? chart.levels : chart.series).push_back(std::move(points));
  }
  chart.text = points_text(chart.series, chart.levels, "w1 x w2", "ms", nullptr);
  return chart;
}

std::vector<Series> map_series(const LatencyModel& model) {
  std::vector<Series> result = all_series(model);
  std::erase_if(result, [](const Series& series) { return series.baseline; });
  return result;
}

WindowMap make_window_map(const LatencyModel& model, const Series& series, MapMetric metric) {
  WindowMap map;
  std::set<std::int64_t> axis1, axis2;
  for (const LatencyLine& line : model.lines) {
    if (line.baseline || line.problem.mask == Mask::full) continue;
    axis1.insert(line.problem.window1);
    axis2.insert(line.problem.window2);
  }
  map.window1.assign(axis1.begin(), axis1.end());
  map.window2.assign(axis2.begin(), axis2.end());
  map.cells.resize(map.window1.size() * map.window2.size());
  map.text = {{"w1", "w2", metric == MapMetric::latency ? "ms" : metric == MapMetric::tflops ? "TFLOP/s" : "% of peak"}, {true, true, true}, {}};
  bool first = true;
  for (const LatencyLine& line : model.lines) {
    if (line.baseline || line.problem.mask == Mask::full) continue;
    const auto i1 = std::distance(axis1.begin(), axis1.find(line.problem.window1));
    const auto i2 = std::distance(axis2.begin(), axis2.find(line.problem.window2));
    MapCell& cell = map.cells[static_cast<std::size_t>(i2) * map.window1.size() + static_cast<std::size_t>(i1)];
    for (std::size_t g = 0; g < model.groups.size(); ++g) {
      if (!line.cells[g] || !belongs(series, line, model.groups[g]) || cell.state == MapCell::State::ok) continue;
      const ResultRow& row = line.cells[g]->row;
      cell.measurement = row.measurement;
      cell.reason = row.reason;
      const auto value = metric == MapMetric::latency ? row.median_ms : metric == MapMetric::tflops ? row.tflops : row.peak_fraction;
      if (row.status == Status::ok && value) {
        cell.value = metric == MapMetric::peak ? *value * 100 : *value;
        cell.state = std::isfinite(cell.value) ? MapCell::State::ok : MapCell::State::nan;
      } else {
        cell.state = row.status == Status::failed ? MapCell::State::failed : MapCell::State::skipped;
      }
      map.text.rows.push_back({fmt::format("{}", line.problem.window1), fmt::format("{}", line.problem.window2),
                               row.status == Status::ok && value ? fmt::format("{:.6g}", cell.value) : std::string(to_string(row.status))});
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

namespace {

Histogram make_histogram(const std::vector<double>& values, const std::vector<bool>& flagged) {
  Histogram histogram;
  if (values.empty()) return histogram;
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  // Freedman-Diaconis width between the 0.1 % and 99.9 % quantiles; what lies outside is counted in the end bins.
  const auto at = [&](double q) { return sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1))]; };
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

SampleBuckets make_buckets(const std::vector<double>& seconds, const std::vector<double>& values, std::size_t max_buckets) {
  SampleBuckets buckets;
  buckets.per_bucket = std::max<std::size_t>(1, (values.size() + max_buckets - 1) / std::max<std::size_t>(1, max_buckets));
  for (std::size_t begin = 0; begin < values.size(); begin += buckets.per_bucket) {
    const std::size_t end = std::min(begin + buckets.per_bucket, values.size());
    const auto [low, high] = std::minmax_element(values.begin() + static_cast<std::ptrdiff_t>(begin), values.begin() + static_cast<std::ptrdiff_t>(end));
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
  for (const auto& [count, flag] : by_count) chart.flags.push_back(fmt::format("{} ({})", flag_label(flag), format_count(static_cast<std::int64_t>(count))));
  return chart;
}

TextTable samples_text(const std::vector<Sample>& samples) {
  TextTable table{{"started, s", "ms", "launches", "block", "SM clock, MHz", "power, W", "temperature, C", "flag"},
                  {true, true, true, true, true, true, true, false},
                  {}};
  const auto text = [](const std::optional<double>& value) { return value ? fmt::format("{:.6g}", *value) : std::string(); };
  for (const Sample& sample : samples) {
    table.rows.push_back({fmt::format("{:.6f}", static_cast<double>(sample.started_ns) * 1e-9),
                          fmt::format("{:.6f}", static_cast<double>(sample.duration_ns) * 1e-6), fmt::format("{}", sample.launches),
                          fmt::format("{}", sample.block), text(sample.sm_clock_mhz), text(sample.power_w), text(sample.temperature_c),
                          sample.flag});
  }
  return table;
}

}  // namespace triscope
