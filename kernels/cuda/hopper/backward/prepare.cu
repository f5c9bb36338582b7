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
#include <algorithm>
#include <cstdint>

#include "kernels/cuda/common/cuda_error.hpp"
#include "kernels/cuda/hopper/backward/launch.hpp"
#include "kernels/cuda/hopper/backward/memory.cuh"
#include "kernels/cuda/hopper/backward/ranges.cuh"

namespace triscope::hopper::backward {
namespace {

constexpr int kBlock = 256;
constexpr int kWarps = kBlock / 32;
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

/// blockIdx.y: (batch, kv head).
__global__ void __launch_bounds__(kBlock) find_key_ranges(const BackwardParameters p, Ranges* ranges) {
  __shared__ Ranges shared;
  const int lane = static_cast<int>(threadIdx.x) % 32, pair = static_cast<int>(blockIdx.y);
  if (threadIdx.x < 128) shared.long_key[threadIdx.x] = shared.short_key[threadIdx.x] = 0.0f;
  __syncthreads();
  float4 long_key = {0, 0, 0, 0}, short_key = {0, 0, 0, 0};
  float long_value = 0.0f, short_value = 0.0f;
  for (int position = static_cast<int>(blockIdx.x * kWarps + threadIdx.x / 32); position < p.seq_len;
       position += static_cast<int>(gridDim.x) * kWarps) {
    const std::int64_t row = key_row(p, pair, position) * p.head_dim;
    const bool inside = 4 * lane < p.head_dim;
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
    raise(ranges[pair].long_value, long_value);
    raise(ranges[pair].short_value, short_value);
  }
  __syncthreads();
  if (threadIdx.x < p.head_dim) {
    raise(ranges[pair].long_key[threadIdx.x], shared.long_key[threadIdx.x]);
    raise(ranges[pair].short_key[threadIdx.x], shared.short_key[threadIdx.x]);
  }
}

/// One block a (batch, kv head), one thread a dimension. The first one also begins `*unlike`.
__global__ void choose_scales(const BackwardParameters p, Ranges* ranges, bool cross, float sign,
                              const std::uint32_t* lse_in_bf16, std::uint32_t* unlike) {
  Ranges& r = ranges[blockIdx.x];
  const int d = static_cast<int>(threadIdx.x), chunk = d / 3 * 3;
  if (unlike != nullptr && blockIdx.x == 0 && d == 0) *unlike = lse_in_bf16 != nullptr ? *lse_in_bf16 : 0;
  float long_key = r.long_key[d], short_key = r.short_key[d];
  if (cross && chunk + 3 <= p.head_dim) {  // a component of a cross product mixes the other two
    long_key = fmaxf(fmaxf(r.long_key[chunk], r.long_key[chunk + 1]), r.long_key[chunk + 2]);
    short_key = fmaxf(fmaxf(r.short_key[chunk], r.short_key[chunk + 1]), r.short_key[chunk + 2]);
  }
  const int a = -exponent_above(long_key), b = -exponent_above(short_key);
  r.long_key_scale[d] = ldexpf(1.0f, a);
  r.short_key_scale[d] = ldexpf(1.0f, b);
  r.query_scale[d] = sign * ldexpf(1.0f, -(a + b));
}

struct Rows {
  const __nv_bfloat16 *q, *o, *grad_o;
  const float* lse;
  __half* scaled_q;
  float *lse2, *delta;
  std::uint32_t* unlike;  ///< becomes 1 where an LSE is beyond kLargestLse; may be null
  int q_heads;
};

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

/// Writes eight values of a row of q in fp16 and returns the largest magnitude.
__device__ __forceinline__ float store_query(const float* scales, float factor, const Eight& q, __half* to) {
  float v[8], top = 0.0f;
#pragma unroll
  for (int n = 0; n < 8; n += 4) {
    const float4 s = *reinterpret_cast<const float4*>(scales + n);
    v[n] = q.x[n] * (s.x * factor), v[n + 1] = q.x[n + 1] * (s.y * factor);
    v[n + 2] = q.x[n + 2] * (s.z * factor), v[n + 3] = q.x[n + 3] * (s.w * factor);
  }
#pragma unroll
  for (int n = 0; n < 8; ++n) top = fmaxf(top, fabsf(v[n]));
  *reinterpret_cast<uint4*>(to) =
      make_uint4(pack_fp16x2(v[0], v[1]), pack_fp16x2(v[2], v[3]), pack_fp16x2(v[4], v[5]), pack_fp16x2(v[6], v[7]));
  return top;
}

/// head_dim / 8 lanes a row of a tile, rows without a query included.
template <int kHeadDim>
__global__ void __launch_bounds__(kBlock) prepare_rows(const BackwardParameters p, const Rows rows, Ranges* ranges) {
  constexpr int kLanes = kHeadDim / 8, kBlockRows = kBlock / kLanes;  // a divisor of 64: one pair in a block
  __shared__ float norms[kWarps], tops[kWarps];
  const int lane = static_cast<int>(threadIdx.x) % kLanes, warp = static_cast<int>(threadIdx.x) / 32;
  const std::int64_t plane_rows = std::int64_t{p.padded_len} * p.head_rows;
  const std::int64_t number = std::int64_t{blockIdx.x} * kBlockRows + threadIdx.x / kLanes;
  const std::int64_t plane = number / plane_rows;
  const int in_plane = static_cast<int>(number - plane * plane_rows);
  const int pair = static_cast<int>(plane) / p.head_blocks, block = static_cast<int>(plane) - pair * p.head_blocks;
  const int position = in_plane / p.head_rows, head = block * kTileRows + in_plane - position * p.head_rows;
  float lse2 = kHiddenLse, delta = 0.0f, norm = 0.0f, top = 0.0f;
  if (position < p.seq_len && head < p.group) {
    const int batch = pair / p.kv_heads, q_head = (pair - batch * p.kv_heads) * p.group + head;
    const std::int64_t at =
        ((std::int64_t{batch} * p.seq_len + position) * rows.q_heads + q_head) * kHeadDim + lane * 8;
    const Eight q = load_8(rows.q + at), o = load_8(rows.o + at), g = load_8(rows.grad_o + at);
    top = store_query(ranges[pair].query_scale + lane * 8, 1.0f, q, rows.scaled_q + at);
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
  if (lane == 0) {
    const int copies = statistic_copies(p);
    const std::int64_t first = plane * copies * plane_rows;
    rows.lse2[first + fragment_place(in_plane)] = lse2;
    rows.delta[first + fragment_place(in_plane)] = delta;
    if (copies == 2 && position > 0) {
      rows.lse2[first + plane_rows + fragment_place(in_plane - p.head_rows)] = lse2;
      rows.delta[first + plane_rows + fragment_place(in_plane - p.head_rows)] = delta;
    }
  }
  norm = warp_max(norm);
  top = warp_max(top);
  if (threadIdx.x % 32 == 0) norms[warp] = norm, tops[warp] = top;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int n = 1; n < kWarps; ++n) norm = fmaxf(norm, norms[n]), top = fmaxf(top, tops[n]);
    raise_seldom(ranges[pair].grad_o, norm);
    raise_seldom(ranges[pair].query, top);
  }
}

/// Rows of q of a (batch, kv head) for which the scales by dimension were not enough. blockIdx.y: which one.
__global__ void __launch_bounds__(kBlock) repair_query(const BackwardParameters p, const Rows rows) {
  const int pair = static_cast<int>(blockIdx.y), lanes = p.head_dim / 8;
  const Ranges& r = p.ranges[pair];
  const int shift = query_shift(r);
  if (shift == 0) return;
  const int batch = pair / p.kv_heads, kv_head = pair - batch * p.kv_heads;
  const std::int64_t count = std::int64_t{p.seq_len} * p.group * lanes;
  for (std::int64_t n = std::int64_t{blockIdx.x} * kBlock + threadIdx.x; n < count; n += gridDim.x * kBlock) {
    const int lane = static_cast<int>(n % lanes);
    const std::int64_t row = n / lanes, position = row / p.group, head = kv_head * p.group + row % p.group;
    const std::int64_t at =
        ((std::int64_t{batch} * p.seq_len + position) * rows.q_heads + head) * p.head_dim + lane * 8;
    store_query(r.query_scale + lane * 8, ldexpf(1.0f, -shift), load_8(rows.q + at), rows.scaled_q + at);
  }
}

struct ScaledKeys {
  __half *long_key, *short_key;
  __nv_bfloat16* short_value;
};

/// blockIdx.y: (batch, kv head).
__global__ void __launch_bounds__(kBlock) scale_keys(const BackwardParameters p, const ScaledKeys out, float* deltas,
                                                     std::int64_t deltas_per_pair, bool cross) {
  const int pair = static_cast<int>(blockIdx.y), lane = static_cast<int>(threadIdx.x) % 32;
  const Ranges& r = p.ranges[pair];
  const float grad_scale = ldexpf(1.0f, grad_exponent(r, cross));
  float4* delta = reinterpret_cast<float4*>(deltas + pair * deltas_per_pair);
  for (std::int64_t n = std::int64_t{blockIdx.x} * kBlock + threadIdx.x; n < deltas_per_pair / 4;
       n += std::int64_t{gridDim.x} * kBlock) {
    const float4 v = delta[n];
    delta[n] = {v.x * grad_scale, v.y * grad_scale, v.z * grad_scale, v.w * grad_scale};
  }
  if (4 * lane >= p.head_dim) return;
  float4 a = *reinterpret_cast<const float4*>(r.long_key_scale + 4 * lane);
  const float shift = ldexpf(1.0f, query_shift(r));
  a = {a.x * shift, a.y * shift, a.z * shift, a.w * shift};
  const float4 b = *reinterpret_cast<const float4*>(r.short_key_scale + 4 * lane);
  for (int position = static_cast<int>(blockIdx.x * kWarps + threadIdx.x / 32); position < p.seq_len;
       position += static_cast<int>(gridDim.x) * kWarps) {
    const std::int64_t row = key_row(p, pair, position) * p.head_dim;
    const float4 k1 = load_4(p.long_key + row, lane, p.head_dim);
    const float4 k2 = add(load_4(p.short_key + row, lane, p.head_dim), p.key_bias);
    const float4 v2 = add(load_4(p.short_value + row, lane, p.head_dim), p.value_bias);
    *reinterpret_cast<uint2*>(out.long_key + row + 4 * lane) =
        make_uint2(pack_fp16x2(k1.x * a.x, k1.y * a.y), pack_fp16x2(k1.z * a.z, k1.w * a.w));
    *reinterpret_cast<uint2*>(out.short_key + row + 4 * lane) =
        make_uint2(pack_fp16x2(k2.x * b.x, k2.y * b.y), pack_fp16x2(k2.z * b.z, k2.w * b.w));
    *reinterpret_cast<uint2*>(out.short_value + row + 4 * lane) = make_uint2(
        pack_bf16x2(v2.x * grad_scale, v2.y * grad_scale), pack_bf16x2(v2.z * grad_scale, v2.w * grad_scale));
  }
}

/// Scales of one (batch, kv head) that undo those of the sums; one block each, one thread a dimension.
__global__ void choose_unscales(Ranges* ranges, bool cross) {
  Ranges& r = ranges[blockIdx.x];
  const int d = static_cast<int>(threadIdx.x);
  const float key_scale = ldexpf(r.long_key_scale[d] * r.short_key_scale[d], query_shift(r));
  const float grad_scale = ldexpf(1.0f, -grad_exponent(r, cross));
  r.grad_query_scale[d] = grad_scale / key_scale;
  r.grad_key_scale[d] = grad_scale * key_scale;
  if (d == 0) r.grad_scale = grad_scale;
}

template <typename T>
T* at(const Arguments& arguments, std::size_t offset) {
  return reinterpret_cast<T*>(static_cast<unsigned char*>(arguments.workspace) + offset);
}

}  // namespace

