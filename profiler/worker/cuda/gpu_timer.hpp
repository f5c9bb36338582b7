// How launches on a stream are timed: CUPTI's kernel records (the latency of record) or CUDA events (the cross-check).
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <vector>

#include "profiler/record/measurement.hpp"
#include "profiler/worker/device/gpu_records.hpp"

namespace triscope {

/// Times launches that `enqueue` puts on `stream`. Each call returns with the stream idle.
class GpuTimer {
 public:
  virtual ~GpuTimer() = default;
  virtual TimingSource source() const = 0;
  /// Version of what measures, for the environment: CUPTI's, or empty.
  virtual std::string version() const = 0;
  virtual BlockTimes time(cudaStream_t stream, const std::function<void()>& enqueue, std::int64_t launches) = 0;
  /// Launches once and says which kernels ran; empty when the timer does not know.
  virtual std::vector<LaunchRecord> record(cudaStream_t stream, const std::function<void()>& enqueue) = 0;
};

/// Must be made before the first CUDA call of the process. Errors as `ActivityTrace`.
std::unique_ptr<GpuTimer> make_activity_timer();
std::unique_ptr<GpuTimer> make_events_timer();

}  // namespace triscope
