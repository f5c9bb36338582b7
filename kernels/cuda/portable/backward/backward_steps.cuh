// What the backward kernels share: steps on a 16 x 32 tile of logits, and where the slabs begin.
#pragma once

#include "kernels/cuda/portable/common/shape.hpp"
#include "kernels/cuda/portable/common/tensor_core.cuh"

namespace triscope::portable {

/// Half folds: room for what is left of q~ beyond bf16 (form_split_queries).
template <int Elements, bool kHalf>
struct LowQueries {};
template <int Elements>
struct LowQueries<Elements, true> {
  alignas(256) bf16 low_queries[Elements];
};

/// First short position (may be negative) of the slab of row block `block`: what its first query sees.
__device__ inline std::int64_t slab_begin(const Shape& shape, const BackwardPlan& plan, std::int64_t block) {
  return block * plan.tiles_per_block * kTileRows / shape.group - (shape.short_window - 1);
}

/// As `multiply_rows`, the A fragments read from shared memory; `a_address` from FragmentAddress::a.
template <int D, int N>
__device__ inline void multiply_rows_shared(float (&c)[N][4], uint32_t a_address, uint32_t rows_address) {
  uint32_t a[4];
  multiply_rows<D>(
      c,
      [&](int step) -> const uint32_t(&)[4] {
        load_matrices(a, a_address ^ (step << 5));
        return a;
      },
      rows_address);
}

/// Clears probabilities outside the windows, rows being queries (8 apart, positions given) and columns keys: element
/// (n, e) is row e / 2, key first_key + 8 n + e % 2.
template <int N>
__device__ inline void mask_rows(float (&p)[N][4], int first_key, int position0, int position1, int shift, int window) {
  const int high[2] = {shift <= position0 ? position0 : -1, shift <= position1 ? position1 : -1};
  const int low[2] = {position0 - window + 1, position1 - window + 1};
#pragma unroll
  for (int n = 0; n < N; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int key = first_key + n * 8 + e % 2;
      if (key < low[e / 2] || key > high[e / 2]) p[n][e] = 0.0f;
    }
  }
}

/// The same with rows being keys (key0 and key0 + 8) and columns queries, whose positions are positions[8 n + e % 2].
template <int N>
__device__ inline void mask_columns(float (&p)[N][4], int key0, const int* positions, int shift, int window) {
#pragma unroll
  for (int n = 0; n < N; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int position = positions[n * 8 + e % 2];
      const int key = key0 + e / 2 * 8;
      if (key > position || key <= position - window || shift > position) p[n][e] = 0.0f;
    }
  }
}

}  // namespace triscope::portable
