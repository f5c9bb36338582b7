// What slices ask of an instruction set: logits of a few rows, and their exponentials. The same source (slice_rows.inl)
// is compiled once per instruction set; the best one is taken at run time.
#pragma once

#include <cstdint>

#include "kernels/inspect/slice_sums.hpp"

namespace triscope::cpu {

/// Columns are padded to a multiple of this, padding holding `kMaskedLogit`.
inline constexpr std::int64_t kSliceLanes = 32;

struct SliceInstructions {
  bool (*available)();
  /// out[r * padded + c] = sum_d folded[r * dims + d] * keys[d * padded + c], r < rows, c < padded.
  void (*logits)(const double* folded, const double* keys, std::int64_t rows, std::int64_t padded, std::int64_t dims,
                 double* out);
  /// The largest finite logit of a row; `kMaskedLogit` when there is none. Adds to `not_finite`.
  double (*largest)(const double* logits, std::int64_t padded, std::int64_t& not_finite);
  /// `columns` (may be null): exp(x - reference), column by column.
  SliceRowSums (*exponentials)(const double* logits, std::int64_t padded, double reference, const double* distance,
                               double* columns);
};

/// The best one this CPU has.
const SliceInstructions& slice_instructions();

}  // namespace triscope::cpu
