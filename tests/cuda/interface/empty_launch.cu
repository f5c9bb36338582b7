#include "kernels/cuda/common/cuda_error.hpp"
#include "tests/cuda/interface/empty_launch.hpp"

namespace triscope::test {
namespace {

struct Parameters {
  char bytes[1024];
};

__global__ void nothing(__grid_constant__ const Parameters) {}

}  // namespace

void launch_nothing(void* stream) {
  nothing<<<1, 32, 0, static_cast<cudaStream_t>(stream)>>>(Parameters{});
  TRISCOPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace triscope::test
