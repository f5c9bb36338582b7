// Before the tiles of the Hopper backward: ranges, powers of two, and everything in the form in which tiles want it.
//
// fp16 operands make the logits eight times finer than bf16 and take the place of unprotected sums of dq. Exact powers
// of two keep them in range, one of each (batch, kv head):
//
//   2^a_d, 2^b_d   of long and short key, by dimension (by chunk of three for the determinant): max |k 2^a| in [0.5, 1)
//   2^-(a_d + b_d) of q, so that logits are unchanged; it goes into grad_q, which is free until the sums are converted
//   2^s            of the long key, too, and 2^-s of q: 1 unless q would overflow otherwise (then rows are rewritten)
//   2^e            of the short value and of delta, hence of dP, dS and the sums of dq:
//                  |dP| <= M = 1.02 max |do|_2 max |v_long|_4 max |v_short|_4,  2^(e + s) M < 2^15 (2^14, determinant)
//
// With delta the mean of dP over p, |dS| = p |dP - delta| <= M / 2, and sum |dS| <= M, so every partial sum of dq is
// below M max |KK| (1, determinant 2): nothing overflows for any scale of the gradient, by a factor of two, and what is
// small against M keeps fp16's 24 binades below it. delta_i = sum_d do_id o_id.
//
// All blocks wait for one another between the steps: ranges to zero | sums to zero, ranges of keys and values, scales |
// rows | keys and what depends on the ranges of rows. Virtual keys do this at the beginning of their kernel, virtual
// queries in a launch of its own (prepare.cu): each launch costs the host some 4 us.
#pragma once

#include <cooperative_groups.h>

#include <cstdint>

#include "kernels/cuda/hopper/backward/kernel/fixed_scales.cuh"
#include "kernels/cuda/hopper/backward/kernel/memory.cuh"
#include "kernels/cuda/hopper/backward/kernel/preparation.hpp"
#include "kernels/cuda/hopper/backward/kernel/ranges.cuh"

namespace triscope::hopper::backward {

/// By all blocks of a cooperative launch of `kThreads` threads. `kAtOnce`: rows that a thread reads before it uses any
/// of them, so that few warps keep memory busy.
template <int kHeadDim, int kThreads, int kAtOnce>
class Prepare {
  static constexpr int kWarps = kThreads / 32;
  static constexpr int kMostExponent = 100;  ///< of 2^e: far from the ends of fp32

 public:
  /// In shared memory.
  struct Scratch {
    float long_key[kHeadDim], short_key[kHeadDim];
    bool is_last;
  };

  __device__ __forceinline__ Prepare(const BackwardParameters& p, const Preparation& to, Scratch& scratch)
      : p_(p),
        to_(to),
        scratch_(scratch),
        thread_(static_cast<int>(threadIdx.x)),
        lane_(thread_ % 32),
        warp_(thread_ / 32) {}

  __device__ __forceinline__ void run() const {
    const auto grid = cooperative_groups::this_grid();
    const int d = thread_;
    if (to_.rows.unlike != nullptr && blockIdx.x == 0 && d == 0)
      *to_.rows.unlike = to_.lse_in_bf16 != nullptr ? *to_.lse_in_bf16 : 0;
    clear(reinterpret_cast<uint4*>(to_.ranges), to_.range_parts);
    grid.sync();
    clear(to_.sums, to_.sum_parts);
    find_key_ranges();
    grid.sync();
    prepare_rows();
    grid.sync();
    const int blocks = max(1, static_cast<int>(gridDim.x) / to_.pairs);
    for (int n = static_cast<int>(blockIdx.x); n < blocks * to_.pairs; n += static_cast<int>(gridDim.x)) {
      const Share share = {n / blocks, n % blocks, blocks};
      repair_query(share);
      scale_deltas(share);
      scale_keys(share);
      if (share.number != 0 || d >= kHeadDim) continue;
      choose_unscales(to_.ranges[share.pair], d);
      if (to_.fixed.scales != nullptr) choose_fixed_scales(p_, to_.fixed, to_.cross, share.pair, d);
    }
  }

 private:
  /// Which block of how many works for a (batch, kv head).
  struct Share {
    int pair, number, count;
    __device__ __forceinline__ std::int64_t threads() const { return std::int64_t{count} * kThreads; }
  };

