// Instance "rows": every row on CUDA cores, in one launch without preparation. For problems whose windows or sequences
// are so short that tiles would be mostly empty or would wait for their preparation (choose/cost.cpp).
#include "kernels/cuda/common/cuda_error.hpp"
#include "kernels/cuda/hopper/forward/launch.hpp"
#include "kernels/cuda/hopper/forward/row.cuh"

namespace triscope::hopper {
namespace {

constexpr int kRowThreads = 128;

/// Rows in the order of q. `groups`: groups of lanes that share a row, 1 or all of a warp.
template <int kHeadDim, bool kDeterminant, bool kHalf>
__global__ void __launch_bounds__(kRowThreads) rows_kernel(const __grid_constant__ ForwardParameters p, int groups) {
  using Row = RowAttention<kHeadDim, kDeterminant, kHalf, false>;
  const int thread = static_cast<int>(threadIdx.x);
  const int row_lanes = groups * Row::kLanes;
  const unsigned number =
      blockIdx.x * static_cast<unsigned>(kRowThreads / row_lanes) + static_cast<unsigned>(thread / row_lanes);
  if (number == 0 && p.in_bf16 != nullptr) *p.in_bf16 = 0;  // fp32 holds everything
  if (number >= static_cast<unsigned>(p.items)) return;
  const unsigned q_heads = static_cast<unsigned>(p.q_heads), seq_len = static_cast<unsigned>(p.seq_len);
  const unsigned place = number / q_heads, head = number - place * q_heads, batch = place / seq_len;
  const RowPlace where{static_cast<int>(batch), static_cast<int>(place - batch * seq_len), static_cast<int>(head),
                       static_cast<int>(head / static_cast<unsigned>(p.heads))};
  Row row(p, where, thread / Row::kLanes % groups, groups);
  row.run();
  if (groups > 1) {
    __syncwarp();
    row.merge();
    if (thread % 32 >= Row::kLanes) return;
  }
  row.store();
}

template <int kHeadDim, bool kDeterminant>
void launch(const ForwardParameters& p, int groups, bool half, cudaStream_t stream) {
  const int block_rows = kRowThreads / (groups * RowAttention<kHeadDim, kDeterminant, true, false>::kLanes);
  const unsigned blocks = (static_cast<unsigned>(p.items) + block_rows - 1) / block_rows;
  const auto kernel = half ? rows_kernel<kHeadDim, kDeterminant, true> : rows_kernel<kHeadDim, kDeterminant, false>;
  kernel<<<blocks, kRowThreads, 0, stream>>>(p, groups);
  check_launch("cuda.hopper rows");
}

}  // namespace

void launch_rows(const ForwardParameters& p, int groups, bool half, cudaStream_t stream) {
  if (p.head_dim == 128) {
    p.determinant ? launch<128, true>(p, groups, half, stream) : launch<128, false>(p, groups, half, stream);
  } else {
    p.determinant ? launch<64, true>(p, groups, half, stream) : launch<64, false>(p, groups, half, stream);
  }
}

}  // namespace triscope::hopper
