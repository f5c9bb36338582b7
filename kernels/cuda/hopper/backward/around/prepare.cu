// Before the Hopper backward: ranges, powers of two, and everything in the form in which its tiles want it.
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
// One launch, whose blocks wait for one another between its steps: ranges to zero | sums to zero, ranges of keys and
// values, scales | rows | keys and what depends on the ranges of rows. Each launch costs the host 3.4 us.
#include <cooperative_groups.h>

#include <algorithm>
#include <cstdint>

#include "kernels/cuda/common/cooperative.hpp"
#include "kernels/cuda/hopper/backward/around/fixed_scales.cuh"
#include "kernels/cuda/hopper/backward/around/ranges.cuh"
#include "kernels/cuda/hopper/backward/kernel/launch.hpp"
#include "kernels/cuda/hopper/backward/kernel/memory.cuh"

namespace triscope::hopper::backward {
namespace {

constexpr int kBlock = 256;
constexpr int kWarps = kBlock / 32;
constexpr int kBlocksOfMultiprocessor = 5;
constexpr int kMostExponent = 100;  // of 2^e: far from the ends of fp32

/// Four consecutive values of a row; zero for lanes behind its end.
__device__ __forceinline__ float4 load_4(const __nv_bfloat16* row, int lane, int head_dim) {
  if (4 * lane >= head_dim) return {0, 0, 0, 0};
  const uint2 v = *reinterpret_cast<const uint2*>(row + 4 * lane);
  return {low_bf16(v.x), high_bf16(v.x), low_bf16(v.y), high_bf16(v.y)};
}
__device__ __forceinline__ float4 add(float4 v, float bias) { return {v.x + bias, v.y + bias, v.z + bias, v.w + bias}; }
__device__ __forceinline__ float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
__device__ __forceinline__ float4 magnitude(float4 v) { return {fabsf(v.x), fabsf(v.y), fabsf(v.z), fabsf(v.w)}; }
__device__ __forceinline__ float4 larger(float4 a, float4 b) {
  return {fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z), fmaxf(a.w, b.w)};
}
__device__ __forceinline__ float largest(float4 v) { return fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)); }
__device__ __forceinline__ float warp_sum(float x) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(0xFFFFFFFFu, x, step);
  return x;
}
__device__ __forceinline__ float warp_max(float x) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) x = fmaxf(x, __shfl_xor_sync(0xFFFFFFFFu, x, step));
  return x;
}
/// For values that are not negative, whose order is that of their bits.
__device__ __forceinline__ void raise(float& target, float x) {
  atomicMax(reinterpret_cast<int*>(&target), __float_as_int(x));
}
/// The same where most values are no news.
__device__ __forceinline__ void raise_seldom(float& target, float x) {
  if (x > *const_cast<volatile float*>(&target)) raise(target, x);
}
/// (sum v^4)^(1/4) over the warp's row, without overflow.
__device__ __forceinline__ float norm_4(float4 v) {
  const float top = warp_max(largest(magnitude(v)));
  if (top == 0.0f) return 0.0f;
  const float4 u = {v.x / top, v.y / top, v.z / top, v.w / top};
  const float4 squares = {u.x * u.x, u.y * u.y, u.z * u.z, u.w * u.w};
  return top * sqrtf(sqrtf(warp_sum(dot(squares, squares))));
}

/// Exponent e of a (batch, kv head).
__device__ __forceinline__ int grad_exponent(const Ranges& r, bool cross) {
  const float bound = 1.02f * sqrtf(r.grad_o) * r.long_value * r.short_value;
  if (!(bound > 0.0f)) return 0;
  return min(kMostExponent, max(-kMostExponent, (cross ? 14 : 15) - query_shift(r) - exponent_above(bound)));
}

__device__ __forceinline__ std::int64_t key_row(const BackwardParameters& p, int pair, int position) {
  const int batch = pair / p.kv_heads;
  return (std::int64_t{batch} * p.seq_len + position) * p.kv_heads + (pair - batch * p.kv_heads);
}

