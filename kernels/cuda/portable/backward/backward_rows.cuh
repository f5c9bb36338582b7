// The backward of cuda.portable, seen from the queries: dq, and the gradients of the short axis. Logit, P and dS:
//
//   q~ = q * k_short (or k_short x q)   do~ = do * v_short          rounded to bf16, as the forward rounds q~
//   P  = exp(scale q~ K^T - LSE)        dS  = P (do~ V^T - delta)
//   A  = dS K                           T   = P V                   summed over a whole long window at one shift t
//   dq += k_short * A                   dk_short[position - t] += sum over heads of q * A
//                                       dv_short[position - t] += sum over heads of do * T
// (determinant: dq += A x k_short, dk_short += q x A). Four GEMMs a step.
//
// A block owns `tiles_per_block` tiles of 64 rows, one after the other; for each, shifts t outside, tiles of 32 long
// keys inside (double buffered). A and T stay in registers over the window; once a shift they go through shared memory
// in fp32, where the products above are formed and their columns summed over the rows that share a position. One thread
// owns a column of the block's slab of short positions, so the sums have one order. No atomics.
//
// An LSE of a half fold: q~ has 11 bits, as the sum of two bf16 tiles, and S is the sum of two products.
//
// Registers a thread, D 128: A 64, T 64, S and dP 32. Shared memory: K, V 2 * 2 * 32 rows, q~ and do~ (later the fp32
// stage) 64 * D * 4 bytes, dq the same in fp32: 96 KB + 1 KB.
//
// Measured with backward_keys.cu on an H200, 2026-11-21, 512x32, 64 query heads on one kv head, D 128, N 8192: 111
// TFLOP/s useful (5 GEMMs counted, 8 done), determinant 107; FlashAttention-2's causal backward at 8192, 16 heads, in
// the same run: 269.
#pragma once

#include "kernels/cuda/portable/backward/backward_steps.cuh"
#include "kernels/cuda/portable/common/shape.hpp"
#include "kernels/cuda/portable/common/tensor_core.cuh"
#include "kernels/cuda/portable/common/virtual_query.cuh"

namespace triscope::portable {

/// Long keys a step. With the 11 bits of a half fold, q~ is two tiles; its second takes the room of half the keys.
template <bool kHalf>
constexpr int kKeysOfStep = kHalf ? 16 : 32;

template <int D, bool kHalf>
struct RowsShared : LowQueries<kTileRows * D, kHalf> {
  static constexpr int kKeys = kKeysOfStep<kHalf>;
  alignas(256) bf16 keys[2][kKeys * D];
  alignas(256) bf16 values[2][kKeys * D];
  alignas(256) float stage[kTileRows * D];  // a warp's 16 rows: q~ then do~ as bf16; after the window, fp32 rows
  alignas(256) float grad_q[kTileRows * D];
  RowTable<kTileRows> rows;
  TileFacts tile;
};
static_assert(sizeof(RowsShared<128, true>) <= 99 * 1024 && sizeof(RowsShared<128, false>) <= 99 * 1024,
              "sm_86 and sm_89 give a block at most 99 KB");

/// Place of column `column` of fp32 stage row `row`: 32-byte granules swizzled, so that fragments and rows are both
/// written and read without bank conflicts.
template <int D>
__device__ inline int stage_index(int row, int column) {
  return row * D + (((column >> 3) ^ (row & 7)) << 3) + (column & 7);
}

/// Writes a warp's accumulators [16 x D] to its stage rows.
template <int D>
__device__ inline void store_stage(float* stage, const float (&x)[D / 8][4], int first_row, int lane) {
#pragma unroll
  for (int n = 0; n < D / 8; ++n) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const int row = first_row + lane / 4 + 8 * r;
      float2* place = reinterpret_cast<float2*>(stage + stage_index<D>(row, n * 8 + lane % 4 * 2));
      *place = make_float2(x[n][2 * r], x[n][2 * r + 1]);
    }
  }
}

struct FourFloats {
  float x, y, z, w;
};

__device__ inline FourFloats load_four(const bf16* pointer) {
  const uint2 raw = __ldg(reinterpret_cast<const uint2*>(pointer));
  return {low_float(raw.x), high_float(raw.x), low_float(raw.y), high_float(raw.y)};
}

