#include "profiler/record/gpu_counters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "profiler/record/columns.hpp"

namespace triscope {
namespace {

constexpr auto kQuick = CounterSet::quick;
constexpr auto kStandard = CounterSet::standard;

constexpr std::string_view kTensorBusy = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active";
constexpr std::string_view kIssueBusy = "smsp__issue_active.avg.pct_of_peak_sustained_active";
constexpr std::string_view kDramBusy = "dram__throughput.avg.pct_of_peak_sustained_elapsed";
constexpr std::string_view kXuBusy = "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active";
constexpr std::string_view kFmaBusy = "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active";
constexpr std::string_view kAluBusy = "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active";
constexpr std::string_view kConflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum";
constexpr std::string_view kWavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum";

constexpr CounterMetric kMetrics[] = {
    {kQuick, kTensorBusy, "%", "tensor cores busy", "Share of the cycles with work in which the tensor cores worked.",
     "tensor_busy"},
    {kQuick, "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", "%", "tensor busy overall",
     "The same, with idle multiprocessors (tail, launch) included.", "tensor_overall"},
    {kQuick, kIssueBusy, "%", "issue slots used", "Share of the cycles in which a scheduler issued an instruction.",
     "issue_busy"},
    {kStandard, kXuBusy, "%", "exponentials (XU) busy", "Share of the rate at which exponentials can be issued.",
     "xu_busy"},
    {kStandard, kFmaBusy, "%", "fp32 (FMA) busy", "Share of the rate at which fp32 multiply-adds can be issued.",
     "fma_busy"},
    {kStandard, kAluBusy, "%", "integer (ALU) busy",
     "Share of the rate at which integer and logic instructions can be issued.", "alu_busy"},
    {kQuick, kDramBusy, "%", "DRAM busy", "Share of the device memory's highest throughput.", "dram_busy"},
    {kStandard, "lts__t_sector_hit_rate.pct", "%", "L2 hits",
     "Share of the L2's sector look-ups that hit; units that share a sector may raise it above 100 %.", "l2_hits"},
    {kQuick, "sm__warps_active.avg.pct_of_peak_sustained_active", "%", "warps resident",
     "Warps on a multiprocessor relative to the most it can hold; kernels with few large warpgroups need few.",
     "warps"},
    {kStandard, "smsp__inst_executed.avg.per_cycle_active", "per cycle", "instructions per scheduler",
     "Warp instructions per cycle that each of a multiprocessor's four schedulers executed.", "ipc"},
    {kStandard, "sm__inst_executed.sum", "", "instructions", "Warp instructions executed.", "instructions"},
    {kQuick, "sm__inst_executed_pipe_tensor_op_gmma.sum", "", "WGMMA instructions",
     "Warp instructions of Hopper's asynchronous matrix unit; none on other chips and in portable kernels.", "wgmma"},
    {kStandard, "sm__ops_path_tensor_op_hgmma_src_bf16_dst_fp32.sum", "FLOP", "WGMMA operations, bf16 only",
     "Multiplications and additions that WGMMA did on bf16 operands, including masked tiles and recomputation. Those "
     "on fp16 operands are not among them: one of the two products of cuda.hopper's forward pass is such, and three of "
     "the five of its backward. So this may be less than the useful operations.",
     "wgmma_ops"},
    {kQuick, "dram__bytes_read.sum", "byte", "DRAM read", "Bytes read from device memory.", "dram_read"},
    {kQuick, "dram__bytes_write.sum", "byte", "DRAM written", "Bytes written to device memory.", "dram_written"},
    {kQuick, "lts__t_sectors.sum", "", "L2 sectors", "32-byte sectors that the L2 looked up.", "l2_sectors"},
    {kQuick, kWavefronts, "", "shared memory passes", "Passes through shared memory.", "smem_passes"},
    {kQuick, kConflicts, "", "shared memory conflicts", "Extra passes, because lanes accessed the same bank.",
     "smem_conflicts"},
    {kQuick, "gpu__time_duration.sum", "ns", "duration while counting",
     "Duration of the counted launch: cold caches, another clock. Do not use it as a latency.", "counted_ms"},
    {kQuick, "sm__cycles_elapsed.avg.per_second", "Hz", "clock while counting", "SM clock during the counted launch.",
     "counted_clock"},
    {kQuick, "sm__cycles_elapsed.max", "cycle", "cycles elapsed", "Cycles from start to end.", "cycles"},
    {kQuick, "sm__cycles_active.avg", "cycle", "cycles with work",
     "Cycles in which a multiprocessor had a warp, the mean over all.", "active_cycles"},
    {kQuick, "dram__cycles_elapsed.avg.per_second", "Hz", "memory clock while counting", "Clock of the device memory.",
     "memory_clock"},
};

std::optional<double> value_of(std::span<const Counter> counters, std::string_view name) {
  for (const Counter& counter : counters) {
    if (counter.name == name && std::isfinite(counter.value)) return counter.value;
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(CounterSet set) {
  switch (set) {
    case CounterSet::none:
      return "none";
    case CounterSet::quick:
      return "quick";
    case CounterSet::standard:
      return "standard";
  }
  return "?";
}

std::optional<CounterSet> parse_counter_set(std::string_view text) {
  for (CounterSet set : {CounterSet::none, CounterSet::quick, CounterSet::standard}) {
    if (to_string(set) == text) return set;
  }
  return std::nullopt;
}

std::span<const CounterMetric> counter_metrics() { return kMetrics; }

std::vector<std::string> metric_names(CounterSet set) {
  std::vector<std::string> names;
  for (const CounterMetric& metric : kMetrics) {
    if (metric.set <= set) names.emplace_back(metric.name);
  }
  return names;
}

const CounterMetric* find_counter_metric(std::string_view name) {
  const auto found = std::find_if(std::begin(kMetrics), std::end(kMetrics),
                                  [name](const CounterMetric& metric) { return metric.name == name; });
  return found == std::end(kMetrics) ? nullptr : found;
}

std::string counter_text(const Counter& counter) {
  if (!std::isfinite(counter.value)) return "not known";
  if (counter.unit == "%" || counter.unit == "per cycle")
    return significant_text(counter.value, 3) + " " + counter.unit;
  const bool time = counter.unit == "ns";
  const std::string_view unit = time ? "s" : counter.unit == "byte" ? "B" : std::string_view(counter.unit);
  double value = time ? counter.value * 1e-9 : counter.value;
  std::string_view prefix;
  if (time) {
    for (const std::string_view smaller : {"m", "u", "n"}) {
      if (value >= 1 || value == 0) break;
      value *= 1e3;
      prefix = smaller;
    }
  }
  for (const std::string_view larger : {"k", "M", "G", "T", "P"}) {
    if (std::abs(value) < 1e3 || time) break;
    value *= 1e-3;
    prefix = larger;
  }
  const std::string whole = fmt::format("{}{}", prefix, unit);
  return significant_text(value, 3) + (whole.empty() ? "" : " " + whole);
}

std::string counters_in_words(std::span<const Counter> counters) {
  constexpr double kFull = 60;            // of the highest rate: above it a unit is named as the limit
  constexpr double kManyConflicts = 0.1;  // of the passes
  std::vector<std::pair<double, std::string_view>> units;
  for (const auto& [name, words] : {std::pair{kTensorBusy, "the tensor cores"},
                                    {kIssueBusy, "the issue slots"},
                                    {kDramBusy, "device memory"},
                                    {kXuBusy, "the exponential units"},
                                    {kFmaBusy, "the fp32 units"},
                                    {kAluBusy, "the integer units"}}) {
    if (const auto value = value_of(counters, name)) units.emplace_back(*value, words);
  }
  if (units.empty()) return "";
  std::stable_sort(units.begin(), units.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  const auto& [share, fullest] = units.front();
  std::string text =
      share >= kFull
          ? fmt::format("The fullest unit: {}, {:.0f} % busy.", fullest, share)
          : fmt::format(
                "No unit is full: the busiest is {}, {:.0f} %; the kernel waits for latency, barriers or dependencies.",
                fullest, share);
  if (units.size() > 1) text += fmt::format(" Next: {}, {:.0f} %.", units[1].second, units[1].first);
  const auto conflicts = value_of(counters, kConflicts), wavefronts = value_of(counters, kWavefronts);
  if (conflicts && wavefronts && *wavefronts > 0 && *conflicts > kManyConflicts * *wavefronts) {
    text += fmt::format(" {:.0f} % of the shared memory passes are bank conflicts.", 100 * *conflicts / *wavefronts);
  }
  return text;
}

}  // namespace triscope
