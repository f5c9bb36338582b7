// Rows, streamed tiles, and the virtual query: what the forward and both backward kernels begin with.
#pragma once

#include "kernels/cuda/portable/common/shape.hpp"
#include "kernels/cuda/portable/common/tensor_core.cuh"

namespace triscope::portable {

/// The queries a tile holds, in shared memory. Rows past the last query have position -1 (no key is inside their
/// window) and the offset of the last query, so that loads stay inside the tensor.
template <int Rows>
struct RowTable {
  std::int64_t offset[Rows];  ///< of q and o, in elements
  int position[Rows];
  int head[Rows];
};

/// Fills row `r` for flat row `row` of (batch, kv head).
template <int Rows>
__device__ inline void fill_row(RowTable<Rows>& table, int r, const Shape& shape, int batch, int kv_head,
                                std::int64_t row) {
  const std::int64_t last = std::int64_t{shape.seq_len} * shape.group - 1;
  const std::int64_t inside = row <= last ? row : last;
  const int position = static_cast<int>(inside / shape.group);
  const int head = kv_head * shape.group + static_cast<int>(inside - std::int64_t{position} * shape.group);
  table.offset[r] = ((std::int64_t{batch} * shape.seq_len + position) * shape.q_heads + head) * shape.head_dim;
  table.position[r] = row <= last ? position : -1;
  table.head[r] = head;
}

/// Where key and value rows of one (batch, kv head) begin, and the distance between positions, in elements.
struct KeyRows {
  std::int64_t begin;
  int stride;
  KeyRows() = default;
  __device__ KeyRows(const Shape& shape, int batch, int kv_head)
      : begin((std::int64_t{batch} * shape.seq_len * shape.kv_heads + kv_head) * shape.head_dim),
        stride(shape.kv_heads * shape.head_dim) {}
  __device__ std::int64_t at(int position) const { return begin + std::int64_t{position} * stride; }
};

/// Starts copying rows [first, first + Rows) of a key or value tensor to a tile; rows past `last` and columns past
/// head_dim become zero.
template <int D, int Rows>
__device__ inline void load_tile(uint32_t tile, const bf16* tensor, const KeyRows& rows, int first, int last,
                                 int head_dim) {
  constexpr int kChunks = D / 8;
  constexpr int kRowStep = kThreads / kChunks;  // a multiple of 8, so a thread keeps its place in the swizzle
  const int row = static_cast<int>(threadIdx.x) / kChunks;
  const int chunk = static_cast<int>(threadIdx.x) % kChunks;
  const uint32_t destination = tile + tile_offset<D>(row, chunk);
  const bool inside = chunk * 8 < head_dim;
  const int count = inside ? last - first - row : -1;  // rows [0, count] below this thread's first are inside
  const bf16* source = tensor + rows.at(first + row) + chunk * 8;
#pragma unroll
  for (int i = 0; i < Rows / kRowStep; ++i) {
    const bool valid = i * kRowStep <= count;
    copy_async(destination + i * kRowStep * D * 2, valid ? source : tensor, valid);
    source += std::int64_t{rows.stride} * kRowStep;
  }
}

__device__ inline uint4 load_chunk(const bf16* pointer) { return __ldg(reinterpret_cast<const uint4*>(pointer)); }

__device__ inline void store_chunk(uint32_t address, const uint32_t (&x)[4]) {
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3])
               : "memory");
}

/// a * (b + bias) for a pair of bf16, rounded once.
__device__ inline uint32_t multiply_pair(uint32_t a, uint32_t b, float bias) {
  if (bias == 0.0f) {
    const __nv_bfloat162 product =
        __hmul2(*reinterpret_cast<const __nv_bfloat162*>(&a), *reinterpret_cast<const __nv_bfloat162*>(&b));
    return *reinterpret_cast<const uint32_t*>(&product);
  }
  return pack(low_float(a) * (low_float(b) + bias), high_float(a) * (high_float(b) + bias));
}

