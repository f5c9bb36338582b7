// Plain structs to JSON and back, by member name. Include only where JSON is made or read (it is a heavy header).
// Reading throws nlohmann::json::exception; callers turn that into an Error that names what they were reading.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "profiler/catalog.hpp"
#include "profiler/gpu_counters.hpp"
#include "profiler/jobs.hpp"
#include "profiler/measurement.hpp"
#include "profiler/statistics.hpp"

namespace nlohmann {

/// An unset optional is null.
template <typename T>
struct adl_serializer<std::optional<T>> {
  static void to_json(json& j, const std::optional<T>& value) {
    if (value) {
      j = *value;
    } else {
      j = nullptr;
    }
  }
  static void from_json(const json& j, std::optional<T>& value) {
    if (j.is_null()) {
      value.reset();
    } else {
      value = j.get<T>();
    }
  }
};

}  // namespace nlohmann

namespace triscope {

namespace json_codec {
template <typename Enum>
Enum enum_from(const nlohmann::json& j, std::optional<Enum> (*parse)(std::string_view)) {
  const auto text = j.get<std::string>();
  const std::optional<Enum> value = parse(text);
  if (!value) throw nlohmann::json::other_error::create(501, "unknown name \"" + text + "\"", &j);
  return *value;
}
std::optional<DeviceKind> parse_device_kind(std::string_view text);
std::optional<Fold> parse_fold(std::string_view text);
}  // namespace json_codec

inline void to_json(nlohmann::json& j, Form value) { j = std::string(to_string(value)); }
inline void to_json(nlohmann::json& j, Mask value) { j = std::string(to_string(value)); }
inline void to_json(nlohmann::json& j, Element value) { j = std::string(to_string(value)); }
inline void to_json(nlohmann::json& j, Pass value) { j = std::string(to_string(value)); }
inline void to_json(nlohmann::json& j, Regime value) { j = std::string(to_string(value)); }
inline void to_json(nlohmann::json& j, TimingSource value) { j = std::string(to_string(value)); }
inline void to_json(nlohmann::json& j, CounterSet value) { j = std::string(to_string(value)); }
inline void to_json(nlohmann::json& j, Status value) { j = std::string(to_string(value)); }
inline void to_json(nlohmann::json& j, InputKind value) { j = std::string(to_string(value)); }
inline void to_json(nlohmann::json& j, DeviceKind value) { j = std::string(to_string(value)); }
inline void to_json(nlohmann::json& j, Fold value) { j = std::string(to_string(value)); }

inline void from_json(const nlohmann::json& j, Form& value) { value = json_codec::enum_from(j, parse_form); }
inline void from_json(const nlohmann::json& j, Mask& value) { value = json_codec::enum_from(j, parse_mask); }
inline void from_json(const nlohmann::json& j, Element& value) { value = json_codec::enum_from(j, parse_element); }
inline void from_json(const nlohmann::json& j, Pass& value) { value = json_codec::enum_from(j, parse_pass); }
inline void from_json(const nlohmann::json& j, Regime& value) { value = json_codec::enum_from(j, parse_regime); }
inline void from_json(const nlohmann::json& j, TimingSource& value) {
  value = json_codec::enum_from(j, parse_timing_source);
}
inline void from_json(const nlohmann::json& j, CounterSet& value) {
  value = json_codec::enum_from(j, parse_counter_set);
}
inline void from_json(const nlohmann::json& j, Status& value) { value = json_codec::enum_from(j, parse_status); }
inline void from_json(const nlohmann::json& j, InputKind& value) { value = json_codec::enum_from(j, parse_input_kind); }
inline void from_json(const nlohmann::json& j, DeviceKind& value) {
  value = json_codec::enum_from(j, json_codec::parse_device_kind);
}
inline void from_json(const nlohmann::json& j, Fold& value) {
  value = json_codec::enum_from(j, json_codec::parse_fold);
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Windows, window1, window2)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Problem, form, mask, element, deterministic, batch, seq_len, q_heads, kv_heads,
                                   head_dim, window1, window2, scale, k2_bias, v2_bias, sink)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(KernelInfo, id, name, family, device, fold, source_hash, instances, library)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Device, id, kind, name, uuid, compute_capability, memory_bytes, multiprocessors,
                                   peak_tflops_at_max_clock, max_sm_clock_mhz, power_limit_w, limits)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Environment, device_id, device_name, device_uuid, driver_version, cuda_version,
                                   cupti_version, power_limit_w, max_sm_clock_mhz, max_memory_clock_mhz, peak_tflops,
                                   host, cpu_model, cpu_threads, os, triscope_version, git_commit, compiler,
                                   compile_flags)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LaunchRecord, name, grid, block, cluster, registers_per_thread, static_shared_bytes,
                                   dynamic_shared_bytes, local_bytes_per_thread, start_ns, end_ns)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Counter, name, unit, value)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TimelinePoint, time_ns, value)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Timeline, name, unit, points)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MeasurementKey, problem, pass, kernel, instance, regime, timing_source, device_id)
/// Without its samples (they travel as payload) and without its summary (computed from them).
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Measurement, key, source_hash, status, reason, error, errors, launches, counters,
                                   timelines, workspace_bytes, started_unix_ns, group)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StoppingRule, precision, budget_ns, min_blocks, max_blocks)

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Catalog, environment, devices, kernels, gpu_problem)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SupportQuestion, kernel, problem, pass, instance)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(InstanceSupport, instance, unsupported, workspace_bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SupportAnswer, instances)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CheckRequest, kernels, instance, quick, seed)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CheckRow, kernel, instance, problem, pass, inputs, status, reason, errors, index,
                                   total)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(EvalRequest, in, out, kernel, instance, problem, element, backward)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(EvalReply, instance, problem, tensors, not_finite)

/// One line; bytes that are no UTF-8 (a kernel's message, a file name) are replaced rather than refused.
inline std::string dump_line(const nlohmann::json& j) {
  return j.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace triscope
