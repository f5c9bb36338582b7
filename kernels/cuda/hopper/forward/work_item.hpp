// Which part of the problem one work item is: rows, long-axis tiles, steps of the short axis. Host and device.
#pragma once

#include "kernels/cuda/hopper/forward/layout.hpp"
#include "kernels/cuda/hopper/forward/parameters.hpp"

namespace triscope::hopper {

/// The long-axis tiles of one work item.
struct TileSpan {
  int first_key;   ///< long-axis row of tile 0
  int second_key;  ///< paired positions: where the second one's tiles begin, first_key or the row behind it
  int tiles;
  bool ends_short;  ///< the last tile has TileConfig::short_keys columns

  /// Columns of all tiles.
  __host__ __device__ constexpr int columns(const TileConfig& config) const {
    return tiles * config.tile_keys - (ends_short ? config.tile_keys - config.short_keys : 0);
  }
};

/// Tiles that cover the windows of query positions `position` .. `last_position`. The last tile is a short one when it
/// has few enough keys, but not when it would be a pass of its own: with that, too, ptxas finds no registers for the
/// forward and lets each WGMMA wait for the one before.
__host__ __device__ __forceinline__ constexpr TileSpan tile_span(const TileConfig& config, int position,
                                                                 int last_position, int long_window) {
  TileSpan span{};
  const int first_key = position - long_window + 1, second_key = last_position - long_window + 1;
  span.first_key = first_key > 0 ? first_key : 0;
  span.second_key = !config.paired_positions ? span.first_key : second_key > 0 ? second_key : 0;
  span.tiles = (last_position - span.second_key + config.tile_keys) / config.tile_keys;
  span.ends_short = config.short_keys > 0 && span.tiles % config.resident_tiles != 1 &&
                    last_position - span.first_key + 1 <= (span.tiles - 1) * config.tile_keys + config.short_keys;
  return span;
}

/// One work item: `heads` query heads at `positions` positions of one kv head. Rows are position-major.
struct WorkItem {
  int batch, kv_head;
  int first_head;     ///< first query head
  int heads;          ///< query heads that exist, <= ForwardParameters::heads
  int position;       ///< first query position
  int last_position;  ///< last one that exists
  TileSpan span;      ///< long axis
  int steps;          ///< steps of each pass over the short axis
};

/// Decodes item number `index`: late positions, which see full windows, come first.
template <TileConfig kConfig>
__host__ __device__ __forceinline__ WorkItem work_item(const ForwardParameters& p, int index) {
  constexpr int kStepsPerStage = Layout<kConfig>::kStepsPerStage;
  WorkItem item;
  const int per_position = p.batch * p.kv_heads * p.head_blocks;
  const int position_blocks = (p.seq_len + p.positions - 1) / p.positions;
  const int rest = index % per_position;
  const int head_block = rest % p.head_blocks;
  item.kv_head = rest / p.head_blocks % p.kv_heads;
  item.batch = rest / (p.head_blocks * p.kv_heads);
  item.position = (position_blocks - 1 - index / per_position) * p.positions;
  const int last = item.position + p.positions - 1;
  item.last_position = last < p.seq_len ? last : p.seq_len - 1;
  const int group = p.q_heads / p.kv_heads;
  item.first_head = item.kv_head * group + head_block * p.heads;
  const int heads_left = group - head_block * p.heads;
  item.heads = heads_left < p.heads ? heads_left : p.heads;
  item.span = tile_span(kConfig, item.position, item.last_position, p.long_window);
  const int short_keys = item.last_position + 1 < p.short_window ? item.last_position + 1 : p.short_window;
  item.steps = (short_keys + kStepsPerStage - 1) / kStepsPerStage;
  return item;
}

/// Passes over the short axis run forwards and backwards in turn, so that between two of them nothing changes but the
/// tiles. Returns the offset t of step `step`: the position r of a row uses short-axis row r - t - (warpgroup, if
/// split).
__host__ __device__ __forceinline__ int step_offset(int pass, int step, int steps, int steps_per_stage) {
  return (pass & 1 ? steps - 1 - step : step) * steps_per_stage;
}

}  // namespace triscope::hopper
