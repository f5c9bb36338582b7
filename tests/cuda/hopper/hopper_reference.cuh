// A slow forward on the GPU with fp64 sums, for sampled rows: what hopper_bench compares the Hopper kernel with.
#pragma once

#include <cuda_bf16.h>

#include <cstdint>

#include "kernels/attention/kernel.hpp"
#include "kernels/base/philox.hpp"

namespace triscope::bench {

struct SampledRow {
  int batch, position, head;
};

/// Pointers and sizes of the problem the reference computes; bf16 tensors in BSHD.
struct ReferenceProblem {
  const __nv_bfloat16 *q, *k1, *k2, *v1, *v2;
  const float* sink;
  int seq_len, q_heads, kv_heads, head_dim, window1, window2;
  double scale, k2_bias, v2_bias;
  bool determinant;
  Fold fold;  ///< product that is rounded, and how
};

constexpr int kReferenceThreads = 256;

__device__ inline double reference_logit(const ReferenceProblem& p, const __nv_bfloat16* q, const __nv_bfloat16* k1,
                                         const __nv_bfloat16* k2) {
  const auto q_at = [&](int d) { return static_cast<double>(__bfloat162float(q[d])); };
  const auto k1_at = [&](int d) { return static_cast<double>(__bfloat162float(k1[d])); };
  const auto k2_at = [&](int d) { return static_cast<double>(__bfloat162float(k2[d])) + p.k2_bias; };
  const bool half = p.fold == Fold::half_k1 || p.fold == Fold::half_k2;
  const auto rounded = [half](double x) {
    if (half) return round_to_half_precision(x);
    return static_cast<double>(__bfloat162float(__float2bfloat16(static_cast<float>(x))));
  };
  const bool crossed = half || p.fold == Fold::cross_k1 || p.fold == Fold::cross_k2;  // one product is rounded first
  double logit = 0;
  const int dims = p.determinant ? p.head_dim / 3 * 3 : p.head_dim;
  for (int d = 0; d < dims; ++d) {
    const int a = d % 3 == 2 ? d - 2 : d + 1, b = d % 3 == 0 ? d + 2 : d - 1;
    if (p.fold == Fold::query_k1 || p.fold == Fold::cross_k1 || p.fold == Fold::half_k1) {
      const auto first = [&] { return crossed ? rounded(q_at(a) * k1_at(b)) : q_at(a) * k1_at(b); };
      const double folded = p.determinant ? first() - q_at(b) * k1_at(a) : q_at(d) * k1_at(d);
      logit += rounded(folded) * k2_at(d);
    } else {
      const auto second = [&] { return crossed ? rounded(k2_at(b) * q_at(a)) : k2_at(b) * q_at(a); };
      const double folded = p.determinant ? k2_at(a) * q_at(b) - second() : q_at(d) * k2_at(d);
      logit += (p.fold == Fold::none ? folded : rounded(folded)) * k1_at(d);
    }
  }
  return logit * p.scale;
}

/// Reduces over the block with `combine`; every thread gets the result.
template <typename Combine>
__device__ double block_reduce(double x, double* shared, const Combine& combine) {
  shared[threadIdx.x] = x;
  __syncthreads();
  for (int width = kReferenceThreads / 2; width > 0; width /= 2) {
    if (static_cast<int>(threadIdx.x) < width)
      shared[threadIdx.x] = combine(shared[threadIdx.x], shared[threadIdx.x + width]);
    __syncthreads();
  }
  const double result = shared[0];
  __syncthreads();
  return result;
}

/// One block for each sampled row. `logits`: scratch, window1 * window2 doubles a row. o: [rows, head_dim], lse:
/// [rows].
__global__ void __launch_bounds__(kReferenceThreads)
    reference_forward(ReferenceProblem p, const SampledRow* rows, double* logits, double* o, double* lse) {
  __shared__ double shared[kReferenceThreads];
  const SampledRow row = rows[blockIdx.x];
  const int n1 = min(row.position + 1, p.window1), n2 = min(row.position + 1, p.window2);
  const int first1 = row.position + 1 - n1, first2 = row.position + 1 - n2;
  const std::int64_t kv_row = static_cast<std::int64_t>(p.kv_heads) * p.head_dim;
  const std::int64_t kv_base =
      row.batch * p.seq_len * kv_row + static_cast<std::int64_t>(row.head / (p.q_heads / p.kv_heads)) * p.head_dim;
  const __nv_bfloat16* q =
      p.q + ((static_cast<std::int64_t>(row.batch) * p.seq_len + row.position) * p.q_heads + row.head) * p.head_dim;
  double* weight = logits + static_cast<std::int64_t>(blockIdx.x) * p.window1 * p.window2;
  const double sink = p.sink ? static_cast<double>(p.sink[row.head]) : -INFINITY;
  double top = sink;
  for (int x = threadIdx.x; x < n1 * n2; x += kReferenceThreads) {
    weight[x] =
        reference_logit(p, q, p.k1 + kv_base + (first1 + x / n2) * kv_row, p.k2 + kv_base + (first2 + x % n2) * kv_row);
    top = fmax(top, weight[x]);
  }
  top = block_reduce(top, shared, [](double a, double b) { return fmax(a, b); });
  double sum = 0;
  for (int x = threadIdx.x; x < n1 * n2; x += kReferenceThreads) sum += weight[x] = exp(weight[x] - top);
  sum = block_reduce(sum, shared, [](double a, double b) { return a + b; }) + exp(sink - top);
  for (int d = threadIdx.x; d < p.head_dim; d += kReferenceThreads) {
    double total = 0;
    for (int k = 0; k < n2; ++k) {
      double along1 = 0;
      for (int j = 0; j < n1; ++j)
        along1 += weight[j * n2 + k] * static_cast<double>(__bfloat162float(p.v1[kv_base + (first1 + j) * kv_row + d]));
      total += along1 * (static_cast<double>(__bfloat162float(p.v2[kv_base + (first2 + k) * kv_row + d])) + p.v2_bias);
    }
    o[static_cast<std::int64_t>(blockIdx.x) * p.head_dim + d] = total / sum;
  }
  if (threadIdx.x == 0) lse[blockIdx.x] = top + log(sum);
}

}  // namespace triscope::bench
