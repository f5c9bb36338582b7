#include "views/model/charts/sample_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "profiler/statistics/statistics.hpp"
#include "views/data/format.hpp"

namespace triscope {
namespace {

/// What the device did while it was measured: as Details and the tables have it and round it, the power as a mean,
/// energy by time, the rest as medians.
std::vector<std::string> conditions_of(const std::vector<Sample>& samples) {
  std::vector<std::string> words;
  const auto add = [&](std::optional<double> Sample::*reading, const char* unit) {
    std::vector<double> values;
    for (const Sample& sample : samples) {
      if (sample.*reading) values.push_back(*(sample.*reading));
    }
    if (values.empty()) return;
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    const double value = reading == &Sample::power_w ? mean : median(values);
    words.push_back(fmt::format("{} {}", format_count(std::llrint(value)), unit));
  };
  add(&Sample::sm_clock_mhz, "MHz");
  add(&Sample::power_w, "W");
  add(&Sample::temperature_c, "°C");
  return words;
}

Histogram make_histogram(const std::vector<double>& values, const std::vector<bool>& flagged) {
  Histogram histogram;
  if (values.empty()) return histogram;
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  // Freedman-Diaconis width. What lies beyond the 0.1 % and 99.9 % quantiles, or far from the middle half, is counted
  // in the end bins.
  const auto at = [&](double q) {
    return sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1))];
  };
  constexpr double kFar = 8;  // spreads
  const double spread = at(0.75) - at(0.25), fence = spread > 0 ? kFar * spread : std::numeric_limits<double>::max();
  const auto cut = static_cast<std::size_t>(0.001 * static_cast<double>(sorted.size() - 1));
  const double low = std::max(sorted[cut], at(0.25) - fence),
               high = std::min(sorted[sorted.size() - 1 - cut], at(0.75) + fence);
  // Samples that are alike stand in the middle of a range that four digits name.
  const double range = std::max(high - low, 1e-4 * std::abs(high));
  const double ideal = 2 * spread / std::cbrt(static_cast<double>(sorted.size()));
  const auto bins = static_cast<std::size_t>(std::clamp(ideal > 0 ? std::ceil(range / ideal) : 12.0, 8.0, 80.0));
  histogram.first = (low + high - range) / 2;
  histogram.width = range / static_cast<double>(bins);
  histogram.counts.assign(bins, 0);
  histogram.flagged.assign(bins, 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double position =
        std::clamp((values[i] - histogram.first) / histogram.width, 0.0, static_cast<double>(bins - 1));
    histogram.counts[static_cast<std::size_t>(position)] += 1;
    if (flagged[i]) histogram.flagged[static_cast<std::size_t>(position)] += 1;
    histogram.folded_low += values[i] < low;
    histogram.folded_high += values[i] > high;
  }
  histogram.lowest = sorted.front();
  histogram.highest = sorted.back();
  return histogram;
}

/// Values over time, and which restart each is of.
struct TimedValues {
  std::vector<double> seconds, values;
  std::vector<std::int64_t> restarts;

  void add(const Sample& sample, double value) {
    seconds.push_back(static_cast<double>(sample.started_ns) * 1e-9);
    values.push_back(value);
    restarts.push_back(sample.restart);
  }
};

