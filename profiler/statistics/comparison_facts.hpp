// What else is known of a comparison: how much its interval holds, and whether something disturbed it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "profiler/record/measurement.hpp"
#include "profiler/statistics/statistics.hpp"

namespace triscope {

/// Of the interval of a ratio. Separate runs with restarts: 99 %, since what changes between two runs has longer tails
/// than what changes between the restarts of one (docs/method.md). All else: 95 %.
double confidence_of(bool paired, std::int64_t restarts_a, std::int64_t restarts_b);

/// How far two may be from each other, as a ratio less 1, and still be the same. Separate runs four times the
/// tolerance: at the default precision their interval alone is wider than it, so that nothing would ever be the same.
double same_within_of(bool paired, double tolerance);
/// What the interval of a ratio of times says. `same_within` is not smaller than `tolerance`.
Verdict verdict_of(const Interval& interval, double tolerance, double same_within);

/// Why the interval may be off: most samples of a side were preempted. Empty: it need not be. In turns most of both may
/// be: the same machine was busy for both then.
std::string why_disturbed(std::span<const Sample> a, std::span<const Sample> b, bool paired);

/// Two GPUs that are known and not one. Their cards differ by some percent, whatever runs on them.
bool on_two_gpus(const std::string& uuid_a, const std::string& uuid_b);
/// What is said in the place of a verdict on two GPUs: the ratio of `times` with the interval of their samples, which
/// holds nothing of what the cards differ by, listed and not judged.
Comparison not_judged_on_two_gpus(Comparison times);

/// One pass of two steps: both medians, and how A's compares with B's.
struct PassBeside {
  double a_ms = 0, b_ms = 0;
  const Comparison& time;
};
/// Whether the interval of a ratio says anything.
bool has_interval(const Comparison& time);
/// A took turns with B, and the interval says something.
bool in_turns(const Comparison& time);
/// A step beside another: the ratio of the sums, when the times of each pass are as far apart as `time` says. B beside
/// A is the inverse. Where both took turns, the errors of the passes are their own and add in squares; else what
/// differs between two runs (heat, neighbours) is common to both, and they add. It is judged by the tolerance that its
/// passes were judged by, and unclear where a pass has too few blocks for a verdict. Both intervals must be known.
Comparison compare_steps(const PassBeside& forward, const PassBeside& backward);

}  // namespace triscope
