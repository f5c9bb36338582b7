// What a block of the forward does: forward.cu and forward_again.cu.
#pragma once

#include "kernels/cuda/common/cuda_error.hpp"
#include "kernels/cuda/portable/common/shape.hpp"
#include "kernels/cuda/portable/common/tensor_core.cuh"
#include "kernels/cuda/portable/common/virtual_query.cuh"

namespace triscope::portable {

constexpr int kKeys = 64;              // long keys a step
constexpr float kMaximumSlack = 8.0f;  // in log2 units

template <int D>
struct ForwardShared {
  alignas(256) bf16 keys[kKeys * D];
  alignas(256) bf16 values[kKeys * D];
  alignas(256) bf16 virtual_queries[kTileRows * D];
  RowTable<kTileRows> rows;
  TileFacts tile;
};

/// Sets logits outside the windows to -inf. Element (n, e) is row e / 2 (8 rows apart, positions given), key
/// first_key + 8 n + e % 2.
__device__ inline void mask_logits(float (&s)[kKeys / 8][4], int first_key, int position0, int position1, int shift,
                                   int window) {
  const int high[2] = {shift <= position0 ? position0 : -1, shift <= position1 ? position1 : -1};
  const int low[2] = {position0 - window + 1, position1 - window + 1};
#pragma unroll
  for (int n = 0; n < kKeys / 8; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int key = first_key + n * 8 + e % 2;
      if (key < low[e / 2] || key > high[e / 2]) s[n][e] = -INFINITY;
    }
  }
}

/// The softmax state of a thread's two rows, in log2 units.
struct Softmax {
  float maximum[2] = {-INFINITY, -INFINITY};  ///< the reference; at most kMaximumSlack below the true maximum
  float sum[2] = {0.0f, 0.0f};                ///< of this thread's columns only
};

/// Replaces logits by probabilities relative to the reference; rescales both accumulators when the reference moves.
template <int N>
__device__ inline void soften(float (&s)[kKeys / 8][4], float scale, Softmax& state, float (&o)[N][4],
                              float (&t)[N][4]) {
  float reference[2];
  bool moves = false;
  float factor[2] = {1.0f, 1.0f};
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    float top = fmaxf(s[0][2 * r], s[0][2 * r + 1]);
#pragma unroll
    for (int n = 1; n < kKeys / 8; ++n) top = fmaxf(top, fmaxf(s[n][2 * r], s[n][2 * r + 1]));
    top = fmaxf(top, __shfl_xor_sync(0xFFFFFFFFu, top, 1));
    top = fmaxf(top, __shfl_xor_sync(0xFFFFFFFFu, top, 2)) * scale;
    if (top > state.maximum[r] + kMaximumSlack) {
      factor[r] = exp2_fast(state.maximum[r] - top);
      state.maximum[r] = top;
      moves = true;
    }
    reference[r] = state.maximum[r] == -INFINITY ? 0.0f : state.maximum[r];
  }
  if (__any_sync(0xFFFFFFFFu, moves)) {
#pragma unroll
    for (int n = 0; n < N; ++n) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        o[n][e] *= factor[e / 2];
        t[n][e] *= factor[e / 2];
      }
    }
    state.sum[0] *= factor[0];
    state.sum[1] *= factor[1];
  }
#pragma unroll
  for (int n = 0; n < kKeys / 8; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      s[n][e] = exp2_fast(fmaf(s[n][e], scale, -reference[e / 2]));
      state.sum[e / 2] += s[n][e];
    }
  }
}

/// How a block takes the values.
enum class Values {
  as_given,
  finite,  ///< what is infinite or NaN counts as 0, and all are kept kShrink times as large: values up to 2^127 fit
  seen,    ///< o is how many values that are infinite or NaN the row sees in this dimension
};
constexpr float kShrink = 0x1p-32f;

__device__ inline bool is_finite(float x) { return fabsf(x) < INFINITY; }

