// The mbarriers of the Hopper forward, at Layout::kBarriers. "full": written, may be read; "empty": read, may be
// written.
#pragma once

#include "kernels/cuda/hopper/common/ptx.cuh"
#include "kernels/cuda/hopper/forward/config.hpp"

namespace triscope::hopper {

inline constexpr int kConsumerWarps = kConsumerWarpgroups * 4;

// bar.sync ids; 0 is __syncthreads.
inline constexpr int kNeverReached = 1;  ///< see Mainloop::hold_here
inline constexpr int kTurn = 2;          ///< of warpgroup 0; kTurn + 1: of warpgroup 1; see Mainloop::take_turn

struct Barriers {
  std::uint32_t base;
  __device__ std::uint32_t full_key(int tile) const { return base + 8 * tile; }
  __device__ std::uint32_t empty_key(int tile) const { return base + 24 + 8 * tile; }
  __device__ std::uint32_t full_value(int tile) const { return base + 48 + 8 * tile; }
  __device__ std::uint32_t empty_value(int tile) const { return base + 72 + 8 * tile; }
  __device__ std::uint32_t full_query(int buffer) const { return base + 96 + 8 * buffer; }
  __device__ std::uint32_t empty_query(int buffer) const { return base + 112 + 8 * buffer; }
  /// The ring rows of steps i, i + kStagesAhead, ... (and, before an item's first step, its q in the order of the
  /// products).
  __device__ std::uint32_t full_stage(int i) const { return base + 128 + 8 * i; }
  __device__ std::uint32_t empty_stage(int i) const { return base + 160 + 8 * i; }
  __device__ std::uint32_t pass_done() const { return base + 192; }  ///< no consumer reads ratios of this pass any more
  // Split steps: warpgroup 1 has written a half of its result; warpgroup 0 has read the first half; it has read both.
  __device__ std::uint32_t merge_full() const { return base + 200; }
  __device__ std::uint32_t merge_taken() const { return base + 208; }
  __device__ std::uint32_t merge_free() const { return base + 216; }
  /// The ratios of a pass's second step are there (ShortAxis::turn_ratios).
  __device__ std::uint32_t turned() const { return base + 224; }
  __device__ std::uint32_t items_done() const { return base + 232; }  ///< every consumer warp has stored its last item
  static_assert(kMostResidentTiles == 3 && kStagesAhead == 4, "the offsets above");

  /// One thread, before the CTA's first __syncthreads.
  __device__ void init() const {
    for (int tile = 0; tile < kMostResidentTiles; ++tile) {
      barrier_init(full_key(tile), 1);
      barrier_init(full_value(tile), 1);
      barrier_init(empty_key(tile), kConsumerWarps);
      barrier_init(empty_value(tile), kConsumerWarps);
    }
    for (int i = 0; i < 2; ++i) {
      barrier_init(full_query(i), 1);
      barrier_init(empty_query(i), kConsumerWarps);
    }
    for (int i = 0; i < kStagesAhead; ++i) {
      barrier_init(full_stage(i), kShortAxisWarps);
      barrier_init(empty_stage(i), kConsumerWarps);
    }
    barrier_init(turned(), kShortAxisWarps);
    for (const std::uint32_t end : {pass_done(), items_done()}) barrier_init(end, kConsumerWarps);
    for (const std::uint32_t merge : {merge_full(), merge_taken(), merge_free()})
      barrier_init(merge, kConsumerWarps / 2);
    fence_barrier_init();
  }
};

}  // namespace triscope::hopper