struct Rows {
  const __nv_bfloat16 *q, *o, *grad_o;
  const float* lse;
  __half* scaled_q;
  float *lse2, *delta;
  std::uint32_t* unlike;  ///< becomes 1 where an LSE is beyond kLargestLse; may be null
  int q_heads;
};

struct ScaledKeys {
  __half *long_key, *short_key;
  __nv_bfloat16* short_value;
  __nv_bfloat16* columns;  ///< of the short key and the short value; null for virtual queries
};

/// What the launch writes, and from what, beside BackwardParameters.
struct Preparation {
  Rows rows;
  ScaledKeys keys;
  FixedPoint fixed;  ///< its scales are null unless sums are integers
  Ranges* ranges;
  uint4* sums;
  std::int64_t sum_parts, range_parts;  ///< of 16 bytes
  const std::uint32_t* lse_in_bf16;
  int pairs, row_blocks;
  std::int64_t deltas_of_pair, key_elements;
  float sign;
  bool cross;
};

__device__ __forceinline__ void clear(uint4* parts, std::int64_t count) {
  for (std::int64_t n = std::int64_t{blockIdx.x} * kBlock + threadIdx.x; n < count;
       n += std::int64_t{gridDim.x} * kBlock) {
    parts[n] = make_uint4(0, 0, 0, 0);
  }
}

/// Scales of a (batch, kv head), one thread a dimension. Other blocks have just written the ranges.
__device__ __forceinline__ void choose_scales(const BackwardParameters& p, const Preparation& to, Ranges& r, int d) {
  const int chunk = d / 3 * 3;
  const auto largest = [d, chunk, mixed = to.cross && chunk + 3 <= p.head_dim](const float* key) {
    if (!mixed) return __ldcg(key + d);  // a component of a cross product mixes the other two
    return fmaxf(fmaxf(__ldcg(key + chunk), __ldcg(key + chunk + 1)), __ldcg(key + chunk + 2));
  };
  const int a = -exponent_above(largest(r.long_key)), b = -exponent_above(largest(r.short_key));
  r.long_key_scale[d] = ldexpf(1.0f, a);
  r.short_key_scale[d] = ldexpf(1.0f, b);
  r.query_scale[d] = to.sign * ldexpf(1.0f, -(a + b));
}

/// Copies four columns of a row to their places in the order of fragment_column.
__device__ __forceinline__ void copy_columns(const __nv_bfloat16* from, __nv_bfloat16* to, int lane) {
  const uint2 words = *reinterpret_cast<const uint2*>(from + 4 * lane);
  std::uint32_t* first = reinterpret_cast<std::uint32_t*>(to + fragment_column(4 * lane));
  first[0] = words.x;
  first[4] = words.y;  // two columns further
}

