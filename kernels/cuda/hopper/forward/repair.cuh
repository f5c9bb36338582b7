// Role: the consumers once their CTA's items are done. Rows whose logits jumped beyond what the forward's softmax
// covers (about 88 nats above a row's first tile within one step), whose values ratios do not hold (short_axis.cuh), or
// in whose tiles a value is infinite or NaN, seen or not, are computed again on CUDA cores from what they see
// (row.cuh), in half instances also rows whose q is beyond fp16 (short_axis.cuh). The epilogue has marked them: their
// lse is NaN, and the CTA's flag is set. Rare by design, and slow.
#pragma once

#include "kernels/cuda/hopper/forward/barriers.cuh"
#include "kernels/cuda/hopper/forward/row.cuh"
#include "kernels/cuda/hopper/forward/work_item.hpp"

namespace triscope::hopper {

/// `warp`: 0 .. kConsumerWarps - 1.
template <TileConfig kConfig>
__device__ __forceinline__ void repair_rows(const ForwardParameters& p, std::uint32_t memory, int warp, int lane) {
  using L = Layout<kConfig>;
  using Row = RowAttention<kConfig.head_dim, L::kCross, is_half(kConfig.product), true>;
  const Barriers barriers{memory + L::kBarriers};
  __syncwarp();
  if (lane == 0) barrier_arrive(barriers.items_done());
  barrier_wait(barriers.items_done(), 0);
  if (load_shared_1(memory + L::kRepairFlag) == 0) return;
#pragma unroll 1
  for (int index = blockIdx.x; index < p.items; index += gridDim.x) {
    const WorkItem item = work_item<kConfig>(p, index);
#pragma unroll 1
    for (int item_row = warp; item_row < p.positions * p.heads; item_row += kConsumerWarps) {
      const int head = item_row % p.heads;
      const RowPlace place{item.batch, item.position + item_row / p.heads, item.first_head + head, item.kv_head};
      if (place.position > item.last_position || head >= item.heads) continue;
      if (!isnan(*const_cast<const volatile float*>(p.lse + lse_index(p, place)))) continue;
      Row row(p, place, lane / Row::kLanes, 32 / Row::kLanes);
      row.run();
      __syncwarp();
      row.merge();
      if (lane < Row::kLanes) row.store();
      __syncwarp();
    }
  }
}

}  // namespace triscope::hopper
