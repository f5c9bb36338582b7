// One slice from its logits: log p, the marginal over axis 1, the output, and single logits.
#include "kernels/cuda/common/cuda_error.hpp"
#include "kernels/inspect/cuda/survey.hpp"

namespace triscope::cuda::slice {
namespace {

constexpr int kAcross = 32, kDown = 8;  // threads of a finishing block: keys 1, rows
constexpr int kOutputKeys = 128;        // keys 1 whose p lie in shared memory at a time
constexpr int kOutputThreads = 128;     // dimensions of an output block

/// A block takes 32 keys 1 and all rows, so that the sum over rows has one order.
__global__ void finish_slice(const Finish slice) {
  __shared__ double sums[kDown][kAcross];
  const std::int64_t j = static_cast<std::int64_t>(blockIdx.x) * kAcross + threadIdx.x;
  double sum = 0;
  unsigned long long nan = 0, infinite = 0;
  for (std::int64_t k = threadIdx.y; j < slice.count1 && k < slice.count2; k += kDown) {
    const double x = slice.logits[k * slice.count1 + j];
    nan += isnan(x) ? 1 : 0;
    infinite += isinf(x) ? 1 : 0;
    if (isfinite(x)) sum += exp(x - slice.lse);
    // What is finite stays finite, however small p is.
    const double log_p = isfinite(x) ? fmax(x - slice.lse, -kMostFloat) : x - slice.lse;
    slice.log_p[k * slice.count1 + j] = static_cast<float>(log_p);
  }
  if (nan > 0) atomicAdd(slice.not_finite, nan);
  if (infinite > 0) atomicAdd(slice.not_finite + 1, infinite);
  sums[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y > 0 || j >= slice.count1) return;
  for (int n = 1; n < kDown; ++n) sum += sums[n][threadIdx.x];
  slice.marginal1[j] = static_cast<float>(sum);
}

__global__ void gather_logits(const double* logits, const std::int64_t* index, int count, double* out) {
  const int n = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (n < count) out[n] = logits[index[n]];
}

__global__ void __launch_bounds__(kOutputThreads)
    mix_values(const Finish slice, const float* v1, const float* v2, double v2_bias, int head_dim, double* partial) {
  __shared__ double p[kOutputKeys][kOutputRows];
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kOutputRows;
  const int d = static_cast<int>(blockIdx.y) * kOutputThreads + static_cast<int>(threadIdx.x);
  double mixed[kOutputRows] = {};
  for (std::int64_t from = 0; from < slice.count1; from += kOutputKeys) {
    __syncthreads();
    for (int n = threadIdx.x; n < kOutputKeys * kOutputRows; n += kOutputThreads) {
      const std::int64_t j = from + n % kOutputKeys, k = first + n / kOutputKeys;
      const double x = j < slice.count1 && k < slice.count2 ? slice.logits[k * slice.count1 + j] : INFINITY;
      p[n % kOutputKeys][n / kOutputKeys] = isfinite(x) ? exp(x - slice.lse) : 0.0;
    }
    __syncthreads();
    if (d >= head_dim) continue;
    const int keys = static_cast<int>(slice.count1 - from < kOutputKeys ? slice.count1 - from : kOutputKeys);
#pragma unroll 4
    for (int j = 0; j < keys; ++j) {
      const double value = v1[(from + j) * head_dim + d];
#pragma unroll
      for (int k = 0; k < kOutputRows; ++k) mixed[k] = fma(p[j][k], value, mixed[k]);
    }
  }
  if (d >= head_dim) return;
  double sum = 0;
  for (int k = 0; k < kOutputRows && first + k < slice.count2; ++k) {
    sum += mixed[k] * (v2 ? v2[(first + k) * head_dim + d] + v2_bias : 1.0);
  }
  partial[blockIdx.x * static_cast<std::int64_t>(head_dim) + d] = sum;
}

}  // namespace

void launch_finish(const Finish& finish, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>((finish.count1 + kAcross - 1) / kAcross);
  finish_slice<<<blocks, dim3(kAcross, kDown), 0, stream>>>(finish);
  check_launch("the probabilities of a slice");
}

void launch_gather(const double* logits, const std::int64_t* index, int count, double* out, cudaStream_t stream) {
  constexpr int kBlock = 64;
  gather_logits<<<(count + kBlock - 1) / kBlock, kBlock, 0, stream>>>(logits, index, count, out);
  check_launch("the strongest logits of a slice");
}

void launch_output(const Finish& slice, const float* v1, const float* v2, double v2_bias, int head_dim, double* partial,
                   cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>((slice.count2 + kOutputRows - 1) / kOutputRows),
                  static_cast<unsigned>((head_dim + kOutputThreads - 1) / kOutputThreads));
  mix_values<<<grid, kOutputThreads, 0, stream>>>(slice, v1, v2, v2_bias, head_dim, partial);
  check_launch("the output of a slice");
}

}  // namespace triscope::cuda::slice
