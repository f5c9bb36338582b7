// Body of every instance file: compiles one configuration of the forward.
#pragma once

#include "kernels/cuda/common/launch.hpp"
#include "kernels/cuda/hopper/forward/forward.cuh"
#include "kernels/cuda/hopper/forward/launch.hpp"

namespace triscope::hopper {

template <int kInstance>
int launch_forward(const TensorMaps& maps, const ForwardParameters& p, int blocks, int shared_bytes,
                   cudaStream_t stream) {
  static SharedLimit limit(kSharedMemoryLimit);
  const bool makes_operands = p.half.tile_key != nullptr;
  const Launch launch = {
      .kernel = kInstances[kInstance].name,
      .blocks = static_cast<unsigned>(blocks),
      .threads = kThreads,
      .shared_bytes = static_cast<std::size_t>(shared_bytes),
      .shared_limit = &limit,
      .stream = stream,
      .together = makes_operands,
      .behind = !makes_operands && Layout<kInstances[kInstance].config>::kPreparesQuery,
  };
  return enqueue(launch, [&](const Launch& attempt) {
    return attempt(forward_kernel<kInstance>, maps.query, maps.key, maps.value, p);
  });
}

}  // namespace triscope::hopper

/// Compiles the instance called `name`.
#define TRISCOPE_HOPPER_INSTANCE(name)                                                    \
  template int triscope::hopper::launch_forward<triscope::hopper::instance_called(name)>( \
      const triscope::hopper::TensorMaps&, const triscope::hopper::ForwardParameters&, int, int, cudaStream_t)
