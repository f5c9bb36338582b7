// Windows beside dot-product attention, length by length: what the paper's Figure 3 shows.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "profiler/paper/layers/layer_rows.hpp"

namespace triscope {

/// Rows of one kernel by length.
using LengthCurve = std::map<std::int64_t, const ResultRow*>;

/// Windows beside dot-product attention.
struct BesideByLength {
  LengthCurve windows, dot_product;
  std::size_t lengths = 0;  ///< in common
};

/// Of the sweep that has most lengths of both, since these took turns: the newest of equals. Of each length the row
/// that counts. `lengths` is below two where no sweep has two.
BesideByLength beside_in_one_sweep(std::span<const ResultRow* const> windows,
                                   std::span<const ResultRow* const> dot_product);
/// All lengths: at each rows of one sweep, of the one above where it has both there, else of the newest that has. Where
/// none has, the rows that count.
BesideByLength beside_at_each_length(std::span<const ResultRow* const> windows,
                                     std::span<const ResultRow* const> dot_product);

/// Of each length the row that counts (`row_that_counts`).
LengthCurve curve_of(std::span<const ResultRow* const> rows);

/// What was measured at a length; null: nothing was.
struct AtLength {
  std::int64_t seq_len = 0;
  const ResultRow* windows = nullptr;      ///< by the fastest kernel there
  const ResultRow* dot_product = nullptr;  ///< by `dot_kernel` of the layer
  bool took_turns() const { return windows && dot_product && windows->sweep == dot_product->sweep; }
};

/// The windows, heads, form, regime and device of `layer` in `pass`, by length: of each kernel's newest version the
/// rows of `beside_at_each_length`.
std::vector<AtLength> rows_by_length(std::span<const ResultRow> rows, const LayerMixRequest& layer, Pass pass);

}  // namespace triscope