/// Tile row r = rows[r] * (short[position - shift] + bias), element by element, for rows [first, first + count) shared
/// by `lanes` threads of which this is number `lane`. `sign` flips the result. `Unroll` loads are in flight at a time:
/// as many as the caller has registers for.
template <int D, int Unroll, int Rows>
__device__ inline void form_products(uint32_t tile, const RowTable<Rows>& table, int first, int count, int lane,
                                     int lanes, const bf16* rows, const bf16* shorts, const KeyRows& short_rows,
                                     int shift, float bias, std::uint32_t sign, int head_dim) {
  constexpr int kChunks = D / 8;
#pragma unroll Unroll
  for (int unit = lane; unit < count * kChunks; unit += lanes) {
    const int r = first + unit / kChunks;
    const int chunk = unit % kChunks;
    uint32_t x[4] = {0, 0, 0, 0};
    if (chunk * 8 < head_dim) {
      const int position = max(table.position[r] - shift, 0);
      const uint4 a = load_chunk(rows + table.offset[r] + chunk * 8);
      const uint4 b = load_chunk(shorts + short_rows.at(position) + chunk * 8);
      x[0] = multiply_pair(a.x, b.x, bias) ^ sign;
      x[1] = multiply_pair(a.y, b.y, bias) ^ sign;
      x[2] = multiply_pair(a.z, b.z, bias) ^ sign;
      x[3] = multiply_pair(a.w, b.w, bias) ^ sign;
    }
    store_chunk(tile + tile_offset<D>(r - first, chunk), x);
  }
}

/// 24 columns of a row: eight chunks of three and three 16-byte chunks.
struct TwentyFour {
  uint32_t pair[12];
  __device__ float at(int i) const { return i % 2 == 0 ? low_float(pair[i / 2]) : high_float(pair[i / 2]); }
};

__device__ inline TwentyFour load_twenty_four(const bf16* row, int first_column, int head_dim) {
  TwentyFour x;
#pragma unroll
  for (int i = 0; i < 3; ++i) {
    uint4 chunk = make_uint4(0, 0, 0, 0);
    if (first_column + 8 * i < head_dim) chunk = load_chunk(row + first_column + 8 * i);
    x.pair[4 * i] = chunk.x;
    x.pair[4 * i + 1] = chunk.y;
    x.pair[4 * i + 2] = chunk.z;
    x.pair[4 * i + 3] = chunk.w;
  }
  return x;
}

/// (k + bias) x q of eight chunks of three, rounded once.
__device__ inline void cross_product(uint32_t (&words)[12], const TwentyFour& k, const TwentyFour& q, float bias) {
  float x[24];
#pragma unroll
  for (int i = 0; i < 24; ++i) {
    const int y = i / 3 * 3 + (i + 1) % 3, z = i / 3 * 3 + (i + 2) % 3;
    x[i] = (k.at(y) + bias) * q.at(z) - (k.at(z) + bias) * q.at(y);
  }
#pragma unroll
  for (int j = 0; j < 12; ++j) words[j] = pack(x[2 * j], x[2 * j + 1]);
}

/// Columns a and b as a pair.
__device__ inline __nv_bfloat162 pick(const TwentyFour& x, int a, int b) {
  const uint32_t pair =
      __byte_perm(x.pair[a / 2], x.pair[b / 2], (a % 2 == 0 ? 0x10 : 0x32) | (b % 2 == 0 ? 0x5400 : 0x7600));
  return *reinterpret_cast<const __nv_bfloat162*>(&pair);
}

/// k x q in bf16: the second product of each difference is rounded by itself.
__device__ inline void cross_product_in_bf16(uint32_t (&words)[12], const TwentyFour& k, const TwentyFour& q) {
#pragma unroll
  for (int j = 0; j < 12; ++j) {
    int y[2], z[2];
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      const int i = 2 * j + e;
      y[e] = i / 3 * 3 + (i + 1) % 3, z[e] = i / 3 * 3 + (i + 2) % 3;
    }
    const __nv_bfloat162 second = __hmul2(pick(k, z[0], z[1]), pick(q, y[0], y[1]));
    const __nv_bfloat162 cross = __hfma2(pick(k, y[0], y[1]), pick(q, z[0], z[1]), __hneg2(second));
    words[j] = *reinterpret_cast<const uint32_t*>(&cross);
  }
}

