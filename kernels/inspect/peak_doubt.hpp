// Which peaks of a mean say where a head looks, and which chance would bring as well.
#pragma once

#include <cstdint>

#include "kernels/inspect/mean_maps.hpp"

namespace triscope {

/// Of the table of all heads.
std::int64_t pairs_of_all_heads(const MeanMaps& maps);
/// A peak of less than so many times even weights stands out of chance alone: the largest of thousands of pairs.
inline constexpr double kNearlyEven = 3;
/// So many queries must have their largest p at a pair before it counts. Were all pairs alike, some pair of some head
/// would have them in less than one table of twenty: a Poisson bound, summed over all pairs of all heads.
std::int64_t fewest_queries(const MeanMaps& maps, const MeanPeak& peak);
/// Why a peak does not say where its head looks. Where fewer queries have their largest p, it does all the same when
/// the mean is not nearly even without as many of the best as chance may bring.
enum class PeakDoubt { none, nearly_even, few_queries };
PeakDoubt peak_doubt(const MeanMaps& maps, const MeanPeak& peak);

}  // namespace triscope
