// Masks: which keys of a long-axis tile a query row sees. Only tiles that reach over a row's window edge are masked.
#pragma once

#include <math_constants.h>

#include "kernels/cuda/hopper/forward/work_item.hpp"

namespace triscope::hopper {

/// The long-axis window of one row, as columns relative to the item's first key, both ends included.
struct RowWindow {
  int first;
  int last;
};

/// Window of the row at `position` on a step whose short-axis offset is `t`: empty when short-axis row position - t
/// does not exist or lies outside the short window.
__device__ __forceinline__ RowWindow row_window(const ForwardParameters& p, const WorkItem& item, int position, int t) {
  const bool exists = t <= min(position, p.short_window - 1);
  return {max(0, position - p.long_window + 1) - item.span.first_key, exists ? position - item.span.first_key : -1};
}

/// Tiles of an item from `begin` on have no column before any row's window, tiles before `end` none behind one, on any
/// step.
struct CleanTiles {
  int begin, end;
};

/// `position`, `last_position`: the warpgroup's own. `largest_offset`: the highest short-axis offset it reaches. Items
/// whose steps leave the short window or the sequence (the first ones, and split steps of an odd window) have no clean
/// tile.
template <int kTileKeys>
__device__ __forceinline__ CleanTiles clean_tiles(const ForwardParameters& p, const WorkItem& item, int position,
                                                  int last_position, int largest_offset) {
  const int latest_first = max(0, last_position - p.long_window + 1) - item.span.first_key;
  const int earliest_last = position - item.span.first_key;
  const bool steps_leave = largest_offset > min(position, p.short_window - 1);
  return {(latest_first + kTileKeys - 1) / kTileKeys, steps_leave ? 0 : (earliest_last + 1) / kTileKeys};
}

__device__ __forceinline__ bool needs_mask(const CleanTiles& clean, int item_tile) {
  return item_tile < clean.begin || item_tile >= clean.end;
}

/// Sets scores before the windows of rows g (`first_a`) and g + 8 (`first_b`) to -inf. `column`: tile's first column
/// plus 2 c.
template <int kRegisters>
__device__ __forceinline__ void mask_below(float (&score)[kRegisters], int column, int first_a, int first_b) {
#pragma unroll
  for (int i = 0; i < kRegisters; ++i) {
    if (8 * (i / 4) + (i & 1) < (i & 2 ? first_b : first_a) - column) score[i] = -CUDART_INF_F;
  }
}
/// The same for scores behind the windows, whose last columns are `last_a` and `last_b`.
template <int kRegisters>
__device__ __forceinline__ void mask_above(float (&score)[kRegisters], int column, int last_a, int last_b) {
#pragma unroll
  for (int i = 0; i < kRegisters; ++i) {
    if (8 * (i / 4) + (i & 1) > (i & 2 ? last_b : last_a) - column) score[i] = -CUDART_INF_F;
  }
}

}  // namespace triscope::hopper
