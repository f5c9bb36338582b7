// What a measuring job says while it runs.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "profiler/protocol/messages.hpp"

namespace triscope {

/// Callbacks while a job runs; called on the thread that runs it.
struct JobObserver {
  std::function<void(const ProgressReport&)> progress = [](const ProgressReport&) {};
  std::function<void(std::int64_t entry, const std::vector<Sample>&)> sampled = [](std::int64_t,
                                                                                   const std::vector<Sample>&) {};
  /// An entry is finished: measured, or failed with the reason.
  std::function<void(std::int64_t entry, const Measurement&)> measured = [](std::int64_t, const Measurement&) {};
  /// Before that: outputs with this fingerprint passed the whole check.
  std::function<void(std::int64_t entry, std::uint64_t fingerprint)> accepted = [](std::int64_t, std::uint64_t) {};
};

}  // namespace triscope