  __device__ __forceinline__ std::int64_t first_of(const Share& share) const {
    return std::int64_t{share.number} * kThreads + thread_;
  }

  // --- values ------------------------------------------------------------------------------------------------------

  /// Four consecutive values of a row; zero for lanes behind its end.
  __device__ __forceinline__ uint2 load_4(const __nv_bfloat16* row) const {
    return has_columns() ? *reinterpret_cast<const uint2*>(row + 4 * lane_) : make_uint2(0, 0);
  }
  __device__ __forceinline__ bool has_columns() const { return kHeadDim == 128 || 4 * lane_ < kHeadDim; }
  static __device__ __forceinline__ float4 unpack(uint2 v) {
    return {low_bf16(v.x), high_bf16(v.x), low_bf16(v.y), high_bf16(v.y)};
  }
  static __device__ __forceinline__ float4 add(float4 v, float bias) {
    return {v.x + bias, v.y + bias, v.z + bias, v.w + bias};
  }
  static __device__ __forceinline__ float dot(float4 a, float4 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
  }
  static __device__ __forceinline__ float4 magnitude(float4 v) {
    return {fabsf(v.x), fabsf(v.y), fabsf(v.z), fabsf(v.w)};
  }
  static __device__ __forceinline__ float4 larger_of(float4 a, float4 b) {
    return {fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z), fmaxf(a.w, b.w)};
  }
  static __device__ __forceinline__ float warp_sum(float x) {
#pragma unroll
    for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(0xFFFFFFFFu, x, step);
    return x;
  }
  static __device__ __forceinline__ float warp_max(float x) {
#pragma unroll
    for (int step = 16; step > 0; step /= 2) x = fmaxf(x, __shfl_xor_sync(0xFFFFFFFFu, x, step));
    return x;
  }
  /// For values that are not negative, whose order is that of their bits.
  static __device__ __forceinline__ void raise(float& target, float x) {
    atomicMax(reinterpret_cast<int*>(&target), __float_as_int(x));
  }
  /// The same where most values are no news.
  static __device__ __forceinline__ void raise_seldom(float& target, float x) {
    if (x > *const_cast<volatile float*>(&target)) raise(target, x);
  }
  /// (sum v^4)^(1/4) over the warp's row, without overflow.
  static __device__ __forceinline__ float norm_4(float4 v) {
    const float4 m = magnitude(v);
    const float top = warp_max(fmaxf(fmaxf(m.x, m.y), fmaxf(m.z, m.w)));
    if (top == 0.0f) return 0.0f;
    const float4 u = {v.x / top, v.y / top, v.z / top, v.w / top};
    const float4 squares = {u.x * u.x, u.y * u.y, u.z * u.z, u.w * u.w};
    return top * sqrtf(sqrtf(warp_sum(dot(squares, squares))));
  }

