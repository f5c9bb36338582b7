// Verdicts. Ratios are taken as logarithms, so that A against B and B against A say the same.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "profiler/statistics/centre.hpp"
#include "profiler/statistics/statistics.hpp"

namespace triscope {
namespace {

using Blocks = std::map<std::int64_t, double>;  // logarithm of a block's median, by block number

// Blocks of duration (ns) or, with `cycles`, of duration x clock for the samples whose clock is known.
Blocks log_blocks(std::span<const Sample> samples, bool cycles) {
  std::map<std::int64_t, std::vector<double>> values;
  for (const Sample& sample : samples) {
    double value = static_cast<double>(sample.duration_ns);
    if (cycles) {
      if (!(sample.sm_clock_mhz > 0.0)) continue;
      value *= *sample.sm_clock_mhz;
    }
    values[sample.block].push_back(value);
  }
  Blocks blocks;
  for (const auto& [block, of_block] : values) blocks[block] = std::log(median(of_block));
  return blocks;
}

std::vector<double> values_of(const Blocks& blocks) {
  std::vector<double> values;
  for (const auto& [block, value] : blocks) values.push_back(value);
  return values;
}

// log(B / A) of the blocks both have.
std::vector<double> paired_ratios(const Blocks& a, const Blocks& b) {
  std::vector<double> ratios;
  for (const auto& [block, value] : a) {
    if (const auto other = b.find(block); other != b.end()) ratios.push_back(other->second - value);
  }
  return ratios;
}

// Centre of log(B) - log(A) of independent runs; degrees of freedom by Welch and Satterthwaite.
Centre difference(const Centre& a, const Centre& b) {
  const double variance_a = a.standard_error * a.standard_error;
  const double variance_b = b.standard_error * b.standard_error;
  const double variance = variance_a + variance_b;
  Centre result{b.value - a.value, std::sqrt(variance), std::min(a.degrees, b.degrees)};
  if (variance > 0 && std::isfinite(variance)) {
    result.degrees = variance * variance / (variance_a * variance_a / a.degrees + variance_b * variance_b / b.degrees);
  }
  return result;
}

struct Ratio {
  Centre log;
  bool paired = false;
  double value() const { return std::exp(log.value); }
  Interval interval() const {
    const double half = half_width(log);
    return {std::exp(log.value - half), std::exp(log.value + half)};
  }
};

Ratio ratio_of(const Blocks& a, const Blocks& b, bool interleaved) {
  if (interleaved) {
    const std::vector<double> ratios = paired_ratios(a, b);
    if (ratios.size() >= 2) return {centre_of(ratios), true};
  }
  return {difference(centre_of(values_of(a)), centre_of(values_of(b))), false};
}

Verdict verdict_of(const Interval& interval, double tolerance) {
  if (interval.low > 1 + tolerance) return Verdict::faster;
  if (interval.high < 1 - tolerance) return Verdict::slower;
  if (interval.low >= 1 - tolerance && interval.high <= 1 + tolerance) return Verdict::same;
  return Verdict::unclear;
}

std::string why_not_comparable(const CompareInput& a, const CompareInput& b) {
  if (a.regime != b.regime) {
    return fmt::format("A was measured {} and B {}: cold and warm runs differ by clock and caches, not by kernel.",
                       to_string(a.regime), to_string(b.regime));
  }
  if (a.timing_source != b.timing_source) {
    return fmt::format("A was timed by {} and B by {}: the two clocks do not measure the same span.",
                       to_string(a.timing_source), to_string(b.timing_source));
  }
  return {};
}

std::string why_no_ratio(std::span<const Sample> samples, char name) {
  if (samples.empty()) return fmt::format("{} has no samples.", name);
  const auto no_time = [](const Sample& sample) { return sample.duration_ns <= 0; };
  if (std::any_of(samples.begin(), samples.end(), no_time)) {
    return fmt::format("A sample of {} took no time: the clock is too coarse for it.", name);
  }
  return {};
}

// "1.7 % faster" from the ratio of times.
std::string in_words(double ratio) {
  const double percent = std::abs(ratio - 1) * 100;
  return fmt::format("{:.1f} % {}", percent, ratio >= 1 ? "faster" : "slower");
}

std::string bound_text(double ratio) {
  if (ratio > 1000) return "above 1000";
  return ratio < 0.001 ? "below 0.001" : fmt::format("{:.4f}", ratio);
}

std::string why_unclear(const Interval& interval, double tolerance) {
  if (!std::isfinite(interval.high)) return "Too few blocks for an interval: measure longer.";
  return fmt::format(
      "The ratio lies between {} and {}, which is neither inside nor outside 1 +- {:.1f} %: measure longer.",
      bound_text(interval.low), bound_text(interval.high), tolerance * 100);
}

std::optional<Ratio> cycles_of(const CompareInput& a, const CompareInput& b, const Blocks& times_a,
                               const Blocks& times_b, bool interleaved) {
  const Blocks cycles_a = log_blocks(a.samples, true);
  const Blocks cycles_b = log_blocks(b.samples, true);
  if (cycles_a.empty() || cycles_b.empty()) return std::nullopt;
  if (2 * cycles_a.size() < times_a.size() || 2 * cycles_b.size() < times_b.size()) return std::nullopt;
  return ratio_of(cycles_a, cycles_b, interleaved);
}

// What the clocks add to a verdict of faster or slower: in burst a veto, in sustained an explanation.
void apply_cycles(Comparison& comparison, const Ratio& cycles, Regime regime, double tolerance) {
  if (comparison.verdict != Verdict::faster && comparison.verdict != Verdict::slower) return;
  if (verdict_of(cycles.interval(), tolerance) == comparison.verdict) return;
  const std::string times = in_words(comparison.ratio);
  const std::string clocks = in_words(cycles.value());
  if (regime == Regime::burst) {
    comparison.verdict = Verdict::unclear;
    comparison.explanation =
        fmt::format("A is {} in time but {} in cycles: the difference may come from the clock, not from the kernel.",
                    times, clocks);
  } else {
    comparison.explanation = fmt::format(
        "A is {} in time and {} in cycles: the difference comes from its clock under the power limit.", times, clocks);
  }
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::faster:
      return "faster";
    case Verdict::slower:
      return "slower";
    case Verdict::same:
      return "same";
    case Verdict::unclear:
      return "unclear";
    case Verdict::not_comparable:
      return "not comparable";
  }
  return "?";
}

Comparison compare(const CompareInput& a, const CompareInput& b, bool interleaved, double tolerance) {
  Comparison comparison;
  comparison.explanation = why_not_comparable(a, b);
  if (!comparison.explanation.empty()) {
    comparison.verdict = Verdict::not_comparable;
    return comparison;
  }
  comparison.explanation = why_no_ratio(a.samples, 'A');
  if (comparison.explanation.empty()) comparison.explanation = why_no_ratio(b.samples, 'B');
  if (!comparison.explanation.empty()) return comparison;

  const Blocks times_a = log_blocks(a.samples, false);
  const Blocks times_b = log_blocks(b.samples, false);
  const Ratio times = ratio_of(times_a, times_b, interleaved);
  comparison.ratio = times.value();
  comparison.interval = times.interval();
  comparison.paired = times.paired;
  comparison.verdict = verdict_of(comparison.interval, tolerance);
  if (comparison.verdict == Verdict::unclear) {
    comparison.explanation = why_unclear(comparison.interval, tolerance);
  } else if (comparison.verdict != Verdict::same && !comparison.paired) {
    comparison.explanation =
        "The two did not run in turns: the interval does not include what changed on the machine in between.";
  }
  if (const auto cycles = cycles_of(a, b, times_a, times_b, times.paired)) {
    comparison.cycle_ratio = cycles->value();
    apply_cycles(comparison, *cycles, a.regime, tolerance);
  }
  return comparison;
}

}  // namespace triscope
