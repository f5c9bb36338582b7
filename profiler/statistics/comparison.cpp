// Verdicts. Ratios are taken as logarithms, so that A against B and B against A say the same.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "profiler/statistics/centre.hpp"
#include "profiler/statistics/comparison_facts.hpp"
#include "profiler/statistics/restarts.hpp"
#include "profiler/statistics/statistics.hpp"

namespace triscope {
namespace {

using Blocks = RestartBlocks;

// What two runs of one program differ by, beyond their own intervals, where the GPU holds its clock down and they took
// turns with other kernels: those change its heat and its power budget. From five pairs of one binary (-2.7 to +4.7 %;
// docs/method.md), as the logarithm of their ratio.
constexpr Centre kInOtherCompany{.value = 0, .standard_error = 0.028, .degrees = 5};

std::size_t count_of(const Blocks& blocks) {
  std::size_t count = 0;
  for (const auto& [restart, of_restart] : blocks) count += of_restart.size();
  return count;
}

// The centre of a run: over its restarts, or over the blocks of the only one.
Centre centre_of_run(const Blocks& blocks, const Spread& pooled) {
  if (blocks.size() == 1) return centre_of(values_of(blocks.begin()->second));
  return centre_over_restarts(centres_of(blocks), pooled);
}

bool mostly_throttled(std::span<const Sample> samples) {
  const auto is_throttled = [](const Sample& sample) { return sample.flag.starts_with("throttled"); };
  return 2 * std::ranges::count_if(samples, is_throttled) > static_cast<std::ptrdiff_t>(samples.size());
}

/// Whether the clocks of two runs may differ for no reason of the two kernels.
bool clocks_apart(const CompareInput& a, const CompareInput& b) {
  return a.companions != b.companions && (mostly_throttled(a.samples) || mostly_throttled(b.samples));
}

struct Ratio {
  Centre log;
  bool paired = false;
  double confidence = 0.95;
  double value() const { return std::exp(log.value); }
  Interval interval() const {
    const double half = half_width(log, confidence);
    return {std::exp(log.value - half), std::exp(log.value + half)};
  }
};

// Of the restarts in which both took turns; nullopt when they have fewer than two blocks in common.
std::optional<Centre> paired_centre(const Blocks& a, const Blocks& b, const Spread& pooled) {
  const auto pairs = paired_blocks(a, b);
  if (pairs.size() == 1 && pairs[0].size() >= 2) return centre_of(pairs[0]);
  if (pairs.size() < 2) return std::nullopt;
  return centre_over_restarts(paired_ratios(a, b), pooled);
}

// In turns all blocks count, since what disturbs one disturbs its partner; apart those that were not preempted.
Ratio ratio_of(const RunBlocks& a, const RunBlocks& b, bool interleaved, const SweepSpread& of_a,
               const SweepSpread& of_b, bool apart) {
  if (interleaved) {
    if (const auto centre = paired_centre(a.all, b.all, of_a.ratios)) return {*centre, true, confidence_of(true, 0, 0)};
  }
  Centre difference = difference_of(centre_of_run(b.undisturbed, of_b.times), centre_of_run(a.undisturbed, of_a.times));
  if (apart) difference = difference_of(kInOtherCompany, difference);
  return {difference, false,
          confidence_of(false, static_cast<std::int64_t>(a.undisturbed.size()),
                        static_cast<std::int64_t>(b.undisturbed.size()))};
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
  if (samples.empty()) return fmt::format("{} has no samples that can be used.", name);
  const auto no_time = [](const Sample& sample) { return sample.duration_ns <= 0; };
  if (std::any_of(samples.begin(), samples.end(), no_time)) {
    return fmt::format("A sample of {} took no time: the clock is too coarse for it.", name);
  }
  return {};
}

// "1.7 % shorter": the time of A beside that of B.
std::string in_words(double ratio, int digits) {
  const double percent = std::abs(ratio - 1) * 100;
  return fmt::format("{:.{}f} % {}", percent, digits, to_string(ratio <= 1 ? Verdict::faster : Verdict::slower));
}

std::string bound_text(double ratio) {
  if (ratio > 1000) return "above 1000";
  return ratio < 0.001 ? "below 0.001" : fmt::format("{:.4f}", ratio);
}

/// Blocks of the side that has fewer; in turns those that both have.
std::size_t blocks_of(const RunBlocks& a, const RunBlocks& b, bool paired) {
  if (!paired) return std::min(count_of(a.undisturbed), count_of(b.undisturbed));
  std::size_t count = 0;
  for (const std::vector<double>& pairs : paired_blocks(a.all, b.all)) count += pairs.size();
  return count;
}

/// The median of the blocks that were compared, of several restarts that of their medians.
double median_ms(const RunBlocks& blocks, bool paired) {
  constexpr double kNsPerMs = 1e6;
  return std::exp(median(centres_of(paired ? blocks.all : blocks.undisturbed))) / kNsPerMs;
}

std::string too_few_text(std::size_t blocks) {
  return fmt::format("{} block{} too few to trust: a verdict needs at least {}.", blocks, blocks == 1 ? " is" : "s are",
                     kFewestBlocks);
}

std::string why_unclear(const Comparison& comparison, bool apart) {
  if (!interval_known(comparison)) return "Too few blocks for an interval: measure longer.";
  const std::string between = fmt::format("The ratio of times, A / B, lies between {} and {}",
                                          bound_text(comparison.interval.low), bound_text(comparison.interval.high));
  if (apart)
    return between +
           ". The GPU held its clock down, and A and B took turns with other kernels: one program differs by some 3 % "
           "then. Measure both in one sweep, or each beside the same kernels.";
  return fmt::format("{}, which is neither inside nor outside 1 +- {:.1f} %: measure longer.", between,
                     comparison.same_within * 100);
}

std::optional<Ratio> cycles_of(const CompareInput& a, const CompareInput& b, const RunBlocks& times_a,
                               const RunBlocks& times_b, bool interleaved, bool apart) {
  const RunBlocks cycles_a = log_blocks(a.samples, true);
  const RunBlocks cycles_b = log_blocks(b.samples, true);
  const auto known = [interleaved](const RunBlocks& cycles, const RunBlocks& times) {
    if (cycles.undisturbed.empty()) return false;
    return interleaved ? 2 * count_of(cycles.all) >= count_of(times.all)
                       : 2 * count_of(cycles.undisturbed) >= count_of(times.undisturbed);
  };
  if (!known(cycles_a, times_a) || !known(cycles_b, times_b)) return std::nullopt;
  return ratio_of(cycles_a, cycles_b, interleaved, a.spread, b.spread, apart);
}

std::ptrdiff_t preempted(std::span<const Sample> samples) { return std::ranges::count_if(samples, is_preempted); }

bool mostly_preempted(std::span<const Sample> samples) {
  return 2 * preempted(samples) > static_cast<std::ptrdiff_t>(samples.size());
}

std::string preempted_text(std::span<const Sample> a, std::span<const Sample> b) {
  return fmt::format("{} of {} samples of A and {} of {} of B were preempted", preempted(a), a.size(), preempted(b),
                     b.size());
}

// How likely it is that `one`, a run that met one mode only, missed the other mode of `two` by chance. A mode lasts
// some blocks, as many as in `two` on average, and no longer than a restart: so often `one` could have met the other.
double chance_of_missing(const Blocks& one, const Blocks& two, const Modes& modes) {
  constexpr double kNsPerMs = 1e6;
  const double middle = std::log(modes.low_ms * kNsPerMs) / 2 + std::log(modes.high_ms * kNsPerMs) / 2;
  std::vector<double> met;
  for (const auto& [restart, of_restart] : one) std::ranges::copy(values_of(of_restart), std::back_inserter(met));
  const bool met_high = median(met) > middle;
  double blocks = 0, others = 0, stays = 0;
  for (const auto& [restart, of_restart] : two) {
    std::optional<bool> before;
    for (const auto& [block, value] : of_restart) {
      const bool high = value > middle;
      stays += before != high;
      others += high != met_high;
      before = high;
      ++blocks;
    }
  }
  const double draws = std::max(static_cast<double>(met.size()) * stays / blocks, static_cast<double>(one.size()));
  return std::pow(1 - others / blocks, draws);
}

// Empty unless a side's blocks fall into two heaps that are as far apart as the two sides are, and the other side may
// have met one of them by chance.
std::string why_chance(const CompareInput& a, const CompareInput& b, const Blocks& times_a, const Blocks& times_b,
                       const Comparison& comparison) {
  constexpr double kLikely = 0.01;  // as the confidence of separate runs
  if (comparison.verdict != Verdict::faster && comparison.verdict != Verdict::slower) return {};
  const std::optional<Modes> of_a = modes_of(a.samples), of_b = modes_of(b.samples);
  const auto why = [&](const std::optional<Modes>& modes, const Blocks& two, const std::optional<Modes>& others,
                       const Blocks& other, char name) -> std::string {
    if (!modes || std::abs(std::log(comparison.ratio)) > std::log(modes->high_ms / modes->low_ms)) return {};
    if (!others && chance_of_missing(other, two, *modes) < kLikely) return {};
    return fmt::format(
        "{} has {}: the difference is no larger than that between them, and which one a run meets is chance.", name,
        modes_text(*modes));
  };
  const std::string because_of_a = why(of_a, times_a, of_b, times_b, 'A');
  return because_of_a.empty() ? why(of_b, times_b, of_a, times_a, 'B') : because_of_a;
}

// What the clocks add to a verdict of faster or slower: in burst a veto, in sustained an explanation. Nothing, when the
// cycles may well be as far apart as the times: then their interval alone is wider.
void apply_cycles(Comparison& comparison, const Ratio& cycles, Regime regime, double tolerance) {
  if (comparison.verdict != Verdict::faster && comparison.verdict != Verdict::slower) return;
  const Interval interval = cycles.interval();
  if (verdict_of(interval, tolerance, comparison.same_within) == comparison.verdict) return;
  if (interval.low <= comparison.ratio && comparison.ratio <= interval.high) return;
  const int digits = in_words(comparison.ratio, 1) == in_words(cycles.value(), 1) ? 3 : 1;
  const std::string times = in_words(comparison.ratio, digits);
  const std::string clocks = in_words(cycles.value(), digits);
  if (regime == Regime::burst) {
    comparison.verdict = Verdict::unclear;
    comparison.explanation =
        fmt::format("A is {} in time but {} in cycles: the difference may come from the clock, not from the kernel.",
                    times, clocks);
  } else {
    // What is said of separate runs stays true.
    if (!comparison.explanation.empty()) comparison.explanation += " ";
    comparison.explanation += fmt::format(
        "A is {} in time and {} in cycles: the difference comes from its clock under the power limit.", times, clocks);
  }
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::faster:
      return "shorter";
    case Verdict::slower:
      return "longer";
    case Verdict::same:
      return "same";
    case Verdict::unclear:
      return "unclear";
    case Verdict::not_comparable:
      return "not comparable";
  }
  return "?";
}

double confidence_of(bool paired, std::int64_t restarts_a, std::int64_t restarts_b) {
  constexpr double kUsual = 0.95, kSeparateRuns = 0.99;
  return !paired && (restarts_a > 1 || restarts_b > 1) ? kSeparateRuns : kUsual;
}

double same_within_of(bool paired, double tolerance) {
  constexpr double kSeparateMargin = 4;
  return paired ? tolerance : kSeparateMargin * tolerance;
}

Verdict verdict_of(const Interval& interval, double tolerance, double same_within) {
  if (interval.high < 1 - tolerance) return Verdict::faster;
  if (interval.low > 1 + tolerance) return Verdict::slower;
  if (interval.low >= 1 - same_within && interval.high <= 1 + same_within) return Verdict::same;
  return Verdict::unclear;
}

std::string why_disturbed(std::span<const Sample> a, std::span<const Sample> b, bool paired) {
  if (paired ? mostly_preempted(a) == mostly_preempted(b) : !mostly_preempted(a) && !mostly_preempted(b)) return {};
  return fmt::format("{}: the machine was busy with something else; measure again.", preempted_text(a, b));
}

bool on_two_gpus(const std::string& uuid_a, const std::string& uuid_b) {
  return !uuid_a.empty() && !uuid_b.empty() && uuid_a != uuid_b;
}

Comparison not_judged_on_two_gpus(Comparison times) {
  times.verdict = Verdict::not_comparable;
  times.explanation = "A and B were measured on two GPUs: two cards differ by some percent, whatever runs on them.";
  return times;
}

bool interval_known(const Comparison& comparison) {
  constexpr double kWidest = 100;  // from end to end; beyond that the samples do not bound the ratio
  const Interval& interval = comparison.interval;
  return comparison.ratio > 0 && interval.low > 0 && std::isfinite(interval.high) &&
         interval.high <= kWidest * interval.low;
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

  const RunBlocks times_a = log_blocks(a.samples, false);
  const RunBlocks times_b = log_blocks(b.samples, false);
  const bool apart = clocks_apart(a, b);
  const Ratio times = ratio_of(times_a, times_b, interleaved, a.spread, b.spread, apart);
  comparison.ratio = times.value();
  comparison.interval = times.interval();
  comparison.paired = times.paired;
  comparison.a_ms = median_ms(times_a, times.paired);
  comparison.b_ms = median_ms(times_b, times.paired);
  comparison.same_within = same_within_of(times.paired, tolerance);
  comparison.verdict = verdict_of(comparison.interval, tolerance, comparison.same_within);
  if (comparison.verdict == Verdict::unclear) {
    comparison.explanation = why_unclear(comparison, apart && !comparison.paired);
  } else if (comparison.verdict != Verdict::same && !comparison.paired) {
    comparison.explanation =
        apart ? "The GPU held its clock down, and A and B took turns with other kernels: one program differs by some "
                "3 % then, which makes the interval wide, however well either is known. In turns it would be narrow."
              : "The two did not run in turns: the interval does not include what changed on the machine in between.";
  }
  if (const auto cycles = cycles_of(a, b, times_a, times_b, times.paired, apart)) {
    comparison.cycle_ratio = cycles->value();
    apply_cycles(comparison, *cycles, a.regime, tolerance);
  }
  std::string doubt = why_disturbed(a.samples, b.samples, comparison.paired);
  if (doubt.empty() && !comparison.paired)
    doubt = why_chance(a, b, times_a.undisturbed, times_b.undisturbed, comparison);
  const std::size_t blocks = blocks_of(times_a, times_b, comparison.paired);
  comparison.few_blocks = static_cast<std::int64_t>(blocks) < kFewestBlocks;
  if (comparison.few_blocks && doubt.empty() && comparison.verdict != Verdict::unclear) doubt = too_few_text(blocks);
  if (!doubt.empty()) {
    comparison.verdict = Verdict::unclear;
    comparison.explanation = doubt;
  } else if (comparison.explanation.empty() && mostly_preempted(a.samples) && mostly_preempted(b.samples)) {
    comparison.explanation = preempted_text(a.samples, b.samples) +
                             ": the machine was busy with something else, which slows kernels of many threads more.";
  }
  return comparison;
}

bool has_interval(const Comparison& time) { return time.verdict != Verdict::not_comparable && interval_known(time); }

bool in_turns(const Comparison& time) { return time.paired && has_interval(time); }

Comparison compare_steps(const PassBeside& forward, const PassBeside& backward) {
  const auto a_of = [](const PassBeside& pass) { return std::sqrt(pass.a_ms * pass.b_ms * pass.time.ratio); };
  const auto b_of = [](const PassBeside& pass) { return std::sqrt(pass.a_ms * pass.b_ms / pass.time.ratio); };
  const double a = a_of(forward) + a_of(backward), b = b_of(forward) + b_of(backward);
  const bool turns = in_turns(forward.time) && in_turns(backward.time);
  double half = 0;  // of the logarithm
  for (const PassBeside* pass : {&forward, &backward}) {
    const double share = (a_of(*pass) / a + b_of(*pass) / b) / 2;
    const double of_pass = share * std::log(pass->time.interval.high / pass->time.interval.low) / 2;
    half = turns ? std::hypot(half, of_pass) : half + of_pass;
  }
  Comparison steps;
  steps.ratio = a / b;
  steps.interval = {steps.ratio * std::exp(-half), steps.ratio * std::exp(half)};
  steps.paired = turns;
  steps.a_ms = forward.time.a_ms + backward.time.a_ms;
  steps.b_ms = forward.time.b_ms + backward.time.b_ms;
  // In turns the margin is the tolerance.
  steps.same_within = std::max(forward.time.same_within, backward.time.same_within);
  steps.verdict = verdict_of(steps.interval, steps.same_within, steps.same_within);
  steps.few_blocks = forward.time.few_blocks || backward.time.few_blocks;
  if (steps.few_blocks) steps.verdict = Verdict::unclear;
  return steps;
}

}  // namespace triscope