/// Block `number` of `count` for the keys and values of one (batch, kv head): their ranges, and copies of the short
/// ones.
__device__ __forceinline__ void find_ranges_of_pair(const BackwardParameters& p, const Preparation& to, Ranges& ranges,
                                                    Ranges& shared, int pair, int number, int count) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if (threadIdx.x < 128) shared.long_key[threadIdx.x] = shared.short_key[threadIdx.x] = 0.0f;
  __syncthreads();
  float4 long_key = {0, 0, 0, 0}, short_key = {0, 0, 0, 0};
  float long_value = 0.0f, short_value = 0.0f;
  for (int position = number * kWarps + static_cast<int>(threadIdx.x) / 32; position < p.seq_len;
       position += count * kWarps) {
    const std::int64_t row = key_row(p, pair, position) * p.head_dim;
    const bool inside = 4 * lane < p.head_dim;
    if (inside && to.keys.columns != nullptr) {
      __nv_bfloat16* columns = to.keys.columns + row;
      copy_columns(p.short_key + row, columns, lane);
      copy_columns(p.short_value + row, columns + to.key_elements, lane);
    }
    long_key = larger(long_key, magnitude(load_4(p.long_key + row, lane, p.head_dim)));
    short_key = larger(short_key, magnitude(add(load_4(p.short_key + row, lane, p.head_dim), p.key_bias)));
    long_value = fmaxf(long_value, norm_4(load_4(p.long_value + row, lane, p.head_dim)));
    short_value =
        fmaxf(short_value, norm_4(add(load_4(p.short_value + row, lane, p.head_dim), inside ? p.value_bias : 0.0f)));
  }
  if (4 * lane < p.head_dim) {
#pragma unroll
    for (int x = 0; x < 4; ++x) {
      raise(shared.long_key[4 * lane + x], (&long_key.x)[x]);
      raise(shared.short_key[4 * lane + x], (&short_key.x)[x]);
    }
  }
  if (lane == 0) {
    raise(ranges.long_value, long_value);
    raise(ranges.short_value, short_value);
  }
  __syncthreads();
  if (threadIdx.x < p.head_dim) {
    raise(ranges.long_key[threadIdx.x], shared.long_key[threadIdx.x]);
    raise(ranges.short_key[threadIdx.x], shared.short_key[threadIdx.x]);
  }
}

/// The block that comes last to a (batch, kv head) chooses its scales.
__device__ __forceinline__ void find_key_ranges(const BackwardParameters& p, const Preparation& to) {
  __shared__ Ranges shared;
  __shared__ bool is_last;
  const int most = (p.seq_len + 4 * kWarps - 1) / (4 * kWarps);
  const int blocks = max(1, min(most, static_cast<int>(gridDim.x) / to.pairs));
  for (int n = static_cast<int>(blockIdx.x); n < blocks * to.pairs; n += static_cast<int>(gridDim.x)) {
    const int pair = n / blocks;
    Ranges& ranges = to.ranges[pair];
    find_ranges_of_pair(p, to, ranges, shared, pair, n - pair * blocks, blocks);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicAdd(&ranges.arrived, 1u) == static_cast<unsigned>(blocks) - 1;
    __syncthreads();
    if (!is_last) continue;
    __threadfence();
    if (threadIdx.x < p.head_dim) choose_scales(p, to, ranges, static_cast<int>(threadIdx.x));
  }
}

/// Eight consecutive values.
struct Eight {
  float x[8];
};
__device__ __forceinline__ Eight load_8(const __nv_bfloat16* from) {
  const uint4 v = *reinterpret_cast<const uint4*>(from);
  return {low_bf16(v.x), high_bf16(v.x), low_bf16(v.y), high_bf16(v.y),
          low_bf16(v.z), high_bf16(v.z), low_bf16(v.w), high_bf16(v.w)};
}
__device__ __forceinline__ float dot(const Eight& a, const Eight& b) {
  float sum = 0.0f;
#pragma unroll
  for (int n = 0; n < 8; ++n) sum = fmaf(a.x[n], b.x[n], sum);
  return sum;
}

