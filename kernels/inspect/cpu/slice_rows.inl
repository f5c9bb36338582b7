// Logits and exponentials in fp64, for the instruction set the including file is compiled for. It defines
// TRISCOPE_SLICE (namespace), TRISCOPE_SLICE_BYTES (of a vector), TRISCOPE_SLICE_ROWS (of the micro-kernel; it is two
// vectors wide). Everything has internal linkage and nothing from the standard library is instantiated.
#include <cstdint>

#include "kernels/inspect/cpu/slice_rows.hpp"

namespace triscope::cpu::TRISCOPE_SLICE {
namespace {

constexpr int kWidth = TRISCOPE_SLICE_BYTES / 8;
constexpr int kRows = TRISCOPE_SLICE_ROWS;
static_assert(kSliceLanes % (2 * kWidth) == 0, "two vectors divide the padding");

using Vector __attribute__((vector_size(TRISCOPE_SLICE_BYTES), may_alias)) = double;
using Unaligned __attribute__((vector_size(TRISCOPE_SLICE_BYTES), may_alias, aligned(8))) = double;
using Integers __attribute__((vector_size(TRISCOPE_SLICE_BYTES), may_alias)) = std::int64_t;

#define TRISCOPE_INLINE static inline __attribute__((always_inline))

TRISCOPE_INLINE Vector load(const double* p) { return *reinterpret_cast<const Unaligned*>(p); }
TRISCOPE_INLINE void store(double* p, Vector x) { *reinterpret_cast<Unaligned*>(p) = x; }

TRISCOPE_INLINE double total(Vector x) {
  double sum = 0;
  for (int n = 0; n < kWidth; ++n) sum += x[n];
  return sum;
}

// Finite x as they are, others masked.
TRISCOPE_INLINE Vector finite_or_masked(Vector x) {
  const Vector difference = x - x;  // NOLINT(misc-redundant-expression): 0, or NaN for NaN and infinities
  return difference == Vector{} ? x : Vector{} + kMaskedLogit;
}

// e^x for x <= 0, relative error below 4e-16; 0 below -708. Cody-Waite reduction, Taylor series to r^12 on |r| <= ln2/2
// (remainder 1.7e-16).
TRISCOPE_INLINE Vector exp_of(Vector x) {
  const Vector magic = Vector{} + 0x1.8p52;  // adding it rounds to an integer, which then lies in the low bits
  const Vector bounded = x < -709.0 ? Vector{} - 709.0 : x;
  const Vector shifted = bounded * 0x1.71547652b82fep0 + magic;
  const Vector n = shifted - magic;
  const Vector r = bounded - n * 0x1.62e42fefa0000p-1 - n * 0x1.cf79abc9e3b3ap-40;
  Vector p = Vector{} + 1.0 / 479001600;
  p = p * r + 1.0 / 39916800;
  p = p * r + 1.0 / 3628800;
  p = p * r + 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  using Words __attribute__((vector_size(TRISCOPE_SLICE_BYTES), may_alias)) = std::uint64_t;
  const Words power = (reinterpret_cast<Words>(shifted) + 1023) << 52;
  const Vector result = p * reinterpret_cast<Vector>(power);
  return x < -708.0 ? Vector{} : result;
}

template <int Rows>
TRISCOPE_INLINE void logit_tile(const double* folded, const double* keys, std::int64_t padded, std::int64_t dims,
                                double* out) {
  Vector sums[Rows][2] = {};
  for (std::int64_t d = 0; d < dims; ++d) {
    const Vector left = load(keys + d * padded), right = load(keys + d * padded + kWidth);
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
      const Vector factor = Vector{} + folded[r * dims + d];
      sums[r][0] += factor * left;
      sums[r][1] += factor * right;
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r) {
    store(out + r * padded, sums[r][0]);
    store(out + r * padded + kWidth, sums[r][1]);
  }
}

void logits(const double* folded, const double* keys, std::int64_t rows, std::int64_t padded, std::int64_t dims,
            double* out) {
  for (std::int64_t c = 0; c < padded; c += 2 * kWidth) {  // these columns of the keys stay in L1 over all rows
    std::int64_t r = 0;
    for (; r + kRows <= rows; r += kRows)
      logit_tile<kRows>(folded + r * dims, keys + c, padded, dims, out + r * padded + c);
    for (; r < rows; ++r) logit_tile<1>(folded + r * dims, keys + c, padded, dims, out + r * padded + c);
  }
}

double largest(const double* x, std::int64_t padded, std::int64_t& not_finite) {
  Vector most = Vector{} + kMaskedLogit;
  Integers finite{};
  for (std::int64_t c = 0; c < padded; c += kWidth) {
    const Vector raw = load(x + c), difference = raw - raw;  // NOLINT(misc-redundant-expression): as above
    finite += difference == Vector{};                        // -1 for each
    const Vector value = finite_or_masked(raw);
    most = value > most ? value : most;
  }
  double result = kMaskedLogit;
  std::int64_t count = 0;
  for (int n = 0; n < kWidth; ++n) {
    result = most[n] > result ? most[n] : result;
    count -= finite[n];
  }
  not_finite += padded - count;
  return result;
}

SliceRowSums exponentials(const double* x, std::int64_t padded, double reference, const double* distance,
                          double* columns) {
  Vector sum{}, sum_logit{}, sum_distance{};
  for (std::int64_t c = 0; c < padded; c += kWidth) {
    const Vector value = finite_or_masked(load(x + c));
    const Vector e = exp_of(value - reference);
    sum += e;
    sum_logit += e * value;
    sum_distance += e * load(distance + c);
    if (columns != nullptr) store(columns + c, e);
  }
  return {total(sum), total(sum_logit), total(sum_distance)};
}

}  // namespace
}  // namespace triscope::cpu::TRISCOPE_SLICE

#undef TRISCOPE_INLINE
