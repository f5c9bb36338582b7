// Reads clock, power, temperature and throttle reasons on a separate thread while samples are taken.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "profiler/worker/cuda/nvml.hpp"
#include "profiler/worker/device/gpu_conditions.hpp"

namespace triscope {

/// Polls `nvml` every 15 ms from construction to destruction and keeps the last minute. `join` may be called by any
/// thread.
class ConditionMonitor {
 public:
  explicit ConditionMonitor(const Nvml& nvml);

  /// Joins the readings of [start_ns, end_ns] to `sample`, waiting for the first reading after a span that is shorter
  /// than the polling period.
  void join(Sample& sample, std::int64_t start_ns, std::int64_t end_ns);

 private:
  void poll(std::stop_token stop);

  const Nvml& nvml_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<ConditionReading> readings_;
  std::jthread thread_;  // last: it uses what stands above
};

}  // namespace triscope
