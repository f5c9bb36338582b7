#include "kernels/cuda/common/current_gpu.hpp"

#include <cuda_runtime_api.h>

#include "kernels/base/error.hpp"
#include "kernels/cuda/common/cuda_error.hpp"

namespace triscope {

Gpu current_gpu() {
  thread_local Gpu last{-1, 0, 0, ""};
  int ordinal = 0;
  if (const cudaError_t result = cudaGetDevice(&ordinal); result != cudaSuccess)
    throw Error("no GPU can be used", cudaGetErrorString(result), "run `triscope doctor`");
  if (ordinal == last.ordinal) return last;
  cudaDeviceProp properties{};
  TRISCOPE_CUDA_CHECK(cudaGetDeviceProperties(&properties, ordinal));
  last = {ordinal, properties.major, properties.minor, properties.name};
  return last;
}

void clear_cuda_error() { cudaGetLastError(); }

}  // namespace triscope
