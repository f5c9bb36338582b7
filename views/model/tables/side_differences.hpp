// In what compared sides differ besides their times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "views/data/window_data.hpp"
#include "views/model/tables/compare_model.hpp"

namespace triscope {

std::string device_text(const SweepResults& results);
bool on_several_devices(const std::vector<ComparedSweep>& compared);

/// The machine, its conditions, how it was timed, then the software. All that `triscope compare` names is among them:
/// of places and settings both have the same facts (profiler/record/environment_difference).
std::vector<Difference> differences_of(const std::vector<ComparedSweep>& compared, std::int64_t now);

}  // namespace triscope
