// CUDA runtime calls that cannot be ignored, and the resources they hand out.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <utility>

namespace triscope {

/// Throws `Error` when `result` is not cudaSuccess: the expression, where it stands, the error's name and its text.
void check_cuda(cudaError_t result, const char* expression, const char* file, int line);

/// Throws `Error` with the reason a kernel launch was refused, and clears it; `kernel` names the launch.
void check_launch(const char* kernel);

}  // namespace triscope

#define TRISCOPE_CUDA_CHECK(expression) ::triscope::check_cuda((expression), #expression, __FILE__, __LINE__)

namespace triscope::cuda {

/// Device memory; freed by the destructor. Throws `Error` when it cannot be had.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::size_t bytes);
  ~DeviceBuffer();
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  void* data() const noexcept { return data_; }
  std::size_t bytes() const noexcept { return bytes_; }
  template <typename T>
  T* as() const noexcept {
    return static_cast<T*>(data_);
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// A stream that does not wait for the legacy default stream.
class Stream {
 public:
  Stream();
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  cudaStream_t get() const noexcept { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// A pair of events around enqueued work.
class EventTimer {
 public:
  EventTimer();
  ~EventTimer();
  EventTimer(const EventTimer&) = delete;
  EventTimer& operator=(const EventTimer&) = delete;
  void start(cudaStream_t stream);
  void stop(cudaStream_t stream);
  /// Waits for `stop` and returns the milliseconds between the two.
  double elapsed_ms();

 private:
  cudaEvent_t start_ = nullptr;
  cudaEvent_t stop_ = nullptr;
};

}  // namespace triscope::cuda
