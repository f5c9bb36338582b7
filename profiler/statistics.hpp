// What the samples say: interval of the median, when to stop, and whether two kernels differ.
// Method and its measured coverage: docs/method.md; profiling design section "When to stop, what to say".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/measurement.hpp"

namespace triscope {

struct Interval {
  double low = 0;
  double high = 0;
};

/// Median of `values` (copied, not reordered); the mean of the middle two for an even count. Throws on empty or NaN.
double median(std::span<const double> values);

/// Linear-interpolated quantile, q in [0, 1].
double quantile(std::span<const double> values, double q);

/// Two-sided 95 % Student t interval of the centre of `block_values` (one value per block).
/// Needs at least 2 values; with fewer the interval is infinite.
Interval t_interval(std::span<const double> block_values);

/// When to stop sampling: at least 8 blocks, then as soon as 0.8 x the interval's half-width lies inside the requested
/// precision, or the budget is spent.
struct StoppingRule {
  double precision = 0.005;         ///< relative half-width asked for
  std::int64_t budget_ns = 10'000'000'000;
  std::int64_t min_blocks = 8;
  std::int64_t max_blocks = 10'000;
};
enum class StopReason { go_on, converged, budget_spent, max_blocks };
StopReason should_stop(const StoppingRule& rule, std::span<const double> block_values, std::int64_t elapsed_ns);

/// Summary of `samples`. All samples count, flagged ones too, unless `exclude_flagged`.
Summary summarize(std::span<const Sample> samples, const StoppingRule& rule, bool exclude_flagged = false);

enum class Verdict { faster, slower, same, unclear, not_comparable };
std::string_view to_string(Verdict);

/// A is compared with the baseline B. `ratio` = time B / time A: 1.31 means A is 1.31x faster.
struct Comparison {
  Verdict verdict = Verdict::unclear;
  double ratio = 0;
  Interval interval;                ///< 95 % of the ratio
  std::optional<double> cycle_ratio;  ///< (time x clock) ratio, when both clocks are known
  bool paired = false;              ///< per-block ratios of one interleaved run
  std::string explanation;          ///< one sentence: why not comparable / why unclear / what the cycles say; may be empty
};

/// "Same" = the interval lies inside 1 +- tolerance; faster/slower = it lies outside 1 by more than that.
/// In burst a difference must also show in cycles when clocks are known.
/// Samples with equal `block` are paired when `interleaved`.
struct CompareInput {
  std::span<const Sample> samples;
  Regime regime = Regime::sustained;
  TimingSource timing_source = TimingSource::cpu_clock;
};
Comparison compare(const CompareInput& a, const CompareInput& b, bool interleaved, double tolerance = 0.005);

}  // namespace triscope
