// dsink, a head by a block of those that finish the other gradients.
//
//   dsink_h = - sum over batch and rows of exp(sink_h - LSE) delta      fp64, in a fixed order
#pragma once

#include <cstdint>

#include "kernels/cuda/hopper/backward/plan/parameters.hpp"

namespace triscope::hopper::backward {

inline constexpr int kFinishThreads = 128;  ///< of a block of the last launch

struct SinkGrad {
  const float* sink = nullptr;  ///< null: there is none
  float* grad_sink = nullptr;
};

/// Partial sums of a head, one thread one after the other.
inline constexpr int kSinkSums = 256;

__device__ __forceinline__ void finish_sink(const BackwardParameters& p, const SinkGrad& of, int q_head) {
  __shared__ double sums[kSinkSums];
  const int thread = static_cast<int>(threadIdx.x), kv_head = q_head / p.group, head = q_head % p.group;
  for (int number = thread; number < kSinkSums; number += kFinishThreads) {
    double sum = 0.0;
    for (std::int64_t n = number; n < std::int64_t{p.batch} * p.seq_len; n += kSinkSums) {
      const int pair = static_cast<int>(n / p.seq_len) * p.kv_heads + kv_head;
      const int position = static_cast<int>(n % p.seq_len);
      // The first copy, in which rows are counted from position 0.
      const std::int64_t first =
          (std::int64_t{pair} * p.head_blocks + head / kTileRows) * statistic_copies(p) * p.padded_len * p.head_rows;
      const std::int64_t place = first + fragment_place(std::int64_t{position} * p.head_rows + head % kTileRows);
      sum -= static_cast<double>(exp2f(of.sink[q_head] * kLog2E - p.lse2[place])) *
             (static_cast<double>(p.delta[place]) * p.ranges[pair].grad_scale);
    }
    sums[number] = sum;
  }
  __syncthreads();
  for (int step = kSinkSums / 2; step > 0; step /= 2) {
    for (int number = thread; number < step; number += kFinishThreads) sums[number] += sums[number + step];
    __syncthreads();
  }
  if (thread == 0) of.grad_sink[q_head] = static_cast<float>(sums[0]);
}

}  // namespace triscope::hopper::backward
