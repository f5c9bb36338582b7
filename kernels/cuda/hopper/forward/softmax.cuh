// Softmax without a running maximum. The reference exponent of a row is the maximum of the row's first tile; weights
// 2^(s - reference) may exceed 1. Once a step their sums are checked: past 2^30 the weights, the accumulator and the
// sum are scaled down by the same power of two, which is exact (bf16 has fp32's exponent range). A score that overflows
// fp32 before the check leaves inf or NaN in the result; the epilogue marks such rows and repair.cuh does them again.
#pragma once

#include <math_constants.h>

#include "kernels/cuda/hopper/common/ptx.cuh"

namespace triscope::hopper {

inline constexpr float kSumLimit = 0x1p30f;

/// State of the two rows (g: [0], g + 8: [1]) of one thread; sums are of this thread's columns only.
struct RowState {
  float reference[2];  ///< log2 units
  float sum[2];
  float largest[2];  ///< largest tile sum since the last check
};

/// Maximum over the quad of lanes that shares a row.
__device__ __forceinline__ float quad_max(float x) {
  x = fmaxf(x, __shfl_xor_sync(0xFFFFFFFFu, x, 1));
  return fmaxf(x, __shfl_xor_sync(0xFFFFFFFFu, x, 2));
}
__device__ __forceinline__ float quad_sum(float x) {
  x += __shfl_xor_sync(0xFFFFFFFFu, x, 1);
  return x + __shfl_xor_sync(0xFFFFFFFFu, x, 2);
}

/// Takes the row maxima of the first tile as references; a row without visible keys gets 0.
template <int kRegisters>
__device__ __forceinline__ void set_reference(RowState& rows, const float (&score)[kRegisters], float scale_log2) {
  float highest[2] = {score[0], score[2]};
#pragma unroll
  for (int i = 0; i < kRegisters; ++i) highest[(i >> 1) & 1] = fmaxf(highest[(i >> 1) & 1], score[i]);
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const float reference = quad_max(highest[r]) * scale_log2;
    rows.reference[r] = reference == -CUDART_INF_F ? 0.0f : reference;
    rows.sum[r] = rows.largest[r] = 0.0f;
  }
}

/// Replaces the scores of column blocks [kFirst, kEnd) by their weights and adds them to `partial` (rows g, g + 8; even
/// and odd columns apart, to shorten the chains).
template <int kFirst, int kEnd, int kRegisters>
__device__ __forceinline__ void exponentiate(float (&score)[kRegisters], const RowState& rows, float scale_log2,
                                             float (&partial)[4]) {
#pragma unroll
  for (int block = kFirst; block < kEnd; ++block) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      float& x = score[4 * block + i];
      x = fast_exp2(fmaf(x, scale_log2, -rows.reference[i >> 1]));
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) partial[i] += score[4 * block + i];
  }
}

/// Weights of column blocks [kFirst, kEnd) to bf16, in the order of WGMMA's A fragment.
template <int kFirst, int kEnd, int kRegisters>
__device__ __forceinline__ void pack_weights(const float (&score)[kRegisters],
                                             std::uint32_t (&weight)[kRegisters / 2]) {
#pragma unroll
  for (int x = 2 * kFirst; x < 2 * kEnd; ++x) weight[x] = pack_bf16x2(score[2 * x], score[2 * x + 1]);
}

__device__ __forceinline__ void add_sums(RowState& rows, const float (&partial)[4]) {
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const float sum = partial[2 * r] + partial[2 * r + 1];
    rows.sum[r] += sum;
    rows.largest[r] = fmaxf(rows.largest[r], sum);
  }
}

/// The check of the opening comment. `weight`: not yet multiplied by V; `accumulator`: idle.
template <int kWeights, int kAccumulators>
__device__ __forceinline__ void check_sums(RowState& rows, std::uint32_t (&weight)[kWeights],
                                           float (&accumulator)[kAccumulators]) {
  if (__any_sync(0xFFFFFFFFu, fmaxf(rows.largest[0], rows.largest[1]) > kSumLimit)) {
    float factor[2];
    std::uint32_t factor_bf16[2];
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const int exponent = min((__float_as_int(quad_max(fmaxf(rows.largest[r], 1.0f))) >> 23) - 127, 126);
      factor[r] = __int_as_float((127 - exponent) << 23);
      factor_bf16[r] = pack_bf16x2(factor[r], factor[r]);
      rows.reference[r] += static_cast<float>(exponent);
      rows.sum[r] *= factor[r];
    }
#pragma unroll
    for (int i = 0; i < kWeights; ++i) weight[i] = multiply_bf16x2(weight[i], factor_bf16[i & 1]);
#pragma unroll
    for (int i = 0; i < kAccumulators; ++i) accumulator[i] *= factor[(i >> 1) & 1];
  }
  rows.largest[0] = rows.largest[1] = 0.0f;
}

}  // namespace triscope::hopper