/// The short axis' `value` as `kValues` has it, times what the long axis gave, `t`.
template <Values kValues>
__device__ inline float value_times(float value, float t, bool visible) {
  if constexpr (kValues == Values::as_given) return value * t;
  if constexpr (kValues == Values::finite) return is_finite(value) ? value * kShrink * t : 0.0f;
  return visible ? t + (is_finite(value) ? 0.0f : 1.0f) : 0.0f;
}

/// o += (v_short + bias) * t for the thread's two rows, whose short positions are given.
template <int D, Values kValues>
__device__ inline void add_values(float (&o)[D / 8][4], const float (&t)[D / 8][4], const bf16* row0, const bf16* row1,
                                  float bias, int head_dim, const bool (&visible)[2]) {
#pragma unroll
  for (int n = 0; n < D / 8; ++n) {
    if (n * 8 >= head_dim) break;
    const uint32_t v0 = __ldg(reinterpret_cast<const uint32_t*>(row0 + n * 8));
    const uint32_t v1 = __ldg(reinterpret_cast<const uint32_t*>(row1 + n * 8));
    const float values[4] = {low_float(v0) + bias, high_float(v0) + bias, low_float(v1) + bias, high_float(v1) + bias};
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      if constexpr (kValues == Values::as_given) {
        o[n][e] = fmaf(values[e], t[n][e], o[n][e]);
      } else {
        o[n][e] += value_times<kValues>(values[e], t[n][e], visible[e / 2]);
      }
    }
  }
}

/// A pair of bf16 values as `kValues` has it.
template <Values kValues>
__device__ inline uint32_t replace_pair(uint32_t pair) {
  const bool low = is_finite(low_float(pair)), high = is_finite(high_float(pair));
  if constexpr (kValues == Values::finite)
    return pack(low ? low_float(pair) * kShrink : 0.0f, high ? high_float(pair) * kShrink : 0.0f);
  return pack(low ? 0.0f : 1.0f, high ? 0.0f : 1.0f);
}

/// The tile of the long axis' values as `kValues` has it; synchronises after.
template <int D, Values kValues>
__device__ inline void replace_values(bf16* tile) {
  uint32_t* pairs = reinterpret_cast<uint32_t*>(tile);
  for (int n = static_cast<int>(threadIdx.x); n < kKeys * D / 2; n += kThreads)
    pairs[n] = replace_pair<kValues>(pairs[n]);
  __syncthreads();
}

/// One block's rows, and a thread's place among them.
template <int D>
struct Block {
  ForwardShared<D>& shared;
  const Shape& shape;
  const Tensors& tensors;
  int batch, lane, first_row;  ///< first row of the warp
  Span span;                   ///< of the warp's rows
  const int* positions;        ///< of the thread's rows: [0] and [8]
};

/// Whether all numbers of row `r` (0 or 1) of the thread's two are finite, in all lanes that hold it.
template <int D>
__device__ inline bool row_is_finite(const float (&o)[D / 8][4], int r) {
  float poison = 0.0f;  // NaN when anything is not
#pragma unroll
  for (int n = 0; n < D / 8; ++n) poison += (o[n][2 * r] + o[n][2 * r + 1]) * 0.0f;
  poison += __shfl_xor_sync(0xFFFFFFFFu, poison, 1);
  poison += __shfl_xor_sync(0xFFFFFFFFu, poison, 2);
  return poison == 0.0f;
}

