// The way from an instance's number in the table to its code.
#pragma once

#include "kernels/cuda/hopper/forward/launch.hpp"

namespace triscope::hopper {

/// Enqueues instance kInstances[instance]; the rest as in launch_forward.
int launch_instance(int instance, const TensorMaps& maps, const ForwardParameters& p, int blocks, int shared_bytes,
                    cudaStream_t stream);

}  // namespace triscope::hopper
