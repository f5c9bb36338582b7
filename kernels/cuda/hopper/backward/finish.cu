// Behind the Hopper backward: its sums, scaled back, become gradients.
//
//   dq                 fp16, eight rows (heads of one position) of half of head_dim as the fragments of an accumulator:
//                      [parts][lane][4 words]: word n of part m, lane 4 g + c = dimensions 8 (4 m + n) + 2 c, + 1 of
//                      row g
//   dk_*, dv_*         fp32; short ones in the layout of the problem's tensors, long ones as long_place says
//   dsink_h = - sum over batch and rows of exp(sink_h - LSE) delta      one block a head, fp64, in a fixed order
#include <algorithm>
#include <cstdint>

#include "kernels/cuda/common/cuda_error.hpp"
#include "kernels/cuda/hopper/backward/launch.hpp"
#include "kernels/cuda/hopper/backward/memory.cuh"

namespace triscope::hopper::backward {
namespace {

constexpr int kBlock = 256;

/// One block for 64 rows of one (batch, kv head, head block): through shared memory, so that rows are written whole.
template <int kHeadDim>
__global__ void __launch_bounds__(kBlock)
    finish_query(const BackwardParameters p, __nv_bfloat16* grad_q, int q_heads, float scale) {
  constexpr int kRowWords = kHeadDim / 2, kPitch = kRowWords + 4, kHalfWords = kHeadDim / 4;
  constexpr int kBlockParts = kHeadDim * 8 / 16;  // 16 bytes: of eight rows in one half
  constexpr int kRowParts = kHeadDim / 8;         // eight dimensions, of a thread always the same ones
  __shared__ alignas(16) std::uint32_t words[kTileRows * kPitch];
  const int thread = static_cast<int>(threadIdx.x);
  const int plane_tiles = p.padded_len * p.head_rows / kTileRows;
  const int plane = static_cast<int>(blockIdx.x) / plane_tiles, tile = static_cast<int>(blockIdx.x) % plane_tiles;
  const int pair = plane / p.head_blocks, head_block = plane - pair * p.head_blocks;
#pragma unroll
  for (int n = thread; n < 2 * 8 * kBlockParts; n += kBlock) {
    const int half = n / (8 * kBlockParts), in_half = n % (8 * kBlockParts);
    const int row = in_half / kBlockParts * 8 + n % 32 / 4, part = in_half % kBlockParts / 32;
    const std::int64_t from =
        (std::int64_t{query_rows(p, pair, head_block, half)} + tile * kTileRows) * kHeadDim + in_half * 16;
    const uint4 v = *reinterpret_cast<const uint4*>(reinterpret_cast<const unsigned char*>(p.grad_query) + from);
    std::uint32_t* to = words + row * kPitch + half * kHalfWords + 16 * part + n % 4;
    to[0] = v.x, to[4] = v.y, to[8] = v.z, to[12] = v.w;
  }
  float unscale[8];
  const int part = thread % kRowParts;
#pragma unroll
  for (int x = 0; x < 8; ++x) unscale[x] = scale * p.ranges[pair].grad_query_scale[8 * part + x];
  __syncthreads();
  const int batch = pair / p.kv_heads, first_head = (pair - batch * p.kv_heads) * p.group + head_block * kTileRows;
#pragma unroll
  for (int row = thread / kRowParts; row < kTileRows; row += kBlock / kRowParts) {
    const int in_tile = row / p.head_rows, position = tile * p.positions + in_tile, head = row - in_tile * p.head_rows;
    if (position >= p.seq_len || head_block * kTileRows + head >= p.group) continue;
    const uint4 in = *reinterpret_cast<const uint4*>(words + row * kPitch + 4 * part);
    std::uint32_t out[4];
#pragma unroll
    for (int x = 0; x < 4; ++x) {
      const float2 f = unpack_fp16x2((&in.x)[x]);
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
    finish_keys(const BackwardParameters p, const KeyGrads out, float key_scale, std::int64_t elements) {
  for (std::int64_t n = std::int64_t{blockIdx.x} * kBlock + threadIdx.x; n < elements;
       n += std::int64_t{gridDim.x} * kBlock) {
    const int d = static_cast<int>(n % p.head_dim);
    const std::int64_t row = n / p.head_dim, batch = row / p.kv_heads / p.seq_len;
    const Ranges& r = p.ranges[batch * p.kv_heads + row % p.kv_heads];
    const float scale = key_scale * r.grad_key_scale[d];
    const std::int64_t place =
        long_place(p, batch * p.kv_heads + row % p.kv_heads, static_cast<int>(row / p.kv_heads % p.seq_len), d);
    out.long_key[n] = __float2bfloat16(p.grad_long_key[place] * scale);
    out.short_key[n] = __float2bfloat16(p.grad_short_key[n] * scale);
    out.long_value[n] = __float2bfloat16(p.grad_long_value[place]);
    out.short_value[n] = __float2bfloat16(p.grad_short_value[n]);
  }
}

__global__ void __launch_bounds__(kBlock)
    finish_sink(const BackwardParameters p, const float* sink, float* grad_sink, int q_heads) {
  __shared__ double sums[kBlock];
  const int q_head = static_cast<int>(blockIdx.x), kv_head = q_head / p.group, head = q_head % p.group;
  double sum = 0.0;
  for (std::int64_t n = threadIdx.x; n < std::int64_t{p.batch} * p.seq_len; n += kBlock) {
    const int pair = static_cast<int>(n / p.seq_len) * p.kv_heads + kv_head, position = static_cast<int>(n % p.seq_len);
    // The first copy, in which rows are counted from position 0.
    const std::int64_t first =
        (std::int64_t{pair} * p.head_blocks + head / kTileRows) * statistic_copies(p) * p.padded_len * p.head_rows;
    const std::int64_t place = first + fragment_place(std::int64_t{position} * p.head_rows + head % kTileRows);
    sum -= static_cast<double>(exp2f(sink[q_head] * kLog2E - p.lse2[place])) *
           (static_cast<double>(p.delta[place]) * p.ranges[pair].grad_scale);
  }
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned step = kBlock / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) sums[threadIdx.x] += sums[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) grad_sink[q_head] = static_cast<float>(sums[0]);
}

}  // namespace

void launch_finish(const Plan& plan, const Arguments& arguments, cudaStream_t stream) {
  const BackwardParameters& p = plan.parameters;
  const unsigned tiles = static_cast<unsigned>(plan.statistic_rows() / kTileRows);
  const auto grad_q = static_cast<__nv_bfloat16*>(arguments.grad_q);
  if (p.head_dim == 128) {
    finish_query<128><<<tiles, kBlock, 0, stream>>>(p, grad_q, plan.q_heads, plan.scale);
  } else {
    finish_query<64><<<tiles, kBlock, 0, stream>>>(p, grad_q, plan.q_heads, plan.scale);
  }
  check_launch("cuda.hopper finish_query");
  const auto tensor = [](void* pointer) { return static_cast<__nv_bfloat16*>(pointer); };
  KeyGrads out = {tensor(arguments.grad_k1), tensor(arguments.grad_v1), tensor(arguments.grad_k2),
                  tensor(arguments.grad_v2)};
  if (plan.swapped) out = {out.short_key, out.short_value, out.long_key, out.long_value};
  const unsigned key_blocks =
      static_cast<unsigned>(std::min<std::int64_t>((plan.key_elements() + kBlock - 1) / kBlock, 2112));
  finish_keys<<<key_blocks, kBlock, 0, stream>>>(p, out, std::abs(plan.scale), plan.key_elements());
  check_launch("cuda.hopper finish_keys");
  launch_finish_sink(plan, arguments, stream);
}

void launch_finish_sink(const Plan& plan, const Arguments& arguments, cudaStream_t stream) {
  if (!plan.has_sink) return;
  finish_sink<<<static_cast<unsigned>(plan.q_heads), kBlock, 0, stream>>>(plan.parameters, arguments.sink,
                                                                          arguments.grad_sink, plan.q_heads);
  check_launch("cuda.hopper finish_sink");
}

}  // namespace triscope::hopper::backward
