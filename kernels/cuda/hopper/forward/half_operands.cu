// Both keys in fp16 for half instances, scaled so that nothing overflows and no result changes:
//
//   k1'_d = 2^a_d k1_d    k2'_d = 2^b_d k2_d    q'_d = 2^-(a_d + b_d) q_d        q'_d k1'_d k2'_d = q_d k1_d k2_d
//
// for each kv head, d a dimension (determinant: a chunk of 3, whose terms mix its dimensions). a_d and b_d bring the
// largest key of that dimension to 0.5 .. 1, so |q~'| <= |q'| and only q' can be too large for fp16. Its warps find
// that (short_axis.cuh). What is small loses bits below 2^-14: q' and q~' err by 2^-25 then, so a logit, a sum of
// products with |k'| < 1, by no more than that for each dimension.
//
// One launch, whose blocks wait for one another once: the largest |key| of each dimension over a slab of positions |
// the scales, and the copies. The word in_bf16 becomes 0, or 1 where a key is infinite, NaN, or so far from 1 that the
// powers of two are.
#include <cooperative_groups.h>

#include <algorithm>

#include "kernels/cuda/common/cooperative.hpp"
#include "kernels/cuda/hopper/common/virtual_query.cuh"
#include "kernels/cuda/hopper/forward/half_operands.hpp"

namespace triscope::hopper {
namespace {

constexpr int kThreadsOfBlock = 256;
/// Of a multiprocessor, at once.
template <bool kCross>
constexpr int kBlocksAtOnce = kCross ? 3 : 4;
constexpr int kLargestExponent = 100;  ///< of 2^a, 2^b and 2^(a + b)

/// The keys of one kv head, in 16-byte parts.
struct KeyParts {
  const uint4* parts;
  std::int64_t row_parts;  ///< from one position to the next
  __device__ KeyParts(const __nv_bfloat16* keys, int head, int kv_heads, int head_dim)
      : parts(reinterpret_cast<const uint4*>(keys + head * head_dim)), row_parts(kv_heads * head_dim / 8) {}
  __device__ uint4 at(std::int64_t row, int part) const { return __ldg(parts + row * row_parts + part); }
};

__device__ __forceinline__ void take_larger(std::uint32_t (&largest)[4], const uint4& x) {
  const std::uint32_t words[4] = {x.x, x.y, x.z, x.w};
#pragma unroll
  for (int n = 0; n < 4; ++n) largest[n] = __vmaxu2(largest[n], words[n] & 0x7FFF7FFFu);
}

/// Which block of how many works for a kv head.
struct Share {
  int head, number, count;
};

/// The largest |key| of a slab of rows.
template <int kHeadDim>
struct Maxima {
  static constexpr int kParts = kHeadDim / 8, kRowsAtOnce = kThreadsOfBlock / kParts;
  std::uint32_t rows[2][kRowsAtOnce][kHeadDim / 2];

  /// All threads. `slab`: [2 keys, head_dim], as pairs.
  __device__ __forceinline__ void find(const ForwardParameters& p, const Share& share, std::uint32_t* slab) {
    const int thread = static_cast<int>(threadIdx.x), part = thread % kParts;
    const KeyParts keys[2] = {{p.long_key, share.head, p.kv_heads, kHeadDim},
                              {p.short_key, share.head, p.kv_heads, kHeadDim}};
    const std::int64_t count = static_cast<std::int64_t>(p.batch) * p.seq_len;
    std::uint32_t largest[2][4] = {};
#pragma unroll 4
    for (std::int64_t row = share.number * kRowsAtOnce + thread / kParts; row < count;
         row += share.count * kRowsAtOnce) {
      take_larger(largest[0], keys[0].at(row, part));
      take_larger(largest[1], keys[1].at(row, part));
    }
#pragma unroll
    for (int axis = 0; axis < 2; ++axis) {
#pragma unroll
      for (int n = 0; n < 4; ++n) rows[axis][thread / kParts][4 * part + n] = largest[axis][n];
    }
    __syncthreads();
    if (thread < kHeadDim) {
      const int axis = thread / (kHeadDim / 2), pair = thread % (kHeadDim / 2);
      std::uint32_t all = 0;
      for (int row = 0; row < kRowsAtOnce; ++row) all = __vmaxu2(all, rows[axis][row][pair]);
      slab[thread] = all;
    }
    __syncthreads();
  }
};

/// Slabs of a kv head that `blocks` blocks work for, none empty.
template <int kHeadDim>
__device__ __forceinline__ int slabs_of_head(const ForwardParameters& p, int blocks) {
  const std::int64_t rows = static_cast<std::int64_t>(p.batch) * p.seq_len / Maxima<kHeadDim>::kRowsAtOnce;
  return static_cast<int>(max(std::int64_t{1}, min(rows, std::int64_t{min(blocks, maxima_slabs(p.kv_heads))})));
}

/// e where 2^e <= x < 2^(e + 1), `x` a positive bf16; of subnormals too little.
__device__ __forceinline__ int exponent_of(std::uint32_t x) { return static_cast<int>(x >> 7) - 127; }
__device__ __forceinline__ float power_of_two(int e) { return __int_as_float((e + 127) << 23); }

/// The scales of a block's kv head, in shared memory.
template <int kHeadDim>
struct Scales {
  static constexpr int kGroups = kThreadsOfBlock / kHeadDim;  // of slabs, read at once
  std::uint32_t maxima[kGroups][kHeadDim];                    ///< of both keys, as pairs
  float key[2][kHeadDim];

