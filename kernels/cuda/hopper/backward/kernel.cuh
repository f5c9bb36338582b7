// The Hopper backward: gradients of every head of a group in one pass over the virtual keys of a problem.
#pragma once

#include "kernels/cuda/common/cuda_error.hpp"
#include "kernels/cuda/hopper/backward/consumer.cuh"
#include "kernels/cuda/hopper/backward/helpers.cuh"
#include "kernels/cuda/hopper/backward/launch.hpp"

namespace triscope::hopper::backward {

template <int kHeadDim, bool kCross>
__global__ void __launch_bounds__(kThreads, 1)
    hopper_backward(const __grid_constant__ TensorMaps maps, const __grid_constant__ BackwardParameters p) {
  extern __shared__ __align__(1024) unsigned char shared[];
  const std::uint32_t memory = shared_address(shared);
  const int warpgroup = __shfl_sync(0xFFFFFFFFu, static_cast<int>(threadIdx.x) >> 7, 0);
  if (threadIdx.x == 0) Barriers{memory + Layout<kHeadDim>::kBarriers}.init();
  __syncthreads();
  // 240 x 256 + 24 x 128 registers are the 168 x 384 that the launch reserves; 32 for the helpers would wait forever.
  if (warpgroup == 0) {
    lower_registers<24>();
    const int warp = static_cast<int>(threadIdx.x) >> 5;
    if (threadIdx.x % 32 != 0) return;
    if (warp == 0) {
      copy_tiles<kHeadDim>(maps, p, memory);
    } else if (warp < 3) {
      Helper<kHeadDim>(p, memory, warp - 1).run();
    }
  } else {
    raise_registers<240>();
    Consumer<kHeadDim, kCross>(p, memory, warpgroup - 1).run();
  }
}

template <int kHeadDim, bool kCross>
void launch_instance(const TensorMaps& maps, const BackwardParameters& p, int blocks, cudaStream_t stream) {
  constexpr int kBytes = Layout<kHeadDim>::kBytes;
  TRISCOPE_CUDA_CHECK(
      cudaFuncSetAttribute(hopper_backward<kHeadDim, kCross>, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
  hopper_backward<kHeadDim, kCross><<<static_cast<unsigned>(blocks), kThreads, kBytes, stream>>>(maps, p);
  check_launch("cuda.hopper backward");
}

}  // namespace triscope::hopper::backward