  /// Eight consecutive values.
  struct Eight {
    float x[8];
  };
  static __device__ __forceinline__ Eight unpack(uint4 v) {
    return {low_bf16(v.x), high_bf16(v.x), low_bf16(v.y), high_bf16(v.y),
            low_bf16(v.z), high_bf16(v.z), low_bf16(v.w), high_bf16(v.w)};
  }
  static __device__ __forceinline__ float dot(const Eight& a, const Eight& b) {
    float sum = 0.0f;
#pragma unroll
    for (int n = 0; n < 8; ++n) sum = fmaf(a.x[n], b.x[n], sum);
    return sum;
  }
  /// Eight of the scales of q.
  static __device__ __forceinline__ Eight load_scales(const float* scales) {
    const float4 a = *reinterpret_cast<const float4*>(scales), b = *reinterpret_cast<const float4*>(scales + 4);
    return {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
  }

  // --- ranges of keys and values -----------------------------------------------------------------------------------

  __device__ __forceinline__ void clear(uint4* parts, std::int64_t count) const {
    for (std::int64_t n = std::int64_t{blockIdx.x} * kThreads + thread_; n < count;
         n += std::int64_t{gridDim.x} * kThreads) {
      parts[n] = make_uint4(0, 0, 0, 0);
    }
  }

  __device__ __forceinline__ std::int64_t key_row(int pair, int position) const {
    const int batch = pair / p_.kv_heads;
    return ((std::int64_t{batch} * p_.seq_len + position) * p_.kv_heads + (pair - batch * p_.kv_heads)) * kHeadDim;
  }

  /// Calls `work` with every `kAtOnce` positions of a (batch, kv head) that this warp has, the last one again behind
  /// the end.
  template <typename Work>
  __device__ __forceinline__ void for_positions(const Share& share, const Work& work) const {
    for (int first = share.number * kWarps + warp_; first < p_.seq_len; first += kAtOnce * share.count * kWarps) {
      int positions[kAtOnce];
#pragma unroll
      for (int n = 0; n < kAtOnce; ++n) positions[n] = first + n * share.count * kWarps;
#pragma unroll
      for (int n = 1; n < kAtOnce; ++n) positions[n] = positions[n] < p_.seq_len ? positions[n] : first;
      work(positions);
    }
  }

  /// Copies four columns of a row to their places in the order of fragment_column.
  __device__ __forceinline__ void copy_columns(uint2 words, __nv_bfloat16* to) const {
    std::uint32_t* first = reinterpret_cast<std::uint32_t*>(to + fragment_column(4 * lane_));
    first[0] = words.x;
    first[4] = words.y;  // two columns further
  }

  /// Ranges of the keys and values of one (batch, kv head), and copies of the short ones.
  __device__ __forceinline__ void find_ranges_of_pair(Ranges& ranges, const Share& share) const {
    if (thread_ < kHeadDim) scratch_.long_key[thread_] = scratch_.short_key[thread_] = 0.0f;
    __syncthreads();
    float4 long_key = {0, 0, 0, 0}, short_key = {0, 0, 0, 0};
    float long_value = 0.0f, short_value = 0.0f;
    for_positions(share, [&](const int(&positions)[kAtOnce]) {
      uint2 words[kAtOnce][4];
#pragma unroll
      for (int n = 0; n < kAtOnce; ++n) {
        const std::int64_t row = key_row(share.pair, positions[n]);
        words[n][0] = load_4(p_.long_key + row), words[n][1] = load_4(p_.short_key + row);
        words[n][2] = load_4(p_.long_value + row), words[n][3] = load_4(p_.short_value + row);
      }
#pragma unroll
      for (int n = 0; n < kAtOnce; ++n) {
        if (has_columns() && to_.keys.columns != nullptr) {
          __nv_bfloat16* columns = to_.keys.columns + key_row(share.pair, positions[n]);
          copy_columns(words[n][1], columns);
          copy_columns(words[n][3], columns + to_.key_elements);
        }
        long_key = larger_of(long_key, magnitude(unpack(words[n][0])));
        short_key = larger_of(short_key, magnitude(add(unpack(words[n][1]), p_.key_bias)));
        long_value = fmaxf(long_value, norm_4(unpack(words[n][2])));
        short_value = fmaxf(short_value, norm_4(add(unpack(words[n][3]), has_columns() ? p_.value_bias : 0.0f)));
      }
    });
    if (has_columns()) {
#pragma unroll
      for (int x = 0; x < 4; ++x) {
        raise(scratch_.long_key[4 * lane_ + x], (&long_key.x)[x]);
        raise(scratch_.short_key[4 * lane_ + x], (&short_key.x)[x]);
      }
    }
    if (lane_ == 0) {
      raise(ranges.long_value, long_value);
      raise(ranges.short_value, short_value);
    }
    __syncthreads();
    if (thread_ < kHeadDim) {
      raise(ranges.long_key[thread_], scratch_.long_key[thread_]);
      raise(ranges.short_key[thread_], scratch_.short_key[thread_]);
    }
  }

  /// The block that comes last to a (batch, kv head) chooses its scales.
  __device__ __forceinline__ void find_key_ranges() const {
    const int most = (p_.seq_len + 4 * kWarps - 1) / (4 * kWarps);
    const int blocks = max(1, min(most, static_cast<int>(gridDim.x) / to_.pairs));
    for (int n = static_cast<int>(blockIdx.x); n < blocks * to_.pairs; n += static_cast<int>(gridDim.x)) {
      const int pair = n / blocks;
      Ranges& ranges = to_.ranges[pair];
      find_ranges_of_pair(ranges, {pair, n - pair * blocks, blocks});
      __threadfence();
      __syncthreads();
      if (thread_ == 0) scratch_.is_last = atomicAdd(&ranges.arrived, 1u) == static_cast<unsigned>(blocks) - 1;
      __syncthreads();
      if (!scratch_.is_last) continue;
      __threadfence();
      if (thread_ < kHeadDim) choose_scales(ranges, thread_);
    }
  }

  /// Scales of a (batch, kv head), one thread a dimension. Other blocks have just written the ranges.
  __device__ __forceinline__ void choose_scales(Ranges& r, int d) const {
    const int chunk = d / 3 * 3;
    const auto largest = [d, chunk, mixed = to_.cross && chunk + 3 <= kHeadDim](const float* key) {
      if (!mixed) return __ldcg(key + d);  // a component of a cross product mixes the other two
      return fmaxf(fmaxf(__ldcg(key + chunk), __ldcg(key + chunk + 1)), __ldcg(key + chunk + 2));
    };
    const int a = -exponent_above(largest(r.long_key)), b = -exponent_above(largest(r.short_key));
    r.long_key_scale[d] = ldexpf(1.0f, a);
    r.short_key_scale[d] = ldexpf(1.0f, b);
    r.query_scale[d] = to_.sign * ldexpf(1.0f, -(a + b));
  }

  // --- rows --------------------------------------------------------------------------------------------------------

  /// Writes eight values of a row of q in fp16 and returns the largest magnitude.
  static __device__ __forceinline__ float store_query(const Eight& scales, float factor, const Eight& q, __half* to) {
    float v[8], top = 0.0f;
#pragma unroll
    for (int n = 0; n < 8; ++n) v[n] = q.x[n] * (scales.x[n] * factor);
#pragma unroll
    for (int n = 0; n < 8; ++n) top = fmaxf(top, fabsf(v[n]));
    *reinterpret_cast<uint4*>(to) =
        make_uint4(pack_fp16x2(v[0], v[1]), pack_fp16x2(v[2], v[3]), pack_fp16x2(v[4], v[5]), pack_fp16x2(v[6], v[7]));
    return top;
  }

  /// Largest magnitudes that a thread has seen of the rows of one (batch, kv head).
  struct RowRanges {
    float norm = 0.0f, top = 0.0f;
    /// The whole warp.
    __device__ __forceinline__ void flush(Ranges& ranges, int lane) {
      norm = warp_max(norm);
      top = warp_max(top);
      if (lane == 0) {
        raise_seldom(ranges.grad_o, norm);
        raise_seldom(ranges.query, top);
      }
      norm = top = 0.0f;
    }
  };

  /// LSE and delta of a row, and their second copy.
  __device__ __forceinline__ void store_statistics(int plane, int in_plane, int position, float lse2,
                                                   float delta) const {
    const std::int64_t plane_rows = std::int64_t{p_.padded_len} * p_.head_rows;
    const int copies = statistic_copies(p_);
    const std::int64_t first = plane * copies * plane_rows;
    to_.rows.lse2[first + fragment_place(in_plane)] = lse2;
    to_.rows.delta[first + fragment_place(in_plane)] = delta;
    if (copies == 2 && position > 0) {
      to_.rows.lse2[first + plane_rows + fragment_place(in_plane - p_.head_rows)] = lse2;
      to_.rows.delta[first + plane_rows + fragment_place(in_plane - p_.head_rows)] = delta;
    }
  }

  /// What a lane has of a row.
  struct Row {
    uint4 q, o, grad_o;
    float lse;
    std::int64_t at;
    int position;
    bool exists;
  };

  /// head_dim / 8 lanes a row of a tile, rows without a query included; a warp takes some rows that follow one another.
  __device__ __forceinline__ void prepare_rows() const {
    constexpr int kLanes = kHeadDim / 8, kWarpRows = 32 / kLanes, kRows = kWarpRows * kAtOnce;
    static_assert(kTileRows % kRows == 0, "they are of one plane");
    const int head_shift = 31 - __clz(p_.head_rows), lane = lane_ % kLanes;
    const int plane_rows = p_.padded_len << head_shift;
    RowRanges seen;
    Eight scales = {};
    int pair = -1;
    for (int n = static_cast<int>(blockIdx.x) * kWarps + warp_; n < to_.row_count / kRows;
         n += static_cast<int>(gridDim.x) * kWarps) {
      const int plane = n * kRows / plane_rows, in_plane = n * kRows - plane * plane_rows + lane_ / kLanes;
      const bool is_next = plane / p_.head_blocks != pair;
      if (is_next && pair >= 0) seen.flush(to_.ranges[pair], lane_);
      pair = plane / p_.head_blocks;
      if (is_next) scales = load_scales(to_.ranges[pair].query_scale + lane * 8);
      Row rows[kAtOnce];
#pragma unroll
      for (int x = 0; x < kAtOnce; ++x) rows[x] = load_row(pair, plane, in_plane + x * kWarpRows, head_shift, lane);
#pragma unroll
      for (int x = 0; x < kAtOnce; ++x) {
        const Row& row = rows[x];
        float lse2 = kHiddenLse, delta = 0.0f, norm = 0.0f;
        if (row.exists) {
          const Eight grad_o = unpack(row.grad_o);
          seen.top = fmaxf(seen.top, store_query(scales, 1.0f, unpack(row.q), to_.rows.scaled_q + row.at));
          delta = dot(unpack(row.o), grad_o);
          norm = dot(grad_o, grad_o);
          lse2 = row.lse * kLog2E;
          if (lane == 0 && fabsf(lse2) > kLargestLse * kLog2E && to_.rows.unlike != nullptr) *to_.rows.unlike = 1;
        }
#pragma unroll
        for (int step = kLanes / 2; step > 0; step /= 2) {
          delta += __shfl_xor_sync(0xFFFFFFFFu, delta, step);
          norm += __shfl_xor_sync(0xFFFFFFFFu, norm, step);
        }
        seen.norm = fmaxf(seen.norm, norm);
        if (lane == 0) store_statistics(plane, in_plane + x * kWarpRows, row.position, lse2, delta);
      }
    }
    if (pair >= 0) seen.flush(to_.ranges[pair], lane_);
  }
  __device__ __forceinline__ Row load_row(int pair, int plane, int in_plane, int head_shift, int lane) const {
    Row row = {};
    row.position = in_plane >> head_shift;
    const int block = plane - pair * p_.head_blocks;
    const int head = block * kTileRows + in_plane - (row.position << head_shift);
    row.exists = row.position < p_.seq_len && head < p_.group;
    if (!row.exists) return row;
    const Preparation::Rows& from = to_.rows;
    const int batch = pair / p_.kv_heads, q_head = (pair - batch * p_.kv_heads) * p_.group + head;
    row.at = ((std::int64_t{batch} * p_.seq_len + row.position) * from.q_heads + q_head) * kHeadDim + lane * 8;
    row.q = *reinterpret_cast<const uint4*>(from.q + row.at);
    row.o = *reinterpret_cast<const uint4*>(from.o + row.at);
    row.grad_o = *reinterpret_cast<const uint4*>(from.grad_o + row.at);
    if (lane == 0) row.lse = from.lse[(std::int64_t{batch} * from.q_heads + q_head) * p_.seq_len + row.position];
    return row;
  }

  // --- what depends on them ----------------------------------------------------------------------------------------

  /// Exponent e of a (batch, kv head).
  __device__ __forceinline__ int grad_exponent(const Ranges& r) const {
    const float bound = 1.02f * sqrtf(r.grad_o) * r.long_value * r.short_value;
    if (!(bound > 0.0f)) return 0;
    return min(kMostExponent, max(-kMostExponent, (to_.cross ? 14 : 15) - query_shift(r) - exponent_above(bound)));
  }

  /// Rows of q of a (batch, kv head) for which the scales by dimension were not enough.
  __device__ __forceinline__ void repair_query(const Share& share) const {
    constexpr int kLanes = kHeadDim / 8;
    const Preparation::Rows& rows = to_.rows;
    const int pair = share.pair;
    const Ranges& r = p_.ranges[pair];
    const int shift = query_shift(r);
    if (shift == 0) return;
    const int batch = pair / p_.kv_heads, kv_head = pair - batch * p_.kv_heads;
    const std::int64_t count = std::int64_t{p_.seq_len} * p_.group * kLanes;
    for (std::int64_t n = first_of(share); n < count; n += share.threads()) {
      const int lane = static_cast<int>(n % kLanes);
      const std::int64_t row = n / kLanes, position = row / p_.group, head = kv_head * p_.group + row % p_.group;
      const std::int64_t at =
          ((std::int64_t{batch} * p_.seq_len + position) * rows.q_heads + head) * kHeadDim + lane * 8;
      store_query(load_scales(r.query_scale + lane * 8), ldexpf(1.0f, -shift),
                  unpack(*reinterpret_cast<const uint4*>(rows.q + at)), rows.scaled_q + at);
    }
  }

  __device__ __forceinline__ void scale_deltas(const Share& share) const {
    const float scale = ldexpf(1.0f, grad_exponent(p_.ranges[share.pair]));
    float4* delta = reinterpret_cast<float4*>(to_.rows.delta + share.pair * to_.deltas_of_pair);
    const std::int64_t count = to_.deltas_of_pair / 4;
    for (std::int64_t first = first_of(share); first < count; first += kAtOnce * share.threads()) {
      float4 v[kAtOnce];
#pragma unroll
      for (int n = 0; n < kAtOnce; ++n) {
        if (first + n * share.threads() < count) v[n] = delta[first + n * share.threads()];
      }
#pragma unroll
      for (int n = 0; n < kAtOnce; ++n) {
        if (first + n * share.threads() < count)
          delta[first + n * share.threads()] = {v[n].x * scale, v[n].y * scale, v[n].z * scale, v[n].w * scale};
      }
    }
  }

  __device__ __forceinline__ void scale_keys(const Share& share) const {
    if (!has_columns()) return;
    const Ranges& r = p_.ranges[share.pair];
    const float grad_scale = ldexpf(1.0f, grad_exponent(r)), shift = ldexpf(1.0f, query_shift(r));
    float4 a = *reinterpret_cast<const float4*>(r.long_key_scale + 4 * lane_);
    a = {a.x * shift, a.y * shift, a.z * shift, a.w * shift};
    const float4 b = *reinterpret_cast<const float4*>(r.short_key_scale + 4 * lane_);
    for_positions(share, [&](const int(&positions)[kAtOnce]) {
      uint2 words[kAtOnce][3];
#pragma unroll
      for (int n = 0; n < kAtOnce; ++n) {
        const std::int64_t row = key_row(share.pair, positions[n]);
        words[n][0] = load_4(p_.long_key + row), words[n][1] = load_4(p_.short_key + row);
        words[n][2] = load_4(p_.short_value + row);
      }
#pragma unroll
      for (int n = 0; n < kAtOnce; ++n) {
        const std::int64_t at = key_row(share.pair, positions[n]) + 4 * lane_;
        const float4 k1 = unpack(words[n][0]), k2 = add(unpack(words[n][1]), p_.key_bias);
        const float4 v2 = add(unpack(words[n][2]), p_.value_bias);
        *reinterpret_cast<uint2*>(to_.keys.long_key + at) =
            make_uint2(pack_fp16x2(k1.x * a.x, k1.y * a.y), pack_fp16x2(k1.z * a.z, k1.w * a.w));
        *reinterpret_cast<uint2*>(to_.keys.short_key + at) =
            make_uint2(pack_fp16x2(k2.x * b.x, k2.y * b.y), pack_fp16x2(k2.z * b.z, k2.w * b.w));
        *reinterpret_cast<uint2*>(to_.keys.short_value + at) = make_uint2(
            pack_bf16x2(v2.x * grad_scale, v2.y * grad_scale), pack_bf16x2(v2.z * grad_scale, v2.w * grad_scale));
      }
    });
  }

  /// Scales of one (batch, kv head) that undo those of the sums; one thread a dimension.
  __device__ __forceinline__ void choose_unscales(Ranges& r, int d) const {
    const float key_scale = ldexpf(r.long_key_scale[d] * r.short_key_scale[d], query_shift(r));
    const float grad_scale = ldexpf(1.0f, -grad_exponent(r));
    r.grad_query_scale[d] = grad_scale / key_scale;
    r.grad_key_scale[d] = grad_scale * key_scale;
    r.long_key_unscale[d] = ldexpf(1.0f / r.long_key_scale[d], -query_shift(r));
    if (d == 0) r.grad_scale = grad_scale;
  }

  const BackwardParameters& p_;
  const Preparation& to_;
  Scratch& scratch_;
  int thread_, lane_, warp_;
};

}  // namespace triscope::hopper::backward
