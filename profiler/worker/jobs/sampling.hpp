// The sampling loop: blocks of several launches in turn (A B A B), until each has been sampled enough.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "profiler/record/clock.hpp"
#include "profiler/record/measurement.hpp"
#include "profiler/statistics/statistics.hpp"
#include "profiler/worker/device/backend.hpp"

namespace triscope {

/// One of the launches that are sampled side by side.
struct SamplingEntry {
  std::int64_t index = 0;  ///< the caller's name for it
  std::string label;       ///< "cpu.fast forward 512x32", for progress lines
  Launch launch;
  std::vector<Sample> samples;  ///< filled; `started_ns` counts from the entry's first sample
  StopReason stop = StopReason::go_on;
  std::string failure;  ///< why its launch failed, when it did; it is left out from then on

  std::vector<double> block_values;  ///< ns per launch, one a block
  std::int64_t whole_blocks = 0;     ///< blocks of the turns that it ended; the others may be a part of one
  std::int64_t launches_per_block = 1;
  std::int64_t launch_ns = 0;   ///< of one launch, as the warm-up found it
  std::int64_t elapsed_ns = 0;  ///< spent on it, flushing included
  std::int64_t first_ns = 0;
};

/// What is told of sampling while it goes on. Everything but `cancelled` is called between blocks only, never while a
/// launch is timed, and no oftener than every `kTellPeriodNs`; only what is in work is named before each block that is
/// another entry's than the one before.
struct SamplingHooks {
  std::function<bool()> cancelled = [] { return false; };
  std::function<void(const SamplingEntry&, const char* stage, const std::string& text)> progress =
      [](const SamplingEntry&, const char*, const std::string&) {};
  /// Samples that were not told before.
  std::function<void(const SamplingEntry&, std::span<const Sample>)> sampled = [](const SamplingEntry&,
                                                                                  std::span<const Sample>) {};
  std::function<std::int64_t()> now_ns = [] { return monotonic_raw_ns(); };
};
inline constexpr std::int64_t kTellPeriodNs = 100'000'000;

/// Samples `entries` in `regime`. Sustained: 200 ms of warm-up each, then blocks of at least 40 ms. Burst: single
/// launches from a cold device. All go on in turns until `rule` stops each of them, so that every block has its pairs.
/// A turn is one block. On a backend that has to settle after a change of load it is up to that time, untimed, and then
/// a second of blocks; of a budget below 1.8 s less, and below 1.6 s each takes half. There an entry's first turn
/// settles for `first_settle_ns` if that is longer, also when it is the only one; that time is not of its budget.
/// Returns false when it was cancelled; samples taken until then are kept.
bool take_samples(Backend& backend, Regime regime, const StoppingRule& rule, std::vector<SamplingEntry>& entries,
                  const SamplingHooks& hooks, std::int64_t first_settle_ns = 0);

}  // namespace triscope
