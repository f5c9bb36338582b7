// What the samples say: interval of the median, when to stop, and whether two kernels differ.
// Method: profiler/statistics/centre.cpp; measured coverage: docs/method.md. All functions throw `Error` on a sample
// that is NaN or infinite.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/record/measurement.hpp"
#include "profiler/statistics/quantile.hpp"

namespace triscope {

struct Interval {
  double low = 0;
  double high = 0;
};

/// Two-sided 95 % interval of the median: median +- t(n - 1) x its standard error, widened by the correlation between
/// neighbours. `block_values`: one value per block, in the order in which they were taken. Contains the median.
/// One value: infinite. None: throws `Error`.
Interval t_interval(std::span<const double> block_values);

/// Median duration of each block, by ascending restart and block number, in ms: what intervals are made of.
std::vector<double> block_medians_ms(std::span<const Sample> samples);

/// Of fewer blocks an interval is not trusted: sampling does not stop at it, and no verdict goes by it.
inline constexpr std::int64_t kFewestBlocks = 8;

/// When to stop sampling: after at least 8 blocks, as soon as 0.8 x the interval's half-width lies inside the requested
/// precision now and at the look before, or the budget is spent. Looks: 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, ...
/// blocks.
struct StoppingRule {
  double precision = 0.005;  ///< relative half-width asked for
  std::int64_t budget_ns = 10'000'000'000;
  std::int64_t min_blocks = kFewestBlocks;
  std::int64_t max_blocks = 10'000;
};
enum class StopReason { go_on, converged, budget_spent, max_blocks };

/// `block_values` as for `t_interval`. A centre of zero never converges (nothing is relative to it). At the end of the
/// budget and at `max_blocks` one look is enough to be `converged`.
StopReason should_stop(const StoppingRule& rule, std::span<const double> block_values, std::int64_t elapsed_ns);

/// The same after a whole turn of a kernel that takes turns with others, a look of its own whatever the number of
/// blocks: looks inside a turn would see a part of what swings while it lasts.
StopReason should_stop_after_turn(const StoppingRule& rule, std::span<const double> block_values,
                                  std::int64_t elapsed_ns);

/// Summary of `samples`, flagged ones with them. None: a default `Summary` with `samples` 0. One block: the interval
/// reaches from 0 to infinity. Several restarts: the median of their medians, without preempted samples where two of
/// them have others; the interval is made of their spread, pooled with that of the sweep's other rows.
Summary summarize(std::span<const Sample> samples, const StoppingRule& rule, const Spread& pooled = {});

/// Two clocks or states that a measurement met: its blocks fall into two separate heaps. Preempted samples are left
/// out.
struct Modes {
  double low_ms = 0, high_ms = 0;  ///< centres of the heaps
  double high_share = 0;           ///< of the blocks
};
std::optional<Modes> modes_of(std::span<const Sample> samples);
/// "two modes: 1.23 ms and 1.31 ms (40 % of the blocks)".
std::string modes_text(const Modes& modes);

/// False when the 95 % interval of the median says nothing: it has no ends, or reaches down to zero, so that the median
/// is any number.
bool interval_known(const Summary& summary);
bool interval_known(const ResultRow& row);
/// Half the 95 % interval of a median, in percent of it; unset when the interval is not known.
std::optional<double> spread_percent(std::optional<double> median_ms, std::optional<double> low_ms,
                                     std::optional<double> high_ms);
/// "+-0.7 %", "one sample", or "interval unknown (2 samples)".
std::string spread_text(const Summary& summary);

enum class Verdict { faster, slower, same, unclear, not_comparable };
/// Of a time: "shorter", "longer", "same", "unclear", "not comparable".
std::string_view to_string(Verdict);

/// A is compared with the baseline B. `ratio` = time A / time B: 1.31 means that A takes 1.31 times as long.
struct Comparison {
  Verdict verdict = Verdict::unclear;
  double ratio = 0;                   ///< 0 when nothing could be computed
  Interval interval;                  ///< of the ratio: 95 %, between restarts of separate runs 99 %
  std::optional<double> cycle_ratio;  ///< of time x clock, when both clocks are known
  bool paired = false;                ///< per-block ratios of one interleaved run
  double same_within = 0;             ///< "same" is inside 1 +- this: the tolerance, 4 times it for separate runs
  std::string explanation;  ///< one sentence: why not comparable / why unclear / what the cycles say; may be empty
  bool few_blocks = false;  ///< fewer than bear a verdict (`kFewestBlocks`): it is unclear, however narrow the interval
  double a_ms = 0, b_ms = 0;  ///< medians of what was compared, in turns of those turns alone; 0: none
  bool published = false;     ///< B is a figure without samples: a ratio without interval, and no verdict
};

/// Faster/slower = the interval lies outside 1 by more than the tolerance; same = it lies inside 1 +- tolerance (for
/// separate runs, whose intervals are wider, 4 times the tolerance); else unclear.
/// Burst, clocks known on half the blocks of each: unclear when the cycles neither show it nor hold the times' ratio.
/// Samples with equal `block` are paired when `interleaved` and at least two blocks are common; otherwise the medians
/// of the two runs are compared (Welch). With several restarts on a side its value is that over restarts, and the
/// interval contains their spread; separate runs, without preempted samples as in `summarize`, are then judged by the
/// 99 % interval. Those of a GPU that held its clock down, beside other kernels, get a wider one. Without samples,
/// with a duration of 0, with fewer than `kFewestBlocks` blocks of a side (in turns: of both together in them), or with
/// most samples of a side preempted (in turns: of one alone), it is unclear and says why.
struct CompareInput {
  std::span<const Sample> samples;
  Regime regime = Regime::sustained;
  TimingSource timing_source = TimingSource::cpu_clock;
  SweepSpread spread{};                ///< of its sweep
  std::set<std::string> companions{};  ///< kernels that it took turns with
};
/// False when the interval of the ratio has no ends, or there is no ratio.
bool interval_known(const Comparison& comparison);
Comparison compare(const CompareInput& a, const CompareInput& b, bool interleaved, double tolerance = 0.005);

}  // namespace triscope
