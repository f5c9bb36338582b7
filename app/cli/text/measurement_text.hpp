// One stored measurement in full, as text.
#pragma once

#include <string>

#include "profiler/record/measurement.hpp"

namespace triscope {

/// What was measured, where and by which build, its summary, errors by output, launches, counters, and how many samples
/// carry which flag.
std::string measurement_text(const Measurement& measurement, const ResultRow& row, const Environment& environment,
                             const std::string& note);

}  // namespace triscope