/// Eight of the scales of q.
__device__ __forceinline__ Eight load_scales(const float* scales) {
  const float4 a = *reinterpret_cast<const float4*>(scales), b = *reinterpret_cast<const float4*>(scales + 4);
  return {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
}

/// Writes eight values of a row of q in fp16 and returns the largest magnitude.
__device__ __forceinline__ float store_query(const Eight& scales, float factor, const Eight& q, __half* to) {
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
  __device__ __forceinline__ void flush(Ranges& ranges) {
    norm = warp_max(norm);
    top = warp_max(top);
    if (threadIdx.x % 32 == 0) {
      raise_seldom(ranges.grad_o, norm);
      raise_seldom(ranges.query, top);
    }
    norm = top = 0.0f;
  }
};

/// LSE and delta of a row, and their second copy.
__device__ __forceinline__ void store_statistics(const BackwardParameters& p, const Rows& rows, std::int64_t plane,
                                                 int in_plane, int position, float lse2, float delta) {
  const std::int64_t plane_rows = std::int64_t{p.padded_len} * p.head_rows;
  const int copies = statistic_copies(p);
  const std::int64_t first = plane * copies * plane_rows;
  rows.lse2[first + fragment_place(in_plane)] = lse2;
  rows.delta[first + fragment_place(in_plane)] = delta;
  if (copies == 2 && position > 0) {
    rows.lse2[first + plane_rows + fragment_place(in_plane - p.head_rows)] = lse2;
    rows.delta[first + plane_rows + fragment_place(in_plane - p.head_rows)] = delta;
  }
}

/// head_dim / 8 lanes a row of a tile, rows without a query included.
template <int kHeadDim>
__device__ __forceinline__ void prepare_rows(const BackwardParameters& p, const Preparation& to) {
  constexpr int kLanes = kHeadDim / 8, kBlockRows = kBlock / kLanes;  // a divisor of 64: one pair in a block
  const Rows& rows = to.rows;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const unsigned plane_rows = static_cast<unsigned>(p.padded_len) * static_cast<unsigned>(p.head_rows);
  RowRanges seen;
  Eight scales = {};
  int pair = -1;
  for (int n = static_cast<int>(blockIdx.x); n < to.row_blocks; n += static_cast<int>(gridDim.x)) {
    const unsigned number = static_cast<unsigned>(n) * kBlockRows + threadIdx.x / kLanes;
    const int plane = static_cast<int>(number / plane_rows);
    const int in_plane = static_cast<int>(number - static_cast<unsigned>(plane) * plane_rows);
    if (plane / p.head_blocks != pair) {
      if (pair >= 0) seen.flush(to.ranges[pair]);
      pair = plane / p.head_blocks;
      scales = load_scales(to.ranges[pair].query_scale + lane * 8);
    }
    const int block = plane - pair * p.head_blocks;
    const int position = in_plane / p.head_rows, head = block * kTileRows + in_plane - position * p.head_rows;
    float lse2 = kHiddenLse, delta = 0.0f, norm = 0.0f;
    if (position < p.seq_len && head < p.group) {
      const int batch = pair / p.kv_heads, q_head = (pair - batch * p.kv_heads) * p.group + head;
      const std::int64_t at =
          ((std::int64_t{batch} * p.seq_len + position) * rows.q_heads + q_head) * kHeadDim + lane * 8;
      const Eight q = load_8(rows.q + at), o = load_8(rows.o + at), g = load_8(rows.grad_o + at);
      seen.top = fmaxf(seen.top, store_query(scales, 1.0f, q, rows.scaled_q + at));
      delta = dot(o, g);
      norm = dot(g, g);
      if (lane == 0) {
        lse2 = rows.lse[(std::int64_t{batch} * rows.q_heads + q_head) * p.seq_len + position] * kLog2E;
        if (fabsf(lse2) > kLargestLse * kLog2E && rows.unlike != nullptr) *rows.unlike = 1;
      }
    }
#pragma unroll
    for (int step = kLanes / 2; step > 0; step /= 2) {
      delta += __shfl_xor_sync(0xFFFFFFFFu, delta, step);
      norm += __shfl_xor_sync(0xFFFFFFFFu, norm, step);
    }
    seen.norm = fmaxf(seen.norm, norm);
    if (lane == 0) store_statistics(p, rows, plane, in_plane, position, lse2, delta);
  }
  if (pair >= 0) seen.flush(to.ranges[pair]);
}

/// Which block of how many works for a (batch, kv head).
struct Share {
  int pair, number, count;
};

/// Rows of q of a (batch, kv head) for which the scales by dimension were not enough.
__device__ __forceinline__ void repair_query(const BackwardParameters& p, const Rows& rows, const Share& share) {
  const int pair = share.pair, lanes = p.head_dim / 8;
  const Ranges& r = p.ranges[pair];
  const int shift = query_shift(r);
  if (shift == 0) return;
  const int batch = pair / p.kv_heads, kv_head = pair - batch * p.kv_heads;
  const std::int64_t count = std::int64_t{p.seq_len} * p.group * lanes;
  for (std::int64_t n = std::int64_t{share.number} * kBlock + threadIdx.x; n < count;
       n += std::int64_t{share.count} * kBlock) {
    const int lane = static_cast<int>(n % lanes);
    const std::int64_t row = n / lanes, position = row / p.group, head = kv_head * p.group + row % p.group;
    const std::int64_t at =
        ((std::int64_t{batch} * p.seq_len + position) * rows.q_heads + head) * p.head_dim + lane * 8;
    store_query(load_scales(r.query_scale + lane * 8), ldexpf(1.0f, -shift), load_8(rows.q + at), rows.scaled_q + at);
  }
}

__device__ __forceinline__ void scale_keys(const BackwardParameters& p, const Preparation& to, const Share& share) {
  const int pair = share.pair, lane = static_cast<int>(threadIdx.x) % 32;
  const Ranges& r = p.ranges[pair];
  const float grad_scale = ldexpf(1.0f, grad_exponent(r, to.cross));
  float4* delta = reinterpret_cast<float4*>(to.rows.delta + pair * to.deltas_of_pair);
  for (std::int64_t n = std::int64_t{share.number} * kBlock + threadIdx.x; n < to.deltas_of_pair / 4;
       n += std::int64_t{share.count} * kBlock) {
    const float4 v = delta[n];
    delta[n] = {v.x * grad_scale, v.y * grad_scale, v.z * grad_scale, v.w * grad_scale};
  }
  if (4 * lane >= p.head_dim) return;
  float4 a = *reinterpret_cast<const float4*>(r.long_key_scale + 4 * lane);
  const float shift = ldexpf(1.0f, query_shift(r));
  a = {a.x * shift, a.y * shift, a.z * shift, a.w * shift};
  const float4 b = *reinterpret_cast<const float4*>(r.short_key_scale + 4 * lane);
  for (int position = share.number * kWarps + static_cast<int>(threadIdx.x) / 32; position < p.seq_len;
       position += share.count * kWarps) {
    const std::int64_t row = key_row(p, pair, position) * p.head_dim;
    const float4 k1 = load_4(p.long_key + row, lane, p.head_dim);
    const float4 k2 = add(load_4(p.short_key + row, lane, p.head_dim), p.key_bias);
    const float4 v2 = add(load_4(p.short_value + row, lane, p.head_dim), p.value_bias);
    *reinterpret_cast<uint2*>(to.keys.long_key + row + 4 * lane) =
        make_uint2(pack_fp16x2(k1.x * a.x, k1.y * a.y), pack_fp16x2(k1.z * a.z, k1.w * a.w));
    *reinterpret_cast<uint2*>(to.keys.short_key + row + 4 * lane) =
        make_uint2(pack_fp16x2(k2.x * b.x, k2.y * b.y), pack_fp16x2(k2.z * b.z, k2.w * b.w));
    *reinterpret_cast<uint2*>(to.keys.short_value + row + 4 * lane) = make_uint2(
        pack_bf16x2(v2.x * grad_scale, v2.y * grad_scale), pack_bf16x2(v2.z * grad_scale, v2.w * grad_scale));
  }
}

/// Scales of one (batch, kv head) that undo those of the sums; one thread a dimension.
__device__ __forceinline__ void choose_unscales(Ranges& r, bool cross, int d) {
  const float key_scale = ldexpf(r.long_key_scale[d] * r.short_key_scale[d], query_shift(r));
  const float grad_scale = ldexpf(1.0f, -grad_exponent(r, cross));
  r.grad_query_scale[d] = grad_scale / key_scale;
  r.grad_key_scale[d] = grad_scale * key_scale;
  r.long_key_unscale[d] = ldexpf(1.0f / r.long_key_scale[d], -query_shift(r));
  if (d == 0) r.grad_scale = grad_scale;
}

template <int kHeadDim>
__global__ void __launch_bounds__(kBlock, kBlocksOfMultiprocessor)
    prepare(const __grid_constant__ BackwardParameters p, const __grid_constant__ Preparation to) {
  const auto grid = cooperative_groups::this_grid();
  const int d = static_cast<int>(threadIdx.x);
  if (to.rows.unlike != nullptr && blockIdx.x == 0 && d == 0) {
    *to.rows.unlike = to.lse_in_bf16 != nullptr ? *to.lse_in_bf16 : 0;
  }
  clear(reinterpret_cast<uint4*>(to.ranges), to.range_parts);
  grid.sync();
  clear(to.sums, to.sum_parts);
  find_key_ranges(p, to);
  grid.sync();
  prepare_rows<kHeadDim>(p, to);
  grid.sync();
  const int blocks = max(1, static_cast<int>(gridDim.x) / to.pairs);
  for (int n = static_cast<int>(blockIdx.x); n < blocks * to.pairs; n += static_cast<int>(gridDim.x)) {
    const Share share = {n / blocks, n % blocks, blocks};
    repair_query(p, to.rows, share);
    scale_keys(p, to, share);
    if (share.number != 0 || d >= kHeadDim) continue;
    choose_unscales(to.ranges[share.pair], to.cross, d);
    if (to.fixed.scales != nullptr) choose_fixed_scales(p, to.fixed, to.cross, share.pair, d);
  }
}

template <typename T>
T* at(const Arguments& arguments, std::size_t offset) {
  return reinterpret_cast<T*>(static_cast<unsigned char*>(arguments.workspace) + offset);
}

}  // namespace

