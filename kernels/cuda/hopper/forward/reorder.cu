// The tile keys with their dimensions in the order of cross products (virtual_query.cuh): one copy of the long axis'
// keys a launch, a few microseconds, so that no tile is rewritten in shared memory.
#include "kernels/cuda/common/cuda_error.hpp"
#include "kernels/cuda/hopper/common/virtual_query.cuh"
#include "kernels/cuda/hopper/forward/launch.hpp"

namespace triscope::hopper {
namespace {

constexpr int kThreadsPerBlock = 256;

/// Thread n: block n % (blocks + 1) of row n / (blocks + 1); the last one is the tail, which stays as it is.
template <int kHeadDim>
__global__ void __launch_bounds__(kThreadsPerBlock)
    reorder_kernel(const uint4* keys, uint4* reordered, std::int64_t rows) {
  allow_next_kernel();
  constexpr int kBlocks = kHeadDim / 24, kRowParts = kHeadDim / 8, kTasks = kBlocks + 1;
  const std::int64_t n = static_cast<std::int64_t>(blockIdx.x) * kThreadsPerBlock + threadIdx.x;
  const std::int64_t row = n / kTasks;
  const int block = static_cast<int>(n % kTasks);
  if (row >= rows) return;
  const uint4* source = keys + row * kRowParts + 3 * block;
  uint4* destination = reordered + row * kRowParts + 3 * block;
  if (block == kBlocks) {
    for (int part = 3 * kBlocks; part < kRowParts; ++part) *destination++ = *source++;
    return;
  }
  const uint4 in[3] = {source[0], source[1], source[2]};
  uint4 out[3];
  reorder_block(in, out);
  for (int x = 0; x < 3; ++x) destination[x] = out[x];
}

template <int kHeadDim>
void launch(const __nv_bfloat16* keys, __nv_bfloat16* reordered, std::size_t bytes, cudaStream_t stream) {
  const std::int64_t rows = static_cast<std::int64_t>(bytes / (kHeadDim * 2));
  const std::int64_t blocks = (rows * (kHeadDim / 24 + 1) + kThreadsPerBlock - 1) / kThreadsPerBlock;
  reorder_kernel<kHeadDim><<<static_cast<unsigned>(blocks), kThreadsPerBlock, 0, stream>>>(
      reinterpret_cast<const uint4*>(keys), reinterpret_cast<uint4*>(reordered), rows);
  check_launch("cuda.hopper reorder");
}

}  // namespace

void launch_reorder(const __nv_bfloat16* keys, __nv_bfloat16* reordered, std::size_t bytes, int head_dim,
                    cudaStream_t stream) {
  if (head_dim == 128) {
    launch<128>(keys, reordered, bytes, stream);
  } else {
    launch<64>(keys, reordered, bytes, stream);
  }
}

}  // namespace triscope::hopper
