#include "kernels/cuda/common/cuda_error.hpp"

#include <fmt/format.h>

#include "kernels/base/error.hpp"

namespace triscope {

namespace {

const char* fix_for(cudaError_t result) {
  switch (result) {
    case cudaErrorMemoryAllocation:
      return "use a smaller problem, or end other programs that hold memory of this GPU";
    case cudaErrorNoKernelImageForDevice:
      return "this build has no code for the compute capability of this GPU: run ./run build --cuda on this machine, "
             "or "
             "name it in TRISCOPE_CUDA_ARCHS";
    default:
      return "run `triscope doctor` to see what this machine offers";
  }
}

}  // namespace

void check_cuda(cudaError_t result, const char* expression, const char* file, int line) {
  if (result == cudaSuccess) return;
  throw Error(fmt::format("{} ({}:{}) failed", expression, file, line),
              fmt::format("{}: {}", cudaGetErrorName(result), cudaGetErrorString(result)), fix_for(result));
}

void check_launch(const char* kernel) {
  const cudaError_t result = cudaGetLastError();
  if (result == cudaSuccess) return;
  throw Error(fmt::format("launching {} failed", kernel),
              fmt::format("{}: {}", cudaGetErrorName(result), cudaGetErrorString(result)), fix_for(result));
}

}  // namespace triscope

namespace triscope::cuda {

DeviceBuffer::DeviceBuffer(std::size_t bytes) : bytes_(bytes) {
  if (bytes > 0) TRISCOPE_CUDA_CHECK(cudaMalloc(&data_, bytes));
}

DeviceBuffer::~DeviceBuffer() {
  if (data_ != nullptr) cudaFree(data_);  // a destructor cannot report; the next checked call does
}

Stream::Stream() { TRISCOPE_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }

Stream::~Stream() { cudaStreamDestroy(stream_); }

EventTimer::EventTimer() {
  TRISCOPE_CUDA_CHECK(cudaEventCreate(&start_));
  TRISCOPE_CUDA_CHECK(cudaEventCreate(&stop_));
}

EventTimer::~EventTimer() {
  cudaEventDestroy(start_);
  cudaEventDestroy(stop_);
}

void EventTimer::start(cudaStream_t stream) { TRISCOPE_CUDA_CHECK(cudaEventRecord(start_, stream)); }

void EventTimer::stop(cudaStream_t stream) { TRISCOPE_CUDA_CHECK(cudaEventRecord(stop_, stream)); }

double EventTimer::elapsed_ms() {
  float milliseconds = 0;
  TRISCOPE_CUDA_CHECK(cudaEventSynchronize(stop_));
  TRISCOPE_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start_, stop_));
  return milliseconds;
}

}  // namespace triscope::cuda
