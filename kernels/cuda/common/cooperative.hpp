// Launches whose blocks wait for one another, so that several steps are one launch.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "kernels/cuda/common/cuda_error.hpp"

namespace triscope {

/// Enqueues `kernel`, which may call cooperative_groups::this_grid().sync(), on `blocks` blocks. Fewer where the stream
/// has too few multiprocessors for all at once, so the kernel takes the number from gridDim. Throws `Error` when
/// refused.
template <typename... Parameters>
void launch_cooperative(void (*kernel)(Parameters...), int blocks, int threads, std::size_t shared_bytes,
                        cudaStream_t stream, const Parameters&... parameters) {
  cudaLaunchAttribute together = {};
  together.id = cudaLaunchAttributeCooperative;
  together.val.cooperative = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = static_cast<unsigned>(blocks);
  config.blockDim = static_cast<unsigned>(threads);
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = &together;
  config.numAttrs = 1;
  cudaError_t result = cudaLaunchKernelEx(&config, kernel, parameters...);
  while (result == cudaErrorCooperativeLaunchTooLarge && config.gridDim.x > 1) {
    cudaGetLastError();
    config.gridDim.x /= 2;
    result = cudaLaunchKernelEx(&config, kernel, parameters...);
  }
  TRISCOPE_CUDA_CHECK(result);
}

}  // namespace triscope
