// Around the deterministic backward: the powers of two of its integer sums, and from those sums to gradients.
//
//   dq            32 bits, eight rows (heads of one position) of half of head_dim as the fragments of an accumulator:
//                 [parts][lane][4]: number n of part m, lane 4 g + c = dimension 8 (2 m + n / 2) + 2 c + n % 2 of row g
//   long sums     low and high parts, [batch, kv_heads, seq_len, head_dim], rows turned by their position (long_part)
//   short sums    64 bits, layout of the problem's tensors
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/cuda/common/cuda_error.hpp"
#include "kernels/cuda/hopper/backward/launch.hpp"
#include "kernels/cuda/hopper/backward/memory.cuh"
#include "kernels/cuda/hopper/backward/ranges.cuh"

namespace triscope::hopper::backward {
namespace {

constexpr int kBlock = 256;

/// No sum of shares is larger: `row` bounds what a row of q adds, `factor` what that is multiplied by.
__device__ __forceinline__ float largest_sum(const BackwardParameters& p, float row, float factor) {
  return fminf(1.02f * static_cast<float>(p.long_window) * static_cast<float>(p.group) * row * factor, 3e38f);
}
__device__ __forceinline__ float power_of_two(int exponent) { return ldexpf(1.0f, max(-126, min(exponent, 126))); }

/// 2^f of the long axis. The factor times it stays a number.
__device__ __forceinline__ float long_scale(const BackwardParameters& p, int limb, float row, float factor) {
  const float pairs = static_cast<float>(p.long_window) * static_cast<float>(p.short_window);
  const float usual = 2.0f * sqrtf(static_cast<float>(p.short_window * p.group)) / pairs * row * factor;
  const int f = min(limb - 1 - exponent_above(usual), limb + 29 - exponent_above(largest_sum(p, row, factor)));
  return power_of_two(min(f, 126 - max(0, exponent_above(factor))));
}
/// The same of the short axis.
__device__ __forceinline__ float short_scale(const BackwardParameters& p, float row, float factor) {
  return power_of_two(60 - exponent_above(largest_sum(p, row, factor)));
}

/// One block a (batch, kv head), one thread a dimension.
__global__ void choose_fixed_scales(const BackwardParameters p, const FixedPoint fixed, bool cross) {
  const Ranges& r = p.ranges[blockIdx.x];
  FixedScales& scales = fixed.scales[blockIdx.x];
  const int d = static_cast<int>(threadIdx.x), chunk = d / 3 * 3;
  float long_key = r.long_key[d], short_key = r.short_key[d];
  if (cross && chunk + 3 <= p.head_dim) {  // two products of components of the chunk
    long_key = short_key = 0.0f;
    for (int x = chunk; x < chunk + 3; ++x) {
      long_key = fmaxf(long_key, 2.0f * r.long_key[x]);
      short_key = fmaxf(short_key, 2.0f * r.short_key[x]);
    }
  }
  const int shift = query_shift(r);
  const float grads = ldexpf(1.0f, (cross ? 14 : 15) - shift);  // of |ds| over the pairs of a row of q
  const float row = grads * ldexpf(r.query, -shift), value_row = sqrtf(r.grad_o);
  scales.long_key[d] = long_scale(p, fixed.limb, row, short_key);
  scales.short_key[d] = short_scale(p, row, long_key);
  scales.long_value[d] = long_scale(p, fixed.limb, value_row, r.short_value);
  scales.short_value[d] = short_scale(p, value_row, r.long_value);
  if (d == 0) scales.not_finite = 0;
}

__device__ __forceinline__ float or_nan(const FixedScales& scales, float x) {
  return scales.not_finite == 0 ? x : __int_as_float(0x7FFFFFFF);
}

/// One block for 64 rows of one (batch, kv head, head block): through shared memory, so that rows are written whole.
template <int kHeadDim>
__global__ void __launch_bounds__(kBlock) finish_fixed_query(const BackwardParameters p, const FixedPoint fixed,
                                                             __nv_bfloat16* grad_q, int q_heads, float scale) {
  constexpr int kPitch = kHeadDim + 4, kHalf = kHeadDim / 2;
  constexpr int kBlockParts = kHeadDim;    // 16 bytes: of eight rows in one half
  constexpr int kRowParts = kHeadDim / 8;  // eight dimensions, of a thread always the same ones
  __shared__ alignas(16) float sums[kTileRows * kPitch];
  const int thread = static_cast<int>(threadIdx.x);
  const int plane_tiles = p.padded_len * p.head_rows / kTileRows;
  const int plane = static_cast<int>(blockIdx.x) / plane_tiles, tile = static_cast<int>(blockIdx.x) % plane_tiles;
  const int pair = plane / p.head_blocks, head_block = plane - pair * p.head_blocks;
#pragma unroll
  for (int n = thread; n < 2 * 8 * kBlockParts; n += kBlock) {
    const int half = n / (8 * kBlockParts), in_half = n % (8 * kBlockParts);
    const int row = in_half / kBlockParts * 8 + n % 32 / 4, part = in_half % kBlockParts / 32;
    const std::int64_t from =
        (std::int64_t{query_rows(p, pair, head_block, half)} + tile * kTileRows) * kHalf + in_half * 4;
    const int4 v = *reinterpret_cast<const int4*>(reinterpret_cast<const std::int32_t*>(p.grad_query) + from);
    float* to = sums + row * kPitch + half * kHalf + 16 * part + n % 4 * 2;
    to[0] = static_cast<float>(v.x), to[1] = static_cast<float>(v.y);
    to[8] = static_cast<float>(v.z), to[9] = static_cast<float>(v.w);
  }
  float unscale[8];
  const int part = thread % kRowParts;
#pragma unroll
  for (int x = 0; x < 8; ++x) {
    unscale[x] =
        or_nan(fixed.scales[pair], scale * (1.0f / kGradQueryUnits) * p.ranges[pair].grad_query_scale[8 * part + x]);
  }
  __syncthreads();
  const int batch = pair / p.kv_heads, first_head = (pair - batch * p.kv_heads) * p.group + head_block * kTileRows;
#pragma unroll
  for (int row = thread / kRowParts; row < kTileRows; row += kBlock / kRowParts) {
    const int in_tile = row / p.head_rows, position = tile * p.positions + in_tile, head = row - in_tile * p.head_rows;
    if (position >= p.seq_len || head_block * kTileRows + head >= p.group) continue;
    std::uint32_t out[4];
#pragma unroll
    for (int x = 0; x < 4; ++x) {
      const float2 f = *reinterpret_cast<const float2*>(sums + row * kPitch + 8 * part + 2 * x);
      out[x] = pack_bf16x2(f.x * unscale[2 * x], f.y * unscale[2 * x + 1]);
    }
    const std::int64_t to = ((std::int64_t{batch} * p.seq_len + position) * q_heads + first_head + head) * kHeadDim;
    *reinterpret_cast<uint4*>(grad_q + to + 8 * part) = make_uint4(out[0], out[1], out[2], out[3]);
  }
}

struct KeyGrads {
  __nv_bfloat16 *long_key, *long_value, *short_key, *short_value;
};

__global__ void __launch_bounds__(kBlock)
    finish_fixed_keys(const BackwardParameters p, const FixedPoint fixed, const KeyGrads out, float key_scale,
                      std::int64_t elements) {
  for (std::int64_t n = std::int64_t{blockIdx.x} * kBlock + threadIdx.x; n < elements;
       n += std::int64_t{gridDim.x} * kBlock) {
    const int d = static_cast<int>(n % p.head_dim);
    const std::int64_t row = n / p.head_dim, batch = row / p.kv_heads / p.seq_len;
    const int pair = static_cast<int>(batch * p.kv_heads + row % p.kv_heads);
    const int position = static_cast<int>(row / p.kv_heads % p.seq_len);
    const FixedScales& scales = fixed.scales[pair];
    const std::int64_t place = long_place(p, pair, position, d);
    const auto long_sum = [&](const float* low, const std::int32_t* high) {
      return static_cast<double>(high[place]) * fixed.unit + reinterpret_cast<const std::int32_t*>(low)[place];
    };
    const auto short_sum = [n](const float* sums) {
      return static_cast<double>(reinterpret_cast<const std::int64_t*>(sums)[n]);
    };
    const double key = static_cast<double>(key_scale * p.ranges[pair].grad_key_scale[d]);
    const auto rounded = [&](double x) { return __float2bfloat16(or_nan(scales, static_cast<float>(x))); };
    out.long_key[n] = rounded(long_sum(p.grad_long_key, fixed.high_long_key) * key / scales.long_key[d]);
    out.short_key[n] = rounded(short_sum(p.grad_short_key) * key / scales.short_key[d]);
    out.long_value[n] = rounded(long_sum(p.grad_long_value, fixed.high_long_value) / scales.long_value[d]);
    out.short_value[n] = rounded(short_sum(p.grad_short_value) / scales.short_value[d]);
  }
}

}  // namespace

void launch_fixed_scales(const Plan& plan, const Arguments&, cudaStream_t stream) {
  const BackwardParameters& p = plan.parameters;
  choose_fixed_scales<<<static_cast<unsigned>(plan.pairs()), static_cast<unsigned>(p.head_dim), 0, stream>>>(
      p, plan.fixed, plan.cross);
  check_launch("cuda.hopper choose_fixed_scales");
}

void launch_finish_fixed(const Plan& plan, const Arguments& arguments, cudaStream_t stream) {
  const BackwardParameters& p = plan.parameters;
  const unsigned tiles = static_cast<unsigned>(plan.statistic_rows() / kTileRows);
  const auto grad_q = static_cast<__nv_bfloat16*>(arguments.grad_q);
  if (p.head_dim == 128) {
    finish_fixed_query<128><<<tiles, kBlock, 0, stream>>>(p, plan.fixed, grad_q, plan.q_heads, plan.scale);
  } else {
    finish_fixed_query<64><<<tiles, kBlock, 0, stream>>>(p, plan.fixed, grad_q, plan.q_heads, plan.scale);
  }
  check_launch("cuda.hopper finish_fixed_query");
  const auto tensor = [](void* pointer) { return static_cast<__nv_bfloat16*>(pointer); };
  KeyGrads out = {tensor(arguments.grad_k1), tensor(arguments.grad_v1), tensor(arguments.grad_k2),
                  tensor(arguments.grad_v2)};
  if (plan.swapped) out = {out.short_key, out.short_value, out.long_key, out.long_value};
  const unsigned key_blocks =
      static_cast<unsigned>(std::min<std::int64_t>((plan.key_elements() + kBlock - 1) / kBlock, 2112));
  finish_fixed_keys<<<key_blocks, kBlock, 0, stream>>>(p, plan.fixed, out, std::abs(plan.scale), plan.key_elements());
  check_launch("cuda.hopper finish_fixed_keys");
  launch_finish_sink(plan, arguments, stream);
}

}  // namespace triscope::hopper::backward
