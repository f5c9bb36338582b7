// Sums that do not depend on their order: of integers. What the deterministic backward adds to device memory is rounded
// to a multiple of a power of two first, and integers add up to the same in any order, also where a partial sum
// overflows.
//
//   dq             32 bits. prepare.cuh keeps every sum of 2^(e+a+b) dq / scale below 2^15; a unit is 2^-15 of that, so
//                  that sums stay below 2^30. For N(0, 1) inputs and windows of 512x32 a usual sum is 2^14 units. Each
//                  of the n = window1 window2 / 128 shares of a sum is rounded, by 0.29 units: 1.4e-6 n of the sum,
//                  which is 1.9e-4 there and 2.8e-3 with kMostPairs.
//   short dk, dv   64 bits; a unit is 2^-f of which no sum has 2^60.
//   long dk, dv    Many small shares, 32 bits. A share below 2^(limb - 1) units is one integer, a larger one two:
//                  share = high 2^limb + low, |low| <= 2^(limb - 1). `low` is added as the others, and `high`, which is
//                  seldom there, to sums of its own. At most window1 + window2 - 1 shares meet in an element, and their
//                  low parts stay below 2^30.
//
// Bounds of dk and dv. Probabilities of a row of q sum to 1, so no sum of dv exceeds
//
//   B = 1.02 long_window group max |do|_2 max |v|_4        (1.02: rounding; 4-norms are at hand and not below any |v|)
//
// and no sum of dk the same with sum |ds| < 2^15 (prepare.cuh), max |q| and max |k| of its dimension. A share of the
// long axis that uniform probabilities would make is at most
//
//   t = 2 sqrt(short_window group) / (long_window short_window) B / (long_window group)
//
// of N(0, 1) inputs usually 2^-6 (dk 2^-10) of it. Its f makes t 2^(limb - 1) units: with 512x32 usual shares have 14
// bits (dk 10), hundreds of them meet, and one may be 2^6 times as large before it takes two integers. f is less where
// even the high sums, of 30 bits, would not hold B: with windows of some thousand.
#pragma once

#include <cstdint>

namespace triscope::hopper::backward {

inline constexpr float kGradQueryUnits = 32768.0f;     ///< of 1 in the sums of dq
inline constexpr std::int64_t kMostPairs = 1LL << 18;  ///< pairs (j, k) that a query sees
inline constexpr float kMostHigh = 1073741824.0f;      ///< 2^30: of a high part

/// 2^f of the sums of one (batch, kv head), by dimension.
struct FixedScales {
  float long_key[128], short_key[128], long_value[128], short_value[128];
  std::uint32_t not_finite;  ///< 1: a share is no number, or larger than any bound; all gradients become NaN
  std::uint32_t padding[3];
};

struct FixedPoint {
  FixedScales* scales = nullptr;          ///< [batch * kv_heads]
  std::int32_t* high_long_key = nullptr;  ///< as the low sums, see long_place
  std::int32_t* high_long_value = nullptr;
  int limb = 0;
  float limit = 0, unit = 0, per_unit = 0;  ///< 2^(limb - 1), 2^limb, 2^-limb
};

}  // namespace triscope::hopper::backward