/// The determinant's virtual query: tile row r = (short[position - shift] + bias) x rows[r], per chunk of three; the
/// left-over columns are zero. Arguments as in `form_products`; `in_bf16` goes without a bias.
template <int D, int Rows>
__device__ inline void form_cross_products(uint32_t tile, const RowTable<Rows>& table, int first, int count, int lane,
                                           int lanes, const bf16* rows, const bf16* shorts, const KeyRows& short_rows,
                                           int shift, float bias, bool in_bf16, std::uint32_t sign, int head_dim) {
  constexpr int kBlocks = (D + 23) / 24;
  const int triples = head_dim / 3;
#pragma unroll 1
  for (int unit = lane; unit < count * kBlocks; unit += lanes) {
    const int r = first + unit / kBlocks;
    const int block = unit % kBlocks;
    const int position = max(table.position[r] - shift, 0);
    const TwentyFour q = load_twenty_four(rows + table.offset[r], block * 24, head_dim);
    const TwentyFour k = load_twenty_four(shorts + short_rows.at(position), block * 24, head_dim);
    uint32_t words[12];
    in_bf16 ? cross_product_in_bf16(words, k, q) : cross_product(words, k, q, bias);
#pragma unroll
    for (int j = 0; j < 12; ++j) {
      const bool low = block * 8 + 2 * j / 3 < triples, high = block * 8 + (2 * j + 1) / 3 < triples;
      words[j] = (words[j] ^ sign) & ((low ? 0xFFFFu : 0u) | (high ? 0xFFFF0000u : 0u));
    }
#pragma unroll
    for (int i = 0; i < 3; ++i) {
      if (block * 3 + i >= D / 8) break;
      const uint32_t packed[4] = {words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3]};
      store_chunk(tile + tile_offset<D>(r - first, block * 3 + i), packed);
    }
  }
}

/// The virtual query of the problem's form.
template <int D, int Unroll, int Rows>
__device__ inline void form_virtual_queries(uint32_t tile, const RowTable<Rows>& table, int first, int count, int lane,
                                            int lanes, const Shape& shape, const bf16* q, const bf16* short_k,
                                            const KeyRows& short_rows, int shift) {
  if (shape.determinant) {
    form_cross_products<D>(tile, table, first, count, lane, lanes, q, short_k, short_rows, shift, shape.key_bias,
                           shape.cross_in_bf16, shape.sign, shape.head_dim);
  } else {
    form_products<D, Unroll>(tile, table, first, count, lane, lanes, q, short_k, short_rows, shift, shape.key_bias,
                             shape.sign, shape.head_dim);
  }
}

/// The positions that `count` rows of a table span.
struct Span {
  int first;   ///< -1: no row is inside the sequence
  int last;    ///< of the last row inside the sequence
  bool whole;  ///< all rows are inside the sequence
};

template <int Rows>
__device__ inline Span span_of(const RowTable<Rows>& table, int first, int count, const Shape& shape) {
  const int begin = table.position[first];
  const int end = table.position[first + count - 1];
  return {begin, begin < 0 || end >= 0 ? end : shape.seq_len - 1, end >= 0};
}

/// How a tile of keys [first_key, first_key + keys) lies to the windows of a span of rows at one shift.
struct Overlap {
  bool any;   ///< some pair is inside
  bool full;  ///< every pair is inside: no mask
};

__device__ inline Overlap overlap_of(const Span& span, int first_key, int keys, int shift, int window) {
  const int last_key = first_key + keys - 1;
  return {first_key <= span.last && last_key > span.first - window && shift <= span.last,
          span.whole && last_key <= span.first && first_key > span.last - window && shift <= span.first};
}

