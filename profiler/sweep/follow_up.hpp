// What separate processes add to measurements after these were stored: the cross-check by CUDA
// events and hardware counters. Neither ever changes a latency.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "profiler/plan/request.hpp"
#include "profiler/store/store.hpp"
#include "profiler/supervise/supervisor.hpp"

namespace triscope {

/// Follows up the measurements of one sweep, group by group. Use on one thread, like `Supervisor`.
class FollowUp {
 public:
  /// `options` start a worker for the sweep's device; the mode is chosen here. `tell` gets one line of progress.
  FollowUp(WorkerOptions options, const SweepRequest& request, Store& store,
           std::function<void(const std::string&)> tell);

  /// Cross-checks those of `group` that CUPTI timed; reads counters of `group` when the request asks for them. Store
  /// what they find, or why not. All of `group` read the same tensors. After a stop the rest stays missing. Throw
  /// only what `store` throws.
  void cross_check(const std::vector<StoredMeasurement>& group, std::stop_token stop);
  void read_counters(const std::vector<StoredMeasurement>& group, std::stop_token stop);

 private:
  /// A worker of one mode, started when it is first needed, and not again once it could not be started.
  struct Helper {
    std::string mode;
    std::optional<Supervisor> supervisor;
    std::string refusal;  ///< why it does not start
  };
  using Measured = std::function<void(const StoredMeasurement&, const Measurement&)>;

  /// Runs `group` once more in `helper` and hands each entry over, failed ones too.
  void ask(Helper& helper, CounterSet counters, const std::vector<StoredMeasurement>& group, std::stop_token stop,
           const Measured& measured);

  WorkerOptions options_;
  const SweepRequest& request_;
  Store& store_;
  std::function<void(const std::string&)> tell_;
  Helper events_{"events", std::nullopt, ""};
  Helper counters_{"counters", std::nullopt, ""};
};

/// The cross-check that a measurement by another clock makes; a failed one gives its reason.
CrossCheck cross_check_of(const Measurement& measurement);

}  // namespace triscope
