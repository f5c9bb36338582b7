// The operands of one query's logits in fp64.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cpu/slice.hpp"
#include "kernels/cpu/slice_rows.hpp"

namespace triscope::cpu {

/// Keys a query sees on one axis.
struct SliceRange {
  std::int64_t first = 0, count = 0;
};
SliceRange slice_range(const Problem& problem, int axis, std::int64_t query);

/// Axis 1 of one kv head around one query, ready for the GEMM.
struct SliceKeys {
  SliceKeys(const AttentionTensors& tensors, const SliceQuery& query, std::int64_t kv_head);
  SliceRange range;
  std::int64_t padded = 0;
  std::int64_t dims = 0;         ///< dimensions that take part in the logit
  std::vector<double> keys;      ///< [dims][padded]
  std::vector<double> distance;  ///< [padded]: tokens between the query and the key
};

/// Axis 2 folded with the query and the scale: what is multiplied with `SliceKeys::keys`.
struct SliceFolded {
  SliceFolded(const AttentionTensors& tensors, const SliceQuery& query, std::int64_t head);
  SliceRange range;
  std::int64_t dims = 0;
  std::vector<double> folded;    ///< [range.count][dims]
};

/// Writes the logits of rows [first_row, first_row + rows) of axis 2 to out [rows][padded], padding masked.
void slice_logits(const SliceInstructions& instructions, const SliceFolded& folded, const SliceKeys& keys,
                  std::int64_t first_row, std::int64_t rows, double* out);

/// Throws `Error` (usage) when `tensors` have no such batch, head or query, or it sees too many pairs.
void require_slice(const AttentionTensors& tensors, const SliceQuery& query);

}  // namespace triscope::cpu
