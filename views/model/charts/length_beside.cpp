#include "views/model/charts/length_beside.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "views/data/format.hpp"
#include "views/model/charts/length_budget.hpp"
#include "views/model/charts/length_point.hpp"
#include "views/model/charts/length_words.hpp"

namespace triscope {
namespace {

/// The verdict on that point beside `there`, of one pass within one sweep; null: it is not among them.
const Comparison* verdict_on(const LengthCurve& baseline, const LengthPoint& point, const LengthPoint* there,
                             const Verdicts* verdicts) {
  const bool same = verdicts != nullptr && there != nullptr && point.backward == 0 && there->sweep == point.sweep &&
                    verdicts->baseline == baseline.kernel;
  if (!same) return nullptr;
  const auto found = verdicts->by_measurement.find(point.measurement);
  return found == verdicts->by_measurement.end() || found->second.ratio <= 0 ? nullptr : &found->second;
}

bool has_interval(const Comparison& verdict) {
  return verdict.verdict != Verdict::not_comparable && interval_known(verdict);
}

bool is_in_turns(const Comparison& verdict) { return verdict.paired && verdict.ratio > 0 && has_interval(verdict); }

/// The time of that measurement of the pass; unset: it is none of its points.
std::optional<double> ms_of(const LengthPass& pass, std::int64_t measurement) {
  for (const LengthCurve& curve : pass.curves) {
    for (const LengthPoint& point : curve.points) {
      if (point.measurement == measurement) return point.ms;
    }
    for (const auto& [sweep, points] : curve.by_sweep) {
      const auto found = std::ranges::find(points, measurement, &LengthPoint::measurement);
      if (found != points.end()) return found->ms;
    }
  }
  return std::nullopt;
}

}  // namespace

std::string beside_reference_text(const LengthPass& pass, std::size_t curve, const LengthPoint& point,
                                  const Verdicts* verdicts) {
  const auto crossing = std::ranges::find(pass.crossings, curve, &LengthCrossing::windows);
  if (crossing == pass.crossings.end()) return {};
  const LengthCurve& baseline = pass.curves[crossing->baseline];
  const LengthPoint* there = point_at(baseline.points, point.seq_len);
  const Comparison* found = verdict_on(baseline, point, there, verdicts);
  if (found == nullptr) return beside_baseline_text(pass, curve, point);
  const Comparison& verdict = *found;
  std::string text = fmt::format("{} takes {} here; this takes {} times as long", baseline.label,
                                 format_ms(there->ms, half_width(*there)), format_fixed(verdict.ratio, 3));
  if (has_interval(verdict))
    text += fmt::format(", {} to {}", format_fixed(verdict.interval.low, 3), format_fixed(verdict.interval.high, 3));
  return verdict.paired ? text + ", in turns" : text + " *";
}

std::string turns_sentence(const LengthPass& pass, const SameBudget& budget, const Verdicts* verdicts) {
  const LengthCurve& baseline = pass.curves[budget.baseline];
  const LengthPoint* point = point_at(pass.curves[budget.nearest].points, budget.seq_len);
  const LengthPoint* there = point_at(baseline.points, budget.seq_len);
  const Comparison* found = point == nullptr ? nullptr : verdict_on(baseline, *point, there, verdicts);
  if (found == nullptr || !is_in_turns(*found)) return {};
  return fmt::format("By the ratios of neighbouring turns, as in Latency, {} times as long ({} to {}).",
                     format_fixed(found->ratio, 3), format_fixed(found->interval.low, 3),
                     format_fixed(found->interval.high, 3));
}

std::string step_turns_sentence(const LengthChart& chart, const SameBudget& budget, const Verdicts* verdicts) {
  const LengthCurve& baseline = chart.step.curves[budget.baseline];
  const LengthPoint* point = point_at(chart.step.curves[budget.nearest].points, budget.seq_len);
  const LengthPoint* there = point_at(baseline.points, budget.seq_len);
  const bool in_sweeps = point != nullptr && there != nullptr && point->sweep == there->sweep &&
                         point->backward_sweep == there->backward_sweep;
  if (!in_sweeps || verdicts == nullptr || verdicts->baseline != baseline.kernel) return {};
  const auto forward = verdicts->by_measurement.find(point->measurement),
             backward = verdicts->by_measurement.find(point->backward);
  const auto none = verdicts->by_measurement.end();
  if (forward == none || backward == none || !is_in_turns(forward->second) || !is_in_turns(backward->second)) return {};
  const std::optional<double> forward_ms = ms_of(chart.of(Pass::forward), there->measurement);
  if (!forward_ms) return {};
  const double share = *forward_ms / there->ms;
  const auto half = [](const Comparison& one) { return (one.interval.high - one.interval.low) / 2; };
  const double ratio = share * forward->second.ratio + (1 - share) * backward->second.ratio,
               wide = std::hypot(share * half(forward->second), (1 - share) * half(backward->second));
  return fmt::format(
      "By the ratios of neighbouring turns of each pass, weighted by the times of {}, {} times as long ({} to {}).",
      baseline.label, format_fixed(ratio, 3), format_fixed(ratio - wide, 3), format_fixed(ratio + wide, 3));
}

bool lies_below_another(const LengthPass& pass, std::size_t curve) {
  constexpr double kTogether = 0.04;  // of a time: less than a mark is high where times span decades
  const LengthCurve& below = pass.curves[curve];
  if (below.baseline) return false;
  for (std::size_t n = curve + 1; n < pass.curves.size(); ++n) {
    const LengthCurve& above = pass.curves[n];
    if (above.baseline) continue;
    std::size_t shared = 0, together = 0;
    for (const LengthPoint& point : below.points) {
      const LengthPoint* other = point_at(above.points, point.seq_len);
      if (other == nullptr) continue;
      ++shared;
      if (std::abs(std::log(other->ms / point.ms)) < kTogether) ++together;
    }
    if (together > 1 && 2 * together >= shared) return true;
  }
  return false;
}

}  // namespace triscope
