// Points and curves of the chart over lengths beside each other.
#pragma once

#include <cstddef>
#include <string>

#include "profiler/statistics/verdicts.hpp"
#include "views/model/charts/length_chart.hpp"

namespace triscope {

/// Where each curve of ours crosses the causal dot-product attention that stands beside it best: of equal grouping,
/// then of kernel `reference`, then of the lowest rank.
void find_crossings(LengthPass& pass, const std::string& reference);

/// How many times as long the windows take as the dot-product attention.
struct PointRatio {
  Comparison time;          ///< `paired`: by neighbouring turns
  bool by_medians = false;  ///< else by the samples of both, as everywhere
};
PointRatio ratio_of_medians(const LengthPoint& point, const LengthPoint& there);
/// The one that is beside that kernel; null: neither is.
const Verdicts* beside_kernel(const std::string& kernel, const Verdicts* chosen, const Verdicts* usual);
/// Of `point` of `ours` beside `there` of `baseline` or beside the step (`reference_at`): the verdict of `verdicts`
/// where that is of these two, which are of one sweep; of a step those of both passes (`ratio_of_steps`). Else that of
/// their medians. Null: no verdicts are known.
PointRatio ratio_beside(const LengthCurve& ours, const LengthCurve& baseline, const LengthPoint& point,
                        const LengthPoint& there, const Verdicts* verdicts);

/// "FlashAttention-3 64/1 takes 25.26 ms here; this takes 1.125 times as long, 1.11 to 1.14, in turns beside 25.45 ms":
/// a point of ours beside the dot-product attention that its curve is compared with. With a star where they did not
/// take turns. Empty where that was not measured at this length.
std::string beside_reference_text(const LengthPass& pass, std::size_t curve, const LengthPoint& point,
                                  const Verdicts* chosen, const Verdicts* usual = nullptr);

/// Both are ours, and one lies on the other at two lengths or more, most of those that both have.
bool lies_on(const LengthCurve& above, const LengthCurve& below);

}  // namespace triscope
