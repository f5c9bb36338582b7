// cuda.portable's backward in one launch: a launch that is hardly ever wanted costs 3.4 us of host time each time. Its
// blocks wait for one another between the steps, and each takes every n-th block of a step. Results are those of the
// separate launches.
#include <cooperative_groups.h>

#include <algorithm>

#include "kernels/cuda/common/cooperative.hpp"
#include "kernels/cuda/hopper/backward/portable_instead.hpp"
#include "kernels/cuda/portable/backward/backward_keys.cuh"
#include "kernels/cuda/portable/backward/backward_reduce.cuh"
#include "kernels/cuda/portable/backward/backward_rows.cuh"

namespace triscope::hopper::backward {
namespace {

using portable::BackwardPlan, portable::KeysShared, portable::RowsShared, portable::Shape, portable::Tensors;

constexpr int kBlocksOfMultiprocessor = 2;  // as many as each of the steps has

/// Calls `step` with every n-th number below `count`. `next` lies in shared memory: registers are what the steps are
/// short of.
template <typename Step>
__device__ __forceinline__ void take_turns(int& next, std::int64_t count, const Step& step) {
  __syncthreads();
  if (threadIdx.x == 0) next = static_cast<int>(blockIdx.x);
  __syncthreads();
  while (next < count) {
    step(next);
    __syncthreads();
    if (threadIdx.x == 0) next += static_cast<int>(gridDim.x);
    __syncthreads();
  }
}

// By value: with __grid_constant__ parameters it took 1.15 times as long (measured on an H200).
template <int D>
__global__ void __launch_bounds__(portable::kThreads, kBlocksOfMultiprocessor)
    portable_instead(const Shape shape, const BackwardPlan plan, const Tensors tensors, unsigned char* workspace) {
  if (*shape.only_if == 0) return;
  extern __shared__ __align__(256) unsigned char memory[];
  __shared__ int next;
  const auto grid = cooperative_groups::this_grid();
  const std::int64_t pairs = std::int64_t{shape.batch} * shape.kv_heads;
  portable::row_statistics(shape, plan, tensors, workspace);
  grid.sync();
  take_turns(next, plan.row_blocks * pairs, [&](int n) {
    portable::backward_rows(*reinterpret_cast<RowsShared<D, true>*>(memory), shape, plan, tensors, workspace, n);
  });
  const std::int64_t key_tiles = (shape.seq_len + portable::kTileRows - 1) / portable::kTileRows;
  take_turns(next, key_tiles * plan.splits * pairs, [&](int n) {
    portable::backward_keys(*reinterpret_cast<KeysShared<D, true>*>(memory), shape, plan, tensors, workspace, n);
  });
  grid.sync();
  portable::finish(shape, plan, tensors, workspace);
  if (tensors.sink == nullptr) return;
  for (int head = static_cast<int>(blockIdx.x); head < shape.q_heads; head += static_cast<int>(gridDim.x)) {
    portable::finish_sink(shape, plan, tensors, workspace, head);
    __syncthreads();
  }
}

template <int D>
void launch(const Shape& shape, const BackwardPlan& plan, const Tensors& tensors, unsigned char* workspace,
            int multiprocessors, cudaStream_t stream) {
  constexpr int kBytes = static_cast<int>(std::max(sizeof(RowsShared<D, true>), sizeof(KeysShared<D, true>)));
  static_assert(kBlocksOfMultiprocessor * (kBytes + 4096) <= 227 * 1024, "all blocks run at once");
  const auto kernel = portable_instead<D>;
  TRISCOPE_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
  const std::int64_t work = std::max(plan.row_blocks, shape.key_tiles() * std::int64_t{plan.splits}) * shape.pairs();
  const auto blocks = static_cast<int>(std::min<std::int64_t>(work, kBlocksOfMultiprocessor * multiprocessors));
  launch_cooperative(kernel, blocks, portable::kThreads, kBytes, stream, shape, plan, tensors, workspace);
}

}  // namespace

void launch_portable_instead(const Shape& shape, const BackwardPlan& plan, const Tensors& tensors, void* workspace,
                             int multiprocessors, cudaStream_t stream) {
  auto* bytes = static_cast<unsigned char*>(workspace);
  shape.padded_dim() == 64 ? launch<64>(shape, plan, tensors, bytes, multiprocessors, stream)
                           : launch<128>(shape, plan, tensors, bytes, multiprocessors, stream);
}

}  // namespace triscope::hopper::backward
