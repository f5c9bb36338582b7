// Points and curves of the chart over lengths beside each other.
#pragma once

#include <cstddef>
#include <string>

#include "profiler/statistics/verdicts.hpp"
#include "views/model/charts/length_chart.hpp"

namespace triscope {

/// How many times as long the windows take as the dot-product attention.
struct PointRatio {
  Comparison time;          ///< `paired`: by neighbouring turns
  bool by_medians = false;  ///< else by the samples of both, as everywhere
};
PointRatio ratio_of_medians(const LengthPoint& point, const LengthPoint& there);
/// Of `point` beside `there` of `baseline`: the verdict of `verdicts` where that is of these two, which are of one
/// sweep; of a step where each pass took turns. Else that of their medians. Null: no verdicts are known.
PointRatio ratio_beside(const LengthChart& chart, const LengthCurve& baseline, const LengthPoint& point,
                        const LengthPoint& there, const Verdicts* verdicts);

/// "FlashAttention-3 64/1 takes 25.26 ms here; this takes 1.125 times as long, 1.11 to 1.14, in turns": a point of ours
/// beside the dot-product attention that its curve is compared with. With a star where they did not take turns. Empty
/// where that was not measured at this length.
std::string beside_reference_text(const LengthChart& chart, const LengthPass& pass, std::size_t curve,
                                  const LengthPoint& point, const Verdicts* verdicts);

/// This curve lies on one of ours that is drawn before it, at two lengths or more, most of those that both have: it is
/// drawn in dashes, so that both are seen.
bool lies_on_another(const LengthPass& pass, std::size_t curve);
inline constexpr int kDashesOnAnother = 2;  ///< their style: long ones

}  // namespace triscope
