// Where 2-simplicial attention begins to cost less than dot-product attention: by counting, and by measured latency.
// Its cost grows with n w1 w2, causal dot-product attention's with n^2, so for each pair of windows there is one length
// beyond which the windows are cheaper. Also the opposite: for a length, the window area that costs as much.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiler/plan/request.hpp"

namespace triscope {

/// The length at which the paper's counts are equal: 6 n w1 w2 = 2 n^2, so n = 3 w1 w2.
std::int64_t crossing_by_paper_count(const Windows& windows);

/// The same with two GEMMs counted for each as both have, 4 n w1 w2 = 4 n^2 / 2: n = 2 w1 w2, with rows at the start,
/// which see fewer pairs, counted as if they were full.
std::int64_t crossing_by_full_rows(const Windows& windows);

/// The smallest length from which on the exact numbers of triples and of causal pairs (kernels/attention/flops.hpp) say
/// that the windows are less work: a little below 2 w1 w2. With a window of 1 it is one more than the other window, up
/// to which both are the same work.
std::int64_t crossing_by_exact_count(const Windows& windows);

/// Latency of one kernel at one length.
struct LengthPoint {
  std::int64_t seq_len = 0;
  double ms = 0;
  double low_ms = 0, high_ms = 0;  ///< 95 % interval; both 0 when it is not known
  std::int64_t measurement = 0;
  std::int64_t sweep = 0;
  std::int64_t backward = 0, backward_sweep = 0;  ///< of a training step: its backward, and that one's sweep
  std::string limiter = {};  ///< what held the clock down in at least half of the samples; empty: nothing
  std::int64_t tile = 0;   ///< keys of the first window that the kernel computes at a time, of a step the forward's; 0:
                           ///< not known
  bool converged = true;   ///< its samples reached the precision that was asked for; of a step those of both passes
  double backward_ms = 0;  ///< of a training step: the part of its backward
  bool few_blocks = false;    ///< too few for a verdict; of a step those of a pass
  std::int64_t restarts = 0;  ///< processes that its samples are of; of a step those of the pass that has fewer
  double cycles = 0;          ///< time x clock, ms x MHz, of a step of both passes; 0: a clock is not known
};

/// How two measured curves lie to each other. A curve that becomes cheaper more than once counts from the last time on.
struct LatencyCrossing {
  enum class Kind {
    crosses,        ///< the first costs more at `after`, less at `before` and at every longer length that both have
    cheaper,        ///< the first is cheaper wherever both were measured, by all of its intervals
    dearer,         ///< the first is not cheaper at the longest length that both have, by the intervals there
    not_decided,    ///< one of the last two by the times, but not by their intervals
    not_comparable  ///< fewer than two lengths in common
  };
  Kind kind = Kind::not_comparable;
  std::int64_t shortest = 0, longest = 0;  ///< lengths in common
  std::int64_t after = 0, before = 0;      ///< neighbouring measured lengths; the crossing lies between them
  double seq_len = 0;        ///< where both are equal, both interpolated linearly in log length and log time
  double low = 0, high = 0;  ///< of `crosses` and `not_decided`: the same from opposite ends of the 95 % intervals,
                             ///< within the lengths in common; both 0 when a time that they stand on has no interval
  double ms = 0;             ///< latency there
  bool few_blocks = false;   ///< a time next to where it may lie has too few blocks for a verdict

  /// Whether an end of the interval lies beyond the lengths that were compared.
  bool open_below() const { return low <= static_cast<double>(shortest) + 0.5; }
  bool open_above() const { return high >= static_cast<double>(longest) - 0.5; }
};

/// Compares two curves at the lengths they have in common; points in any order, positive times.
LatencyCrossing find_crossing(std::span<const LengthPoint> windows, std::span<const LengthPoint> dot_product);

/// Latency of one pair of windows at one length.
struct AreaPoint {
  Windows windows;
  double ms = 0;
  std::optional<double> half_ms = {};  ///< half of its 95 % interval; unset: not known
};

/// The window area w1 * w2 of one second window that takes as long as a budget.
struct AreaEstimate {
  double area = 0;
  double low = 0, high = 0;  ///< with the intervals of the times and what the rule is off by; 0: a time has no interval
  enum class Rule {
    between,  ///< two measured areas: time grows linearly from one to the other
    trend,    ///< beyond the measured areas: the same line goes on
    one_pair  ///< one measured area, or no line: time is proportional to the area
  };
  Rule rule = Rule::between;
  std::vector<Windows> from;  ///< the measured pairs that it stands on, one or two
  bool extrapolated() const { return rule != Rule::between; }
};

/// Shorter first windows share a tile of keys with longer ones, and their times say nothing of the area.
inline constexpr std::int64_t kLeastFirstWindow = 128;

/// An area of no shape has no time: windows of one area differ by up to a third. So the estimate is of one second
/// window, the one whose measured first windows lie around the budget and nearest to it, and goes no farther than a
/// factor of two from what was measured. What the rules are off by was read from rows kept out (docs/method.md).
/// `half_ms`: of the budget's 95 % interval.
std::optional<AreaEstimate> area_for_budget(std::span<const AreaPoint> points, double budget_ms,
                                            std::optional<double> half_ms = {});

}  // namespace triscope
