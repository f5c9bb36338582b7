// What is known of a stored measurement without reading all it carries.
#pragma once

#include <cstdint>
#include <string>

#include "profiler/record/measurement.hpp"

namespace triscope {

/// The key of a finished measurement and the source of the kernel it was measured with.
struct FinishedKey {
  MeasurementKey key;
  std::string source_hash;
  bool operator==(const FinishedKey&) const = default;
};

/// A stored measurement with samples.
struct StoredMeasurement {
  std::int64_t row = 0;
  MeasurementKey key;
  std::string source_hash;
};

}  // namespace triscope
