#include "views/model/charts/length_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "profiler/record/words/power_text.hpp"
#include "profiler/statistics/training_step.hpp"
#include "views/data/format.hpp"
#include "views/model/charts/length_point.hpp"

namespace triscope {
namespace {

std::string length_text(double tokens) {
  return format_count(static_cast<std::int64_t>(std::llround(tokens / 100) * 100));
}

/// "31,300 to 32,200 by the 95 % intervals".
std::string interval_words(const LatencyCrossing& crossing) {
  const std::string low = length_text(crossing.low), high = length_text(crossing.high);
  if (crossing.open_below() && crossing.open_above()) return "at any measured length by the 95 % intervals";
  if (crossing.open_below()) return high + " or less by the 95 % intervals";
  return (crossing.open_above() ? low + " or more" : low + " to " + high) + " by the 95 % intervals";
}

ValueWithInterval value_of(const LengthPoint& point) {
  if (!interval_known(point)) return {point.ms, std::nullopt, std::nullopt};
  return {point.ms, point.low_ms, point.high_ms};
}

/// "by the medians 1.122 times as long (95 % interval 1.113 to 1.132), so it does not cost the same". Of a step it is
/// of the sums of two medians, and Details has a wider one.
std::string verdict_words(const LengthPoint& windows, const LengthPoint& dot_product) {
  const ValueWithInterval ratio = ratio_of(value_of(windows), value_of(dot_product));
  const bool step = windows.backward != 0;
  std::string text = fmt::format("by {} {} times as long (", step ? "the sums of the passes' medians" : "the medians",
                                 format_fixed(ratio.value, 3));
  if (!ratio.low || !ratio.high) return text + "interval unknown)";
  text += fmt::format("95 % interval {}{} to {})", step ? "of these samples alone " : "", format_fixed(*ratio.low, 3),
                      format_fixed(*ratio.high, 3));
  const bool apart = *ratio.low > 1 || *ratio.high < 1;
  return text + (apart ? ", so it does not cost the same" : ", which of them is longer is not decided");
}

std::string from_words(const AreaEstimate& estimate) {
  std::string text;
  for (const Windows& windows : estimate.from)
    text += (text.empty() ? "" : " and ") + format_windows(windows.window1, windows.window2);
  return text;
}

/// What area would take as long, and how sure that is; from 128 first positions on, tiles have this many.
std::string equal_area_words(const SameBudget& budget) {
  if (!budget.windows) return "What area would take as long, the measured pairs do not tell.";
  const AreaEstimate& estimate = *budget.windows;
  const double nearest =
      static_cast<double>(estimate.from.front().window1) * static_cast<double>(estimate.from.front().window2);
  const std::string size = estimate.area < nearest ? "smaller" : "larger";
  std::string text =
      fmt::format("With a second window of {} an area of {} would", estimate.from.front().window2, area_text(estimate));
  switch (estimate.rule) {
    case AreaEstimate::Rule::between:
      text += fmt::format(", between {}", from_words(estimate));
      break;
    case AreaEstimate::Rule::trend:
      text +=
          fmt::format(", by the trend of {}: an extrapolation, nothing {} was measured", from_words(estimate), size);
      break;
    case AreaEstimate::Rule::one_pair:
      text += fmt::format(", if time goes with the area: an extrapolation from {} alone", from_words(estimate));
  }
  text += "; times go in steps of tiles.";
  if (estimate.low > 0)
    text += " The range is of noise and of how far such lines missed measurements before, not of those steps.";
  return text;
}

/// "Forward of sweep 4 in turns; backward of sweeps 3 and 6."
std::string sweeps_words(const LengthPoint& windows, const LengthPoint& dot_product) {
  const auto of = [](std::int64_t one, std::int64_t other) {
    return one == other ? fmt::format("of sweep {}, in turns", one)
                        : fmt::format("of sweeps {} and {}, not in turns", other, one);
  };
  const std::string first = of(windows.sweep, dot_product.sweep);
  const bool step = windows.backward != 0;
  if (!step) return "Both are " + first;
  if (windows.sweep == windows.backward_sweep && dot_product.sweep == dot_product.backward_sweep)
    return "All four times are " + first;
  return fmt::format("Forward {}; backward {}", first, of(windows.backward_sweep, dot_product.backward_sweep));
}

/// "; in clock cycles 1.013 times as long": the clocks were not free, and not the same.
std::string cycle_words(const LengthPoint& windows, const LengthPoint& dot_product, double ratio) {
  const bool held = !windows.limiter.empty() || !dot_product.limiter.empty();
  if (!held || ratio <= 0) return "";
  return fmt::format("; in clock cycles {} times as long", format_fixed(ratio, 3));
}

/// ", power-capped": what held the clock down in both, or in which of them.
std::string limiter_words(const LengthPoint& windows, const LengthPoint& dot_product) {
  if (windows.limiter.empty() && dot_product.limiter.empty()) return "";
  if (windows.limiter == dot_product.limiter) return ", " + limiter_text(windows.limiter);
  if (windows.limiter.empty()) return ", dot-product attention " + limiter_text(dot_product.limiter);
  if (dot_product.limiter.empty()) return ", the windows " + limiter_text(windows.limiter);
  return fmt::format(", the windows {}, dot-product attention {}", limiter_text(windows.limiter),
                     limiter_text(dot_product.limiter));
}

/// The first window of that area, beside the estimate's second one.
std::int64_t first_window(const AreaEstimate& estimate, double area) {
  return std::max<std::int64_t>(1, std::llround(area / static_cast<double>(estimate.from.front().window2)));
}

/// "w1 231 to 240 by area, extrapolated".
std::string first_window_words(const AreaEstimate& estimate) {
  const std::string range = estimate.low > 0
                                ? fmt::format("{} to {}", format_count(first_window(estimate, estimate.low)),
                                              format_count(first_window(estimate, estimate.high)))
                                : std::string("range unknown,");
  return "w1 " + range + (estimate.extrapolated() ? " by area, extrapolated" : " by area");
}

/// "that is 240 × 32": the pair in whole tiles; one outside the estimate's own range is not called equal.
std::string tiles_words(const AreaEstimate& estimate, const Windows& pair) {
  const std::string name = format_windows(pair.window1, pair.window2);
  if (estimate.low <= 0) return "the nearest is " + name;
  if (pair.window1 < first_window(estimate, estimate.low)) return "the nearest, " + name + ", lies below that range";
  if (pair.window1 > first_window(estimate, estimate.high)) return "the nearest, " + name + ", lies above that range";
  return "that is " + name;
}

}  // namespace

std::string crossing_sentence(const LengthCurve& ours, const LengthCurve& baseline, const LengthCrossing& crossing) {
  const LatencyCrossing& m = crossing.measured;
  std::string measured;
  switch (m.kind) {
    case LatencyCrossing::Kind::crosses:
      measured = fmt::format("{} costs as much as {} at {} tokens, by measured latency{} ({})", ours.label,
                             baseline.label, length_text(m.seq_len), crossing.turns_words(),
                             m.low > 0 ? interval_words(m) : "too few samples for an interval");
      break;
    case LatencyCrossing::Kind::cheaper:
      measured = fmt::format("{} costs less than {} at every measured length, {} to {}", ours.label, baseline.label,
                             format_tokens(m.shortest), format_tokens(m.longest));
      break;
    case LatencyCrossing::Kind::dearer:
      measured = fmt::format("{} costs more than {} up to the longest measured length, {}", ours.label, baseline.label,
                             format_tokens(m.longest));
      break;
    case LatencyCrossing::Kind::not_decided:
      measured = fmt::format("Where {} begins to cost less than {} is not decided ({})", ours.label, baseline.label,
                             m.low > 0 ? interval_words(m) : "too few samples for an interval");
      break;
    case LatencyCrossing::Kind::not_comparable:
      measured = fmt::format("{} and {} have fewer than two measured lengths in common", ours.label, baseline.label);
  }
  return fmt::format("{}; by the exact count at {} (2 w1 w2 is {}), by the paper's count, 3 w1 w2, at {}.", measured,
                     format_count(crossing.exact_count), format_count(crossing.full_rows),
                     format_count(crossing.paper_count));
}

std::size_t nearest_pair(const std::vector<MeasuredPair>& pairs, const LengthPoint& dot_product) {
  const auto apart = [&](const MeasuredPair& one) { return std::abs(std::log(one.point->ms / dot_product.ms)); };
  return static_cast<std::size_t>(std::ranges::min_element(pairs, {}, apart) - pairs.begin());
}

std::string area_text(const AreaEstimate& estimate) {
  const auto rounded = [](double area) {
    const double unit = std::max(1.0, std::pow(10, std::floor(std::log10(area)) - 2));
    return format_count(std::llround(std::round(area / unit) * unit));
  };
  return "about " + rounded(estimate.area) +
         (estimate.low > 0 ? fmt::format(" ({} to {})", rounded(estimate.low), rounded(estimate.high))
                           : " (interval unknown)");
}

std::string budget_headline(std::string_view part, const LengthPoint& point, const SameBudget& budget,
                            const MeasuredPair& nearest) {
  const std::string start = fmt::format("{}, {}: ", format_tokens(budget.seq_len), part);
  const ValueWithInterval ratio = ratio_of(value_of(*nearest.point), value_of(point));
  const std::string times = format_fixed(ratio.value, 2) + "× as long";
  const std::string label = nearest.curve->label + " " + nearest.curve->card.label;
  if (ratio.low && ratio.high && *ratio.low <= 1 && *ratio.high >= 1)
    return fmt::format("{}{} may cost the same: {}, {} to {}.", start, label, times, format_fixed(*ratio.low, 2),
                       format_fixed(*ratio.high, 2));
  const std::string measured = fmt::format("nearest measured, {}, takes {}.", label, times);
  if (!budget.windows) return start + "no pair is known to cost the same; " + measured;
  const AreaEstimate& estimate = *budget.windows;
  const Problem& beside = nearest.curve->problem;
  const Windows equal{first_window(estimate, estimate.area), estimate.from.front().window2};
  const std::int64_t tile = nearest.point->tile;
  if (tile == 0 && equal == Windows{beside.window1, beside.window2})
    return fmt::format("{}no pair lies nearer than those measured; {}", start, measured);
  const std::string about = fmt::format("{}about {} would cost the same ({})", start,
                                        format_windows(equal.window1, equal.window2), first_window_words(estimate));
  if (tile == 0) return fmt::format("{}; {}", about, measured);  // a step goes in the tiles of two kernels
  if (!budget.pair)
    return fmt::format("{}; in whole tiles of {} keys nothing lies nearer than {}, which takes {}.", about, tile, label,
                       times);
  return fmt::format("{}; in whole tiles of {} keys {}; {}", about, tile, tiles_words(estimate, *budget.pair),
                     measured);
}

std::string budget_sentence(const LengthCurve& baseline, const LengthPoint& point, const SameBudget& budget,
                            const MeasuredPair& nearest, double cycle_ratio) {
  return fmt::format("At {} tokens {} takes {}; of the measured pairs {} comes nearest, {}: {}. {} {}{}{}.",
                     format_tokens(budget.seq_len), baseline.label, format_ms(point.ms, half_width(point)),
                     nearest.curve->label, format_ms(nearest.point->ms, half_width(*nearest.point)),
                     verdict_words(*nearest.point, point), equal_area_words(budget),
                     sweeps_words(*nearest.point, point), limiter_words(*nearest.point, point),
                     cycle_words(*nearest.point, point, cycle_ratio));
}

std::string point_text(const LengthCurve& curve, const LengthPoint& point) {
  const auto is_elsewhere = [&](const LengthPoint& one) {
    return one.sweep != curve.points.front().sweep || one.backward_sweep != curve.points.front().backward_sweep;
  };
  std::string of;  // which sweep, where the line is of several
  if (std::ranges::any_of(curve.points, is_elsewhere)) of = fmt::format(", of sweep {}", point.sweep);
  if (point.backward != 0 && point.backward_sweep != point.sweep)
    of = fmt::format(", forward of sweep {}, backward of sweep {}", point.sweep, point.backward_sweep);
  return fmt::format(
      "{}, {} tokens{}: {}, {}", curve.label, format_count(point.seq_len), of, format_ms(point.ms, half_width(point)),
      interval_known(point) ? "95 % interval " + format_ms_interval(point.low_ms, point.high_ms, point.ms)
                            : "interval unknown");
}

std::string beside_baseline_text(const LengthPass& pass, std::size_t curve, const LengthPoint& point) {
  const auto crossing = std::ranges::find(pass.crossings, curve, &LengthCrossing::windows);
  if (crossing == pass.crossings.end()) return {};
  const LengthCurve& baseline = pass.curves[crossing->baseline];
  const auto there = std::ranges::find(baseline.points, point.seq_len, &LengthPoint::seq_len);
  if (there == baseline.points.end()) return {};
  const ValueWithInterval ratio = ratio_of(value_of(point), value_of(*there));
  std::string text = fmt::format("{} takes {} here; this takes {} times as long", baseline.label,
                                 format_ms(there->ms, half_width(*there)), format_fixed(ratio.value, 3));
  if (ratio.low && ratio.high)
    text += fmt::format(", {} to {}", format_fixed(*ratio.low, 3), format_fixed(*ratio.high, 3));
  return text + " *";
}

}  // namespace triscope