void launch_prepare(const Plan& plan, const Arguments& arguments, std::uint32_t* unlike, cudaStream_t stream) {
  const BackwardParameters& p = plan.parameters;
  Ranges* ranges = at<Ranges>(arguments, plan.ranges);
  const unsigned pairs = static_cast<unsigned>(plan.pairs());
  TRISCOPE_CUDA_CHECK(cudaMemsetAsync(arguments.workspace, 0, plan.zero_bytes, stream));
  const unsigned key_blocks = static_cast<unsigned>(
      std::clamp<std::int64_t>((p.seq_len + 4 * kWarps - 1) / (4 * kWarps), 1, std::max(1u, 1056 / pairs)));
  find_key_ranges<<<dim3(key_blocks, pairs), kBlock, 0, stream>>>(p, ranges);
  check_launch("cuda.hopper find_key_ranges");
  choose_scales<<<pairs, static_cast<unsigned>(p.head_dim), 0, stream>>>(
      p, ranges, plan.cross, plan.scale < 0 ? -1.0f : 1.0f, arguments.lse_in_bf16, unlike);
  check_launch("cuda.hopper choose_scales");
  const Rows rows = {static_cast<const __nv_bfloat16*>(arguments.q),
                     static_cast<const __nv_bfloat16*>(arguments.o),
                     static_cast<const __nv_bfloat16*>(arguments.grad_o),
                     arguments.lse,
                     static_cast<__half*>(arguments.grad_q),
                     at<float>(arguments, plan.lse2),
                     at<float>(arguments, plan.delta),
                     unlike,
                     plan.q_heads};
  const unsigned row_blocks = static_cast<unsigned>(plan.statistic_rows() / (kBlock / (p.head_dim / 8)));
  (p.head_dim == 128 ? prepare_rows<128> : prepare_rows<64>)<<<row_blocks, kBlock, 0, stream>>>(p, rows, ranges);
  check_launch("cuda.hopper prepare_rows");
  const unsigned pair_blocks = std::max(1u, 528 / pairs);
  repair_query<<<dim3(pair_blocks, pairs), kBlock, 0, stream>>>(p, rows);
  check_launch("cuda.hopper repair_query");
  const ScaledKeys keys = {at<__half>(arguments, plan.long_key), at<__half>(arguments, plan.short_key),
                           at<__nv_bfloat16>(arguments, plan.short_value)};
  scale_keys<<<dim3(pair_blocks, pairs), kBlock, 0, stream>>>(
      p, keys, at<float>(arguments, plan.delta), plan.statistic_rows() / plan.pairs() * statistic_copies(p),
      plan.cross);
  check_launch("cuda.hopper scale_keys");
  choose_unscales<<<pairs, static_cast<unsigned>(p.head_dim), 0, stream>>>(ranges, plan.cross);
  check_launch("cuda.hopper choose_unscales");
}

}  // namespace triscope::hopper::backward
