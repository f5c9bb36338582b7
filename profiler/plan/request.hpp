// What a user asks to be measured.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "profiler/record/gpu_counters.hpp"
#include "profiler/record/measurement.hpp"
#include "profiler/statistics/statistics.hpp"

namespace triscope {

/// A row that a person wants measured longer than the request asks for.
struct LongerRow {
  MeasurementKey key;
  std::int64_t restarts = 0;  ///< more than the request's
};

/// What a user asks for. Lists multiply. The defaults are those of `triscope sweep`.
struct SweepRequest {
  std::vector<Windows> windows;  ///< empty: the paper's Table 1
  std::vector<std::int64_t> seq_lens{};
  std::vector<std::int64_t> batches{1};
  std::vector<std::int64_t> q_heads{};
  std::vector<std::int64_t> kv_heads{};  ///< paired with q_heads element by element, or one for all
  std::vector<std::int64_t> head_dims{128};
  std::vector<Form> forms{Form::trilinear};
  std::vector<Pass> passes{Pass::forward, Pass::backward};
  std::vector<std::string> kernels{};  ///< ids; empty: every kernel that can run on the device (never the oracle)
  std::filesystem::path plugin;        ///< library whose kernels are measured too; empty: none
  std::string plugin_sha256;           ///< of that file
  std::string instance = "auto";       ///< "auto", "all" or a name
  std::string device = "auto";         ///< "auto", "cpu", "0", ...
  std::vector<Regime> regimes{Regime::sustained};
  std::optional<TimingSource> timing_source;  ///< unset: the device's clock of record (cupti, cpu_clock)
  CounterSet counters = CounterSet::none;     ///< hardware counters to read after each measurement
  Mask mask = Mask::causal;
  std::optional<Element> element;  ///< unset: the kernel's native one
  bool deterministic = false;
  std::optional<double> scale;
  double k2_bias = 0, v2_bias = 0;
  std::optional<double> sink;
  StoppingRule stopping;  ///< of all restarts together
  std::int64_t restarts =
      3;  ///< up to kMostRestarts; how often each row is measured, each time by a new worker process
  std::vector<LongerRow> longer{};  ///< asked for while it was measured, or later
  std::uint64_t seed = 1;
  std::filesystem::path tensors;                  ///< safetensors with the inputs; empty: generated from `seed`
  std::vector<std::string> worker_prefix;         ///< command prefix that makes the worker remote: {"ssh", "host"}
  std::chrono::milliseconds time_limit{120'000};  ///< per configuration, beyond which the worker is killed
};

inline constexpr std::int64_t kMostRestarts = 1000;
/// More rows than that are not measured longer in one sweep: each is named in the stored request.
inline constexpr std::size_t kMostLonger = 1000;

/// When one of its restarts stops: a share of the budget, and a precision that all of them make good.
StoppingRule restart_rule(const SweepRequest&);

std::string to_json(const SweepRequest&);
/// A stored request; members that are missing keep their defaults, and no list but that of kernels is empty. What would
/// be run or opened here (plugin, worker_prefix, time_limit, tensors) is never taken from it and keeps its default: a
/// database may come from anywhere. Throws `Error` when it is no JSON object, or a member has another type or a value
/// outside its range.
SweepRequest sweep_request_from_json(const std::string&);
/// A stored request with these rows measured longer, whatever else it says. Throws `Error` as above.
std::string with_longer(const std::string& request_json, const std::vector<LongerRow>& longer);
/// Why `sweep_request_from_json` would throw, in words; empty: it would not.
std::string request_fault(const std::string& request_json);
/// Whether a stored request names a worker prefix. Throws as `sweep_request_from_json`.
bool was_remote(const std::string& request_json);
/// Whether a stored request names a library of kernels. Throws as `sweep_request_from_json`.
bool had_plugin(const std::string& request_json);
/// Throws `Error` (usage) when resuming `sweep`, whose stored request is `request_json`, needs a plug-in, a worker
/// prefix or tensors that `given` does not have, or when the plug-in given is another one.
void require_given_again(std::int64_t sweep, const std::string& request_json, const SweepRequest& given);
/// Throws `Error` (usage) on a budget, precision, number of blocks or time limit that is not above zero, and on an
/// empty list of forms, passes or regimes.
void require_measurable(const SweepRequest&);
/// Throws `Error` (usage) when there are several numbers of kv heads, but not one for each number of query heads.
void require_pairs_of_heads(const SweepRequest&);
/// Throws `Error` (usage) on values that are impossible whatever stands beside them (the plan marks impossible
/// combinations `skipped`).
void require_possible(const SweepRequest&);
/// The request as a command line that repeats it.
std::string to_command_line(const SweepRequest&);

}  // namespace triscope
