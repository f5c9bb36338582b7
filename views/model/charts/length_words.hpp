// What stands in words beside the chart over lengths.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "views/model/charts/length_chart.hpp"

namespace triscope {

/// "512 × 32, 8,192 tokens: 1.23 ms, interval unknown", of a point that is hovered.
std::string point_text(const LengthCurve& curve, const LengthPoint& point);

/// "FlashAttention-3 64/1 takes 25.26 ms here; this takes 1.125 times as long, 1.11 to 1.14 *": a point of ours beside
/// the dot-product attention that its curve is compared with, in the pass that is drawn. Of separate runs, hence the
/// star. Empty where that was not measured at this length.
std::string beside_baseline_text(const LengthPass& pass, std::size_t curve, const LengthPoint& point);

/// A measured pair of windows at one length.
struct MeasuredPair {
  const LengthCurve* curve = nullptr;
  const LengthPoint* point = nullptr;
};

std::string crossing_sentence(const LengthCurve& ours, const LengthCurve& baseline, const LengthCrossing& crossing);
/// The place of the pair in `pairs` whose time comes nearest to that of dot-product attention.
std::size_t nearest_pair(const std::vector<MeasuredPair>& pairs, const LengthPoint& dot_product);
/// The answer in a line: a pair that would take as long as the `point` of dot-product attention, or why none is named,
/// and the nearest that was measured.
std::string budget_headline(std::string_view part, const LengthPoint& point, const SameBudget& budget,
                            const MeasuredPair& nearest);
/// "about 7,140 (6,900 to 7,380)", as many digits as its interval bears out.
std::string area_text(const AreaEstimate& estimate);
/// What that stands on: the point of `baseline` at the budget's length beside the `nearest` that was measured there.
/// `cycle_ratio`: of their cycles, 0: not known; it is said where something held a clock down.
std::string budget_sentence(const LengthCurve& baseline, const LengthPoint& point, const SameBudget& budget,
                            const MeasuredPair& nearest, double cycle_ratio);

}  // namespace triscope
