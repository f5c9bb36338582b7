// What stands in words beside the chart over lengths.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "views/model/charts/length_chart.hpp"

namespace triscope {

/// "512 × 32, 8,192 tokens: 1.23 ms, interval unknown", of a point that is hovered.
std::string point_text(const LengthCurve& curve, const LengthPoint& point);

/// A measured pair of windows at one length.
struct MeasuredPair {
  const LengthCurve* curve = nullptr;
  const LengthPoint* point = nullptr;
};

/// "trilinear, 64/1 heads, head size 128": what the problems of these curves share.
std::string shared_words(std::span<const LengthCurve> curves);
/// "FA3 64/1" of "FlashAttention-3 64/1".
std::string short_name(const LengthCurve& curve);
std::vector<std::string> crossing_row(const LengthCurve& ours, const LengthCurve& baseline,
                                      const LengthCrossing& crossing);
/// The crossings of a pass, one a row, with the columns of `crossing_row`.
TextTable crossing_table(const LengthPass& pass);
std::string crossing_sentence(const LengthCurve& ours, const LengthCurve& baseline, const LengthCrossing& crossing);
/// "about 7,140 (6,900 to 7,380)", as many digits as its interval bears out.
std::string area_text(const AreaEstimate& estimate);

}  // namespace triscope
