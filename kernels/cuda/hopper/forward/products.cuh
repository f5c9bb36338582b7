// Role: the two products on the tensor cores, S = Q~ K^T and A += P V, and who issues them when.
#pragma once

#include "kernels/cuda/hopper/forward/consumer.cuh"

namespace triscope::hopper {

inline constexpr int kConsumerThreads = kConsumerWarpgroups * kWarpgroupThreads;

/// The scores of a tile's first `kKeys` columns.
template <int kKeys, TileConfig kConfig>
__device__ __forceinline__ float (&columns(Consumer<kConfig>& me))[kKeys / 2] {
  return *reinterpret_cast<float(*)[kKeys / 2]>(&me.score);
}

/// Sets the scores of item tile `item_tile` that lie outside the windows of this thread's rows to -inf.
template <int kKeys, TileConfig kConfig>
__device__ __forceinline__ void mask_tile(Consumer<kConfig>& me, int item_tile, int step) {
  const int t = me.offset(step);
  const int column = item_tile * kConfig.tile_keys + 2 * me.c;
  const RowWindow a = row_window(me.p, me.item, me.position_of(0), t);
  const RowWindow b = kConfig.mixed_rows ? row_window(me.p, me.item, me.position_of(1), t) : a;
  if (item_tile < me.clean.begin) mask_below(columns<kKeys>(me), column, a.first, b.first);
  if (item_tile >= me.clean.end) mask_above(columns<kKeys>(me), column, a.last, b.last);
}

/// Issues S of key tile `tile`.
template <int kKeys, TileConfig kConfig>
__device__ __forceinline__ void issue_scores(Consumer<kConfig>& me, int tile) {
  using L = Layout<kConfig>;
  const std::uint64_t keys = tile_descriptor(me.tiles, 16) + tile * (L::kTileBytes / 16);
  pin(columns<kKeys>(me));
  pin(me.query.word);
  wgmma_fence();
#pragma unroll
  for (int k = 0; k < kConfig.head_dim / 16; ++k) {
    const std::uint32_t* word = me.query.word + 4 * k;
    wgmma<false, is_half(kConfig.product)>(columns<kKeys>(me), word[0], word[1], word[2], word[3],
                                           keys + (k & 3) * 2 + (k >> 2) * (L::kHalfTileBytes / 16), k > 0);
  }
  wgmma_commit();
}

/// Issues A += P V of value tile `tile`; the weights are those of the tile that was last made into weights.
template <int kKeys, TileConfig kConfig>
__device__ __forceinline__ void issue_values(Consumer<kConfig>& me, int tile) {
  using L = Layout<kConfig>;
  const std::uint64_t values =
      tile_descriptor(me.tiles + (L::kValueTiles - L::kKeyTiles), L::kHalfTileBytes) + tile * (L::kTileBytes / 16);
  pin(me.accumulator);
  pin(me.weight);
  wgmma_fence();
#pragma unroll
  for (int k = 0; k < kKeys / 16; ++k) {
    const std::uint32_t* weight = me.weight + 4 * k;
    wgmma<true>(me.accumulator, weight[0], weight[1], weight[2], weight[3], values + k * 128, true);
  }
  wgmma_commit();
}

/// Keeps the compiler from moving what `x` depends on below the next wait: ptxas otherwise gathers all exponentials
/// behind it and nothing overlaps. x is a sum of weights, so never negative; the barrier is never reached.
__device__ __forceinline__ void hold_here(float x) {
  if (__any_sync(0xFFFFFFFFu, x < 0.0f)) named_barrier_sync(kNeverReached, kConsumerThreads);
}

/// In passes over one tile warpgroups can take turns in issuing their products, so that the exponentials of one run
/// beside the products of the other: they begin every item together, and would stay so. Warpgroup 1 gives the first
/// turn.
__device__ __forceinline__ void take_turn(int warpgroup) { named_barrier_sync(kTurn + warpgroup, kConsumerThreads); }
__device__ __forceinline__ void give_turn(int warpgroup) {
  named_barrier_arrive(kTurn + 1 - warpgroup, kConsumerThreads);
}

}  // namespace triscope::hopper
