// Body of every instance file: compiles one configuration of the forward.
#pragma once

#include "kernels/cuda/common/cooperative.hpp"
#include "kernels/cuda/common/cuda_error.hpp"
#include "kernels/cuda/hopper/forward/forward.cuh"
#include "kernels/cuda/hopper/forward/launch.hpp"

namespace triscope::hopper {

template <int kInstance>
void launch_forward(const TensorMaps& maps, const ForwardParameters& p, int blocks, int shared_bytes,
                    cudaStream_t stream) {
  const auto kernel = forward_kernel<kInstance>;
  // The same for every plan: the limit is the kernel's, and another thread may be launching another plan.
  TRISCOPE_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedMemoryLimit));
  if (p.half.tile_key != nullptr) {
    launch_cooperative(kernel, blocks, kThreads, static_cast<std::size_t>(shared_bytes), stream, maps.query, maps.key,
                       maps.value, p);
    return;
  }
  cudaLaunchAttribute early_start = {};
  early_start.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early_start.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = static_cast<unsigned>(blocks);
  config.blockDim = kThreads;
  config.dynamicSmemBytes = static_cast<std::size_t>(shared_bytes);
  config.stream = stream;
  config.attrs = &early_start;
  config.numAttrs = Layout<kInstances[kInstance].config>::kPreparesQuery ? 1 : 0;
  TRISCOPE_CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, maps.query, maps.key, maps.value, p));
}

}  // namespace triscope::hopper

/// Compiles the instance called `name`.
#define TRISCOPE_HOPPER_INSTANCE(name)                                                     \
  template void triscope::hopper::launch_forward<triscope::hopper::instance_called(name)>( \
      const triscope::hopper::TensorMaps&, const triscope::hopper::ForwardParameters&, int, int, cudaStream_t)