/// A warp's 16 stage rows: stage *= rows, column by column, and when `grad` is given grad += stage * (shorts + bias).
template <int D>
__device__ inline void multiply_stage(float* stage, float* grad, const RowTable<kTileRows>& table, int first_row,
                                      int lane, const bf16* rows, const bf16* shorts, const KeyRows& short_rows,
                                      int shift, float bias, int head_dim) {
#pragma unroll 4
  for (int unit = lane; unit < 16 * D / 4; unit += 32) {
    const int r = first_row + unit / (D / 4);
    const int column = unit % (D / 4) * 4;
    if (column >= head_dim) continue;  // K, V and so the stage are zero there
    float4& place = *reinterpret_cast<float4*>(stage + stage_index<D>(r, column));
    const float4 a = place;
    const FourFloats x = load_four(rows + table.offset[r] + column);
    place = make_float4(a.x * x.x, a.y * x.y, a.z * x.z, a.w * x.w);
    if (grad != nullptr) {
      const FourFloats k = load_four(shorts + short_rows.at(max(table.position[r] - shift, 0)) + column);
      float4& sum = *reinterpret_cast<float4*>(grad + r * D + column);
      float4 g = sum;
      g.x = fmaf(a.x, k.x + bias, g.x);
      g.y = fmaf(a.y, k.y + bias, g.y);
      g.z = fmaf(a.z, k.z + bias, g.z);
      g.w = fmaf(a.w, k.w + bias, g.w);
      sum = g;
    }
  }
}

/// The determinant's: stage = rows x stage, grad += stage x (shorts + bias), chunk by chunk; left-over columns zero.
template <int D>
__device__ inline void cross_stage(float* stage, float* grad, const RowTable<kTileRows>& table, int first_row, int lane,
                                   const bf16* rows, const bf16* shorts, const KeyRows& short_rows, int shift,
                                   float bias, int head_dim) {
  constexpr int kChunks = (D + 2) / 3;
  const int triples = head_dim / 3;
#pragma unroll 1
  for (int unit = lane; unit < 16 * kChunks; unit += 32) {
    const int r = first_row + unit / kChunks;
    const int column = unit % kChunks * 3;
    if (column >= triples * 3) {
      for (int e = column; e < min(column + 3, head_dim); ++e) stage[stage_index<D>(r, e)] = 0.0f;
      continue;
    }
    const bf16* short_row = shorts + short_rows.at(max(table.position[r] - shift, 0)) + column;
    const bf16* row = rows + table.offset[r] + column;
    float a[3], q[3], k[3];
#pragma unroll
    for (int e = 0; e < 3; ++e) {
      a[e] = stage[stage_index<D>(r, column + e)];
      q[e] = __bfloat162float(row[e]);
      k[e] = __bfloat162float(short_row[e]) + bias;
    }
#pragma unroll
    for (int e = 0; e < 3; ++e) {
      const int y = (e + 1) % 3, z = (e + 2) % 3;
      stage[stage_index<D>(r, column + e)] = q[y] * a[z] - q[z] * a[y];
      grad[r * D + column + e] += a[y] * k[z] - a[z] * k[y];
    }
  }
}

/// Adds the stage's columns to the slab, row runs of one position together. Thread c owns column c of the slab.
template <int D>
__device__ inline void add_columns(float* slab, std::int64_t slab_first, const float* stage,
                                   const RowTable<kTileRows>& table, int shift) {
  const int column = static_cast<int>(threadIdx.x);
  if (column >= D) return;
  const auto flush = [&](int position, float sum) {
    if (position >= shift) slab[(position - shift - slab_first) * 2 * D + column] += sum;
  };
  int current = table.position[0];
  float sum = 0.0f;
  if (table.position[kTileRows - 1] == current) {
#pragma unroll 8
    for (int r = 0; r < kTileRows; ++r) sum += stage[stage_index<D>(r, column)];
  } else {
    for (int r = 0; r < kTileRows; ++r) {
      const int position = table.position[r];
      if (position != current) {
        flush(current, sum);
        current = position;
        sum = 0.0f;
      }
      sum += stage[stage_index<D>(r, column)];
    }
  }
  flush(current, sum);
}

/// One step: a += dS K and t += P V for a warp's 16 rows and the 32 keys in `buffer`.
template <int D, bool kHalf>
__device__ inline void accumulate(float (&a)[D / 8][4], float (&t)[D / 8][4], RowsShared<D, kHalf>& shared,
                                  const Shape& shape, int first_row, int lane, int buffer, int first_key, int shift,
                                  const float (&lse2)[2], const float (&delta)[2]) {
  constexpr int kKeys = kKeysOfStep<kHalf>;
  const Overlap overlap =
      overlap_of(span_of(shared.rows, first_row, 16, shape), first_key, kKeys, shift, shape.long_window);
  if (!overlap.any) return;
  const uint32_t keys = shared_address(shared.keys[0]) + buffer * kKeys * D * 2;
  const uint32_t values = shared_address(shared.values[0]) + buffer * kKeys * D * 2;
  const uint32_t q_fragment = FragmentAddress<D>::a(not_hoisted(shared_address(shared.stage + first_row * D)), lane);
  float s[kKeys / 8][4], dp[kKeys / 8][4];
  clear(s);
  clear(dp);
  multiply_rows_shared<D>(s, q_fragment, FragmentAddress<D>::b_rows(keys, lane));
  if constexpr (kHalf) {
    const uint32_t low = FragmentAddress<D>::a(shared_address(shared.low_queries + first_row * D), lane);
    multiply_rows_shared<D>(s, low, FragmentAddress<D>::b_rows(keys, lane));
  }
  multiply_rows_shared<D>(dp, q_fragment + 16 * D * 2, FragmentAddress<D>::b_rows(values, lane));
  const float scale = shape.exponent_scale;
#pragma unroll
  for (int n = 0; n < kKeys / 8; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) s[n][e] = exp2_fast(fmaf(s[n][e], scale, -lse2[e / 2]));
  }
  if (!overlap.full) {
    const int* positions = shared.rows.position + first_row + lane / 4;
    mask_rows(s, first_key + lane % 4 * 2, positions[0], positions[8], shift, shape.long_window);
  }
