// The operands of one query's logits in fp64.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/inspect/cpu/slice_rows.hpp"
#include "kernels/inspect/slice_rules.hpp"
#include "kernels/tensors/attention_tensors.hpp"

namespace triscope::cpu {

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
  std::vector<double> folded;  ///< [range.count][dims]
};

/// Writes the logits of rows [first_row, first_row + rows) of axis 2 to out [rows][padded], padding masked.
void slice_logits(const SliceInstructions& instructions, const SliceFolded& folded, const SliceKeys& keys,
                  std::int64_t first_row, std::int64_t rows, double* out);

/// Values of the kv head that the slice's head reads, over what it sees, with the bias; axis 2 is 1 for a dot product.
struct SliceValues {
  SliceValues(const AttentionTensors& tensors, const SliceQuery& query, const SliceKeys& keys);
  std::int64_t padded = 0;      ///< head_dim, padded
  std::vector<double> values1;  ///< [keys.padded][padded]
  std::vector<double> values2;  ///< [keys on axis 2][head_dim]
};

}  // namespace triscope::cpu
