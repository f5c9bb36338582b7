#include <cuda_runtime.h>

#include "kernels/cuda/common/cuda_error.hpp"
#include "tests/cuda/bad_gpu_kernels.hpp"

namespace triscope::bad {
namespace {

__global__ void spin_kernel(unsigned long long nanoseconds) {
  unsigned long long start = 0, now = 0;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (now - start < nanoseconds);
}

__global__ void write_kernel(int* address) { *address = 1; }

}  // namespace

void spin(void* stream, double seconds) {
  spin_kernel<<<1, 32, 0, static_cast<cudaStream_t>(stream)>>>(static_cast<unsigned long long>(seconds * 1e9));
  check_launch("spin_kernel");
}

void write_nowhere(void* stream) {
  write_kernel<<<1, 1, 0, static_cast<cudaStream_t>(stream)>>>(reinterpret_cast<int*>(8));
  check_launch("write_kernel");
}

void launch_impossible(void* stream) {
  spin_kernel<<<1, 4096, 0, static_cast<cudaStream_t>(stream)>>>(0);
  check_launch("spin_kernel with 4096 threads a block");
}

}  // namespace triscope::bad