/// Normalises a warp's 16 rows, writes o (through the warp's own part of shared memory) and the LSE: NaN, where o
/// is not finite and `kValues` are as given. Otherwise the values of both axes were kShrink times as large.
template <int D, Values kValues>
__device__ inline void write_rows(const Block<D>& block, const float (&o)[D / 8][4], const Softmax& state) {
  const Shape& shape = block.shape;
  const Tensors& tensors = block.tensors;
  const RowTable<kTileRows>& rows = block.shared.rows;
  const int lane = block.lane, first_row = block.first_row;
  bf16* tile = block.shared.virtual_queries + first_row * D;
  const uint32_t address = shared_address(tile);
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const int row = lane / 4 + 8 * r;
    float sum = state.sum[r];
    sum += __shfl_xor_sync(0xFFFFFFFFu, sum, 1);
    sum += __shfl_xor_sync(0xFFFFFFFFu, sum, 2);
    float maximum = state.maximum[r];
    const int head = rows.head[first_row + row];
    const int position = rows.position[first_row + row];
    float factor = 1.0f;
    if (tensors.sink != nullptr) {
      const float sink = tensors.sink[head] * kLog2E;
      const float top = fmaxf(maximum, sink);
      factor = exp2_fast(maximum - top);
      sum = sum * factor + exp2_fast(sink - top);
      maximum = top;
    }
    factor *= (kValues == Values::as_given ? 1.0f : 1.0f / (kShrink * kShrink)) / sum;
    bool finite = true;
    if constexpr (kValues == Values::as_given) finite = row_is_finite<D>(o, r);
    if (position >= 0 && lane % 4 == 0) {
      tensors.lse[(std::int64_t{block.batch} * shape.q_heads + head) * shape.seq_len + position] =
          finite ? kLn2 * (maximum + log2f(sum)) : NAN;
    }
#pragma unroll
    for (int n = 0; n < D / 8; ++n) {
      const uint32_t pair = pack(o[n][2 * r] * factor, o[n][2 * r + 1] * factor);
      asm volatile("st.shared.b32 [%0], %1;" ::"r"(address + tile_offset<D>(row, n) + lane % 4 * 4), "r"(pair)
                   : "memory");
    }
  }
  __syncwarp();
  const uint4* chunks = reinterpret_cast<const uint4*>(tile);
  for (int unit = lane; unit < 16 * D / 8; unit += 32) {
    const int row = unit / (D / 8);
    const int chunk = unit % (D / 8);
    if (rows.position[first_row + row] < 0 || chunk * 8 >= shape.head_dim) continue;
    bf16* out = static_cast<bf16*>(tensors.o) + rows.offset[first_row + row] + chunk * 8;
    *reinterpret_cast<uint4*>(out) = chunks[tile_offset<D>(row, chunk) / 16];
  }
}

/// A tile's weights: softmax of the logits, or 1 where only what is seen is asked for.
template <int D, Values kValues>
__device__ inline void weigh(const Block<D>& block, const uint32_t (&q)[D / 16][4], bool full, int first_key, int shift,
                             Softmax& state, float (&o)[D / 8][4], float (&t)[D / 8][4], uint32_t (&p)[kKeys / 16][4]) {
  float s[kKeys / 8][4];
  clear(s);
  if constexpr (kValues != Values::seen) {
    multiply_rows<D>(
        s, [&](int step) -> const uint32_t(&)[4] { return q[step]; },
        FragmentAddress<D>::b_rows(shared_address(block.shared.keys), block.lane));
  }
  if (!full) {
    mask_logits(s, first_key + block.lane % 4 * 2, block.positions[0], block.positions[8], shift,
                block.shape.long_window);
  }
  if constexpr (kValues == Values::seen) {
#pragma unroll
    for (int n = 0; n < kKeys / 8; ++n) {
#pragma unroll
      for (float& x : s[n]) x = x == 0.0f ? 1.0f : 0.0f;
    }
  } else {
    soften(s, block.shape.exponent_scale, state, o, t);
  }
  pack_fragments(p, s);
}

