#include "kernels/cuda/hopper/backward/kernel/kernel.cuh"

namespace triscope::hopper::backward {

void launch_deterministic_d128_cross(const TensorMaps& maps, const BackwardParameters& p, const Preparation& to,
                                     int blocks, cudaStream_t stream) {
  launch_instance<128, true, true>(maps, p, to, blocks, stream);
}

}  // namespace triscope::hopper::backward