/// What all warps of a block share about its tile of rows.
struct TileFacts {
  KeyRows key_rows;
  int key_begin;      ///< first long key any row sees
  int last_position;  ///< of the last row, and the last key any row sees
  int shifts;         ///< at which any row has a short key
};

/// Fills the table with `Rows` rows from `first_row` on, and the facts; synchronises before and after.
template <int Rows>
__device__ inline void begin_tile(RowTable<Rows>& table, TileFacts& facts, const Shape& shape, int batch, int kv_head,
                                  std::int64_t first_row) {
  __syncthreads();
  if (threadIdx.x < Rows)
    fill_row(table, static_cast<int>(threadIdx.x), shape, batch, kv_head, first_row + threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) {
    const Span span = span_of(table, 0, Rows, shape);
    facts.key_rows = KeyRows(shape, batch, kv_head);
    facts.key_begin = max(0, span.first - shape.long_window + 1);
    facts.last_position = span.last;
    facts.shifts = min(shape.short_window, span.last + 1);
  }
  __syncthreads();
}

/// A pair of numbers as two bf16 pairs whose sum has their first 11 bits (fp16's, rounded to nearest) at any exponent,
/// or, `in_bf16`, their first 8 and 0.
struct SplitPair {
  uint32_t high, low;
};

__device__ inline float round_to_half(float x) {
  const uint32_t bits = __float_as_uint(x);
  return __uint_as_float((bits + 0xFFFu + (bits >> 13 & 1u)) & 0xFFFFE000u);
}
__device__ inline float round_as(float x, bool in_bf16) {
  return in_bf16 ? __bfloat162float(__float2bfloat16(x)) : round_to_half(x);
}
__device__ inline SplitPair split(float x, float y, bool in_bf16) {
  if (in_bf16) return {pack(x, y), 0u};
  const float a = round_to_half(x), b = round_to_half(y);
  const uint32_t high = pack(a, b);
  return {high, pack(a - low_float(high), b - high_float(high))};  // the rest has at most 3 bits: exact
}

/// The virtual queries of a half fold, as `form_virtual_queries`: their high parts go to `high`, the rests to `low`.
template <int D, int Rows>
__device__ inline void form_split_queries(uint32_t high, uint32_t low, const RowTable<Rows>& table, int first,
                                          int count, int lane, int lanes, const Shape& shape, const bf16* q,
                                          const bf16* short_k, const KeyRows& short_rows, int shift, bool in_bf16) {
  constexpr int kChunks = D / 8;
  const int dims = shape.determinant ? shape.head_dim / 3 * 3 : shape.head_dim;
#pragma unroll 1
  for (int unit = lane; unit < count * kChunks; unit += lanes) {
    const int r = first + unit / kChunks, chunk = unit % kChunks;
    const bf16* q_row = q + table.offset[r];
    const bf16* k_row = short_k + short_rows.at(max(table.position[r] - shift, 0));
    uint32_t words[2][4];
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      float x[2];
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const int d = chunk * 8 + 2 * n + e;
        x[e] = 0.0f;
        if (d >= dims) continue;
        if (!shape.determinant) {
          x[e] = __bfloat162float(q_row[d]) * __bfloat162float(k_row[d]);
        } else {
          const int a = d % 3 == 2 ? d - 2 : d + 1, b = d % 3 == 0 ? d + 2 : d - 1;
          const float second = round_as(__bfloat162float(k_row[b]) * __bfloat162float(q_row[a]), in_bf16);
          x[e] = fmaf(__bfloat162float(k_row[a]), __bfloat162float(q_row[b]), -second);
        }
      }
      const SplitPair pair = split(x[0], x[1], in_bf16);
      words[0][n] = pair.high ^ shape.sign, words[1][n] = pair.low ^ shape.sign;
    }
    store_chunk(high + tile_offset<D>(r - first, chunk), words[0]);
    store_chunk(low + tile_offset<D>(r - first, chunk), words[1]);
  }
}

}  // namespace triscope::portable