/// Sums the values of everything that the block's rows see, into `o`, and the softmax' state.
template <int D, Values kValues>
__device__ inline void sum_values(const Block<D>& block, float (&o)[D / 8][4], Softmax& state) {
  const Shape& shape = block.shape;
  ForwardShared<D>& shared = block.shared;
  const TileFacts facts = shared.tile;
  const bf16* long_k = static_cast<const bf16*>(block.tensors.long_k);
  const bf16* long_v = static_cast<const bf16*>(block.tensors.long_v);
  const bf16* short_v = static_cast<const bf16*>(block.tensors.short_v) + block.lane % 4 * 2;
  const uint32_t keys = shared_address(shared.keys);
  const uint32_t values = shared_address(shared.values);
  const uint32_t own_queries = shared_address(shared.virtual_queries + block.first_row * D);
  clear(o);
  state = Softmax();
  load_tile<D, kKeys>(keys, long_k, facts.key_rows, facts.key_begin, facts.last_position, shape.head_dim);
  copy_commit();
  for (int shift = 0; shift < facts.shifts; ++shift) {
    form_virtual_queries<D, 2>(own_queries, shared.rows, block.first_row, 16, block.lane, 32, shape,
                               static_cast<const bf16*>(block.tensors.q),
                               static_cast<const bf16*>(block.tensors.short_k), facts.key_rows, shift);
    __syncwarp();
    uint32_t q[D / 16][4];
#pragma unroll
    for (int step = 0; step < D / 16; ++step)
      load_matrices(q[step], FragmentAddress<D>::a(own_queries, block.lane) ^ (step << 5));
    __syncwarp();
    float t[D / 8][4];
    clear(t);
    for (int first_key = facts.key_begin; first_key <= facts.last_position; first_key += kKeys) {
      const Overlap overlap = overlap_of(block.span, first_key, kKeys, shift, shape.long_window);
      copy_wait_all();
      __syncthreads();
      load_tile<D, kKeys>(values, long_v, facts.key_rows, first_key, facts.last_position, shape.head_dim);
      copy_commit();
      uint32_t p[kKeys / 16][4];
      if (overlap.any) weigh<D, kValues>(block, q, overlap.full, first_key, shift, state, o, t, p);
      copy_wait_all();
      __syncthreads();
      if constexpr (kValues != Values::as_given) replace_values<D, kValues>(shared.values);
      const bool more = first_key + kKeys <= facts.last_position;
      if (more || shift + 1 < facts.shifts) {
        const int next = more ? first_key + kKeys : facts.key_begin;
        load_tile<D, kKeys>(keys, long_k, facts.key_rows, next, facts.last_position, shape.head_dim);
        copy_commit();
      }
      if (overlap.any) multiply_columns<D>(t, p, FragmentAddress<D>::b_columns(values, block.lane));
    }
    const int position[2] = {block.positions[0], block.positions[8]};
    const bool visible[2] = {shift <= position[0], shift <= position[1]};
    add_values<D, kValues>(o, t, short_v + facts.key_rows.at(max(position[0] - shift, 0)),
                           short_v + facts.key_rows.at(max(position[1] - shift, 0)), shape.value_bias, shape.head_dim,
                           visible);
  }
}

/// Block number `index` of a launch.
template <int D>
__device__ inline Block<D> make_block(ForwardShared<D>& shared, const Shape& shape, const Tensors& tensors, int index) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int first_row = static_cast<int>(threadIdx.x) / 32 * 16;
  const std::int64_t rows = std::int64_t{shape.seq_len} * shape.group;
  const int tiles = static_cast<int>((rows + kTileRows - 1) / kTileRows);
  const int pair = index / tiles;
  const int tile = tiles - 1 - index % tiles;  // late positions, with full windows, first
  begin_tile(shared.rows, shared.tile, shape, pair / shape.kv_heads, pair % shape.kv_heads,
             std::int64_t{tile} * kTileRows);
  return {shared,
          shape,
          tensors,
          pair / shape.kv_heads,
          lane,
          first_row,
          span_of(shared.rows, first_row, 16, shape),
          shared.rows.position + first_row + lane / 4};
}

/// Enqueues `kernel`, a __global__ function of (shape, tensors, more...), on `blocks` blocks.
template <int D, typename Kernel, typename... More>
void enqueue(Kernel kernel, const char* name, std::int64_t blocks, cudaStream_t stream, const Shape& shape,
             const Tensors& tensors, More... more) {
  constexpr int kBytes = sizeof(ForwardShared<D>);
  TRISCOPE_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
  kernel<<<static_cast<unsigned>(blocks), kThreads, kBytes, stream>>>(shape, tensors, more...);
  check_launch(name);
}

}  // namespace triscope::portable
