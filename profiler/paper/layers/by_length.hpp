// Windows beside dot-product attention, length by length: what the paper's Figure 3 shows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "profiler/paper/layers/layer_rows.hpp"

namespace triscope {

/// What was measured at a length; null: nothing was.
struct AtLength {
  std::int64_t seq_len = 0;
  const ResultRow* windows = nullptr;      ///< by the fastest kernel there
  const ResultRow* dot_product = nullptr;  ///< by `dot_kernel` of the layer
};

/// The windows, heads, form, regime and device of `layer` in `pass`, by length: of each kernel's newest version the row
/// that counts (`row_that_counts`).
std::vector<AtLength> rows_by_length(std::span<const ResultRow> rows, const LayerMixRequest& layer, Pass pass);

}  // namespace triscope
