#include "views/model/charts/length_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "profiler/statistics/training_step.hpp"
#include "views/data/format.hpp"

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

std::optional<double> half_width(const LengthPoint& point) {
  return interval_known(point) ? std::optional((point.high_ms - point.low_ms) / 2) : std::nullopt;
}

ValueWithInterval value_of(const LengthPoint& point) {
  if (!interval_known(point)) return {point.ms, std::nullopt, std::nullopt};
  return {point.ms, point.low_ms, point.high_ms};
}

/// The one whose time comes nearest to that of dot-product attention, in words.
std::string nearest_words(const std::vector<MeasuredPair>& pairs, const LengthPoint& dot_product) {
  const auto apart = [&](const MeasuredPair& one) { return std::abs(std::log(one.point->ms / dot_product.ms)); };
  const MeasuredPair& nearest = *std::ranges::min_element(pairs, {}, apart);
  const ValueWithInterval ratio = ratio_of(value_of(*nearest.point), value_of(dot_product));
  std::string text =
      fmt::format("of the measured pairs {} comes nearest, {}, {} of it", nearest.curve->label,
                  format_ms(nearest.point->ms, half_width(*nearest.point)), format_fixed(ratio.value, 3));
  if (ratio.low && ratio.high)
    text += fmt::format(" ({} to {})", format_fixed(*ratio.low, 3), format_fixed(*ratio.high, 3));
  return text;
}

}  // namespace

std::string crossing_sentence(const LengthCurve& ours, const LengthCurve& baseline, const LengthCrossing& crossing) {
  const LatencyCrossing& m = crossing.measured;
  std::string measured;
  switch (m.kind) {
    case LatencyCrossing::Kind::crosses:
      measured = fmt::format("{} costs as much as {} at {} tokens, by measured latency{} ({})", ours.label,
                             baseline.label, length_text(m.seq_len), crossing.in_turns ? " in turns" : "",
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

std::string budget_sentence(const LengthCurve& baseline, const LengthPoint& point, const SameBudget& budget,
                            const Windows& like, const std::vector<MeasuredPair>& pairs) {
  const double area = budget.windows.area;
  const auto other = [&](std::int64_t fixed) {
    return std::max<std::int64_t>(1, std::llround(area / static_cast<double>(fixed)));
  };
  return fmt::format("At {} tokens {} takes {}; {}. Windows of area {} take as long{}, such as {} or {}.",
                     format_tokens(budget.seq_len), baseline.label, format_ms(point.ms, half_width(point)),
                     nearest_words(pairs, point), format_count(std::llround(area)),
                     budget.windows.extrapolated ? ", if the times of the measured areas go on as they do" : "",
                     format_windows(like.window1, other(like.window1)),
                     format_windows(other(like.window2), like.window2));
}

std::string point_text(const LengthCurve& curve, const LengthPoint& point) {
  return fmt::format(
      "{}, {} tokens: {}, {}", curve.label, format_count(point.seq_len), format_ms(point.ms, half_width(point)),
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
  std::string text = fmt::format("{} takes {} here: {}× its time", baseline.label,
                                 format_ms(there->ms, half_width(*there)), format_fixed(ratio.value, 3));
  if (ratio.low && ratio.high)
    text += fmt::format(", {} to {}", format_fixed(*ratio.low, 3), format_fixed(*ratio.high, 3));
  return text + " *";
}

}  // namespace triscope
