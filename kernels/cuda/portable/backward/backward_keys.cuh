// The backward of cuda.portable, seen from the keys: the gradients of the long axis.
//
//   S^T = K q~^T, dP^T = V do~^T        with the q~ and do~ of backward_rows.cu, rounded the same way
//   dV += P^T do~                       dK += dS^T q~             (times |scale| at the end)
//
// A block owns 64 long keys (16 a warp) of one (batch, kv head) and a share (split) of the rows whose window reaches
// them; K, V stay in shared memory and dK, dV in registers all the time. Steps of 32 rows: tiles of rows outside,
// shifts t inside; all threads form q~ and do~ of the next step in the other buffer, then take the four GEMMs of this
// one. Each split writes its own fp32 partial sums; `portable_finish` adds them in order. No atomics.
//
// Registers a thread, D 128: dK 64, dV 64, S^T and dP^T 32. Shared memory: K, V 2 * 64 * D * 2, q~ and do~
// 2 * 2 * 32 * D * 2 bytes: 64 KB + 2 KB. Its measured rate: backward_rows.cu.
#pragma once

#include "kernels/cuda/portable/backward/backward_steps.cuh"
#include "kernels/cuda/portable/common/shape.hpp"
#include "kernels/cuda/portable/common/tensor_core.cuh"
#include "kernels/cuda/portable/common/virtual_query.cuh"

namespace triscope::portable {

inline constexpr int kRows = 32;  ///< virtual queries a step

template <int D, bool kHalf>
struct KeysShared : LowQueries<2 * kRows * D, kHalf> {
  alignas(256) bf16 keys[kTileRows * D];
  alignas(256) bf16 values[kTileRows * D];
  alignas(256) bf16 queries[2][kRows * D];
  alignas(256) bf16 grad_o[2][kRows * D];
  // Three in turn: while one warp prepares the next tile's table, another may still read that of the step before.
  RowTable<kRows> rows[3];
  alignas(8) float lse2[3][kRows];
  alignas(8) float delta[3][kRows];
};

/// Where a block stands: a row tile, counted from the first row that sees the block's first key, and a shift.
struct Step {
  int tile;
  int shift;
  int shifts;  ///< at which any row of the tile has a short key
  int slot;    ///< of the tile's table
};

template <int D, bool kHalf>
class KeysBlock {
 public:
  __device__ KeysBlock(KeysShared<D, kHalf>& shared, const Shape& shape, const BackwardPlan& plan,
                       const Tensors& tensors, const unsigned char* workspace, int pair, int first_key)
      : shared_(shared),
        shape_(shape),
        tensors_(tensors),
        lse2_(reinterpret_cast<const float*>(workspace + plan.lse2) + pair * rows()),
        delta_(reinterpret_cast<const float*>(workspace + plan.delta) + pair * rows()),
        batch_(pair / shape.kv_heads),
        kv_head_(pair % shape.kv_heads),
        first_key_(first_key),
        in_bf16_(kHalf && shape.in_bf16 != nullptr && *shape.in_bf16 != 0) {}

  /// Loads the block's keys and values; the caller synchronises.
  __device__ void load_keys() const {
    const KeyRows key_rows(shape_, batch_, kv_head_);
    const int last = shape_.seq_len - 1;
    load_tile<D, kTileRows>(shared_address(shared_.keys), static_cast<const bf16*>(tensors_.long_k), key_rows,
                            first_key_, last, shape_.head_dim);
    load_tile<D, kTileRows>(shared_address(shared_.values), static_cast<const bf16*>(tensors_.long_v), key_rows,
                            first_key_, last, shape_.head_dim);
    copy_commit();
  }

  /// Row tiles that reach any of the block's keys.
  __device__ int tile_count() const {
    const std::int64_t last_key = min(first_key_ + kTileRows, shape_.seq_len) - 1;
    const std::int64_t last_position = min(last_key + shape_.long_window, std::int64_t{shape_.seq_len}) - 1;
    return static_cast<int>(((last_position + 1 - first_key_) * shape_.group + kRows - 1) / kRows);
  }

  /// The first step of `tile`.
  __device__ Step begin(int tile, int slot) const {
    const std::int64_t last_row = min(first_row(tile) + kRows, rows()) - 1;
    return {tile, 0, static_cast<int>(min(last_row / shape_.group + 1, std::int64_t{shape_.short_window})), slot};
  }

