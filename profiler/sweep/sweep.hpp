// The main job: a request becomes a plan, the plan is measured by workers, every result is stored at once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "profiler/plan/plan.hpp"
#include "profiler/plan/request.hpp"
#include "profiler/sweep/sweep_observer.hpp"
#include "profiler/sweep/sweep_outcome.hpp"

namespace triscope {

/// What `run_sweep` would measure, without measuring or storing anything.
struct SweepForecast {
  Plan plan;
  std::vector<Estimate> groups;  ///< of each group of the plan
  Estimate total;                ///< seconds add up, bytes are the largest group's
  Device device;
  double load = 0;      ///< `load_here`
  std::string refusal;  ///< why nothing can be timed as it was asked for; empty: it can
};

/// Starts a worker to ask what is there and what the kernels support. Times are estimated from counted FLOPs and a rate
/// assumed for the kind of device. Throws `Error` as `run_sweep` does before it measures.
SweepForecast forecast_sweep(const SweepRequest& given, const SweepObserver& observer);

/// Runs `request`, storing each measurement as it ends. With `resume`, continues that sweep: its stored request decides
/// what is measured (of `request` only worker_prefix, time_limit and tensors are used, and must be given where
/// the sweep had a prefix or tensors: what a database names is never run or opened), finished keys are left alone.
/// Where `observer.control` asks for more of its rows at the start, so are those of kernels that have changed since.
/// Blocks; a stop takes effect after the current sample. While it runs it holds the sweep's `SweepLock`; a sweep that
/// is being measured elsewhere is not resumed. A worker that crashes, hangs or sends nonsense costs one configuration
/// (`failed`, with the reason). After each group, other processes cross-check what CUPTI timed and read the counters
/// that were asked for. Where the device's clock is not available, every row is `failed` and says why. Throws `Error`
/// when nothing can be measured at all (usage or environment).
SweepOutcome run_sweep(const SweepRequest& request, const std::filesystem::path& database,
                       const SweepObserver& observer, std::stop_token stop,
                       std::optional<std::int64_t> resume = std::nullopt);

}  // namespace triscope
