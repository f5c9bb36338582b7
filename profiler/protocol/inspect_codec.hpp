// The messages of profiler/protocol/inspect_jobs.hpp as JSON; their arrays travel as payload. Include only where JSON
// is made.
#pragma once

#include "profiler/protocol/inspect_jobs.hpp"
#include "profiler/protocol/jobs_codec.hpp"
#include "profiler/record/measurement_codec.hpp"

namespace triscope {

inline void to_json(nlohmann::json& j, SourceKind value) { j = std::string(to_string(value)); }
inline void to_json(nlohmann::json& j, Arithmetic value) { j = std::string(to_string(value)); }
inline void from_json(const nlohmann::json& j, SourceKind& value) {
  value = json_codec::enum_from(j, parse_source_kind);
}
inline void from_json(const nlohmann::json& j, Arithmetic& value) {
  value = json_codec::enum_from(j, parse_arithmetic);
}
inline void to_json(nlohmann::json& j, WrongPairKind value) { j = std::string(to_string(value)); }
inline void from_json(const nlohmann::json& j, WrongPairKind& value) {
  value = json_codec::enum_from(j, parse_wrong_pair_kind);
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(NamedTensor, name, shape, element)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AttentionSource, kind, opening, seed, seq_len, q_heads, kv_heads, head_dim, form,
                                   rotary, file, mapping, labels_file, numbers, modulus, c)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SliceQuery, problem, arithmetic, batch, head, query)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Triple, j, k, logit, p, output_share)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Slice, first1, count1, first2, count2, lse, entropy, largest_p, sink_p, distance1,
                                   distance2, top, nan_count, infinite_count, elapsed_ns)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Overview, heads, columns, step, elapsed_ns)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HeadSheet, heads, width, height, elapsed_ns)

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SourceRequest, source)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SourceReply, problem, batch, seq_len, q_heads, kv_heads, head_dim, sink, values,
                                   labels, tensors, names)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SliceRequest, source, query, top)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SliceReply, slice)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OverviewRequest, source, query, step)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OverviewReply, overview)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SheetRequest, source, query, width, height)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SheetReply, sheet)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(KernelRowRequest, source, query, kernel)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WrongPair, kind, j, k, share, c, p, times)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(KernelRow, instance, element, error, bound, wrong, lse, exact_lse)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(KernelRowReply, row)

}  // namespace triscope
