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

/// True when some row of the item does not see all `keys` columns from `column` on, at offset `t`.
__device__ __forceinline__ bool tile_needs_mask(const ForwardParameters& p, const WorkItem& item, int column, int keys, int t) {
  const int latest_first = max(0, item.last_position - p.long_window + 1) - item.first_key;
  const int earliest_last = item.position - item.first_key;
  return column < latest_first || column + keys - 1 > earliest_last || t > min(item.position, p.short_window - 1);
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
