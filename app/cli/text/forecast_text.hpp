// What `triscope sweep --dry-run` prints.
#pragma once

#include <cstddef>
#include <string>

#include "profiler/sweep/sweep.hpp"

namespace triscope {

/// A line for each measurement with the time of its group, what is skipped and why, and the sums.
std::string forecast_table(const SweepForecast& forecast, std::size_t width);
/// One object a line: `planned` for each measurement, `skipped`, and a `forecast` with the sums.
std::string forecast_json(const SweepForecast& forecast);

}  // namespace triscope
