// What is asked of one point of the chart over lengths.
#pragma once

#include <optional>

#include "views/model/charts/length_chart.hpp"

namespace triscope {

/// Half of its 95 % interval; unset: not known.
inline std::optional<double> half_width(const LengthPoint& point) {
  return interval_known(point) ? std::optional((point.high_ms - point.low_ms) / 2) : std::nullopt;
}

}  // namespace triscope
