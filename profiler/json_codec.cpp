#include "profiler/json_codec.hpp"

namespace triscope::json_codec {

std::optional<DeviceKind> parse_device_kind(std::string_view text) {
  for (DeviceKind kind : {DeviceKind::cpu, DeviceKind::cuda}) {
    if (to_string(kind) == text) return kind;
  }
  return std::nullopt;
}

std::optional<Fold> parse_fold(std::string_view text) {
  for (Fold fold : {Fold::none, Fold::query_k2, Fold::query_k1, Fold::key_pair, Fold::cross_k2, Fold::cross_k1}) {
    if (to_string(fold) == text) return fold;
  }
  return std::nullopt;
}

}  // namespace triscope::json_codec
