// Reads hardware counters of a launch with CUPTI's range profiler: one range around the operation, replayed by us once
// a pass (UserRange, UserReplay), caches flushed before each. In a process of its own: no tracing beside it, no latency
// from it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "profiler/record/gpu_counters.hpp"
#include "profiler/record/measurement.hpp"

namespace triscope {

class CounterReader {
 public:
  /// For the current device, whose context is made. Throws `Error` (environment) when its counters cannot be read: no
  /// CUPTI, not permitted, another profiler, MIG.
  CounterReader();
  ~CounterReader();

  /// The counters of one call of `enqueue`, which is called once a pass with the device idle after `before`. Metrics
  /// this chip lacks are left out. Throws `Error`.
  std::vector<Counter> read(CounterSet set, const std::function<void()>& enqueue, const std::function<void()>& before);

  std::string version() const;
  const std::string& chip() const;
  /// CUPTI's counter data of the last `read`, and the metrics they hold: what a test decodes again elsewhere.
  const std::vector<std::uint8_t>& last_data() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace triscope
