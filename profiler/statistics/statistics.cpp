#include "profiler/statistics/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>

#include "kernels/base/error.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/statistics/centre.hpp"
#include "profiler/statistics/restarts.hpp"

namespace triscope {
namespace {

constexpr double kNsPerMs = 1e6;

bool precise(double precision, std::span<const double> block_values) {
  const Centre centre = centre_of(block_values);
  return centre.value > 0 && half_width(centre) <= widest_converged(precision) * centre.value;
}

// Convergence is looked for after 8, 10, 12, 14, 16, 20, ... blocks, four times an octave: every look is another chance
// to stop at a luckily narrow interval.
std::size_t look_step(std::size_t blocks) { return std::max<std::size_t>(1, std::bit_floor(blocks) / 4); }

bool converged_twice(double precision, std::span<const double> block_values) {
  const std::size_t step = look_step(block_values.size());
  if (block_values.size() % step != 0) return false;
  return precise(precision, block_values) && precise(precision, block_values.first(block_values.size() - step));
}

Centre centre_of_restarts(std::span<const Sample> samples, const Spread& pooled) {
  std::vector<double> values;
  for (const auto& [restart, centre] : restart_centres(samples)) values.push_back(centre);
  return centre_over_restarts(values, pooled);
}

std::optional<double> mean_power(std::span<const Sample> samples) {
  double sum = 0, count = 0;
  for (const Sample& sample : samples) {
    sum += sample.power_w.value_or(0);
    count += sample.power_w.has_value();
  }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

// What at least half of the samples say after "throttled: ".
std::string limiter_of(std::span<const Sample> samples) {
  constexpr std::string_view kThrottled = "throttled: ";
  std::map<std::string, std::size_t> counts;
  for (const Sample& sample : samples) {
    if (sample.flag.starts_with(kThrottled)) ++counts[sample.flag.substr(kThrottled.size())];
  }
  for (const auto& [limiter, count] : counts) {
    if (2 * count >= samples.size()) return limiter;
  }
  return "";
}

}  // namespace

Interval t_interval(std::span<const double> block_values) {
  const Centre centre = centre_of(block_values);
  const double half = half_width(centre);
  return {centre.value - half, centre.value + half};
}

StopReason should_stop(const StoppingRule& rule, std::span<const double> block_values, std::int64_t elapsed_ns) {
  const auto blocks = static_cast<std::int64_t>(block_values.size());
  const bool over_budget = elapsed_ns >= rule.budget_ns;
  const bool last_block = blocks >= rule.max_blocks;
  if (blocks >= std::max<std::int64_t>(2, rule.min_blocks)) {
    const bool ends_anyway = over_budget || last_block;
    if (ends_anyway ? precise(rule.precision, block_values) : converged_twice(rule.precision, block_values)) {
      return StopReason::converged;
    }
  }
  if (over_budget) return StopReason::budget_spent;
  return last_block ? StopReason::max_blocks : StopReason::go_on;
}

StopReason should_stop_after_turn(const StoppingRule& rule, std::span<const double> block_values,
                                  std::int64_t elapsed_ns) {
  const auto blocks = static_cast<std::int64_t>(block_values.size());
  if (blocks >= std::max<std::int64_t>(2, rule.min_blocks) && precise(rule.precision, block_values))
    return StopReason::converged;
  if (elapsed_ns >= rule.budget_ns) return StopReason::budget_spent;
  return blocks >= rule.max_blocks ? StopReason::max_blocks : StopReason::go_on;
}

std::vector<double> block_medians_ms(std::span<const Sample> samples) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<double>> blocks;
  for (const Sample& sample : samples) {
    blocks[{sample.restart, sample.block}].push_back(static_cast<double>(sample.duration_ns) / kNsPerMs);
  }
  std::vector<double> medians;
  medians.reserve(blocks.size());
  for (const auto& [block, durations] : blocks) medians.push_back(median(durations));
  return medians;
}

Summary summarize(std::span<const Sample> samples, const StoppingRule& rule, const Spread& pooled) {
  Summary summary;
  if (samples.empty()) return summary;

  std::vector<double> durations_ms, clocks_mhz;
  std::set<std::int64_t> restarts;
  for (const Sample& sample : samples) {
    restarts.insert(sample.restart);
    if (!sample.flag.empty()) ++summary.flagged;
    durations_ms.push_back(static_cast<double>(sample.duration_ns) / kNsPerMs);
    if (sample.sm_clock_mhz) clocks_mhz.push_back(*sample.sm_clock_mhz);
  }
  std::sort(durations_ms.begin(), durations_ms.end());
  summary.samples = static_cast<std::int64_t>(samples.size());
  summary.restarts = static_cast<std::int64_t>(restarts.size());
  summary.power_w = mean_power(samples);
  summary.limiter = limiter_of(samples);
  summary.min_ms = durations_ms.front();
  summary.quartile1_ms = sorted_quantile(durations_ms, 0.25);
  summary.median_ms = sorted_quantile(durations_ms, 0.5);
  summary.quartile3_ms = sorted_quantile(durations_ms, 0.75);
  if (!clocks_mhz.empty()) summary.sm_clock_mhz = median(clocks_mhz);

  const std::vector<double> blocks = block_medians_ms(samples);
  Interval interval = t_interval(blocks);
  if (summary.restarts > 1) {
    const Centre centre = centre_of_restarts(samples, pooled);
    summary.median_ms = std::exp(centre.value) / kNsPerMs;
    const double half = half_width(centre);
    interval = {std::exp(centre.value - half) / kNsPerMs, std::exp(centre.value + half) / kNsPerMs};
  }
  summary.ci_low_ms = std::clamp(interval.low, 0.0, summary.median_ms);
  summary.ci_high_ms = std::max(interval.high, summary.median_ms);
  const double half_ms = 0.5 * (interval.high - interval.low);
  summary.converged = static_cast<std::int64_t>(blocks.size()) >= rule.min_blocks &&
                      half_ms <= widest_converged(rule.precision) * summary.median_ms && summary.median_ms > 0;
  return summary;
}

bool interval_known(const Summary& summary) {
  return spread_percent(summary.median_ms, summary.ci_low_ms, summary.ci_high_ms).has_value();
}

bool interval_known(const ResultRow& row) {
  return spread_percent(row.median_ms, row.ci_low_ms, row.ci_high_ms).has_value();
}

namespace {
constexpr double kWidestPercent = 100;  // a value of which no digit is known: the samples do not bound it
}

std::optional<double> spread_percent(std::optional<double> median_ms, std::optional<double> low_ms,
                                     std::optional<double> high_ms) {
  if (!median_ms || !low_ms || !high_ms || !std::isfinite(*high_ms) || *low_ms <= 0 || *median_ms <= 0)
    return std::nullopt;
  const double percent = 50 * (*high_ms - *low_ms) / *median_ms;
  return percent <= kWidestPercent ? std::optional(percent) : std::nullopt;
}

std::string spread_text(const Summary& summary) {
  if (summary.samples < 2) return "one sample";
  const std::optional<double> percent = spread_percent(summary.median_ms, summary.ci_low_ms, summary.ci_high_ms);
  return percent ? fmt::format("+-{} %", significant_text(*percent, 2))
                 : fmt::format("interval unknown ({} samples)", summary.samples);
}

}  // namespace triscope
