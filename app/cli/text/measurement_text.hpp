// One stored measurement in full, as text.
#pragma once

#include <string>

#include "profiler/record/measurement.hpp"

namespace triscope {

/// What was measured, where and by which build, its summary, errors by output, launches, counters, and how many samples
/// carry which flag.
std::string measurement_text(const Measurement& measurement, const ResultRow& row, const Environment& environment,
                             const std::string& note);

/// The same of what a table has of it, where `why` the rest cannot be used: a row of a file from elsewhere.
std::string unusable_measurement_text(const ResultRow& row, const std::string& why, const std::string& note);

}  // namespace triscope
