// Role: from the accumulator of a finished item to o and lse: the last short-axis value, the other warpgroup's half of
// the steps, the sink, the normalisation, and the report of rows that overflowed.
#pragma once

#include "kernels/cuda/hopper/forward/consumer.cuh"
#include "kernels/cuda/hopper/forward/short_axis.cuh"

namespace triscope::hopper {

template <TileConfig kConfig>
struct Epilogue {
  using L = Layout<kConfig>;
  using Me = Consumer<kConfig>;
  static constexpr int kWords = kConfig.head_dim / 8;  // 32-bit words of a row that one thread owns
  static constexpr int kFactorRows = kConfig.mixed_rows ? 2 : 1;
  static constexpr int kHalfRegisters = kConfig.head_dim / 4;  // half of the accumulator

  const ForwardParameters& p;
  std::uint32_t factor[kFactorRows][kWords];  // short-axis values of the last step, bf16 pairs

  /// Fetches the short-axis values of the step at offset `t`.
  __device__ __forceinline__ void load_factors(const Me& me, int t) {
#pragma unroll
    for (int r = 0; r < kFactorRows; ++r) {
      const int row = max(me.position_of(r) - t, 0);
      const std::int64_t offset =
          ((static_cast<std::int64_t>(me.item.batch) * p.seq_len + row) * p.kv_heads + me.item.kv_head) *
          kConfig.head_dim;
      const std::uint32_t* words = reinterpret_cast<const std::uint32_t*>(p.short_value + offset) + me.c;
#pragma unroll
      for (int n = 0; n < kWords; ++n) factor[r][n] = __ldg(words + 4 * n);
    }
  }

  __device__ __forceinline__ void apply_factors(Me& me) const {
#pragma unroll
    for (int n = 0; n < kWords; ++n) {
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        const std::uint32_t word = factor[r & (kFactorRows - 1)][n];
        me.accumulator[4 * n + 2 * r] *= away_from_zero(low_bf16(word) + p.value_bias);
        me.accumulator[4 * n + 2 * r + 1] *= away_from_zero(high_bf16(word) + p.value_bias);
      }
    }
  }

  // --- split steps: warpgroup 1 hands its half to warpgroup 0, half of the columns at a time -----------------------

  static __device__ __forceinline__ std::uint32_t merge_address(const Me& me) {
    return me.memory + L::kMerge + (threadIdx.x & (kWarpgroupThreads - 1)) * 16;
  }

  template <int kHalf>
  static __device__ __forceinline__ void write_half(const Me& me) {
#pragma unroll
    for (int i = 0; i < kHalfRegisters; i += 4) {
      const float* x = me.accumulator + kHalf * kHalfRegisters + i;
      store_shared_float4(merge_address(me) + i / 4 * kWarpgroupThreads * 16, x[0], x[1], x[2], x[3]);
    }
  }
  template <int kHalf>
  static __device__ __forceinline__ void add_half(Me& me, const float (&own)[2], const float (&other)[2]) {
#pragma unroll
    for (int i = 0; i < kHalfRegisters; i += 4) {
      float* x = me.accumulator + kHalf * kHalfRegisters + i;
      const float4 y = load_shared_float4(merge_address(me) + i / 4 * kWarpgroupThreads * 16);
      x[0] = x[0] * own[0] + y.x * other[0];
      x[1] = x[1] * own[0] + y.y * other[0];
      x[2] = x[2] * own[1] + y.z * other[1];
      x[3] = x[3] * own[1] + y.w * other[1];
    }
  }

  static __device__ __forceinline__ void give(const Me& me) {
    constexpr float kNothing = -1e30f;  // a reference below every other
    const unsigned item = me.items_done - 1;
    if (item > 0) barrier_wait(me.barriers.merge_free(), (item - 1) & 1);
    const RowState& rows = me.rows;
    store_shared_float4(merge_address(me) + L::kMergeHalfBytes, rows.sum[0] == 0.0f ? kNothing : rows.reference[0],
                        rows.sum[1] == 0.0f ? kNothing : rows.reference[1], rows.sum[0], rows.sum[1]);
    write_half<0>(me);
    me.arrive(me.barriers.merge_full());
    barrier_wait(me.barriers.merge_taken(), item & 1);
    write_half<1>(me);
    me.arrive(me.barriers.merge_full());
  }

