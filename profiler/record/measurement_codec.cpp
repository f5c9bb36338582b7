#include "profiler/record/measurement_codec.hpp"

namespace triscope {

std::string key_text(MeasurementKey key) {
  Problem& problem = key.problem;
  problem.k2_bias += 0.0;
  problem.v2_bias += 0.0;
  if (problem.scale) *problem.scale += 0.0;
  if (problem.sink) *problem.sink += 0.0;
  return dump_line(nlohmann::json(key));
}

}  // namespace triscope

namespace triscope::json_codec {

std::optional<DeviceKind> parse_device_kind(std::string_view text) {
  for (DeviceKind kind : {DeviceKind::cpu, DeviceKind::cuda}) {
    if (to_string(kind) == text) return kind;
  }
  return std::nullopt;
}

}  // namespace triscope::json_codec
