// The launches of backward_reduce.cuh.
#include <algorithm>

#include "kernels/cuda/common/cuda_error.hpp"
#include "kernels/cuda/portable/backward/backward_reduce.cuh"

namespace triscope::portable {
namespace {

__global__ void __launch_bounds__(kThreads) portable_row_statistics(const Shape shape, const BackwardPlan plan,
                                                                    const Tensors tensors, unsigned char* workspace) {
  row_statistics(shape, plan, tensors, workspace);
}

__global__ void __launch_bounds__(kThreads)
    portable_finish(const Shape shape, const BackwardPlan plan, const Tensors tensors, const unsigned char* workspace) {
  finish(shape, plan, tensors, workspace);
}

__global__ void __launch_bounds__(kSinkSums)
    portable_sink(const Shape shape, const BackwardPlan plan, const Tensors tensors, const unsigned char* workspace) {
  finish_sink(shape, plan, tensors, workspace, static_cast<int>(blockIdx.x));
}

/// Blocks for `items`, `per_block` at a time, at most what a grid-stride loop needs to fill any GPU.
unsigned blocks_for(std::int64_t items, int per_block) {
  return static_cast<unsigned>(std::min<std::int64_t>((items + per_block - 1) / per_block, 16384));
}

}  // namespace

void launch_row_statistics(const Shape& shape, const BackwardPlan& plan, const Tensors& tensors, void* workspace,
                           cudaStream_t stream) {
  const unsigned blocks = blocks_for(shape.rows() * shape.pairs(), kThreads / 32);
  portable_row_statistics<<<blocks, kThreads, 0, stream>>>(shape, plan, tensors,
                                                           static_cast<unsigned char*>(workspace));
  check_launch("portable_row_statistics");
}

void launch_finish(const Shape& shape, const BackwardPlan& plan, const Tensors& tensors, void* workspace,
                   cudaStream_t stream) {
  const auto* bytes = static_cast<const unsigned char*>(workspace);
  const unsigned blocks = blocks_for(shape.pairs() * shape.seq_len * shape.padded_dim(), kThreads);
  portable_finish<<<blocks, kThreads, 0, stream>>>(shape, plan, tensors, bytes);
  check_launch("portable_finish");
  if (tensors.sink == nullptr) return;
  portable_sink<<<static_cast<unsigned>(shape.q_heads), kSinkSums, 0, stream>>>(shape, plan, tensors, bytes);
  check_launch("portable_sink");
}

}  // namespace triscope::portable
