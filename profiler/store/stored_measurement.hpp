// What is known of a stored measurement without reading all it carries.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "profiler/record/measurement.hpp"

namespace triscope {

/// The key of a finished measurement and the source of the kernel it was measured with.
struct FinishedKey {
  MeasurementKey key;
  std::string source_hash;
  std::int64_t row = 0;
  std::int64_t restarts = 0;  ///< that were measured; 0 when it is skipped
  bool operator==(const FinishedKey&) const = default;
};

/// What another restart changes in the stored measurement `row`.
struct MeasurementUpdate {
  std::int64_t row = 0;
  std::vector<Sample> samples;  ///< added to those there are
  Summary summary;              ///< of all of them
  Status status = Status::ok;
  std::string reason;
};

/// A stored measurement with samples.
struct StoredMeasurement {
  std::int64_t row = 0;
  MeasurementKey key;
  std::string source_hash;
};

/// What a comparison needs of a stored measurement.
struct SampleSeries {
  std::int64_t group = -1;  ///< as `Measurement::group`
  bool converged = false;
  std::vector<Sample> samples;
  std::map<std::int64_t, std::vector<Sample>> turns;  ///< as `Measurement::turns`
  std::set<std::string> companions;                   ///< kernels that it took turns with

  /// What it sampled in turns with the measurements of `group`; null: it took no turns with them.
  const std::vector<Sample>* in_turns_with(std::int64_t other) const {
    if (other < 0) return nullptr;
    if (other == group) return &samples;
    const auto found = turns.find(other);
    return found == turns.end() ? nullptr : &found->second;
  }
};

}  // namespace triscope
