// Body of every instance file: compiles one configuration of the forward.
#pragma once

#include "kernels/cuda/cuda_error.hpp"
#include "kernels/cuda/hopper/forward.cuh"
#include "kernels/cuda/hopper/launch.hpp"

namespace triscope::hopper {

template <int kInstance>
void launch_forward(const TensorMaps& maps, const ForwardParameters& p, int blocks, int shared_bytes, cudaStream_t stream) {
  const auto kernel = forward_kernel<kInstance>;
  TRISCOPE_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
  kernel<<<blocks, kThreads, static_cast<std::size_t>(shared_bytes), stream>>>(maps.query, maps.key, maps.value, p);
  check_launch("cuda.hopper forward");
}

}  // namespace triscope::hopper

#define TRISCOPE_HOPPER_INSTANCE(index)                                                                               \
  static_assert(triscope::hopper::kInstances[index].name != nullptr);                                                 \
  template void triscope::hopper::launch_forward<index>(const triscope::hopper::TensorMaps&,                          \
                                                        const triscope::hopper::ForwardParameters&, int, int, cudaStream_t)
