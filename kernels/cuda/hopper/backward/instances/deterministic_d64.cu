#include "kernels/cuda/hopper/backward/kernel/kernel.cuh"

namespace triscope::hopper::backward {

void launch_deterministic_d64(const TensorMaps& maps, const BackwardParameters& p, const Preparation& to, int blocks,
                              cudaStream_t stream) {
  launch_instance<64, false, true>(maps, p, to, blocks, stream);
}

}  // namespace triscope::hopper::backward
