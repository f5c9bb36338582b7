// Points and curves of the chart over lengths beside each other.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>

#include "profiler/statistics/verdicts.hpp"
#include "views/model/charts/length_chart.hpp"

namespace triscope {

/// The place, as `curve_at` has it, of the causal dot-product attention that stands beside these windows best: of equal
/// grouping, then of kernel `reference`, then of the lowest rank. `undrawn`: also of those that are not drawn.
std::optional<std::size_t> best_baseline(const LengthPass& pass, const LengthCurve& ours, const std::string& reference,
                                         bool undrawn);
/// Where each curve of ours crosses its best baseline of those that are drawn.
void find_crossings(LengthPass& pass, const std::string& reference);

/// How many times as long the windows take as the dot-product attention.
struct PointRatio {
  Comparison time;           ///< `paired`: by neighbouring turns
  bool by_medians = false;   ///< nothing is known of their samples, and so there is no verdict
  double confidence = 0.95;  ///< of the interval
};
/// " (99 %)" behind an interval that is not one of 95 %; empty: it is.
std::string other_confidence(const PointRatio& ratio);
PointRatio ratio_of_medians(const LengthPoint& point, const LengthPoint& there);
/// Of `point` beside `there`, which is `reference_at` of it: what `verdicts` say of the two, of a step of both passes,
/// as `show --step` says it. Null, or not of these: that of their medians.
PointRatio ratio_beside(const LengthPoint& point, const LengthPoint& there, const PairVerdicts* verdicts);
/// The pairs that this takes.
void add_pairs(std::set<MeasurementPair>& pairs, const LengthPoint& point, const LengthPoint& there);

/// "FlashAttention-3 64/1 takes 25.26 ms here; this takes 1.125 times as long, 1.11 to 1.14, in turns beside 25.45 ms":
/// a point of ours beside the dot-product attention that its curve is compared with. With a star where they did not
/// take turns. Empty where that was not measured at this length.
std::string beside_reference_text(const LengthPass& pass, std::size_t curve, const LengthPoint& point);

}  // namespace triscope
