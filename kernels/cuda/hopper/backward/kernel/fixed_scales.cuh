// The powers of two of the deterministic backward's integer sums (fixed_point.hpp).
#pragma once

#include "kernels/cuda/hopper/backward/kernel/ranges.cuh"
#include "kernels/cuda/hopper/backward/plan/fixed_point.hpp"

namespace triscope::hopper::backward {

/// No sum of shares is larger: `row` bounds what a row of q adds, `factor` what that is multiplied by.
__device__ __forceinline__ float largest_sum(const BackwardParameters& p, float row, float factor) {
  return fminf(1.02f * static_cast<float>(p.long_window) * static_cast<float>(p.group) * row * factor, 3e38f);
}
__device__ __forceinline__ float power_of_two(int exponent) { return ldexpf(1.0f, max(-126, min(exponent, 126))); }

/// 2^f of the long axis. The factor times it stays a number.
__device__ __forceinline__ float long_scale(const BackwardParameters& p, int limb, float row, float factor) {
  const float pairs = static_cast<float>(p.long_window) * static_cast<float>(p.short_window);
  const float usual = 2.0f * sqrtf(static_cast<float>(p.short_window * p.group)) / pairs * row * factor;
  const int f = min(limb - 1 - exponent_above(usual), limb + 29 - exponent_above(largest_sum(p, row, factor)));
  return power_of_two(min(f, 126 - max(0, exponent_above(factor))));
}
/// The same of the short axis.
__device__ __forceinline__ float short_scale(const BackwardParameters& p, float row, float factor) {
  return power_of_two(60 - exponent_above(largest_sum(p, row, factor)));
}

/// Those of dimension `d` of a (batch, kv head) whose ranges are complete.
__device__ __forceinline__ void choose_fixed_scales(const BackwardParameters& p, const FixedPoint& fixed, bool cross,
                                                    int pair, int d) {
  const Ranges& r = p.ranges[pair];
  FixedScales& scales = fixed.scales[pair];
  const int chunk = d / 3 * 3;
  float long_key = r.long_key[d], short_key = r.short_key[d];
  if (cross && chunk + 3 <= p.head_dim) {  // two products of components of the chunk
    long_key = short_key = 0.0f;
    for (int x = chunk; x < chunk + 3; ++x) {
      long_key = fmaxf(long_key, 2.0f * r.long_key[x]);
      short_key = fmaxf(short_key, 2.0f * r.short_key[x]);
    }
  }
  const int shift = query_shift(r);
  const float grads = ldexpf(1.0f, (cross ? 14 : 15) - shift);  // of |ds| over the pairs of a row of q
  const float row = grads * ldexpf(r.query, -shift), value_row = sqrtf(r.grad_o);
  scales.long_key[d] = long_scale(p, fixed.limb, row, short_key);
  scales.short_key[d] = short_scale(p, row, long_key);
  scales.long_value[d] = long_scale(p, fixed.limb, value_row, r.short_value);
  scales.short_value[d] = short_scale(p, value_row, r.long_value);
  if (d == 0) scales.not_finite = 0;
}

}  // namespace triscope::hopper::backward
