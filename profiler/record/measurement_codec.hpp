// profiler/record/measurement.hpp as JSON and back, by member name.
#pragma once

#include "profiler/record/gpu_counters.hpp"
#include "profiler/record/json.hpp"
#include "profiler/record/measurement.hpp"

namespace triscope {

namespace json_codec {
std::optional<DeviceKind> parse_device_kind(std::string_view text);
}  // namespace json_codec

inline void to_json(nlohmann::json& j, Form value) { j = std::string(to_string(value)); }
inline void to_json(nlohmann::json& j, Mask value) { j = std::string(to_string(value)); }
inline void to_json(nlohmann::json& j, Element value) { j = std::string(to_string(value)); }
inline void to_json(nlohmann::json& j, Pass value) { j = std::string(to_string(value)); }
inline void to_json(nlohmann::json& j, Regime value) { j = std::string(to_string(value)); }
inline void to_json(nlohmann::json& j, TimingSource value) { j = std::string(to_string(value)); }
inline void to_json(nlohmann::json& j, CounterSet value) { j = std::string(to_string(value)); }
inline void to_json(nlohmann::json& j, Status value) { j = std::string(to_string(value)); }
inline void to_json(nlohmann::json& j, DeviceKind value) { j = std::string(to_string(value)); }

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
inline void from_json(const nlohmann::json& j, DeviceKind& value) {
  value = json_codec::enum_from(j, json_codec::parse_device_kind);
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Windows, window1, window2)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Problem, form, mask, element, deterministic, batch, seq_len, q_heads, kv_heads,
                                   head_dim, window1, window2, scale, k2_bias, v2_bias, sink)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Device, id, kind, name, uuid, compute_capability, memory_bytes, multiprocessors,
                                   peak_tflops_at_max_clock, max_sm_clock_mhz, power_limit_w, limits)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Environment, device_id, device_name, device_uuid, driver_version, cuda_version,
                                   cupti_version, power_limit_w, max_sm_clock_mhz, max_memory_clock_mhz, peak_tflops,
                                   host, cpu_model, cpu_threads, os, triscope_version, git_commit, compiler,
                                   compile_flags)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LaunchRecord, name, grid, block, cluster, registers_per_thread, static_shared_bytes,
                                   dynamic_shared_bytes, local_bytes_per_thread, start_ns, end_ns)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Counter, name, unit, value)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MeasurementKey, problem, pass, kernel, instance, regime, timing_source, device_id)
/// The same text for keys that are equal, also in a database, where -0 is 0.
std::string key_text(MeasurementKey key);
/// Without its samples (they travel as payload) and without its summary (computed from them).
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Measurement, key, source_hash, status, reason, error, errors, launches, counters,
                                   workspace_bytes, started_unix_ns, group)

}  // namespace triscope
