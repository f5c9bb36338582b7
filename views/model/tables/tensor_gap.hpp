// Why two rows differ in their rate, as far as their tensor cores tell.
#pragma once

#include <string>

#include "profiler/statistics/statistics.hpp"

namespace triscope {

/// What the tensor cores did in a row, in shares of 1.
struct TensorUse {
  double busy = 0;    ///< of their rate
  double useful = 0;  ///< of what they compute, what lies inside the windows
};

/// A's rate of useful work over B's.
struct RateGap {
  double ratio = 0;
  Interval interval;
  double same_within = 0;  ///< the same is inside 1 +- this
};

/// How busy the tensor cores are in both and how much of it is useful, and which of the two makes the difference: one
/// that is more than twice the other. Empty where the interval does not show a difference, where a share is no share,
/// or where both together leave more than half of the difference to something else.
std::string tensor_gap_words(const TensorUse& a, const TensorUse& b, const RateGap& gap);

}  // namespace triscope
