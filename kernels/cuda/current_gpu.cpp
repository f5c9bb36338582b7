#include "kernels/cuda/current_gpu.hpp"

#include "kernels/cuda/cuda_error.hpp"

namespace triscope {

Gpu current_gpu() {
  thread_local Gpu last{-1, 0, 0, ""};
  int ordinal = 0;
  TRISCOPE_CUDA_CHECK(cudaGetDevice(&ordinal));
  if (ordinal == last.ordinal) return last;
  cudaDeviceProp properties{};
  TRISCOPE_CUDA_CHECK(cudaGetDeviceProperties(&properties, ordinal));
  last = {ordinal, properties.major, properties.minor, properties.name};
  return last;
}

}  // namespace triscope
