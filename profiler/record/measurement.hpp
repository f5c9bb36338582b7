// The plain data everything else is made of: what was measured, where, and under which conditions.
// No behaviour, no SQL, no CUDA. Times are integer nanoseconds; unset optionals mean "not known", never zero.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/attention/kernel.hpp"
#include "kernels/attention/problem.hpp"

namespace triscope {

enum class Regime {
  sustained,  ///< warm: blocks of at least 40 ms back to back after 200 ms of warm-up
  burst,      ///< cold: single launches from an idle device, caches flushed before each
};
enum class TimingSource { cupti, cuda_events, cpu_clock };
enum class Status { ok, skipped, failed, cancelled };

std::string_view to_string(Regime);
std::string_view to_string(TimingSource);
std::string_view to_string(Status);
std::optional<Regime> parse_regime(std::string_view);
std::optional<TimingSource> parse_timing_source(std::string_view);
std::optional<Status> parse_status(std::string_view);

/// A device a sweep can run on, as a worker saw it.
struct Device {
  std::string id;  ///< "cpu", "0", "1", ...
  DeviceKind kind = DeviceKind::cpu;
  std::string name;                ///< "NVIDIA H200", "AMD EPYC ..."
  std::string uuid;                ///< GPU UUID; empty for the CPU
  std::string compute_capability;  ///< "9.0"; empty for the CPU
  std::int64_t memory_bytes = 0;
  std::int64_t multiprocessors = 0;                ///< SMs, or the CPU threads used
  std::optional<double> peak_tflops_at_max_clock;  ///< dense bf16; the CPU has none
  std::optional<double> max_sm_clock_mhz;
  std::optional<double> power_limit_w;
  std::vector<std::string> limits;  ///< what cannot be done here and why, in words
};

/// Everything needed to trust or repeat a number. Two environments that compare equal share one database row.
struct Environment {
  std::string device_id;
  std::string device_name;
  std::string device_uuid;
  std::string driver_version;
  std::string cuda_version;
  std::string cupti_version;
  std::optional<double> power_limit_w;
  std::optional<double> max_sm_clock_mhz;
  std::optional<double> max_memory_clock_mhz;
  std::optional<double> peak_tflops;  ///< at max_sm_clock_mhz; what peak_fraction's peak per cycle follows from
  std::string host;
  std::string cpu_model;
  std::int64_t cpu_threads = 0;
  std::string os;
  std::string triscope_version;
  std::string git_commit;
  std::string compiler;
  std::string compile_flags;
  bool operator==(const Environment&) const = default;
};

/// One timed block (sustained) or launch (burst).
struct Sample {
  std::int64_t started_ns = 0;   ///< CLOCK_MONOTONIC_RAW, relative to the measurement's first sample
  std::int64_t duration_ns = 0;  ///< per launch: the block's time divided by `launches`
  std::int64_t launches = 1;
  std::int64_t block = 0;  ///< round of the interleaving; samples of one round were taken side by side
  std::optional<double> sm_clock_mhz;
  std::optional<double> power_w;
  std::optional<double> temperature_c;
  std::optional<std::uint64_t> throttle_bits;  ///< NVML clocks-event reasons
  std::string flag;          ///< what was noticed ("throttled: sw_power_cap", "preempted"); empty = nothing
  std::int64_t restart = 0;  ///< samples of one restart come from one worker process; blocks count anew in each
};

/// One kernel record of one launch (CUPTI), or the host's view of a CPU launch.
struct LaunchRecord {
  std::string name;
  std::int64_t grid[3] = {0, 0, 0};
  std::int64_t block[3] = {0, 0, 0};
  std::int64_t cluster[3] = {0, 0, 0};
  std::int64_t registers_per_thread = 0;
  std::int64_t static_shared_bytes = 0;
  std::int64_t dynamic_shared_bytes = 0;
  std::int64_t local_bytes_per_thread = 0;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

/// The same launch by another clock, in a process of its own: says how far the latency of record can be believed, and
/// never takes its place.
struct CrossCheck {
  TimingSource timing_source = TimingSource::cuda_events;
  std::optional<double> median_ms;  ///< unset: there is none, and `reason` says why
  std::optional<double> ci_low_ms;  ///< 95 % interval of the median; unset: unbounded
  std::optional<double> ci_high_ms;
  std::int64_t samples = 0;
  std::string reason;
};

struct Counter {
  std::string name;
  std::string unit;
  double value = 0;
};

/// What is to be measured: one row of the plan, the key under which a result is found again.
struct MeasurementKey {
  Problem problem;
  Pass pass = Pass::forward;
  std::string kernel;    ///< kernel id
  std::string instance;  ///< resolved, never "auto"
  Regime regime = Regime::sustained;
  TimingSource timing_source = TimingSource::cpu_clock;
  std::string device_id;  ///< "cpu", "0"
  bool operator==(const MeasurementKey&) const = default;
};

/// Summary of the samples (profiler/statistics/statistics.hpp).
struct Summary {
  double median_ms = 0;
  double ci_low_ms = 0;  ///< 95 % interval of the median
  double ci_high_ms = 0;
  double quartile1_ms = 0;
  double quartile3_ms = 0;
  double min_ms = 0;
  std::int64_t samples = 0;
  std::int64_t flagged = 0;
  bool converged = false;
  std::optional<double> sm_clock_mhz;  ///< as NVML reads it, median over samples
  std::int64_t restarts = 0;           ///< that the samples come from
  std::optional<double> power_w;       ///< mean over samples
  std::string limiter;  ///< what held the clock down in at least half of the samples ("sw_power_cap"); empty: nothing
};

/// A finished measurement, as the worker reports it and the store keeps it.
struct Measurement {
  MeasurementKey key;
  std::string source_hash;  ///< of the kernel's pass; empty: it has none
  Status status = Status::ok;
  std::string reason;                    ///< why not ok, or a remark ("not converged: ..."); empty when there is none
  std::optional<double> error;           ///< largest relative L2 error against the fp64 oracle
  std::map<std::string, double> errors;  ///< by output: "o", "lse", "grad_q", ...
  Summary summary;                       ///< meaningful when samples exist
  std::vector<Sample> samples;
  std::vector<LaunchRecord> launches;
  std::optional<CrossCheck> cross_check;
  std::vector<Counter> counters;
  std::string counters_note;  ///< why counters that were asked for are not here; empty: they are, or were not asked for
  std::int64_t workspace_bytes = 0;
  std::int64_t started_unix_ns = 0;  ///< wall clock; 0: the store sets the time of writing
  std::int64_t group = -1;  ///< measurements with the same group (>= 0) of one sweep were interleaved block by block
  /// Of a reference: its samples in turns with the measurements of other groups, by group.
  std::map<std::int64_t, std::vector<Sample>> turns;
};

/// One row of the `result` view: the stable contract for scripts (docs/schema.md). Column order is the view's.
struct ResultRow {
  std::int64_t measurement = 0;  ///< row id
  std::int64_t sweep = 0;
  std::string started;  ///< ISO 8601, UTC
  std::string device;   ///< name
  std::string kernel;
  std::string instance;
  std::string source_hash;
  Pass pass = Pass::forward;
  Problem problem;  ///< form ... sink, deterministic
  TimingSource timing_source = TimingSource::cpu_clock;
  Regime regime = Regime::sustained;
  std::optional<double> median_ms;
  std::optional<double> ci_low_ms;
  std::optional<double> ci_high_ms;
  std::int64_t samples = 0;
  std::int64_t flagged = 0;
  std::optional<double> sm_clock_mhz;
  std::optional<double> tflops;  ///< useful_flops / median
  std::optional<double> tflops_paper_count;
  std::optional<double> peak_fraction;  ///< of the dense peak, by the counted cycles of one launch
  std::optional<double> error;
  Status status = Status::ok;
  std::string reason;
  std::optional<double> events_ms;  ///< median of the cross-check by CUDA events
  std::int64_t restarts = 0;
  std::optional<double> power_w;
  std::optional<double> power_limit_w;
  std::optional<double> joules;            ///< of one launch
  std::optional<double> joules_per_tflop;  ///< of useful work
  std::string limiter;
  std::optional<double> max_sm_clock_mhz;
  std::optional<double> counted_clock_mhz;  ///< by hardware counters, in a launch of its own
  KernelCard card;          ///< of the kernel, beside the view; its labels are the id where the database has none
  bool lacks_part = false;  ///< beside the view: what belongs to it cannot be used and is left out; `reason` says what
};

/// A variance of logarithms of times, and its degrees of freedom; 0 degrees: nothing is known.
struct Spread {
  double variance = 0;
  double degrees = 0;
  bool operator==(const Spread&) const = default;
};
/// How much the rows of one sweep change from one restart to the next: their times, and the ratios of those in turns.
struct SweepSpread {
  Spread times;
  Spread ratios;
  bool operator==(const SweepSpread&) const = default;
};

/// One line of the history.
struct SweepInfo {
  std::int64_t id = 0;
  std::string uuid;          ///< 32 hexadecimal digits: the identity that survives an import
  std::string started;       ///< ISO 8601, UTC; of its first measurement when all were taken again later
  std::string finished;      ///< ISO 8601, UTC; empty while it runs or when it was interrupted
  bool running = false;      ///< a process on this machine is measuring it right now
  std::string command;       ///< the request as a command line
  std::string request_json;  ///< the request, for --resume
  Environment environment;
  std::int64_t planned = 0;  ///< measurements in the plan
  std::int64_t ok = 0, failed = 0, skipped = 0, cancelled = 0;
  std::string note;
  bool starred = false;
  SweepSpread spread;
};

}  // namespace triscope
