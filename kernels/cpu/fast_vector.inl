// Vectors, the exponential, transposition and the micro-kernels, for the instruction set the including file is compiled
// for. It defines: TRISCOPE_SIMD (namespace), TRISCOPE_SIMD_BYTES (of a vector), TRISCOPE_SIMD_ROWS and
// TRISCOPE_SIMD_VECTORS (accumulators of the micro-kernel: rows x vectors), TRISCOPE_SIMD_UNROLL (of its loop).
// Everything has internal linkage and nothing from the standard library is instantiated: code compiled for AVX-512 must
// never be what the linker picks for the rest of the program.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/fast_tiles.hpp"

namespace triscope::cpu::TRISCOPE_SIMD {
namespace {

constexpr int kWidth = TRISCOPE_SIMD_BYTES / 4;
constexpr int kRows = TRISCOPE_SIMD_ROWS;
constexpr int kVectors = TRISCOPE_SIMD_VECTORS;
constexpr int kUnroll = TRISCOPE_SIMD_UNROLL;
constexpr int kLanes = kWidth * kVectors;
static_assert(kChunk % kRows == 0 && kDimMultiple % kRows == 0, "panels must divide chunks and head_dim");
static_assert(kDimMultiple % kWidth == 0, "vectors must divide head_dim");

using Vector __attribute__((vector_size(TRISCOPE_SIMD_BYTES), may_alias)) = float;
using Unaligned __attribute__((vector_size(TRISCOPE_SIMD_BYTES), may_alias, aligned(4))) = float;
using Integers __attribute__((vector_size(TRISCOPE_SIMD_BYTES), may_alias)) = std::int32_t;
using Words __attribute__((vector_size(TRISCOPE_SIMD_BYTES), may_alias)) = std::uint32_t;  // may wrap around

#define TRISCOPE_INLINE static inline __attribute__((always_inline))

TRISCOPE_INLINE std::int64_t minimum(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
TRISCOPE_INLINE std::int64_t maximum(std::int64_t a, std::int64_t b) { return a > b ? a : b; }
TRISCOPE_INLINE std::int64_t round_up(std::int64_t x, std::int64_t multiple) {
  return (x + multiple - 1) / multiple * multiple;
}
TRISCOPE_INLINE std::int64_t round_down(std::int64_t x, std::int64_t multiple) { return x / multiple * multiple; }

TRISCOPE_INLINE Vector load(const float* p) { return *reinterpret_cast<const Unaligned*>(p); }
TRISCOPE_INLINE void store(float* p, Vector x) { *reinterpret_cast<Unaligned*>(p) = x; }
TRISCOPE_INLINE Vector broadcast(float x) { return Vector{} + x; }
TRISCOPE_INLINE Integers broadcast(std::int32_t x) { return Integers{} + x; }
TRISCOPE_INLINE Vector larger(Vector a, Vector b) { return a > b ? a : b; }

TRISCOPE_INLINE bool any(Integers mask) {
  std::int32_t bits = 0;
  for (int n = 0; n < kWidth; ++n) bits |= mask[n];
  return bits != 0;
}

TRISCOPE_INLINE void clear(float* p, std::int64_t count) {
  for (std::int64_t n = 0; n < count; n += kWidth) store(p + n, Vector{});
}

// 2^x for x <= 126, 0 below -126 and for -inf. Relative error below 1.5e-7: minimax polynomial of degree 6 on
// [-1/2, 1/2] (2e-9) plus rounding.
TRISCOPE_INLINE Vector exp2_of(Vector x) {
  const Vector magic = broadcast(0x1.8p23f);  // adding it rounds to an integer, which then lies in the low bits
  const Vector shifted = x + magic;
  const Vector f = x - (shifted - magic);
  Vector p = broadcast(0x1.41d334p-13f);
  p = p * f + 0x1.5f456ap-10f;
  p = p * f + 0x1.3b2dbcp-7f;
  p = p * f + 0x1.c6aed4p-5f;
  p = p * f + 0x1.ebfbdap-3f;
  p = p * f + 0x1.62e430p-1f;
  p = p * f + 1.0f;
  const Words scaled = reinterpret_cast<Words>(p) + (reinterpret_cast<Words>(shifted) << 23);
  return x < -126.0f ? Vector{} : reinterpret_cast<Vector>(scaled);
}

// x[index[n]] for every lane n.
TRISCOPE_INLINE Vector permute(Vector x, Integers index) {
#if defined(__GNUC__) && !defined(__clang__)
  return __builtin_shuffle(x, index);
#else
  Vector y{};
  for (int n = 0; n < kWidth; ++n) y[n] = x[index[n]];
  return y;
#endif
}

// Lane n of the result: from a or b (indices kWidth and more).
TRISCOPE_INLINE Vector blend(Vector a, Vector b, Integers index) {
#if defined(__GNUC__) && !defined(__clang__)
  return __builtin_shuffle(a, b, index);
#else
  Vector y{};
  for (int n = 0; n < kWidth; ++n) y[n] = index[n] < kWidth ? a[index[n]] : b[index[n] - kWidth];
  return y;
#endif
}

// One round of a transposition: swaps the off-diagonal blocks of size Block.
template <int Block>
TRISCOPE_INLINE void swap_blocks(Vector (&x)[kWidth]) {
  Integers low{}, high{};
  for (int n = 0; n < kWidth; ++n) {
    low[n] = (n & Block) ? kWidth + (n & ~Block) : n;
    high[n] = (n & Block) ? kWidth + n : (n | Block);
  }
#pragma GCC unroll 16
  for (int row = 0; row < kWidth; ++row) {
    if (row & Block) continue;
    const Vector a = x[row], b = x[row | Block];
    x[row] = blend(a, b, low);
    x[row | Block] = blend(a, b, high);
  }
}

// Transposes kWidth vectors in place.
TRISCOPE_INLINE void transpose_square(Vector (&x)[kWidth]) {
  swap_blocks<1>(x);
  swap_blocks<2>(x);
  if constexpr (kWidth > 4) swap_blocks<4>(x);
  if constexpr (kWidth > 8) swap_blocks<8>(x);
}

// out[d * out_stride + r] = rows[r][d] for r < kWidth, d < dim (a multiple of kWidth).
TRISCOPE_INLINE void transpose_rows(const float* const (&rows)[kWidth], std::int64_t dim, float* out,
                                    std::int64_t out_stride) {
  for (std::int64_t d = 0; d < dim; d += kWidth) {
    Vector block[kWidth];
#pragma GCC unroll 16
    for (int r = 0; r < kWidth; ++r) block[r] = load(rows[r] + d);
    transpose_square(block);
#pragma GCC unroll 16
    for (int r = 0; r < kWidth; ++r) store(out + (d + r) * out_stride, block[r]);
  }
}

// The micro-kernel: acc[row][v] += sum over `depth` of a[row * RowStride + step * DepthStride] * b[step * b_stride +
// v].
template <int Rows, int Vectors, int RowStride, int DepthStride>
TRISCOPE_INLINE void multiply_add(Vector (&acc)[Rows][Vectors], const float* a, const float* b, std::int64_t b_stride,
                                  std::int64_t depth) {
#pragma GCC unroll kUnroll
  for (std::int64_t step = 0; step < depth; ++step) {
    Vector right[Vectors];
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) right[v] = load(b + v * kWidth);
#pragma GCC unroll 16
    for (int row = 0; row < Rows; ++row) {
      const Vector left = broadcast(a[row * RowStride]);
#pragma GCC unroll 8
      for (int v = 0; v < Vectors; ++v) acc[row][v] += left * right[v];
    }
    a += DepthStride;
    b += b_stride;
  }
}

template <int Rows, int Vectors>
TRISCOPE_INLINE void load_tile(Vector (&acc)[Rows][Vectors], const float* c, std::int64_t c_stride) {
#pragma GCC unroll 16
  for (int row = 0; row < Rows; ++row) {
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) acc[row][v] = load(c + row * c_stride + v * kWidth);
  }
}

template <int Rows, int Vectors>
TRISCOPE_INLINE void store_tile(const Vector (&acc)[Rows][Vectors], float* c, std::int64_t c_stride) {
#pragma GCC unroll 16
  for (int row = 0; row < Rows; ++row) {
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) store(c + row * c_stride + v * kWidth, acc[row][v]);
  }
}

