#include "views/model/charts/length_beside.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "profiler/statistics/comparison_facts.hpp"
#include "profiler/statistics/training_step.hpp"
#include "views/data/format.hpp"
#include "views/model/charts/length_point.hpp"

namespace triscope {
namespace {

/// The verdict on that measurement beside the baseline's in its sweep; null: there is none.
const Comparison* verdict_on(const Verdicts* verdicts, const LengthCurve& baseline, std::int64_t measurement) {
  if (verdicts == nullptr || verdicts->baseline != baseline.kernel) return nullptr;
  const auto found = verdicts->by_measurement.find(measurement);
  return found == verdicts->by_measurement.end() || found->second.ratio <= 0 ? nullptr : &found->second;
}

/// The time of that measurement of the curve; 0: it is none of its points.
double ms_of(const LengthCurve& curve, std::int64_t measurement) {
  for (const LengthPoint& point : curve.points) {
    if (point.measurement == measurement) return point.ms;
  }
  for (const auto& [sweep, points] : curve.by_sweep) {
    const auto found = std::ranges::find(points, measurement, &LengthPoint::measurement);
    if (found != points.end()) return found->ms;
  }
  return 0;
}
double ms_of(const LengthPass& pass, std::int64_t measurement) {
  for (const LengthCurve& curve : pass.curves) {
    if (const double ms = ms_of(curve, measurement); ms > 0) return ms;
  }
  return 0;
}

/// Whether that measurement has the heads of `baseline`: a verdict is beside the baseline that has them, and a kernel
/// may have been measured with others, too.
bool has_heads_of(const LengthChart& chart, const LengthCurve& baseline, std::int64_t measurement) {
  const Problem& there = baseline.problem;
  for (const Pass pass : {Pass::forward, Pass::backward}) {
    for (const LengthCurve& curve : chart.of(pass).curves) {
      if (ms_of(curve, measurement) > 0)
        return curve.problem.q_heads == there.q_heads && curve.problem.kv_heads == there.kv_heads;
    }
  }
  return false;
}

}  // namespace

PointRatio ratio_of_medians(const LengthPoint& point, const LengthPoint& there) {
  const ValueWithInterval medians = ratio_of(value_of(point), value_of(there));
  PointRatio ratio{{}, true};
  ratio.time.ratio = medians.value;
  if (medians.low && medians.high) ratio.time.interval = {*medians.low, *medians.high};
  return ratio;
}

PointRatio ratio_beside(const LengthChart& chart, const LengthCurve& baseline, const LengthPoint& point,
                        const LengthPoint& there, const Verdicts* verdicts) {
  const bool one_sweep = point.sweep == there.sweep && point.backward_sweep == there.backward_sweep &&
                         has_heads_of(chart, baseline, point.measurement);
  const Comparison* first = one_sweep ? verdict_on(verdicts, baseline, point.measurement) : nullptr;
  if (first != nullptr && point.backward == 0) return {*first};
  const Comparison* second = first == nullptr ? nullptr : verdict_on(verdicts, baseline, point.backward);
  if (second == nullptr || !in_turns(*first) || !in_turns(*second)) return ratio_of_medians(point, there);
  const double ours = ms_of(chart.of(Pass::forward), point.measurement),
               theirs = ms_of(chart.of(Pass::forward), there.measurement);
  if (ours <= 0 || theirs <= 0) return ratio_of_medians(point, there);
  return {compare_steps({ours, theirs, *first}, {point.ms - ours, there.ms - theirs, *second})};
}

std::string beside_reference_text(const LengthChart& chart, const LengthPass& pass, std::size_t curve,
                                  const LengthPoint& point, const Verdicts* verdicts) {
  const auto crossing = std::ranges::find(pass.crossings, curve, &LengthCrossing::windows);
  if (crossing == pass.crossings.end()) return {};
  const LengthCurve& baseline = pass.curves[crossing->baseline];
  const LengthPoint* there = point_at(baseline.points, point.seq_len);
  if (there == nullptr) return {};
  const Comparison time = ratio_beside(chart, baseline, point, *there, verdicts).time;
  std::string text = fmt::format("{} takes {} here; this takes {} times as long", baseline.label,
                                 format_ms(there->ms, half_width(*there)), format_fixed(time.ratio, 3));
  if (has_interval(time))
    text += fmt::format(", {} to {}", format_fixed(time.interval.low, 3), format_fixed(time.interval.high, 3));
  return text + (time.paired ? ", in turns" : " *");
}

bool lies_on(const LengthCurve& above, const LengthCurve& below) {
  constexpr double kTogether = 0.04;  // of a time: less than a mark is high where times span decades
  if (above.baseline || below.baseline) return false;
  std::size_t shared = 0, together = 0;
  for (const LengthPoint& point : above.points) {
    const LengthPoint* other = point_at(below.points, point.seq_len);
    if (other == nullptr) continue;
    ++shared;
    if (std::abs(std::log(other->ms / point.ms)) < kTogether) ++together;
  }
  return together > 1 && 2 * together >= shared;
}

}  // namespace triscope
