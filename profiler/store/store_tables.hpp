// The columns of each table, once (assets/schema.sql says what they mean). Row ids and references to other tables are
// not among them: who writes a row gives those by name.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "profiler/record/clock.hpp"
#include "profiler/store/store_columns.hpp"
#include "profiler/store/store_rows.hpp"

namespace triscope::tables {

using namespace sql;

inline constexpr Table kEnvironments{
    "environment",
    column("device_id", &Environment::device_id),
    column("device_name", &Environment::device_name),
    column("device_uuid", &Environment::device_uuid),
    column("driver_version", &Environment::driver_version),
    column("cuda_version", &Environment::cuda_version),
    column("cupti_version", &Environment::cupti_version),
    column("power_limit_w", &Environment::power_limit_w),
    column("max_sm_clock_mhz", &Environment::max_sm_clock_mhz),
    column("max_memory_clock_mhz", &Environment::max_memory_clock_mhz),
    column("peak_tflops", &Environment::peak_tflops),
    column("host", &Environment::host),
    column("cpu_model", &Environment::cpu_model),
    column("cpu_threads", &Environment::cpu_threads),
    column("os", &Environment::os),
    column("triscope_version", &Environment::triscope_version),
    column("git_commit", &Environment::git_commit),
    column("compiler", &Environment::compiler),
    long_line("compile_flags", &Environment::compile_flags),
};

inline constexpr Table kSpreads{
    "sweep",
    column(
        "time_variance", [](auto& spread) -> auto& { return spread.times.variance; }),
    column(
        "time_degrees", [](auto& spread) -> auto& { return spread.times.degrees; }),
    column(
        "ratio_variance", [](auto& spread) -> auto& { return spread.ratios.variance; }),
    column(
        "ratio_degrees", [](auto& spread) -> auto& { return spread.ratios.degrees; }),
};

/// A row of `sweep`; the row id of its environment is another in each database.
struct SweepRow {
  std::string uuid;
  std::int64_t started_unix_ns = 0;
  std::optional<std::int64_t> finished_unix_ns;
  std::string command;
  std::string request;
  std::int64_t planned = 0;
  bool starred = false;
  SweepSpread spread;
};
inline constexpr Table kSweeps{
    "sweep",
    column("uuid", &SweepRow::uuid),
    column("started_unix_ns", &SweepRow::started_unix_ns),
    column("finished_unix_ns", &SweepRow::finished_unix_ns),
    long_line("command", &SweepRow::command),
    long_line("request", &SweepRow::request),
    column("planned", &SweepRow::planned),
    column("starred", &SweepRow::starred),
    within(&SweepRow::spread, kSpreads.columns),
};

inline constexpr Table kConfigs{
    "config",
    named("form", &Problem::form, parse_form),
    named("mask", &Problem::mask, parse_mask),
    named("element", &Problem::element, parse_element),
    column("deterministic", &Problem::deterministic),
    column("batch", &Problem::batch),
    column("seq_len", &Problem::seq_len),
    column("q_heads", &Problem::q_heads),
    column("kv_heads", &Problem::kv_heads),
    column("head_dim", &Problem::head_dim),
    column("window1", &Problem::window1),
    column("window2", &Problem::window2),
    column("scale", &Problem::scale),
    column("k2_bias", &Problem::k2_bias),
    column("v2_bias", &Problem::v2_bias),
    column("sink", &Problem::sink),
};

// Places in what has a `key` and a `source_hash`: a Measurement, a FinishedKey, a StoredMeasurement.
inline constexpr auto kKeyOf = [](auto& row) -> auto& { return row.key; };
inline constexpr auto kProblemOf = [](auto& row) -> auto& { return row.key.problem; };
inline constexpr auto kKernelOf = [](auto& row) -> auto& { return row.key.kernel; };
inline constexpr auto kSourceHashOf = [](auto& row) -> auto& { return row.source_hash; };

inline constexpr Table kKernels{
    "kernel",
    column("name", kKernelOf),
    column("source_hash", kSourceHashOf),
};

/// Of the same rows, beside what kKernels holds.
inline constexpr Table kCards{
    "kernel",
    column("label", &KernelCard::label),
    column("short_label", &KernelCard::short_label),
    named("kind", &KernelCard::kind, parse_kernel_kind),
    column("colour", &KernelCard::colour),
    column("rank", &KernelCard::rank),
};

// A row of `measurement`, in four parts.
inline constexpr Table kKeys{
    "measurement",
    column("instance", &MeasurementKey::instance),
    named("pass", &MeasurementKey::pass, parse_pass),
    column("device_id", &MeasurementKey::device_id),
    named("timing_source", &MeasurementKey::timing_source, parse_timing_source),
    named("regime", &MeasurementKey::regime, parse_regime),
};

/// A time of the summary: NULL when there are no samples (then it is 0 in memory), or when it is not finite.
template <double Summary::*time>
constexpr auto time_of_samples(std::string_view name, double when_null) {
  return column(
      name, [](const Summary& s) { return s.samples > 0 ? std::optional(s.*time) : std::nullopt; },
      [when_null](Summary& s, std::optional<double> ms) { s.*time = ms.value_or(s.samples > 0 ? when_null : 0); });
}
inline constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kUnbounded = std::numeric_limits<double>::infinity();
inline constexpr Table kSummaries{
    "measurement",
    column("samples", &Summary::samples),  // before the times, which ask for it
    time_of_samples<&Summary::median_ms>("median_ms", kNotANumber),
    time_of_samples<&Summary::ci_low_ms>("ci_low_ms", -kUnbounded),
    time_of_samples<&Summary::ci_high_ms>("ci_high_ms", kUnbounded),
    time_of_samples<&Summary::quartile1_ms>("quartile1_ms", kNotANumber),
    time_of_samples<&Summary::quartile3_ms>("quartile3_ms", kNotANumber),
    time_of_samples<&Summary::min_ms>("min_ms", kNotANumber),
    column("flagged", &Summary::flagged),
    column("converged", &Summary::converged),
    column("sm_clock_mhz", &Summary::sm_clock_mhz),
    column("restarts", &Summary::restarts),
    column("power_w", &Summary::power_w),
    column("limiter", &Summary::limiter),
};

inline constexpr Table kDerived{
    "measurement",
    column("useful_flops", &Derived::useful_flops),
    column("paper_flops", &Derived::paper_flops),
};

inline constexpr Table kMeasurements{
    "measurement",
    named("status", &Measurement::status, parse_status),
    long_line("reason", &Measurement::reason),
    column(
        "started_unix_ns",
        [](const Measurement& m) { return m.started_unix_ns != 0 ? m.started_unix_ns : unix_now_ns(); },
        [](Measurement& m, std::int64_t started_unix_ns) { m.started_unix_ns = started_unix_ns; }),
    column(
        "interleave_group", [](const Measurement& m) { return m.group >= 0 ? std::optional(m.group) : std::nullopt; },
        [](Measurement& m, std::optional<std::int64_t> group) { m.group = group.value_or(-1); }),
    column("workspace_bytes", &Measurement::workspace_bytes),
    column("error", &Measurement::error),
    within(&Measurement::summary, kSummaries.columns),
    long_line("counters_note", &Measurement::counters_note),
};

// Places in a pair of an output and its error.
inline constexpr auto kOutputOf = [](auto& row) -> auto& { return row.first; };
inline constexpr auto kErrorOf = [](auto& row) -> auto& { return row.second; };
inline constexpr Table kOutputErrors{
    "output_error",
    interned("output", kOutputOf),
    column("error", kErrorOf),
};

inline constexpr Table kSamples{
    "sample",
    column("started_ns", &Sample::started_ns),
    column("duration_ns", &Sample::duration_ns),
    column("launches", &Sample::launches),
    column("block", &Sample::block),
    column("sm_clock_mhz", &Sample::sm_clock_mhz),
    column("power_w", &Sample::power_w),
    column("temperature_c", &Sample::temperature_c),
    column("throttle_bits", &Sample::throttle_bits),
    interned("flag", &Sample::flag, EmptyText::null),
    column("restart", &Sample::restart),
};

/// A sample of a reference, and the group that it took turns with.
struct TurnSample {
  std::int64_t group = -1;
  Sample sample;
};
inline constexpr Table kTurnSamples{
    "turn_sample",
    column("interleave_group", &TurnSample::group),
    within(&TurnSample::sample, kSamples.columns),
};

inline constexpr Table kCrossChecks{
    "cross_check",
    named("timing_source", &CrossCheck::timing_source, parse_timing_source),
    column("median_ms", &CrossCheck::median_ms),
    column("ci_low_ms", &CrossCheck::ci_low_ms),
    column("ci_high_ms", &CrossCheck::ci_high_ms),
    column("samples", &CrossCheck::samples),
    long_line("reason", &CrossCheck::reason),
};

/// One of the three extents of a launch.
template <std::int64_t (LaunchRecord::*extents)[3], int axis>
inline constexpr auto kExtent = [](auto& launch) -> auto& {
  return (launch.*extents)[axis];
};
inline constexpr Table kLaunches{
    "launch",
    interned_long_line("name", &LaunchRecord::name),
    column("grid_x", kExtent<&LaunchRecord::grid, 0>),
    column("grid_y", kExtent<&LaunchRecord::grid, 1>),
    column("grid_z", kExtent<&LaunchRecord::grid, 2>),
    column("block_x", kExtent<&LaunchRecord::block, 0>),
    column("block_y", kExtent<&LaunchRecord::block, 1>),
    column("block_z", kExtent<&LaunchRecord::block, 2>),
    column("cluster_x", kExtent<&LaunchRecord::cluster, 0>),
    column("cluster_y", kExtent<&LaunchRecord::cluster, 1>),
    column("cluster_z", kExtent<&LaunchRecord::cluster, 2>),
    column("registers_per_thread", &LaunchRecord::registers_per_thread),
    column("static_shared_bytes", &LaunchRecord::static_shared_bytes),
    column("dynamic_shared_bytes", &LaunchRecord::dynamic_shared_bytes),
    column("local_bytes_per_thread", &LaunchRecord::local_bytes_per_thread),
    column("start_ns", &LaunchRecord::start_ns),
    column("end_ns", &LaunchRecord::end_ns),
};

inline constexpr Table kCounters{
    "counter",
    interned("name", &Counter::name),
    interned("unit", &Counter::unit),
    column("value", &Counter::value),
};

/// Everything that tells one measurement of a sweep from another.
inline constexpr auto kKeyColumns =
    columns(within(kProblemOf, kConfigs.columns), kKernels.columns, within(kKeyOf, kKeys.columns));
inline constexpr char kKeyTables[] =
    "FROM measurement JOIN config ON config.id = measurement.config JOIN kernel ON kernel.id = measurement.kernel ";

}  // namespace triscope::tables