// scores[key][lane] = sum_d panel[d][key] * operand[d][lane], for `panels` panels that follow each other.
void score_panels(const float* panel, std::int64_t padded_dim, std::int64_t dims, const float* operand, float* scores,
                  std::int64_t panels) {
  for (std::int64_t n = 0; n < panels; ++n) {
    Vector acc[kRows][kVectors] = {};
    multiply_add<kRows, kVectors, 1, kRows>(acc, panel, operand, kLanes, dims);
    store_tile(acc, scores, kLanes);
    panel += padded_dim * kRows;
    scores += kRows * kLanes;
  }
}

// sums[d][lane] += sum over the keys of the panels of panel[d][key] * weights[key][lane].
void sum_panels(const float* panel, std::int64_t padded_dim, const float* weights, float* sums, std::int64_t panels) {
  for (std::int64_t d = 0; d < padded_dim; d += kRows) {
    Vector acc[kRows][kVectors];
    load_tile(acc, sums + d * kLanes, kLanes);
    const float* a = panel + d * kRows;
    const float* b = weights;
    for (std::int64_t n = 0; n < panels; ++n) {
      multiply_add<kRows, kVectors, kRows, 1>(acc, a, b, kLanes, kRows);
      a += padded_dim * kRows;
      b += kRows * kLanes;
    }
    store_tile(acc, sums + d * kLanes, kLanes);
  }
}

