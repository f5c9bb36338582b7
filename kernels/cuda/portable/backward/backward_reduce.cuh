// The small kernels around the backward of cuda.portable: delta before it, the ordered sums and their rounding after
// it.
//
//   delta_i = sum_d do_id o_id                  one warp a row; the LSE is copied beside it, in row order and log2
//   units dk, dv  = fp32 partial sums in block order  rounded to bf16 once dsink_h = - sum over batch and rows of
//   exp(sink_h - LSE) delta      one block a head, fp64, fixed order
#pragma once

#include "kernels/cuda/portable/backward/backward_steps.cuh"
#include "kernels/cuda/portable/common/shape.hpp"
#include "kernels/cuda/portable/common/tensor_core.cuh"

namespace triscope::portable {

inline constexpr int kSinkSums = 256;  ///< partial sums of a head

/// Blocks of kThreads threads, any number.
__device__ __forceinline__ void row_statistics(const Shape& shape, const BackwardPlan& plan, const Tensors& tensors,
                                               unsigned char* workspace) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t rows = std::int64_t{shape.seq_len} * shape.group;
  const std::int64_t all_rows = rows * shape.batch * shape.kv_heads;
  const std::int64_t warps = std::int64_t{gridDim.x} * (kThreads / 32);
  for (std::int64_t row = std::int64_t{blockIdx.x} * (kThreads / 32) + threadIdx.x / 32; row < all_rows; row += warps) {
    const std::int64_t pair = row / rows;
    const std::int64_t position = row % rows / shape.group;
    const std::int64_t batch = pair / shape.kv_heads;
    const std::int64_t head = pair % shape.kv_heads * shape.group + row % shape.group;
    const std::int64_t offset = ((batch * shape.seq_len + position) * shape.q_heads + head) * shape.head_dim;
    float sum = 0.0f;
    if (lane * 4 < shape.head_dim) {
      const uint2 o = *reinterpret_cast<const uint2*>(static_cast<const bf16*>(tensors.o) + offset + lane * 4);
      const uint2 g = *reinterpret_cast<const uint2*>(static_cast<const bf16*>(tensors.grad_o) + offset + lane * 4);
      sum = low_float(o.x) * low_float(g.x) + high_float(o.x) * high_float(g.x) + low_float(o.y) * low_float(g.y) +
            high_float(o.y) * high_float(g.y);
    }
#pragma unroll
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xFFFFFFFFu, sum, step);
    if (lane == 0) {
      reinterpret_cast<float*>(workspace + plan.delta)[row] = sum;
      reinterpret_cast<float*>(workspace + plan.lse2)[row] =
          tensors.lse[(batch * shape.q_heads + head) * shape.seq_len + position] * kLog2E;
    }
  }
}

/// One thread a (position, column) of the four key gradients of one (batch, kv head). Blocks of kThreads threads, any
/// number.
__device__ __forceinline__ void finish(const Shape& shape, const BackwardPlan& plan, const Tensors& tensors,
                                       const unsigned char* workspace) {
  const int dim = shape.head_dim <= 64 ? 64 : 128;
  const std::int64_t pairs = std::int64_t{shape.batch} * shape.kv_heads;
  const std::int64_t elements = pairs * shape.seq_len * dim;
  const std::int64_t step = std::int64_t{gridDim.x} * kThreads;
  const float* partials = reinterpret_cast<const float*>(workspace + plan.partials);
  const float* slabs = reinterpret_cast<const float*>(workspace + plan.slabs);
  for (std::int64_t element = std::int64_t{blockIdx.x} * kThreads + threadIdx.x; element < elements; element += step) {
    const int column = static_cast<int>(element % dim);
    if (column >= shape.head_dim) continue;
    const std::int64_t position = element / dim % shape.seq_len;
    const std::int64_t pair = element / dim / shape.seq_len;

    float long_k = 0.0f, long_v = 0.0f;
    for (int split = 0; split < plan.splits; ++split) {
      long_k += partials[(split * 2) * elements + element];
      long_v += partials[(split * 2 + 1) * elements + element];
    }
    // Row blocks whose queries see `position` on the short axis: flat rows [position, position + window) * group.
    const std::int64_t block_rows = std::int64_t{plan.tiles_per_block} * kTileRows;
    const std::int64_t end = min(position + shape.short_window, std::int64_t{shape.seq_len});
    float short_k = 0.0f, short_v = 0.0f;
    for (std::int64_t block = position * shape.group / block_rows; block <= (end * shape.group - 1) / block_rows;
         ++block) {
      const std::int64_t row =
          (pair * plan.row_blocks + block) * plan.slab_positions + position - slab_begin(shape, plan, block);
      short_k += slabs[row * 2 * dim + column];
      short_v += slabs[(row * 2 + 1) * dim + column];
    }
    const std::int64_t batch = pair / shape.kv_heads;
    const std::int64_t out =
        ((batch * shape.seq_len + position) * shape.kv_heads + pair % shape.kv_heads) * shape.head_dim + column;
    static_cast<bf16*>(tensors.grad_long_k)[out] = __float2bfloat16(long_k * fabsf(shape.scale));
    static_cast<bf16*>(tensors.grad_long_v)[out] = __float2bfloat16(long_v);
    static_cast<bf16*>(tensors.grad_short_k)[out] = __float2bfloat16(short_k * shape.scale);
    static_cast<bf16*>(tensors.grad_short_v)[out] = __float2bfloat16(short_v);
  }
}

/// dsink of a head by one block, of any number of threads.
__device__ __forceinline__ void finish_sink(const Shape& shape, const BackwardPlan& plan, const Tensors& tensors,
                                            const unsigned char* workspace, int head) {
  __shared__ double sums[kSinkSums];
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  const float sink = tensors.sink[head] * kLog2E;
  const float* lse2 = reinterpret_cast<const float*>(workspace + plan.lse2);
  const float* delta = reinterpret_cast<const float*>(workspace + plan.delta);
  for (int place = thread; place < kSinkSums; place += threads) {
    double sum = 0.0;
    for (std::int64_t i = place; i < std::int64_t{shape.batch} * shape.seq_len; i += kSinkSums) {
      const std::int64_t pair = i / shape.seq_len * shape.kv_heads + head / shape.group;
      const std::int64_t row = (pair * shape.seq_len + i % shape.seq_len) * shape.group + head % shape.group;
      sum -= exp2f(sink - lse2[row]) * delta[row];
    }
    sums[place] = sum;
  }
  __syncthreads();
  for (int step = kSinkSums / 2; step > 0; step /= 2) {
    for (int place = thread; place < step; place += threads) sums[place] += sums[place + step];
    __syncthreads();
  }
  if (thread == 0) tensors.grad_sink[head] = static_cast<float>(sums[0]);
}

}  // namespace triscope::portable
