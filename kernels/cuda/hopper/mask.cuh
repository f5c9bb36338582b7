// Masks: which keys of a long-axis tile a query row sees. Only tiles that reach over a row's window edge are masked.
#pragma once

#include <math_constants.h>

#include "kernels/cuda/hopper/parameters.hpp"

namespace triscope::hopper {

/// The long-axis window of one row, as columns relative to the item's first key, both ends included.
struct RowWindow {
  int first;
  int last;
};

/// Window of the row at `position` on a step whose short-axis offset is `t`: empty when short-axis row position - t does
/// not exist or lies outside the short window.
__device__ __forceinline__ RowWindow row_window(const ForwardParameters& p, const WorkItem& item, int position, int t) {
  const bool exists = t <= min(position, p.short_window - 1);
  return {max(0, position - p.long_window + 1) - item.first_key, exists ? position - item.first_key : -1};
}

/// Tiles [begin, end) of an item that every row sees whole, on every step.
struct CleanTiles {
  int begin, end;
};

/// `largest_offset`: the highest short-axis offset the warpgroup reaches. Items whose steps leave the short window or the
/// sequence (the first ones, and split steps of an odd window) have no clean tile.
template <int kTileKeys>
__device__ __forceinline__ CleanTiles clean_tiles(const ForwardParameters& p, const WorkItem& item, int largest_offset) {
  const int latest_first = max(0, item.last_position - p.long_window + 1) - item.first_key;
  const int earliest_last = item.position - item.first_key;
  const bool steps_leave = largest_offset > min(item.position, p.short_window - 1);
  return {(latest_first + kTileKeys - 1) / kTileKeys, steps_leave ? 0 : (earliest_last + 1) / kTileKeys};
}

/// Sets scores outside the windows of rows g (`a`) and g + 8 (`b`) to -inf. `column`: tile's first column plus 2 c.
template <int kRegisters>
__device__ __forceinline__ void mask_scores(float (&score)[kRegisters], int column, RowWindow a, RowWindow b) {
  const int first_a = a.first - column, last_a = a.last - column;
  const int first_b = b.first - column, last_b = b.last - column;
#pragma unroll
  for (int i = 0; i < kRegisters; ++i) {
    const int offset = 8 * (i / 4) + (i & 1);
    const bool hidden = i & 2 ? offset < first_b || offset > last_b : offset < first_a || offset > last_a;
    if (hidden) score[i] = -CUDART_INF_F;
  }
}

}  // namespace triscope::hopper
