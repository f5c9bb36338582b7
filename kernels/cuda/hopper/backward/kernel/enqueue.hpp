// How the launches of the Hopper backward go to their stream.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "kernels/cuda/common/cuda_error.hpp"

namespace triscope::hopper::backward {

struct Enqueue {
  int threads = 1;
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
  bool together = false;  ///< all blocks run at once: they may wait for one another
  /// The kernel in front, which has waited for all before it, need not have ended: this one calls
  /// wait_for_previous_kernel first. The host is sooner through, and the GPU has it ready.
  bool behind = false;

  template <typename... Parameters>
  cudaError_t operator()(void (*kernel)(Parameters...), dim3 blocks, const Parameters&... parameters) const {
    cudaLaunchAttribute attributes[2] = {};
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = static_cast<unsigned>(threads);
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    config.attrs = attributes;
    if (together) {
      attributes[config.numAttrs].id = cudaLaunchAttributeCooperative;
      attributes[config.numAttrs++].val.cooperative = 1;
    }
    if (behind) {
      attributes[config.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
      attributes[config.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
    }
    return cudaLaunchKernelEx(&config, kernel, parameters...);
  }
};

/// Calls `launch` with a number of blocks that run together: `blocks`, or fewer where the stream has too few
/// multiprocessors for all at once. Throws `Error` when refused.
template <typename Launch>
void enqueue_together(int blocks, const Launch& launch) {
  cudaError_t result = launch(blocks);
  while (result == cudaErrorCooperativeLaunchTooLarge && blocks > 1) {
    cudaGetLastError();
    result = launch(blocks /= 2);
  }
  TRISCOPE_CUDA_CHECK(result);
}

}  // namespace triscope::hopper::backward
