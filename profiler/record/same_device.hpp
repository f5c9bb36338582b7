// Whether two environments are of one device.
#pragma once

#include "profiler/record/measurement.hpp"

namespace triscope {

/// What stands for a device in a row that cannot be read.
inline constexpr const char* kUnknownDevice = "?";

/// Of a device that cannot be read nobody knows whether it is another's.
inline bool is_known_device(const Environment& environment) {
  return !environment.device_name.empty() && environment.device_name != kUnknownDevice;
}

/// Devices of one name; two that cannot be read are never the same.
inline bool on_same_device(const Environment& a, const Environment& b) {
  return a.device_name == b.device_name && is_known_device(a);
}

}  // namespace triscope
