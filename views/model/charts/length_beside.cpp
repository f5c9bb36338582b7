#include "views/model/charts/length_beside.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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
  std::string text = fmt::format("{} takes {} here: {}× its time", baseline.label,
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
  if (found == nullptr || !found->paired || !has_interval(*found)) return {};
  return fmt::format("By the ratios of neighbouring turns, as in Latency, {} times as long ({} to {}).",
                     format_fixed(found->ratio, 3), format_fixed(found->interval.low, 3),
                     format_fixed(found->interval.high, 3));
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
