#include "profiler/record/measurement_codec.hpp"

namespace triscope::json_codec {

std::optional<DeviceKind> parse_device_kind(std::string_view text) {
  for (DeviceKind kind : {DeviceKind::cpu, DeviceKind::cuda}) {
    if (to_string(kind) == text) return kind;
  }
  return std::nullopt;
}

}  // namespace triscope::json_codec
