// A configuration in the JSON that the command line prints.
#pragma once

#include <nlohmann/json.hpp>

#include "profiler/record/measurement.hpp"

namespace triscope {

/// An object of type `type` with the members that name a configuration: kernel, instance, pass, regime, problem,
/// device.
nlohmann::json configuration_json(const char* type, const MeasurementKey& key);

}  // namespace triscope