#pragma unroll
  for (int n = 0; n < kKeys / 8; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) dp[n][e] = s[n][e] * (dp[n][e] - delta[e / 2]);
  }
  uint32_t p[kKeys / 16][4];
  pack_fragments(p, s);
  multiply_columns<D>(t, p, FragmentAddress<D>::b_columns(values, lane));
  pack_fragments(p, dp);
  multiply_columns<D>(a, p, FragmentAddress<D>::b_columns(keys, lane));
}

/// The end of a shift: dq += k_short * a, and the row sums of q * a and do * t into the slab, through the stage.
template <int D, bool kHalf>
__device__ inline void add_products(const float (&a)[D / 8][4], const float (&t)[D / 8][4],
                                    RowsShared<D, kHalf>& shared, const Shape& shape, const Tensors& tensors,
                                    int first_row, int lane, int shift, float* slab, std::int64_t slab_first) {
  const KeyRows& key_rows = shared.tile.key_rows;
  const bf16* q = static_cast<const bf16*>(tensors.q);
  const bf16* short_k = static_cast<const bf16*>(tensors.short_k);
  __syncwarp();
  store_stage<D>(shared.stage, a, first_row, lane);
  __syncwarp();
  if (shape.determinant) {
    cross_stage<D>(shared.stage, shared.grad_q, shared.rows, first_row, lane, q, short_k, key_rows, shift,
                   shape.key_bias, shape.head_dim);
  } else {
    multiply_stage<D>(shared.stage, shared.grad_q, shared.rows, first_row, lane, q, short_k, key_rows, shift,
                      shape.key_bias, shape.head_dim);
  }
  __syncthreads();
  add_columns<D>(slab, slab_first, shared.stage, shared.rows, shift);
  __syncthreads();
  store_stage<D>(shared.stage, t, first_row, lane);
  __syncwarp();
  multiply_stage<D>(shared.stage, nullptr, shared.rows, first_row, lane, static_cast<const bf16*>(tensors.grad_o),
                    nullptr, key_rows, shift, 0.0f, shape.head_dim);
  __syncthreads();
  add_columns<D>(slab + D, slab_first, shared.stage, shared.rows, shift);
  __syncthreads();
}

/// One tile of 64 rows: all shifts, all keys. `slab` belongs to the block, and starts at short position `slab_first`.
template <int D, bool kHalf>
__device__ inline void process_tile(RowsShared<D, kHalf>& shared, const Shape& shape, const Tensors& tensors,
                                    const float (&lse2)[2], const float (&delta)[2], float* slab,
                                    std::int64_t slab_first, bool in_bf16) {
  constexpr int kKeys = kKeysOfStep<kHalf>;
  const int first_row = static_cast<int>(threadIdx.x) / 32 * 16;
  const TileFacts facts = shared.tile;
  const KeyRows& key_rows = facts.key_rows;
  const uint32_t own = shared_address(shared.stage + first_row * D);  // the warp's q~, then its do~
  const auto load = [&](int buffer, int first_key) {
    load_tile<D, kKeys>(shared_address(shared.keys[0]) + buffer * kKeys * D * 2,
                        static_cast<const bf16*>(tensors.long_k), key_rows, first_key, facts.last_position,
                        shape.head_dim);
    load_tile<D, kKeys>(shared_address(shared.values[0]) + buffer * kKeys * D * 2,
                        static_cast<const bf16*>(tensors.long_v), key_rows, first_key, facts.last_position,
                        shape.head_dim);
    copy_commit();
  };

  int buffer = 0;
  load(0, facts.key_begin);
  for (int shift = 0; shift < facts.shifts; ++shift) {
    const int lane = static_cast<int>(not_hoisted(threadIdx.x % 32));
    if constexpr (kHalf) {
      form_split_queries<D>(own, shared_address(shared.low_queries + first_row * D), shared.rows, first_row, 16, lane,
                            32, shape, static_cast<const bf16*>(tensors.q), static_cast<const bf16*>(tensors.short_k),
                            key_rows, shift, in_bf16);
    } else {
      form_virtual_queries<D, 4>(own, shared.rows, first_row, 16, lane, 32, shape, static_cast<const bf16*>(tensors.q),
                                 static_cast<const bf16*>(tensors.short_k), key_rows, shift);
    }
    form_products<D, 4>(own + 16 * D * 2, shared.rows, first_row, 16, lane, 32,
                        static_cast<const bf16*>(tensors.grad_o), static_cast<const bf16*>(tensors.short_v), key_rows,
                        shift, shape.value_bias, 0, shape.head_dim);
    __syncwarp();
    float a[D / 8][4], t[D / 8][4];
    clear(a);
    clear(t);
    for (int first_key = facts.key_begin; first_key <= facts.last_position; first_key += kKeys) {
      copy_wait_all();
      __syncthreads();
      const bool more = first_key + kKeys <= facts.last_position;
      if (more || shift + 1 < facts.shifts) load(buffer ^ 1, more ? first_key + kKeys : facts.key_begin);
      accumulate<D, kHalf>(a, t, shared, shape, first_row, lane, buffer, first_key, shift, lse2, delta);
      buffer ^= 1;
    }
    add_products<D, kHalf>(a, t, shared, shape, tensors, first_row, lane, shift, slab, slab_first);
  }
}