  /// The step after `step`; its tile may be past the last.
  __device__ Step next(const Step& step) const {
    if (step.shift + 1 < step.shifts) return {step.tile, step.shift + 1, step.shifts, step.slot};
    return begin(step.tile + 1, step.slot == 2 ? 0 : step.slot + 1);
  }

  /// First half of a step's preparation: the table of its row tile, when it begins one. Synchronise after it.
  __device__ void prepare_rows(const Step& step) const {
    const int r = static_cast<int>(threadIdx.x);
    if (step.shift != 0 || r >= kRows) return;
    const int slot = step.slot;
    const std::int64_t row = first_row(step.tile) + r;
    const std::int64_t inside = min(row, rows() - 1);
    fill_row(shared_.rows[slot], r, shape_, batch_, kv_head_, row);
    shared_.lse2[slot][r] = lse2_[inside];
    shared_.delta[slot][r] = delta_[inside];
  }

  /// Second half: q~ and do~ in `buffer`.
  __device__ void form(const Step& step, int buffer) const {
    const int thread = static_cast<int>(not_hoisted(threadIdx.x));
    const KeyRows key_rows(shape_, batch_, kv_head_);
    const RowTable<kRows>& table = shared_.rows[step.slot];
    if constexpr (kHalf) {
      form_split_queries<D>(shared_address(shared_.queries[buffer]),
                            shared_address(shared_.low_queries + buffer * kRows * D), table, 0, kRows, thread, kThreads,
                            shape_, static_cast<const bf16*>(tensors_.q), static_cast<const bf16*>(tensors_.short_k),
                            key_rows, step.shift, in_bf16_);
    } else {
      form_virtual_queries<D, 2>(shared_address(shared_.queries[buffer]), table, 0, kRows, thread, kThreads, shape_,
                                 static_cast<const bf16*>(tensors_.q), static_cast<const bf16*>(tensors_.short_k),
                                 key_rows, step.shift);
    }
    form_products<D, 2>(shared_address(shared_.grad_o[buffer]), table, 0, kRows, thread, kThreads,
                        static_cast<const bf16*>(tensors_.grad_o), static_cast<const bf16*>(tensors_.short_v), key_rows,
                        step.shift, shape_.value_bias, 0, shape_.head_dim);
  }

  /// The four GEMMs of one step.
  __device__ void accumulate(float (&grad_k)[D / 8][4], float (&grad_v)[D / 8][4], const Step& step, int buffer) const {
    const int lane = static_cast<int>(not_hoisted(threadIdx.x)) % 32;
    const int warp_row = static_cast<int>(threadIdx.x) / 32 * 16;
    const int slot = step.slot;
    const int warp_key = first_key_ + warp_row;
    const RowTable<kRows>& table = shared_.rows[slot];
    const Overlap overlap = overlap_of(span_of(table, 0, kRows, shape_), warp_key, 16, step.shift, shape_.long_window);
    if (!overlap.any) return;

    const uint32_t queries = shared_address(shared_.queries[buffer]);
    const uint32_t grad_o = shared_address(shared_.grad_o[buffer]);
    float s[kRows / 8][4], dp[kRows / 8][4];
    clear(s);
    clear(dp);
    multiply_rows_shared<D>(s, FragmentAddress<D>::a(shared_address(shared_.keys + warp_row * D), lane),
                            FragmentAddress<D>::b_rows(queries, lane));
    if constexpr (kHalf) {
      multiply_rows_shared<D>(
          s, FragmentAddress<D>::a(shared_address(shared_.keys + warp_row * D), lane),
          FragmentAddress<D>::b_rows(shared_address(shared_.low_queries + buffer * kRows * D), lane));
    }
    multiply_rows_shared<D>(dp, FragmentAddress<D>::a(shared_address(shared_.values + warp_row * D), lane),
                            FragmentAddress<D>::b_rows(grad_o, lane));
    const int column = lane % 4 * 2;
#pragma unroll
    for (int n = 0; n < kRows / 8; ++n) {
      const float2 lse2 = *reinterpret_cast<const float2*>(&shared_.lse2[slot][n * 8 + column]);
#pragma unroll
      for (int e = 0; e < 4; ++e)
        s[n][e] = exp2_fast(fmaf(s[n][e], shape_.exponent_scale, e % 2 == 0 ? -lse2.x : -lse2.y));
    }
    if (!overlap.full) mask_columns(s, warp_key + lane / 4, table.position + column, step.shift, shape_.long_window);
#pragma unroll
    for (int n = 0; n < kRows / 8; ++n) {
      const float2 delta = *reinterpret_cast<const float2*>(&shared_.delta[slot][n * 8 + column]);
#pragma unroll
      for (int e = 0; e < 4; ++e) dp[n][e] = s[n][e] * (dp[n][e] - (e % 2 == 0 ? delta.x : delta.y));
    }
    uint32_t p[kRows / 16][4];
    pack_fragments(p, s);
    multiply_columns<D>(grad_v, p, FragmentAddress<D>::b_columns(grad_o, lane));
    pack_fragments(p, dp);
    multiply_columns<D>(grad_k, p, FragmentAddress<D>::b_columns(queries, lane));
  }

