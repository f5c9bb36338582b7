// A request becomes an ordered list of groups; a group is what is measured interleaved, block by block.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/plan/request.hpp"
#include "profiler/record/catalog.hpp"
#include "profiler/record/measurement.hpp"

namespace triscope {

struct PlanEntry {
  MeasurementKey key;
  std::string source_hash;  ///< of the kernel's pass
  std::int64_t workspace_bytes = 0;
};

/// The row of an entry that is not measured, and why.
Measurement unmeasured(const PlanEntry& entry, Status status, std::string reason);

/// Measured side by side (A B A B): the kernels and instances of one problem, pass and regime. A dot-product baseline
/// joins the first group of its shape, pass and regime: it is one configuration, with one measurement a sweep.
struct PlanGroup {
  std::vector<PlanEntry> entries;  ///< never empty; all read the same tensors
  /// Of an earlier group, and in turns with this one too: the dot-product baseline of lowest rank. What is sampled here
  /// serves comparisons with `entries`; it is no measurement of its own.
  std::vector<PlanEntry> references;
};

/// Restarts of `group` that `request` asks for: more than of others where one of its rows is to be measured longer.
std::int64_t restarts_asked(const SweepRequest& request, const PlanGroup& group);

/// What is known beforehand not to run: stored as `skipped` with the reason, never measured.
struct SkippedEntry {
  PlanEntry entry;
  std::string reason;
};

struct Plan {
  std::vector<PlanGroup> groups;  ///< in the order of measuring: groups of one shape are neighbours
  std::vector<SkippedEntry> skipped;
  std::int64_t total() const;  ///< measurements, skipped ones included
};

/// The device `request` means: the one it names, or for "auto" the CPU when only CPU kernels are asked for, otherwise
/// the first GPU, or the CPU where there is none. Throws as `choose_device`.
const Device& sweep_device(const SweepRequest& request, const Catalog& catalog);

/// The clock that `request` is measured with on `device`. Throws `Error` (usage) when that device has none of that
/// kind, or when counters are asked for on the CPU.
TimingSource sweep_timing_source(const SweepRequest& request, const Device& device);

/// Expands `given` for the machine that `catalog` describes. Windows that see the same keys (wider than the sequence,
/// or any under the full mask) are one problem, measured under the first. Lists that are empty are filled by
/// `with_defaults`. Impossible or unsupported configurations become `skipped`. Throws `Error`: (usage) unknown kernel
/// or instance, heads that cannot be paired, a negative budget, a request of which nothing is possible; (environment)
/// unknown device.
Plan make_plan(const SweepRequest& given, const Catalog& catalog, const AskSupport& ask);

/// `request` with every empty list filled in: Table 1 windows (of dot_product alone: all tokens); on a GPU the paper's
/// shape (seq 32768, heads 64/1), on the CPU one that takes about a minute on two cores; with `tensors`, the shape of
/// the tensors in that file.
SweepRequest with_defaults(const SweepRequest& request, const Device& device);

/// What a group will take. Sizes are exact counts, times an estimate from FLOPs and a rate.
struct Estimate {
  double seconds = 0;
  std::int64_t bytes = 0;  ///< of device memory, at its largest
};

/// Device memory of one entry: its tensors, the forward's outputs that a backward needs, its workspace.
std::int64_t device_bytes(const PlanEntry& entry);

/// Useful FLOP/s assumed before anything was measured (a guess for a mid-range device of this kind).
double assumed_flops_per_second(const Device& device, Pass pass);

/// `load`: threads of other programs that want each processor. Where there are some, times scatter so that rows are
/// sampled until their budget ends, and all else waits its turn.
Estimate estimate(const PlanGroup& group, const SweepRequest& request, double forward_flops_per_second,
                  double backward_flops_per_second, double load = 0);
/// The whole plan with the assumed rates: seconds add up, bytes are the largest group's.
Estimate estimate(const Plan& plan, const SweepRequest& request, const Device& device, double load = 0);

/// The load of this machine right now, before anything is measured; 0 where `device` is a GPU or `request` is measured
/// through a command, maybe on another machine.
double load_here(const SweepRequest& request, const Device& device);
/// So much load keeps rows from their precision.
inline constexpr double kBusy = 0.25;

}  // namespace triscope