/// Rounds a warp's 16 rows of dq to bf16 and writes them.
template <int D, bool kHalf>
__device__ inline void write_grad_q(const RowsShared<D, kHalf>& shared, const Shape& shape, const Tensors& tensors,
                                    int first_row, int lane) {
  for (int unit = lane; unit < 16 * D / 4; unit += 32) {
    const int r = first_row + unit / (D / 4);
    const int column = unit % (D / 4) * 4;
    if (shared.rows.position[r] < 0 || column >= shape.head_dim) continue;
    const float4 g = *reinterpret_cast<const float4*>(shared.grad_q + r * D + column);
    const uint2 packed =
        make_uint2(pack(g.x * shape.scale, g.y * shape.scale), pack(g.z * shape.scale, g.w * shape.scale));
    *reinterpret_cast<uint2*>(static_cast<bf16*>(tensors.grad_q) + shared.rows.offset[r] + column) = packed;
  }
}

/// Block `number` of plan.row_blocks for each (batch, kv head).
template <int D, bool kHalf>
__device__ __forceinline__ void backward_rows(RowsShared<D, kHalf>& shared, const Shape& shape,
                                              const BackwardPlan& plan, const Tensors& tensors,
                                              unsigned char* workspace, std::int64_t number) {
  const bool in_bf16 = kHalf && shape.in_bf16 != nullptr && *shape.in_bf16 != 0;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int first_row = static_cast<int>(threadIdx.x) / 32 * 16;
  const std::int64_t rows = std::int64_t{shape.seq_len} * shape.group;
  const int pair = static_cast<int>(number / plan.row_blocks);
  const int block = static_cast<int>(number % plan.row_blocks);
  const int batch = pair / shape.kv_heads;
  const int kv_head = pair % shape.kv_heads;
  float* slab = reinterpret_cast<float*>(workspace + plan.slabs) + number * plan.slab_positions * 2 * D;
  const std::int64_t slab_first = slab_begin(shape, plan, block);
  if (threadIdx.x < D) {  // the owner of a column clears it
    for (int i = 0; i < 2 * plan.slab_positions; ++i) slab[i * D + threadIdx.x] = 0.0f;
  }
  for (int tile = 0; tile < plan.tiles_per_block; ++tile) {
    const std::int64_t first = (std::int64_t{block} * plan.tiles_per_block + tile) * kTileRows;
    if (first >= rows) break;
    begin_tile(shared.rows, shared.tile, shape, batch, kv_head, first);
    for (int i = static_cast<int>(threadIdx.x); i < kTileRows * D; i += kThreads) shared.grad_q[i] = 0.0f;
    float lse2[2], delta[2];
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const std::int64_t row = min(first + first_row + lane / 4 + 8 * r, rows - 1) + pair * rows;
      lse2[r] = reinterpret_cast<const float*>(workspace + plan.lse2)[row];
      delta[r] = reinterpret_cast<const float*>(workspace + plan.delta)[row];
    }
    __syncthreads();
    process_tile<D, kHalf>(shared, shape, tensors, lse2, delta, slab, slab_first, in_bf16);
    write_grad_q<D, kHalf>(shared, shape, tensors, first_row, lane);
  }
}

}  // namespace triscope::portable
