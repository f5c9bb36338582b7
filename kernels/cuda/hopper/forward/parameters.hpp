// What a launch tells the Hopper forward, and which part of the problem one work item is.
#pragma once

#include <cuda_bf16.h>

#include <cstdint>

#include "kernels/cuda/hopper/forward/config.hpp"

namespace triscope::hopper {

/// Kernel parameters. "Short" is the axis folded into the query, "long" the other; their keys and values are named so.
struct ForwardParameters {
  const __nv_bfloat16* short_key = nullptr;  ///< [batch, seq_len, kv_heads, head_dim]
  const __nv_bfloat16* short_value = nullptr;
  const __nv_bfloat16* q = nullptr;  ///< only row.cuh reads these three; the forward copies by tensor map
  const __nv_bfloat16* long_key = nullptr;
  const __nv_bfloat16* long_value = nullptr;
  const __nv_bfloat16* tile_key =
      nullptr;                  ///< what the copy engine reads: long_key, or its copy with reordered dimensions
  __nv_bfloat16* o = nullptr;   ///< [batch, seq_len, q_heads, head_dim]
  float* lse = nullptr;         ///< [batch, q_heads, seq_len], natural log
  const float* sink = nullptr;  ///< [q_heads] or null
  int batch = 1, seq_len = 1, q_heads = 1, kv_heads = 1, head_dim = 128;
  int long_window = 1, short_window = 1;  ///< clipped to seq_len
  int positions = 1;                      ///< query positions of one work item
  int heads = 1;                          ///< query heads of one position in one work item
  int head_blocks = 1;                    ///< work items that cover one group of query heads
  int ring_rows = 4;                      ///< short-axis rows held in shared memory
  int items = 0;
  float scale_log2 = 0;                ///< |scale| * log2(e), never 0 (see plan.cpp)
  float key_bias = 0, value_bias = 0;  ///< of the short axis
  float sign = 1;                      ///< -1: the virtual query is negated
  bool determinant = false;
};

inline constexpr float kLn2 = 0.69314718055994531f;
inline constexpr float kLog2e = 1.4426950408889634f;

/// One work item: `heads` query heads at `positions` positions of one kv head. Rows are position-major.
struct WorkItem {
  int batch, kv_head;
  int first_head;     ///< first query head
  int heads;          ///< query heads that exist, <= ForwardParameters::heads
  int position;       ///< first query position
  int last_position;  ///< last one that exists
  int first_key;      ///< long-axis row of tile 0
  int second_key;     ///< paired positions: where the second one's tiles begin, first_key or the row behind it
  int tiles;          ///< long-axis tiles
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
  const int first_key = item.position - p.long_window + 1, second_key = item.last_position - p.long_window + 1;
  item.first_key = first_key > 0 ? first_key : 0;
  item.second_key = !kConfig.paired_positions ? item.first_key : second_key > 0 ? second_key : 0;
  item.tiles = (item.last_position - item.second_key + kConfig.tile_keys) / kConfig.tile_keys;
  const int short_keys = item.last_position + 1 < p.short_window ? item.last_position + 1 : p.short_window;
  item.steps = (short_keys + kStepsPerStage - 1) / kStepsPerStage;
  return item;
}

/// True when the last of an item's tiles has few enough keys to be a short one. Not when it would be a pass of its own:
/// with that, too, ptxas finds no registers for the forward and lets each WGMMA wait for the one before.
__host__ __device__ __forceinline__ bool ends_short(int keys, int tiles, int tile_keys, int resident_tiles,
                                                    int short_keys) {
  return short_keys > 0 && tiles % resident_tiles != 1 && keys <= (tiles - 1) * tile_keys + short_keys;
}

/// Passes over the short axis run forwards and backwards in turn, so that between two of them nothing changes but the
/// tiles. Returns the offset t of step `step`: the position r of a row uses short-axis row r - t - (warpgroup, if
/// split).
__host__ __device__ __forceinline__ int step_offset(int pass, int step, int steps, int steps_per_stage) {
  return (pass & 1 ? steps - 1 - step : step) * steps_per_stage;
}

/// Ring slot of a short-axis row: rows that are alive together lie within `ring_rows` of each other.
/// `delta`: short-axis row minus the item's first position; at least -(2^24).
__host__ __device__ __forceinline__ int ring_slot(int delta, int ring_rows) {
  const int slot = delta % ring_rows;
  return slot < 0 ? slot + ring_rows : slot;
}

}  // namespace triscope::hopper