 private:
  __device__ std::int64_t rows() const { return std::int64_t{shape_.seq_len} * shape_.group; }
  __device__ std::int64_t first_row(int tile) const {
    return std::int64_t{first_key_} * shape_.group + std::int64_t{tile} * kRows;
  }

  KeysShared<D, kHalf>& shared_;
  const Shape& shape_;
  const Tensors& tensors_;
  const float* lse2_;
  const float* delta_;
  int batch_;
  int kv_head_;
  int first_key_;
  bool in_bf16_;
};

/// Writes a warp's fp32 sums; `partial` is the tensor of this (split, key or value, pair).
template <int D>
__device__ inline void write_partial(float* partial, const float (&x)[D / 8][4], int warp_key, int lane, int seq_len) {
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const int key = warp_key + lane / 4 + 8 * r;
    if (key >= seq_len) continue;
    float* row = partial + std::int64_t{key} * D + lane % 4 * 2;
#pragma unroll
    for (int n = 0; n < D / 8; ++n) *reinterpret_cast<float2*>(row + n * 8) = make_float2(x[n][2 * r], x[n][2 * r + 1]);
  }
}

/// Block `number` of plan.splits for each tile of keys.
template <int D, bool kHalf>
__device__ __forceinline__ void backward_keys(KeysShared<D, kHalf>& shared, const Shape& shape,
                                              const BackwardPlan& plan, const Tensors& tensors,
                                              unsigned char* workspace, std::int64_t number) {
  const int key_tiles = (shape.seq_len + kTileRows - 1) / kTileRows;
  const int split = static_cast<int>(number % plan.splits);
  const std::int64_t unit = number / plan.splits;
  const int pair = static_cast<int>(unit / key_tiles);
  const int first_key = static_cast<int>(unit % key_tiles) * kTileRows;
  const KeysBlock<D, kHalf> block(shared, shape, plan, tensors, workspace, pair, first_key);
  const int tiles = block.tile_count();
  const int end = static_cast<int>(std::int64_t{tiles} * (split + 1) / plan.splits);

  float grad_k[D / 8][4], grad_v[D / 8][4];
  clear(grad_k);
  clear(grad_v);
  Step step = block.begin(static_cast<int>(std::int64_t{tiles} * split / plan.splits), 0);
  if (step.tile < end) {
    block.load_keys();
    block.prepare_rows(step);
    __syncthreads();
    block.form(step, 0);
    copy_wait_all();
  }
  int buffer = 0;
  while (step.tile < end) {
    const Step next = block.next(step);
    const bool more = next.tile < end;
    if (more && next.shift == 0) block.prepare_rows(next);
    __syncthreads();
    if (more) block.form(next, buffer ^ 1);
    block.accumulate(grad_k, grad_v, step, buffer);
    step = next;
    buffer ^= 1;
  }

  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp_key = first_key + static_cast<int>(threadIdx.x) / 32 * 16;
  const std::int64_t pairs = std::int64_t{shape.batch} * shape.kv_heads;
  const std::int64_t tensor = std::int64_t{shape.seq_len} * D;
  float* partial = reinterpret_cast<float*>(workspace + plan.partials) + (split * 2 * pairs + pair) * tensor;
  write_partial<D>(partial, grad_k, warp_key, lane, shape.seq_len);
  write_partial<D>(partial + pairs * tensor, grad_v, warp_key, lane, shape.seq_len);
}

}  // namespace triscope::portable
