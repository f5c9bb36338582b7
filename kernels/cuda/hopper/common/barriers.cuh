// mbarriers of a table: their addresses, and waits for a phase by its number.
#pragma once

#include "kernels/cuda/hopper/common/barrier_row.hpp"
#include "kernels/cuda/hopper/common/ptx.cuh"

namespace triscope::hopper {

/// Address of barrier `n` of a row; `base`: of the table.
template <BarrierRow kRow>
__device__ __forceinline__ std::uint32_t barrier_address(std::uint32_t base, int n) {
  return base + 8 * kRow.first + 8 * n;
}
/// Makes barrier `n` of a row.
template <BarrierRow kRow>
__device__ __forceinline__ void init_barrier(std::uint32_t base, int n) {
  barrier_init(barrier_address<kRow>(base, n), kRow.arrivals);
}

/// Waits for phase number `phase`.
__device__ __forceinline__ void wait_phase(std::uint32_t barrier, unsigned phase) { barrier_wait(barrier, phase & 1); }

}  // namespace triscope::hopper
