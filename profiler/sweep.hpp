// The main job: a request becomes a plan, the plan is measured by workers, every result is stored at once.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "profiler/gpu_counters.hpp"
#include "profiler/measurement.hpp"
#include "profiler/statistics.hpp"
#include "profiler/store.hpp"

namespace triscope {

/// What a user asks for. Lists multiply. Defaults are `triscope sweep`'s.
struct SweepRequest {
  std::vector<Windows> windows;                   ///< empty: the paper's Table 1
  std::vector<std::int64_t> seq_lens{};
  std::vector<std::int64_t> batches{1};
  std::vector<std::int64_t> q_heads{};
  std::vector<std::int64_t> kv_heads{};           ///< paired with q_heads element by element, or one for all
  std::vector<std::int64_t> head_dims{128};
  std::vector<Form> forms{Form::trilinear};
  std::vector<Pass> passes{Pass::forward, Pass::backward};
  std::vector<std::string> kernels{};             ///< ids; empty: every kernel that can run on the device (never the oracle)
  std::string instance = "auto";                  ///< "auto", "all" or a name
  std::string device = "auto";                    ///< "auto", "cpu", "0", ...
  std::vector<Regime> regimes{Regime::sustained};
  std::optional<TimingSource> timing_source;      ///< unset: the device's clock of record (cupti, cpu_clock)
  CounterSet counters = CounterSet::none;         ///< hardware counters to read after each measurement
  Mask mask = Mask::causal;
  std::optional<Element> element;                 ///< unset: the kernel's native one
  bool deterministic = false;
  std::optional<double> scale;
  double k2_bias = 0, v2_bias = 0;
  std::optional<double> sink;
  StoppingRule stopping;
  std::uint64_t seed = 1;
  std::filesystem::path tensors;                  ///< safetensors with the inputs; empty: generated from `seed`
  std::vector<std::string> worker_prefix;         ///< command prefix that makes the worker remote: {"ssh", "host"}
  std::chrono::milliseconds time_limit{120'000};  ///< per configuration, beyond which the worker is killed
};

std::string to_json(const SweepRequest&);
SweepRequest sweep_request_from_json(const std::string&);
/// The request as a command line that repeats it.
std::string to_command_line(const SweepRequest&);

/// `word` quoted for a POSIX shell when it holds anything but plain characters.
std::string shell_word(const std::string& word);

/// Windows as users write them: "table1", "512x32,256x64", "grid:16..1024" (powers of two on both axes).
/// Throws `Error` (usage) naming the token that is wrong.
std::vector<Windows> parse_windows(const std::string& text);
/// The paper's Table 1, in its order, with its latencies in ms.
struct PaperRow {
  Windows windows;
  double latency_ms;
};
const std::vector<PaperRow>& paper_table1();
/// The paper's row for the windows of a trilinear, causal problem of any shape; null when there is none.
const PaperRow* find_paper_row(const Problem& problem);
/// 32,768 tokens, 64 query heads on 1, head size 128, batch 1: the paper gives no shape, this one reproduces its rate.
bool has_paper_shape(const Problem& problem);

struct Progress {
  std::int64_t done = 0;
  std::int64_t total = 0;
  std::optional<double> seconds_left;             ///< from budgets and what was measured so far; unset: not known
  std::string current;                            ///< "cpu.fast forward 512x32, block 9, +-0.7 %"
};

/// Callbacks of a running sweep; called on the thread that runs it.
struct SweepObserver {
  /// The sweep is in the database under this id, and locked.
  std::function<void(std::int64_t sweep)> started = [](std::int64_t) {};
  std::function<void(const Progress&)> progress = [](const Progress&) {};
  /// Samples as they are taken, for drawing while it measures; `measured` brings all of them again.
  std::function<void(const MeasurementKey&, const std::vector<Sample>&)> sampled =
      [](const MeasurementKey&, const std::vector<Sample>&) {};
  std::function<void(const Measurement&, std::int64_t row)> measured = [](const Measurement&, std::int64_t) {};
  std::function<void(const std::string&)> log = [](const std::string&) {};
};

struct SweepOutcome {
  std::int64_t sweep = 0;
  std::int64_t ok = 0, failed = 0, skipped = 0, cancelled = 0;  ///< of the whole sweep
  std::int64_t measured_now = 0;                  ///< of `ok`: by this run, which may have resumed the sweep
  bool stopped = false;                           ///< ended by the stop token
};

/// Runs `request`, storing each measurement as it ends. With `resume`, continues that sweep: its stored request decides
/// what is measured (of `request` only worker_prefix and time_limit are used), finished keys are left alone. Blocks; a
/// stop takes effect after the current sample. While it runs it holds the sweep's `SweepLock`; a sweep that is being
/// measured elsewhere is not resumed. A crashed, hung or lying worker costs the configuration in flight (`failed`, with
/// the reason). After each group, other processes cross-check what CUPTI timed and read the counters that were asked
/// for. Where the clock of record is not to be had, every row is `failed` and says why. Throws `Error` when nothing can
/// be measured at all (usage or environment).
SweepOutcome run_sweep(const SweepRequest& request, const std::filesystem::path& database, const SweepObserver& observer,
                       std::stop_token stop, std::optional<std::int64_t> resume = std::nullopt);

}  // namespace triscope
