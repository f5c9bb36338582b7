// What a sweep says while it runs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "profiler/plan/progress.hpp"
#include "profiler/plan/sweep_queue.hpp"
#include "profiler/record/measurement.hpp"
#include "profiler/sweep/sweep_control.hpp"

namespace triscope {

/// What was measured could not be stored, or is stored now.
struct Unstored {
  std::string why;   ///< the database did not take it; empty: it takes everything again
  std::string kept;  ///< what becomes of it: a sentence
};

/// Callbacks of a running sweep; called on the thread that runs it.
struct SweepObserver {
  /// The sweep is in the database under this id, and locked.
  std::function<void(std::int64_t sweep)> started = [](std::int64_t) {};
  std::function<void(const Progress&)> progress = [](const Progress&) {};
  std::function<void(std::shared_ptr<const SweepQueue>)> queued = [](const std::shared_ptr<const SweepQueue>&) {};
  std::function<void(const SweepStage&)> began = [](const SweepStage&) {};
  /// Samples as they are taken, some ten times a second; `measured` brings all of them again.
  std::function<void(const MeasurementKey&, const std::vector<Sample>&)> sampled = [](const MeasurementKey&,
                                                                                      const std::vector<Sample>&) {};
  std::function<void(const Measurement&, std::int64_t row)> measured = [](const Measurement&, std::int64_t) {};
  std::function<void(const std::string&)> log = [](const std::string&) {};
  /// What a person should see who does not read `log`, which has it as well.
  std::function<void(const Unstored&)> unstored = [](const Unstored&) {};
  std::stop_token closing{};  ///< as `WorkerOptions::closing`; the sweep itself ends by its own stop token
  std::shared_ptr<SweepControl> control{};  ///< what a person asks of it meanwhile; null: nothing
};

}  // namespace triscope
