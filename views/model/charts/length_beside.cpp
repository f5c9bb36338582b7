#include "views/model/charts/length_beside.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "profiler/record/columns.hpp"
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

/// Whether windows and baseline have the same heads: a verdict is beside the baseline that has them, and a kernel may
/// have been measured with others, too.
bool have_same_heads(const LengthCurve& ours, const LengthCurve& baseline) {
  return ours.problem.q_heads == baseline.problem.q_heads && ours.problem.kv_heads == baseline.problem.kv_heads;
}

PointRatio by_medians(const ValueWithInterval& medians, bool few_blocks) {
  PointRatio ratio{{}, true};
  ratio.time.ratio = medians.value;
  if (medians.low && medians.high) ratio.time.interval = {*medians.low, *medians.high};
  ratio.time.few_blocks = few_blocks;
  return ratio;
}

}  // namespace

PointRatio ratio_of_medians(const LengthPoint& point, const LengthPoint& there) {
  return by_medians(ratio_of(value_of(point), value_of(there)), point.few_blocks || there.few_blocks);
}

PointRatio ratio_beside(const LengthCurve& ours, const LengthCurve& baseline, const LengthPoint& point,
                        const LengthPoint& there, const Verdicts* verdicts) {
  const bool one_sweep =
      point.sweep == there.sweep && point.backward_sweep == there.backward_sweep && have_same_heads(ours, baseline);
  const Comparison* first = one_sweep ? verdict_on(verdicts, baseline, point.measurement) : nullptr;
  if (first != nullptr && point.backward == 0) return {*first};
  const Comparison* second = first == nullptr ? nullptr : verdict_on(verdicts, baseline, point.backward);
  if (second == nullptr) return ratio_of_medians(point, there);
  const PassBeside forward{point.ms - point.backward_ms, there.ms - there.backward_ms, *first},
      backward{point.backward_ms, there.backward_ms, *second};
  if (in_turns(*first) && in_turns(*second)) return {compare_steps(forward, backward)};
  return by_medians(ratio_of_steps(forward, backward).time,  // as `show --step` has it
                    first->few_blocks || second->few_blocks);
}

std::string beside_reference_text(const LengthPass& pass, std::size_t curve, const LengthPoint& point,
                                  const Verdicts* verdicts) {
  const auto crossing = std::ranges::find(pass.crossings, curve, &LengthCrossing::windows);
  if (crossing == pass.crossings.end()) return {};
  const LengthCurve& baseline = pass.curves[crossing->baseline];
  const LengthPoint* there = reference_at(pass.curves[curve], baseline, point.seq_len);
  if (there == nullptr) return {};
  const Comparison time = ratio_beside(pass.curves[curve], baseline, point, *there, verdicts).time;
  std::string text = fmt::format("{} takes {} here; this takes {} times as long", baseline.label,
                                 format_ms(there->ms, half_width(*there)), format_fixed(time.ratio, 3));
  if (has_interval(time))
    text += fmt::format(", {} to {}", format_fixed(time.interval.low, 3), format_fixed(time.interval.high, 3));
  if (!time.paired) return text + " *";
  return text + ", in turns" + (time.b_ms > 0 ? fmt::format(" beside {} ms", significant_text(time.b_ms, 4)) : "");
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