template <int Vectors>
TRISCOPE_INLINE void sum_lanes_columns(const float* weights, const float* rows, std::int64_t padded_dim,
                                       std::int64_t depth, float* sums, std::int64_t panels) {
  for (std::int64_t n = 0; n < panels; ++n) {
    Vector acc[kRows][Vectors];
    load_tile(acc, sums, padded_dim);
    multiply_add<kRows, Vectors, kLanes, 1>(acc, weights, rows, padded_dim, depth);
    store_tile(acc, sums, padded_dim);
    weights += kRows * kLanes;
    sums += kRows * padded_dim;
  }
}

// sums[key][d] += sum over lanes of weights[key][lane] * rows[lane][d].
void sum_lanes(const float* weights, const float* rows, std::int64_t padded_dim, std::int64_t depth, float* sums,
               std::int64_t panels) {
  std::int64_t d = 0;
  while (d < padded_dim) {
    const std::int64_t left = (padded_dim - d) / kWidth;
    if (kVectors == 3 && (left == 2 || left == 4)) {  // 4 = 2 + 2: a single vector would wait for its own additions
      sum_lanes_columns<2>(weights, rows + d, padded_dim, depth, sums + d, panels);
      d += 2 * kWidth;
    } else if (left >= kVectors) {
      sum_lanes_columns<kVectors>(weights, rows + d, padded_dim, depth, sums + d, panels);
      d += kLanes;
    } else {
      sum_lanes_columns<1>(weights, rows + d, padded_dim, depth, sums + d, panels);
      d += kWidth;
    }
  }
}

// Which keys each lane sees, as first and last position; a lane that sees none has last < first.
struct Visibility {
  alignas(64) std::int32_t first[kLanes];
  alignas(64) std::int32_t last[kLanes];
  std::int64_t smallest_first, largest_first, smallest_last,
      largest_last;  // over lanes that see anything; smallest_last over all

  Integers seen(int v, std::int64_t key) const {
    const Integers position = broadcast(static_cast<std::int32_t>(key));
    const Integers low = *reinterpret_cast<const Integers*>(first + v * kWidth);
    const Integers high = *reinterpret_cast<const Integers*>(last + v * kWidth);
    return (position >= low) & (position <= high);
  }
  // Do all lanes see all keys of [begin, end)?
  bool all_see(std::int64_t begin, std::int64_t end) const {
    return begin >= largest_first && end - 1 <= smallest_last;
  }
};

// Lanes are rows first_row, first_row + 1, ..., `live` of them; the others see nothing.
void set_visibility(const Shape& shape, std::int64_t first_row, std::int64_t live, Visibility& visibility) {
  visibility.smallest_first = visibility.smallest_last = shape.seq_len;
  visibility.largest_first = visibility.largest_last = 0;
  for (std::int64_t lane = 0; lane < kLanes; ++lane) {
    std::int64_t first = 1, last = 0;
    if (lane < live) {
      const std::int64_t position = (first_row + lane) / shape.group;
      first = shape.full ? 0 : maximum(0, position - shape.long_window + 1);
      last = shape.full ? shape.seq_len - 1 : position;
      visibility.smallest_first = minimum(visibility.smallest_first, first);
      visibility.largest_first = maximum(visibility.largest_first, first);
      visibility.largest_last = maximum(visibility.largest_last, last);
      visibility.smallest_last = minimum(visibility.smallest_last, last);
    } else {
      visibility.smallest_last = -1;
    }
    visibility.first[lane] = static_cast<std::int32_t>(first);
    visibility.last[lane] = static_cast<std::int32_t>(last);
  }
}

void exp2_array(const float* x, float* y, std::int64_t count) {
  for (std::int64_t n = 0; n < count; n += kWidth) {
    alignas(TRISCOPE_SIMD_BYTES) float part[kWidth] = {};
    const std::int64_t size = minimum(kWidth, count - n);
    for (std::int64_t m = 0; m < size; ++m) part[m] = x[n + m];
    store(part, exp2_of(load(part)));
    for (std::int64_t m = 0; m < size; ++m) y[n + m] = part[m];
  }
}

}  // namespace
}  // namespace triscope::cpu::TRISCOPE_SIMD
