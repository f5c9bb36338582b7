// Logits of one query a few rows at a time, with the sums of its softmax.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/inspect/cpu/slice_operands.hpp"

namespace triscope::cpu {

inline constexpr std::int64_t kRowsAtATime = 8;
inline constexpr double kWorthThreads = 1e6;  ///< multiplications: for less, waking threads costs more than it saves

/// `visit(k, row, maximum)`: row k of axis 2, its largest logit. `scratch` holds the rows.
template <typename Visit>
SliceSums stream(const SliceInstructions& instructions, const SliceKeys& keys, const SliceFolded& folded,
                 std::int64_t query, std::vector<double>& scratch, Visit visit) {
  SliceSums sums;
  scratch.resize(static_cast<std::size_t>(kRowsAtATime * keys.padded));
  for (std::int64_t first = 0; first < folded.range.count; first += kRowsAtATime) {
    const std::int64_t rows = std::min(kRowsAtATime, folded.range.count - first);
    slice_logits(instructions, folded, keys, first, rows, scratch.data());
    for (std::int64_t row = 0; row < rows; ++row) {
      const double* x = scratch.data() + row * keys.padded;
      std::int64_t not_finite = 0;
      const double maximum = instructions.largest(x, keys.padded, not_finite);
      visit(first + row, x, maximum);
      if (maximum == kMaskedLogit) continue;
      const double reference = sums.reference(maximum);
      sums.add(instructions.exponentials(x, keys.padded, reference, keys.distance.data(), nullptr),
               static_cast<double>(query - folded.range.first - first - row));
    }
  }
  return sums;
}

}  // namespace triscope::cpu