  static __device__ __forceinline__ void take(Me& me) {
    RowState& rows = me.rows;
    barrier_wait(me.barriers.merge_full(), 0);  // two phases an item
    const float4 state = load_shared_float4(merge_address(me) + L::kMergeHalfBytes);
    const float reference[2] = {state.x, state.y}, sum[2] = {state.z, state.w};
    float own[2], other[2];
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const float common = fmaxf(rows.reference[r], reference[r]);
      own[r] = fast_exp2(rows.reference[r] - common);
      other[r] = fast_exp2(reference[r] - common);
      rows.sum[r] = rows.sum[r] * own[r] + sum[r] * other[r];
      rows.reference[r] = common;
    }
    add_half<0>(me, own, other);
    me.arrive(me.barriers.merge_taken());
    barrier_wait(me.barriers.merge_full(), 1);
    add_half<1>(me, own, other);
    me.arrive(me.barriers.merge_free());
  }

  // --- output ------------------------------------------------------------------------------------------------------

  /// Position and query head of thread row `r`; false when there is no such row.
  __device__ __forceinline__ bool place_row(const Me& me, int r, int& position, int& head) const {
    const int item_row = (kConfig.split_steps ? 0 : me.warpgroup * 64) + me.thread_row(r);
    position = me.item.position + item_row / p.heads;
    head = me.item.first_head + item_row % p.heads;
    return item_row < p.positions * p.heads && position <= me.item.last_position &&
           head < me.item.first_head + me.item.heads;
  }
  __device__ __forceinline__ float& lse_of(const Me& me, int position, int head) const {
    return p.lse[(static_cast<std::int64_t>(me.item.batch) * p.q_heads + head) * p.seq_len + position];
  }

  /// Writes thread row `r`; returns true when it exists and is not finite in this thread's columns.
  template <int r>
  __device__ __forceinline__ bool store_row(const Me& me) const {
    int position, head;
    if (!place_row(me, r, position, head)) return false;
    float sum = me.rows.sum[r], reference = me.rows.reference[r], shrink = 1.0f;
    if (p.sink != nullptr) {
      const float sink = __ldg(p.sink + head) * kLog2e;
      const float common = fmaxf(reference, sink);
      shrink = exp2f(reference - common);
      sum = sum * shrink + exp2f(sink - common);
      reference = common;
    }
    const float norm = shrink / sum;
    float poison = sum * 0.0f;  // NaN when anything is not finite
    std::uint32_t* out =
        reinterpret_cast<std::uint32_t*>(
            p.o +
            ((static_cast<std::int64_t>(me.item.batch) * p.seq_len + position) * p.q_heads + head) * kConfig.head_dim) +
        me.c;
#pragma unroll
    for (int n = 0; n < kWords; ++n) {
      const float x = me.accumulator[4 * n + 2 * r] * norm, y = me.accumulator[4 * n + 2 * r + 1] * norm;
      poison += (x + y) * 0.0f;
      out[4 * n] = pack_bf16x2(x, y);
    }
    if (me.c == 0) lse_of(me, position, head) = (reference + log2f(sum)) * kLn2;
    return !(poison == 0.0f);
  }

  /// For repair.cuh: NaN as the lse of a row that is not finite, in the thread that wrote it, and the CTA's flag.
  __device__ __forceinline__ void mark_rows(const Me& me, const bool (&suspect)[2]) const {
    if (!__any_sync(0xFFFFFFFFu, suspect[0] || suspect[1])) return;
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const bool marked = (__ballot_sync(0xFFFFFFFFu, suspect[r]) >> (me.lane & ~3) & 0xFu) != 0;  // in any column
      int position, head;
      if (marked && me.c == 0 && place_row(me, r, position, head)) lse_of(me, position, head) = CUDART_NAN_F;
    }
    if (me.leader) store_shared_1(me.memory + L::kRepairFlag, 1);
  }

  /// After the item's last product.
  __device__ __forceinline__ void finish(Me& me) const {
    apply_factors(me);
#pragma unroll
    for (int r = 0; r < 2; ++r) me.rows.sum[r] = quad_sum(me.rows.sum[r]);
    if (kConfig.split_steps && me.warpgroup == 1) {
      give(me);
    } else {
      if (kConfig.split_steps) take(me);
      const bool suspect[2] = {store_row<0>(me), store_row<1>(me)};
      mark_rows(me, suspect);
    }
  }
};

}  // namespace triscope::hopper
