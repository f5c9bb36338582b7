// Behind the deterministic backward: its integer sums become gradients, in one launch as in finish.cu.
//
//   dq            32 bits, eight rows (heads of one position) of half of head_dim as the fragments of an accumulator:
//                 [parts][lane][4]: number n of part m, lane 4 g + c = dimension 8 (2 m + n / 2) + 2 c + n % 2 of row g
//   long sums     low and high parts, [batch, kv_heads, seq_len, head_dim], rows turned by their position (long_part)
//   short sums    64 bits, layout of the problem's tensors
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/cuda/common/cuda_error.hpp"
#include "kernels/cuda/hopper/backward/around/finish_sink.cuh"
#include "kernels/cuda/hopper/backward/kernel/launch.hpp"
#include "kernels/cuda/hopper/backward/kernel/memory.cuh"

namespace triscope::hopper::backward {
namespace {

constexpr int kBlock = kFinishBlock;

__device__ __forceinline__ float or_nan(const FixedScales& scales, float x) {
  return scales.not_finite == 0 ? x : __int_as_float(0x7FFFFFFF);
}

struct KeyGrads {
  __nv_bfloat16 *long_key, *long_value, *short_key, *short_value;
};

struct Finish {
  FinishBlocks blocks;
  SinkGrad sink;
  FixedPoint fixed;
  __nv_bfloat16* grad_q;
  KeyGrads keys;
  float scale, key_scale;
  int q_heads;
  std::int64_t key_elements;
};

/// Block `number`, for 64 rows of one (batch, kv head, head block): through shared memory, so that rows are written
/// whole.
template <int kHeadDim>
__device__ __forceinline__ void finish_query(const BackwardParameters& p, const Finish& of, int number) {
  constexpr int kPitch = kHeadDim + 4, kHalf = kHeadDim / 2;
  constexpr int kBlockParts = kHeadDim;    // 16 bytes: of eight rows in one half
  constexpr int kRowParts = kHeadDim / 8;  // eight dimensions, of a thread always the same ones
  __shared__ alignas(16) float sums[kTileRows * kPitch];
  const int thread = static_cast<int>(threadIdx.x);
  const int plane_tiles = p.padded_len * p.head_rows / kTileRows;
  const int plane = number / plane_tiles, tile = number % plane_tiles;
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
    unscale[x] = or_nan(of.fixed.scales[pair],
                        of.scale * (1.0f / kGradQueryUnits) * p.ranges[pair].grad_query_scale[8 * part + x]);
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
    const std::int64_t to = ((std::int64_t{batch} * p.seq_len + position) * of.q_heads + first_head + head) * kHeadDim;
    *reinterpret_cast<uint4*>(of.grad_q + to + 8 * part) = make_uint4(out[0], out[1], out[2], out[3]);
  }
}

__device__ __forceinline__ void finish_keys(const BackwardParameters& p, const Finish& of, int number) {
  const FixedPoint& fixed = of.fixed;
  for (std::int64_t n = std::int64_t{number} * kBlock + threadIdx.x; n < of.key_elements;
       n += std::int64_t{of.blocks.keys} * kBlock) {
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
    const double key = static_cast<double>(of.key_scale * p.ranges[pair].grad_key_scale[d]);
    const auto rounded = [&](double x) { return __float2bfloat16(or_nan(scales, static_cast<float>(x))); };
    of.keys.long_key[n] = rounded(long_sum(p.grad_long_key, fixed.high_long_key) * key / scales.long_key[d]);
    of.keys.short_key[n] = rounded(short_sum(p.grad_short_key) * key / scales.short_key[d]);
    of.keys.long_value[n] = rounded(long_sum(p.grad_long_value, fixed.high_long_value) / scales.long_value[d]);
    of.keys.short_value[n] = rounded(short_sum(p.grad_short_value) / scales.short_value[d]);
  }
}

template <int kHeadDim>
__global__ void __launch_bounds__(kBlock)
    finish_fixed(const __grid_constant__ BackwardParameters p, const __grid_constant__ Finish of) {
  const int number = static_cast<int>(blockIdx.x), behind_sinks = number - of.blocks.sinks;
  if (behind_sinks < 0) {
    finish_sink(p, of.sink, number);
  } else if (behind_sinks < of.blocks.queries) {
    finish_query<kHeadDim>(p, of, behind_sinks);
  } else {
    finish_keys(p, of, behind_sinks - of.blocks.queries);
  }
}

}  // namespace

void launch_finish_fixed(const Plan& plan, const Arguments& arguments, cudaStream_t stream) {
  const BackwardParameters& p = plan.parameters;
  const auto tensor = [](void* pointer) { return static_cast<__nv_bfloat16*>(pointer); };
  Finish of = {};
  of.blocks = {plan.has_sink ? plan.q_heads : 0, static_cast<int>(plan.statistic_rows() / kTileRows),
               static_cast<int>(std::min<std::int64_t>((plan.key_elements() + kBlock - 1) / kBlock, 2112))};
  of.sink = {arguments.sink, arguments.grad_sink};
  of.fixed = plan.fixed;
  of.grad_q = tensor(arguments.grad_q);
  of.keys = {tensor(arguments.grad_k1), tensor(arguments.grad_v1), tensor(arguments.grad_k2),
             tensor(arguments.grad_v2)};
  if (plan.swapped) of.keys = {of.keys.short_key, of.keys.short_value, of.keys.long_key, of.keys.long_value};
  of.scale = plan.scale;
  of.key_scale = std::abs(plan.scale);
  of.q_heads = plan.q_heads;
  of.key_elements = plan.key_elements();
  const auto kernel = p.head_dim == 128 ? finish_fixed<128> : finish_fixed<64>;
  kernel<<<static_cast<unsigned>(of.blocks.all()), kBlock, 0, stream>>>(p, of);
  check_launch("cuda.hopper finish_fixed");
}

}  // namespace triscope::hopper::backward
