// Role: one thread that copies query tiles and the long axis' key and value tiles into shared memory.
#pragma once

#include "kernels/cuda/hopper/common/loads.cuh"
#include "kernels/cuda/hopper/forward/barriers.cuh"
#include "kernels/cuda/hopper/forward/work_item.hpp"

namespace triscope::hopper {

/// Runs on one thread of the producer warpgroup until the CTA's items are done.
template <TileConfig kConfig>
__device__ __forceinline__ void load_tiles(const ForwardParameters& p, std::uint32_t memory,
                                           const CUtensorMap* query_map, const CUtensorMap* key_map,
                                           const CUtensorMap* value_map) {
  using L = Layout<kConfig>;
  const Barriers barriers{memory + L::kBarriers};
  const int query_box_bytes = p.positions * p.heads * L::kRowBytes;
  int uses[kConfig.resident_tiles] = {};
  int items_done = 0;
  if constexpr (L::kCross) wait_for_previous_kernel();  // which makes the tile keys
  for (int index = blockIdx.x; index < p.items; index += gridDim.x, ++items_done) {
    const WorkItem item = work_item<kConfig>(p, index);
    const int buffer = items_done % L::kQueryBuffers, uses_of_buffer = items_done / L::kQueryBuffers;
    if (uses_of_buffer > 0) wait_phase(barriers.empty_query(buffer), uses_of_buffer - 1);
    copy_halves<L::kHalves>(memory + L::kQuery + buffer * L::kQueryBytes, L::kQueryHalfBytes, query_map,
                            barriers.full_query(buffer), query_box_bytes, item.first_head, item.position, item.batch);
    for (int first = 0; first < item.span.tiles; first += kConfig.resident_tiles) {
#pragma unroll
      for (int tile = 0; tile < kConfig.resident_tiles; ++tile) {
        if (first + tile >= item.span.tiles) break;
        if (uses[tile] > 0) wait_phase(barriers.empty_key(tile), uses[tile] - 1);
        copy_halves<L::kHalves>(memory + L::kKeyTiles + tile * L::kTileBytes, L::kHalfTileBytes, key_map,
                                barriers.full_key(tile), L::kTileCopyBytes, item.kv_head,
                                item.span.first_key + (first + tile) * kConfig.tile_keys, item.batch);
      }
#pragma unroll
      for (int tile = 0; tile < kConfig.resident_tiles; ++tile) {
        if (first + tile >= item.span.tiles) break;
        if (uses[tile] > 0) wait_phase(barriers.empty_value(tile), uses[tile] - 1);
        copy_halves<L::kHalves>(memory + L::kValueTiles + tile * L::kTileBytes, L::kHalfTileBytes, value_map,
                                barriers.full_value(tile), L::kTileCopyBytes, item.kv_head,
                                item.span.first_key + (first + tile) * kConfig.tile_keys, item.batch);
        ++uses[tile];
      }
    }
  }
}

}  // namespace triscope::hopper
