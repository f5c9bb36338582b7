// Copies of tiles by the copy engine (TMA).
#pragma once

#include "kernels/cuda/hopper/common/ptx.cuh"

namespace triscope::hopper {

/// Copies `kHalves` boxes of 64 columns, one after another, and lets `barrier` expect `bytes` for them. One thread.
template <int kHalves>
__device__ __forceinline__ void copy_halves(std::uint32_t destination, int half_bytes, const CUtensorMap* map,
                                            std::uint32_t barrier, int bytes, int head, int row, int batch) {
  barrier_expect(barrier, bytes);
#pragma unroll
  for (int half = 0; half < kHalves; ++half) {
    copy_box(destination + half * half_bytes, map, barrier, 64 * half, head, row, batch);
  }
}

}  // namespace triscope::hopper
