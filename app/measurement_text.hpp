// One stored measurement in full, as text.
#pragma once

#include <string>

#include "profiler/measurement.hpp"

namespace triscope {

/// What was measured, its summary, errors by output, launches, counters, and every flagged sample with its reason.
std::string measurement_text(const Measurement& measurement, const ResultRow& row, const std::string& note);

}  // namespace triscope
