// profiler/protocol/jobs.hpp as JSON and back, by member name.
#pragma once

#include "profiler/protocol/jobs.hpp"
#include "profiler/record/measurement_codec.hpp"

namespace triscope {

inline void to_json(nlohmann::json& j, InputKind value) { j = std::string(to_string(value)); }
inline void from_json(const nlohmann::json& j, InputKind& value) { value = json_codec::enum_from(j, parse_input_kind); }

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CheckRequest, kernels, instance, quick, seed)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CheckRow, kernel, instance, problem, pass, inputs, status, reason, errors, index,
                                   total)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TensorMapping, names, heads_first)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(EvalRequest, in, mapping, out, kernel, instance, problem, element, backward)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(EvalReply, instance, problem, tensors, not_finite)

}  // namespace triscope
