// profiler/record/catalog.hpp as JSON and back, by member name.
#pragma once

#include "profiler/record/catalog.hpp"
#include "profiler/record/measurement_codec.hpp"

namespace triscope {

namespace json_codec {
std::optional<Fold> parse_fold(std::string_view text);
}  // namespace json_codec

inline void to_json(nlohmann::json& j, Fold value) { j = std::string(to_string(value)); }
inline void from_json(const nlohmann::json& j, Fold& value) {
  value = json_codec::enum_from(j, json_codec::parse_fold);
}

inline void to_json(nlohmann::json& j, KernelKind value) { j = std::string(to_string(value)); }
inline void from_json(const nlohmann::json& j, KernelKind& value) {
  value = json_codec::enum_from(j, parse_kernel_kind);
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(KernelCard, label, short_label, kind, colour, rank)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SourceHash, forward, backward)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(KernelInfo, id, name, card, device, fold, source_hash, instances, library)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Catalog, environment, devices, kernels, gpu_problem)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SupportQuestion, kernel, problem, pass, instance)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(InstanceSupport, instance, unsupported, workspace_bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SupportAnswer, instances)

}  // namespace triscope
