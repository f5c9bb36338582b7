// dsink, in a block beside those that finish the other gradients.
//
//   dsink_h = - sum over batch and rows of exp(sink_h - LSE) delta      fp64, in a fixed order
#pragma once

#include <cstdint>

#include "kernels/cuda/hopper/backward/plan/parameters.hpp"

namespace triscope::hopper::backward {

inline constexpr int kFinishBlock = 256;  ///< threads of a block of the kernels behind the main one

struct SinkGrad {
  const float* sink = nullptr;
  float* grad_sink = nullptr;
};

/// One block of kFinishBlock threads.
__device__ __forceinline__ void finish_sink(const BackwardParameters& p, const SinkGrad& of, int q_head) {
  __shared__ double sums[kFinishBlock];
  const int kv_head = q_head / p.group, head = q_head % p.group;
  double sum = 0.0;
  for (std::int64_t n = threadIdx.x; n < std::int64_t{p.batch} * p.seq_len; n += kFinishBlock) {
    const int pair = static_cast<int>(n / p.seq_len) * p.kv_heads + kv_head, position = static_cast<int>(n % p.seq_len);
    // The first copy, in which rows are counted from position 0.
    const std::int64_t first =
        (std::int64_t{pair} * p.head_blocks + head / kTileRows) * statistic_copies(p) * p.padded_len * p.head_rows;
    const std::int64_t place = first + fragment_place(std::int64_t{position} * p.head_rows + head % kTileRows);
    sum -= static_cast<double>(exp2f(of.sink[q_head] * kLog2E - p.lse2[place])) *
           (static_cast<double>(p.delta[place]) * p.ranges[pair].grad_scale);
  }
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned step = kFinishBlock / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) sums[threadIdx.x] += sums[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) of.grad_sink[q_head] = static_cast<float>(sums[0]);
}

/// Blocks of one launch, in their order: a block a sink, which has the longest way, then queries, then keys.
struct FinishBlocks {
  int sinks = 0, queries = 0, keys = 0;
  int all() const { return sinks + queries + keys; }
};

}  // namespace triscope::hopper::backward