  /// All threads. `slabs`: Maxima's, `row_words` apart.
  __device__ __forceinline__ void read(const std::uint32_t* slabs, int count, std::int64_t row_words) {
    const int thread = static_cast<int>(threadIdx.x), group = thread / kHeadDim, place = thread % kHeadDim;
    std::uint32_t all = 0;
#pragma unroll 16
    for (int slab = group; slab < count; slab += kGroups) all = __vmaxu2(all, slabs[slab * row_words + place]);
    __syncthreads();
    maxima[group][place] = all;
    __syncthreads();
    if (group != 0) return;
    for (int n = 1; n < kGroups; ++n) all = __vmaxu2(all, maxima[n][place]);
    maxima[0][place] = all;
  }

  __device__ __forceinline__ std::uint32_t largest(int axis, int d) const {
    return maxima[0][axis * (kHeadDim / 2) + d / 2] >> (16 * (d & 1)) & 0xFFFFu;
  }
  /// Largest |key| of all dimensions that share `d`'s scale.
  template <bool kCross>
  __device__ __forceinline__ std::uint32_t shared_largest(int axis, int d) const {
    if (!kCross || d >= kHeadDim / 3 * 3) return largest(axis, d);
    const int chunk = d / 3 * 3;
    return max(largest(axis, chunk), max(largest(axis, chunk + 1), largest(axis, chunk + 2)));
  }
};

/// Sets the scales of dimension `d`; returns that of q. `fits` becomes false where there are none.
template <int kHeadDim, bool kCross>
__device__ __forceinline__ float set_scales(Scales<kHeadDim>& scales, int d, bool& fits) {
  const std::uint32_t largest[2] = {scales.template shared_largest<kCross>(0, d),
                                    scales.template shared_largest<kCross>(1, d)};
  const bool unused = kCross && d >= kHeadDim / 3 * 3;
  int exponent[2];
#pragma unroll
  for (int axis = 0; axis < 2; ++axis) {
    exponent[axis] = largest[axis] == 0 ? 0 : exponent_of(largest[axis]) + 1;
    if (!unused && abs(exponent[axis]) > kLargestExponent) fits = false;
    scales.key[axis][d] = fits && !unused ? power_of_two(-exponent[axis]) : 0.0f;
  }
  const int sum = exponent[0] + exponent[1];
  if (unused || largest[0] == 0 || largest[1] == 0) return 0.0f;
  if (abs(sum) > kLargestExponent) fits = false;
  return fits ? power_of_two(sum) : 0.0f;
}

__device__ __forceinline__ uint4 part_to_half(const uint4& x, const float* scale) {
  return make_uint4(pack_f16x2(low_bf16(x.x) * scale[0], high_bf16(x.x) * scale[1]),
                    pack_f16x2(low_bf16(x.y) * scale[2], high_bf16(x.y) * scale[3]),
                    pack_f16x2(low_bf16(x.z) * scale[4], high_bf16(x.z) * scale[5]),
                    pack_f16x2(low_bf16(x.w) * scale[6], high_bf16(x.w) * scale[7]));
}

/// Copies position `row`'s tile key, parts first .. first + count (a block of cross products, the tail, or any).
template <bool kCross>
__device__ __forceinline__ void copy_tile_parts(const KeyParts& keys, std::int64_t row, int first, int count,
                                                bool is_block, const float* scale, uint4* half) {
  const std::int64_t place = row * keys.row_parts + first;
  uint4 converted[3];
#pragma unroll
  for (int x = 0; x < 3; ++x) {
    if (x >= count) break;
    converted[x] = part_to_half(keys.at(row, first + x), scale + 8 * (first + x));
  }
  if (kCross && is_block) {
    uint4 out[3];
    reorder_block(converted, out);
#pragma unroll
    for (int x = 0; x < 3; ++x) half[place + x] = out[x];
    return;
  }
#pragma unroll
  for (int x = 0; x < 3; ++x) {
    if (x >= count) break;
    half[place + x] = converted[x];
  }
}

/// Scales and copies of a share.
template <int kHeadDim, bool kCross>
__device__ __forceinline__ void copy_keys(const ForwardParameters& p, const HalfOperands& to, Scales<kHeadDim>& scales,
                                          const Share& share) {
  constexpr int kParts = kHeadDim / 8, kBlocks = kCross ? kHeadDim / 24 : 0;
  constexpr int kTasks = kCross ? kBlocks + 1 : kParts;  // of a row
  const int thread = static_cast<int>(threadIdx.x), head = share.head;
  scales.read(to.maxima + head * kHeadDim, slabs_of_head<kHeadDim>(p, share.count),
              std::int64_t{p.kv_heads} * kHeadDim);
  __syncthreads();
  bool fits = true;
  if (thread < kHeadDim) {
    const float scale = set_scales<kHeadDim, kCross>(scales, thread, fits);
    if (share.number == 0)
      to.query_scale[head * kHeadDim + thread] = static_cast<std::uint16_t>(__float_as_uint(scale) >> 16);
  }
  if (__syncthreads_or(!fits)) {
    if (thread == 0) *static_cast<volatile std::uint32_t*>(p.in_bf16) = 1;
  }
  const KeyParts long_keys(p.long_key, head, p.kv_heads, kHeadDim), short_keys(p.short_key, head, p.kv_heads, kHeadDim);
  auto* tile_key = static_cast<uint4*>(to.tile_key) + head * kParts;
  auto* ring_key = static_cast<uint4*>(to.ring_key) + head * kParts;
  const std::int64_t rows = static_cast<std::int64_t>(p.batch) * p.seq_len;
  const std::int64_t threads = static_cast<std::int64_t>(share.count) * kThreadsOfBlock;
  for (std::int64_t n = static_cast<std::int64_t>(share.number) * kThreadsOfBlock + thread; n < rows * kTasks;
       n += threads) {
    const std::int64_t row = rows - 1 - n / kTasks;  // what the maxima read last may still be in the L2 cache
    const int task = static_cast<int>(n % kTasks);
    const int first = kCross ? 3 * task : task, count = !kCross ? 1 : task < kBlocks ? 3 : kParts - 3 * kBlocks;
    copy_tile_parts<kCross>(long_keys, row, first, count, task < kBlocks, scales.key[0], tile_key);
    for (int part = first; part < first + count; ++part)
      ring_key[row * short_keys.row_parts + part] = part_to_half(short_keys.at(row, part), scales.key[1] + 8 * part);
  }
}

template <int kHeadDim, bool kCross>
__global__ void __launch_bounds__(kThreadsOfBlock, kBlocksAtOnce<kCross>)
    half_operands(const __grid_constant__ ForwardParameters p, const __grid_constant__ HalfOperands to) {
  __shared__ union {
    Maxima<kHeadDim> maxima;
    Scales<kHeadDim> scales;
  } shared;
  const auto grid = cooperative_groups::this_grid();
  const int block = static_cast<int>(blockIdx.x), blocks = static_cast<int>(gridDim.x);
  if (blockIdx.x == 0 && threadIdx.x == 0) *p.in_bf16 = 0;
  const int of_head = max(1, blocks / p.kv_heads), slabs = slabs_of_head<kHeadDim>(p, of_head);
  for (int n = block; n < slabs * p.kv_heads; n += blocks) {
    const Share share = {n % p.kv_heads, n / p.kv_heads, slabs};
    shared.maxima.find(p, share, to.maxima + std::int64_t{n} * kHeadDim);
  }
  grid.sync();
  allow_next_kernel();
  for (int n = block; n < of_head * p.kv_heads; n += blocks) {
    const Share share = {n / of_head, n % of_head, of_head};
    copy_keys<kHeadDim, kCross>(p, to, shared.scales, share);
  }
}

template <int kHeadDim, bool kCross>
void launch(const ForwardParameters& p, const HalfOperands& operands, int multiprocessors, cudaStream_t stream) {
  const std::int64_t parts = static_cast<std::int64_t>(p.batch) * p.seq_len * p.kv_heads * (kHeadDim / 8);
  const int blocks = static_cast<int>(
      std::min<std::int64_t>((parts + kThreadsOfBlock - 1) / kThreadsOfBlock, kBlocksAtOnce<kCross> * multiprocessors));
  launch_cooperative(half_operands<kHeadDim, kCross>, blocks, kThreadsOfBlock, 0, stream, p, operands);
}

}  // namespace

void launch_half_operands(const ForwardParameters& p, const HalfOperands& operands, int multiprocessors,
                          cudaStream_t stream) {
  const auto launch_one = p.head_dim == 128 ? (p.determinant ? launch<128, true> : launch<128, false>)
                                            : (p.determinant ? launch<64, true> : launch<64, false>);
  launch_one(p, operands, multiprocessors, stream);
}

}  // namespace triscope::hopper
