#include "kernels/inspect/peak_doubt.hpp"

#include <cmath>

namespace triscope {
namespace {

/// Whether the mean is not nearly even without the `best` queries at which p is largest there, none of which has more
/// than the largest p: many queries look there, though most of them more to another pair.
bool is_broad(const MeanPeak& peak, std::int64_t best) {
  if (peak.best_query < 0 || peak.queries <= best) return false;
  const auto queries = static_cast<double>(peak.queries), left_out = static_cast<double>(best);
  return (peak.p * queries - peak.best_p * left_out) / (queries - left_out) >= kNearlyEven * peak.even;
}

}  // namespace

std::int64_t pairs_of_all_heads(const MeanMaps& maps) { return maps.heads * maps.width * maps.height; }

std::int64_t fewest_queries(const MeanMaps& maps, const MeanPeak& peak) {
  constexpr double kChance = 0.05;
  const double expected = static_cast<double>(peak.queries) * peak.even;
  constexpr double kMany = 500;  // of so many the normal distribution says it, and exp(-expected) comes near to 0
  if (expected > kMany) return std::llround(expected + 6 * std::sqrt(expected));
  const double allowed = kChance / static_cast<double>(pairs_of_all_heads(maps));
  std::int64_t count = 1;
  double exactly = std::exp(-expected), fewer = exactly;  // probabilities of count - 1, and of less than count
  while (1 - fewer >= allowed && count <= peak.queries) {
    exactly *= expected / static_cast<double>(count++);
    fewer += exactly;
  }
  return count;
}

PeakDoubt peak_doubt(const MeanMaps& maps, const MeanPeak& peak) {
  if (peak.p < kNearlyEven * peak.even) return PeakDoubt::nearly_even;
  const std::int64_t count = maps.strongest_at(peak.head, peak.back1, peak.back2), fewest = fewest_queries(maps, peak);
  return count < fewest && !is_broad(peak, fewest - 1) ? PeakDoubt::few_queries : PeakDoubt::none;
}

}  // namespace triscope
