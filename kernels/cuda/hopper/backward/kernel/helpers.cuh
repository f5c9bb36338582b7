// The warps beside the consumers: one copies tiles of q and do in, two publish ds and add dq to device memory, one
// numbers the work items for all: a thread with 24 registers that does both keeps a part of them in local memory, and
// the consumers have no time to.
//
// fence.proxy.async makes a warp wait for its own outstanding reductions, about a round trip to L2. Consumers therefore
// only write and arrive; a helper fences for them and starts the reductions (5 % faster on an H200, 2026-11-21).
#pragma once

#include "kernels/cuda/hopper/backward/kernel/memory.cuh"
#include "kernels/cuda/hopper/backward/kernel/tensor_maps.hpp"

namespace triscope::hopper::backward {

/// One thread. The last that it tells has no tiles.
__device__ __forceinline__ void number_items(const BackwardParameters& p, std::uint32_t items, Barriers barriers) {
  Cursor<kItems> at{0, 1};
  int index = static_cast<int>(blockIdx.x);
  while (true) {
    WorkItem item = work_item(p, min(index, p.items - 1));
    if (index >= p.items) {
      item.position_tiles = 0;
    } else if (item.position_tiles == 0) {  // which no query sees
      index = next_item(p, index);
      continue;
    }
    barrier_wait(barriers.empty_item(at.slot), at.parity);
    Items::write(items, at.slot, item);
    barrier_arrive(barriers.full_item(at.slot));
    if (item.position_tiles == 0) return;
    index = next_item(p, index);
    at.advance();
  }
}

/// One thread.
template <int kHeadDim, bool kDeterministic>
__device__ __forceinline__ void copy_tiles(const TensorMaps& maps, const BackwardParameters& p, std::uint32_t memory) {
  using L = Layout<kHeadDim, kDeterministic>;
  const Barriers barriers{memory + L::kBarriers};
  Cursor<kStages> stage{0, 1};
  Cursor<L::kGradOStages> own_stage{0, 1};  // of do, where it has fewer stages
  Items items(memory + L::kItems, barriers);
#pragma unroll 1
  while (true) {
    const WorkItem item = items.next();
    items.release();
    if (item.position_tiles == 0) return;
    const int batch = p.by_kv_heads.of(item.pair), kv_head = item.pair - batch * p.kv_heads;
    TileWalk walk(p, item);
#pragma unroll 1
    for (int t = item.position_tiles * p.head_blocks; t > 0; --t) {
      const int position = walk.position(), block = walk.head_block();
      const int slot = kDeterministic ? own_stage.slot : stage.slot;
      const std::uint32_t query = memory + L::kFirstQuery + stage.slot * L::kQueryStage;
      const std::uint32_t grad_o = memory + L::kFirstGradO + slot * L::kQueryStage;
      const std::uint32_t lse = memory + L::kFirstLse + stage.slot * L::kStatisticStage;
      const std::uint32_t delta = memory + L::kFirstDelta + slot * L::kStatisticStage;
      const std::uint32_t full_query = barriers.full_query(stage.slot), full_grad_o = barriers.full_grad_o(slot);
      const std::int64_t offset = statistic_offset(p, item.pair, block, position);
      barrier_wait(barriers.empty(stage.slot), stage.parity);
      barrier_expect(full_query, L::kQueryTile + L::kStatistic);
#pragma unroll
      for (int half = 0; half < L::kHalves; ++half) {
        copy_box_5d(query + half * L::kQueryHalf, &maps.query, full_query, 64 * half, block * kTileRows, kv_head,
                    position, batch);
      }
      copy_bytes(lse, p.lse2 + offset, L::kStatistic, full_query);
      if (kDeterministic) barrier_wait(barriers.empty_grad_o(slot), own_stage.parity);
      barrier_expect(full_grad_o, L::kQueryTile + L::kStatistic);
#pragma unroll
      for (int half = 0; half < L::kHalves; ++half) {
        copy_box_5d(grad_o + half * L::kQueryHalf, &maps.grad_o, full_grad_o, 64 * half, block * kTileRows, kv_head,
                    position, batch);
      }
      copy_bytes(delta, p.delta + offset, L::kStatistic, full_grad_o);
      stage.advance();
      if (kDeterministic) own_stage.advance();
      walk.advance();
    }
  }
}

/// One thread for each warpgroup of consumers. dq of a tile comes two tiles after its ds.
template <int kHeadDim, bool kDeterministic>
class Helper {
  using L = Layout<kHeadDim, kDeterministic>;

 public:
  __device__ __forceinline__ Helper(const BackwardParameters& p, std::uint32_t memory, int warpgroup)
      : p_(p),
        barriers_{memory + L::kBarriers},
        items_(memory + L::kItems, barriers_),
        staged_(memory + L::kFirstStaged + warpgroup * L::kStaged),
        warpgroup_(warpgroup) {}

  __device__ __forceinline__ void run() {
#pragma unroll 1
    while (true) {
      const WorkItem item = items_.next();
      items_.release();
      if (item.position_tiles == 0) break;
      const int tiles = item.position_tiles * p_.head_blocks;
      const std::uint32_t first_row = query_rows(p_, item.pair, 0, warpgroup_);
      TileWalk walk(p_, item);
      std::uint32_t before = 0, last = 0;
#pragma unroll 1
      for (int t = 0; t < tiles; ++t) {
        if (t > 1) add(before);
        before = last;
        last = first_row + query_rows(p_, 0, walk.head_block(), 0) +
               static_cast<std::uint32_t>(walk.position() * p_.head_rows);
        walk.advance();
        publish();
        if (t > 1) release();
      }
      if (tiles > 1) {
        add(before);
        release();
      }
      add(last);
      release();
    }
    wait_bulk();
  }

 private:
  /// The warpgroup's half of a tile of ds becomes visible to WGMMA.
  __device__ __forceinline__ void publish() {
    barrier_wait(barriers_.written_grad(warpgroup_, grad_.slot), grad_.parity);
    fence_async_proxy();
    barrier_arrive(barriers_.full_grad(warpgroup_, grad_.slot));
    grad_.advance();
  }
  /// The staged half of dq is added at `row`.
  __device__ __forceinline__ void add(std::uint32_t row) {
    barrier_wait(barriers_.full_staged(warpgroup_), staged_parity_);
    staged_parity_ ^= 1;
    fence_async_proxy();
    constexpr int kRowBytes = kHeadDim / 2 * L::kSumBytes;
    unsigned char* to = reinterpret_cast<unsigned char*>(p_.grad_query) + std::size_t{row} * kRowBytes;
    if constexpr (kDeterministic) {
      add_integers(to, staged_, L::kStaged);
    } else {
      add_fp16(to, staged_, L::kStaged);
    }
  }
  __device__ __forceinline__ void release() {
    wait_bulk_read();
    barrier_arrive(barriers_.empty_staged(warpgroup_));
  }

  const BackwardParameters& p_;
  Barriers barriers_;
  Items items_;
  std::uint32_t staged_;
  int warpgroup_;
  Cursor<kGradTiles> grad_;
  std::uint32_t staged_parity_ = 0;
};

}  // namespace triscope::hopper::backward