SampleBuckets make_buckets(const TimedValues& timed, std::size_t max_buckets) {
  const auto& [seconds, values, restarts] = timed;
  SampleBuckets buckets;
  buckets.per_bucket =
      std::max<std::size_t>(1, (values.size() + max_buckets - 1) / std::max<std::size_t>(1, max_buckets));
  std::size_t end = 0;
  for (std::size_t begin = 0; begin < values.size(); begin = end) {
    if (begin == 0 || restarts[begin] != restarts[begin - 1])
      buckets.parts.push_back({buckets.seconds.size(), buckets.seconds.size()});
    ++buckets.parts.back().end;
    for (end = begin + 1; end < values.size() && end < begin + buckets.per_bucket;) {
      if (restarts[end] != restarts[begin]) break;
      ++end;
    }
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

void add_lane(SampleChart& chart, const std::vector<Sample>& samples, std::optional<double> Sample::*reading,
              ReadingLane lane, std::size_t max_buckets, std::vector<std::string>& not_read) {
  TimedValues read;
  for (const Sample& sample : samples) {
    if (sample.*reading && std::isfinite(*(sample.*reading))) read.add(sample, *(sample.*reading));
  }
  if (read.values.empty()) {
    not_read.emplace_back(lane.name);
    return;
  }
  SampleBuckets buckets = make_buckets(read, max_buckets);
  lane.seconds = std::move(buckets.seconds);
  lane.values = std::move(buckets.centre);
  lane.parts = std::move(buckets.parts);
  chart.lanes.push_back(std::move(lane));
}

/// What holds at two samples of one restart holds between them; the pause between two restarts belongs to neither.
void add_limits(SampleChart& chart, const std::vector<Sample>& samples, std::size_t max_buckets,
                std::vector<std::string>& not_read) {
  const auto is_throttled = [](const Sample& sample) { return sample.flag.starts_with("throttled"); };
  if (std::ranges::none_of(samples, [&](const Sample& one) { return one.throttle_bits || is_throttled(one); })) {
    not_read.emplace_back("limits");
    return;
  }
  for (const Sample& sample : samples) {
    const double first = static_cast<double>(sample.started_ns) * 1e-9;
    const double last =
        first + static_cast<double>(std::max<std::int64_t>(0, sample.duration_ns) * sample.launches) * 1e-9;
    std::string limit = is_throttled(sample) ? flag_label(sample.flag) : "";
    if (chart.limits.empty() || chart.limits.back().restart != sample.restart || chart.limits.back().limit != limit ||
        first < chart.limits.back().last) {
      chart.limits.push_back({first, last, std::move(limit), sample.restart});
    } else {
      chart.limits.back().last = last;
    }
  }
  // Of many short ones neighbours become one, and what slowed the device down is not lost.
  const std::size_t step = (chart.limits.size() + max_buckets - 1) / std::max<std::size_t>(1, max_buckets);
  if (step < 2) return;
  std::vector<LimitSpan> fewer;
  std::size_t joined = 0;
  for (const LimitSpan& span : chart.limits) {
    if (fewer.empty() || ++joined == step || fewer.back().restart != span.restart) {
      fewer.push_back({span.first, 0, {}, span.restart});
      joined = 0;
    }
    fewer.back().last = span.last;
    std::string& limit = fewer.back().limit;
    if (limit.find(span.limit) == std::string::npos) limit += (limit.empty() ? "" : ", ") + span.limit;
  }
  chart.limits = std::move(fewer);
}

void add_lanes(SampleChart& chart, const std::vector<Sample>& samples, std::size_t max_buckets) {
  std::vector<std::string> not_read;
  add_lane(chart, samples, &Sample::sm_clock_mhz, {"clock", "MHz", {}, {}}, max_buckets, not_read);
  add_lane(chart, samples, &Sample::power_w, {"power", "W", {}, {}}, max_buckets, not_read);
  add_lane(chart, samples, &Sample::temperature_c, {"temperature", "°C", {}, {}}, max_buckets, not_read);
  add_limits(chart, samples, max_buckets, not_read);
  if (samples.empty() || not_read.empty()) return;
  chart.not_read = fmt::format("Not read while this was measured: {}.", fmt::join(not_read, ", "));
}

}  // namespace

LaneAxis lane_axis(const ReadingLane& lane, bool one_line) {
  const auto [least, most] = std::minmax_element(lane.values.begin(), lane.values.end());
  const double span = std::max({*most - *least, std::abs(*most) * 0.02, 1e-9});
  LaneAxis axis{*least - span * 0.25, *most + span * 0.25, {{*least, fmt::format("{:.0f}", *least)}}};
  if (*most - *least <= span * 0.4) return axis;
  if (one_line)
    axis.ticks = {{(*least + *most) / 2, fmt::format("{:.0f}–{:.0f}", *least, *most)}};
  else
    axis.ticks.emplace_back(*most, fmt::format("{:.0f}", *most));
  return axis;
}

double seconds_shown(const SampleChart& chart) {
  const SampleBuckets& buckets = chart.buckets;
  if (buckets.seconds.empty()) return 1;
  return std::max(buckets.seconds.back(), 1e-3 * *std::ranges::max_element(buckets.maximum));
}

std::string folded_text(const Histogram& histogram) {
  std::string text;
  const auto add = [&](std::size_t number, const char* to, double farthest, const char* bar) {
    if (number == 0) return;
    text += fmt::format("{}{} {} {} counted in the {} bar.", text.empty() ? "" : " ", counted(number, "sample"), to,
                        format_ms(farthest) + (number == 1 ? " is" : " are"), bar);
  };
  add(histogram.folded_low, "down to", histogram.lowest, "first");
  add(histogram.folded_high, "up to", histogram.highest, "last");
  return text;
}

SampleChart make_sample_chart(const std::vector<Sample>& samples, std::size_t max_buckets) {
  SampleChart chart;
  chart.samples = samples.size();
  TimedValues times;
  std::vector<bool> flagged;
  std::map<std::string, std::size_t> flags;
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
    times.add(sample, ms);
    flagged.push_back(!sample.flag.empty());
    if (!sample.flag.empty()) {
      chart.flagged_seconds.push_back(start);
      chart.flagged_ms.push_back(ms);
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
  chart.buckets = make_buckets(times, max_buckets);
  chart.histogram = make_histogram(times.values, flagged);
  add_lanes(chart, samples, max_buckets);
  chart.conditions = conditions_of(samples);
  std::vector<std::pair<std::size_t, std::string>> by_count;
  for (const auto& [flag, count] : flags) by_count.emplace_back(count, flag);
  std::sort(by_count.rbegin(), by_count.rend());
  for (const auto& [count, flag] : by_count)
    chart.flags.push_back(fmt::format("{} ({})", flag_label(flag), format_count(static_cast<std::int64_t>(count))));
  return chart;
}

std::string burst_power_note(const SampleChart& chart, Regime regime) {
  const bool capped = std::ranges::any_of(
      chart.flags, [](const std::string& flag) { return flag.find("power limit") != std::string::npos; });
  if (regime != Regime::burst || !capped) return {};
  return "NVML reports that the power limit held the clock down during a launch. Its power is a mean over the launch "
         "and the pauses around it, so it stands below the limit.";
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
