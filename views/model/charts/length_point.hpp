// What is asked of one point of the chart over lengths.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "profiler/statistics/training_step.hpp"
#include "views/model/charts/length_chart.hpp"

namespace triscope {

/// The point at this length; null: there is none.
inline const LengthPoint* point_at(const std::vector<LengthPoint>& points, std::int64_t seq_len) {
  const auto found = std::ranges::find(points, seq_len, &LengthPoint::seq_len);
  return found == points.end() ? nullptr : &*found;
}

inline std::size_t lengths_in_common(const std::vector<LengthPoint>& a, const std::vector<LengthPoint>& b) {
  return static_cast<std::size_t>(
      std::ranges::count_if(a, [&](const LengthPoint& one) { return point_at(b, one.seq_len) != nullptr; }));
}

/// What stands beside the point of `ours` at this length: of a step its own dot product, else what the sweep of the
/// point measured of `baseline`, else the point of `baseline`; null: it was not measured there.
inline const LengthPoint* reference_at(const LengthCurve& ours, const LengthCurve& baseline, std::int64_t seq_len) {
  const bool own = ours.beside_kernel == baseline.kernel && ours.problem.kv_heads == baseline.problem.kv_heads;
  if (const LengthPoint* beside = own ? point_at(ours.beside, seq_len) : nullptr) return beside;
  const LengthPoint* const point = point_at(ours.points, seq_len);
  if (point != nullptr && point->backward == 0) {
    for (const auto& [sweep, points] : baseline.by_sweep) {
      const LengthPoint* const beside = sweep == point->sweep ? point_at(points, seq_len) : nullptr;
      if (beside != nullptr) return beside;
    }
  }
  return point_at(baseline.points, seq_len);
}

/// Half of its 95 % interval; unset: not known.
inline std::optional<double> half_width(const LengthPoint& point) {
  return interval_known(point) ? std::optional((point.high_ms - point.low_ms) / 2) : std::nullopt;
}

inline ValueWithInterval value_of(const LengthPoint& point) {
  if (!interval_known(point)) return {point.ms, std::nullopt, std::nullopt};
  return {point.ms, point.low_ms, point.high_ms};
}

}  // namespace triscope