void launch_prepare(const Plan& plan, const Arguments& arguments, int multiprocessors, std::uint32_t* unlike,
                    cudaStream_t stream) {
  const BackwardParameters& p = plan.parameters;
  Preparation to = {};
  to.rows = {static_cast<const __nv_bfloat16*>(arguments.q),
             static_cast<const __nv_bfloat16*>(arguments.o),
             static_cast<const __nv_bfloat16*>(arguments.grad_o),
             arguments.lse,
             static_cast<__half*>(arguments.grad_q),
             at<float>(arguments, plan.lse2),
             at<float>(arguments, plan.delta),
             unlike,
             plan.q_heads};
  to.keys = {at<__half>(arguments, plan.long_key), at<__half>(arguments, plan.short_key),
             at<__nv_bfloat16>(arguments, plan.short_value),
             plan.by_queries ? nullptr : at<__nv_bfloat16>(arguments, plan.columns)};
  to.key_elements = plan.key_elements();
  to.fixed = plan.fixed;
  to.ranges = at<Ranges>(arguments, plan.ranges);
  to.sums = at<uint4>(arguments, 0);
  to.sum_parts = static_cast<std::int64_t>(plan.ranges / sizeof(uint4));
  to.range_parts = static_cast<std::int64_t>((plan.zero_bytes - plan.ranges) / sizeof(uint4));
  to.lse_in_bf16 = arguments.lse_in_bf16;
  to.pairs = plan.pairs();
  to.row_blocks = static_cast<int>(plan.statistic_rows() / (kBlock / (p.head_dim / 8)));
  to.deltas_of_pair = plan.statistic_rows() / plan.pairs() * statistic_copies(p);
  to.sign = plan.scale < 0 ? -1.0f : 1.0f;
  to.cross = plan.cross;
  const int blocks = std::clamp(to.row_blocks, 1, kBlocksOfMultiprocessor * multiprocessors);
  launch_cooperative(p.head_dim == 128 ? prepare<128> : prepare<64>, blocks, kBlock, 0, stream, p, to);
}

}  // namespace triscope::hopper::backward
