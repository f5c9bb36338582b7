// How mbarriers are counted here. A barrier completes a phase when as many arrivals have come as it was made for (and
// the bytes that a copy was to bring); phases are numbered 0, 1, 2, ... A wait names a phase by its parity alone, so it
// is right only for the phase that runs and the one before: nobody may fall two phases behind. Each table of barriers
// says why nobody does (forward/barriers.cuh).
#pragma once

#include "kernels/cuda/hopper/common/ptx.cuh"

namespace triscope::hopper {

/// A row of such a table: `count` barriers of 8 bytes side by side, from number `first` on, that complete after
/// `arrivals`.
struct BarrierRow {
  int first;
  int count;
  int arrivals;

  constexpr int end() const { return first + count; }
};

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
