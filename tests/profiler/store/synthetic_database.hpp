// Deterministic measurements and databases made of them, for tests of the store, the exports and the window.
#pragma once

#include <cstdint>
#include <filesystem>

#include "profiler/record/measurement.hpp"

namespace triscope {

/// An invented GPU; the same on every machine.
Environment synthetic_environment();

/// Measurement `index` of an invented sweep: the index decides windows, sequence length, kernel, pass, regime and
/// status (most are ok; every 50th failed, every 70th skipped, every 90th cancelled). The keys of different indices
/// differ. Carries `samples` samples (every 16th flagged), launches, counters and errors.
Measurement synthetic_measurement(std::int64_t index, std::int64_t samples = 100);

/// Writes `measurements` of them to `file` in sweeps of 250, the first with a note. 1,000 x 100 take a few seconds.
void write_synthetic_database(const std::filesystem::path& file, std::int64_t measurements = 1000,
                              std::int64_t samples_each = 100);

}  // namespace triscope
