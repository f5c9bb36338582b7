// What a plan will take: time from counted FLOPs and a rate, memory from the sizes of tensors.
#include <algorithm>
#include <cstdint>
#include <fstream>

#include "kernels/attention/flops.hpp"
#include "profiler/plan/plan.hpp"
#include "profiler/plan/request.hpp"

namespace triscope {
namespace {

// Of the bytes of one entry the tensors that the kernels of a group share.
std::int64_t input_bytes(const Problem& problem, Pass pass) {
  const std::int64_t element_bytes = problem.element == Element::bf16 ? 2 : 4;
  if (problem.form == Form::gemm) return 2 * problem.seq_len * problem.seq_len * element_bytes;
  const std::int64_t position_bytes = problem.batch * problem.seq_len * problem.head_dim * element_bytes;
  const std::int64_t query_like = (pass == Pass::forward ? 1 : 2) * problem.q_heads;  // q, and do
  const std::int64_t key_like = (problem.form == Form::dot_product ? 2 : 4) * problem.kv_heads;
  return (query_like + key_like) * position_bytes + (problem.sink ? 4 * problem.q_heads : 0);
}

}  // namespace

std::int64_t device_bytes(const PlanEntry& entry) {
  return tensor_bytes(entry.key.problem, entry.key.pass) + entry.workspace_bytes;
}

double assumed_flops_per_second(const Device& device, Pass pass) {
  const double forward = device.kind == DeviceKind::cpu
                             ? 25e9 * static_cast<double>(std::max<std::int64_t>(device.multiprocessors, 1))
                             : 2e12 * static_cast<double>(std::max<std::int64_t>(device.multiprocessors, 1));
  return pass == Pass::forward ? forward : 0.7 * forward;
}

Estimate estimate(const PlanGroup& group, const SweepRequest& request, double forward_flops_per_second,
                  double backward_flops_per_second, double load) {
  constexpr double kSetupSeconds = 0.3;       // inputs and oracle rows
  constexpr double kBlockSeconds = 0.04;      // shortest block
  constexpr double kUsualBlocks = 14;         // until the interval is narrow enough, on a quiet machine
  constexpr double kTurnSeconds = 1.8;        // of a GPU's kernels in turns, settling included (sampling.cpp)
  constexpr double kColdSeconds = 0.09;       // before each burst launch a GPU idles, and its caches are flushed
  constexpr double kCrossCheckSeconds = 1.1;  // by another process: warm-up, settling and a few blocks
  constexpr double kMostStretch = 2;          // of a launch beside others: seldom do they all get the same share
  const double stretch = std::min(1 + load, kMostStretch);
  Estimate total;
  std::int64_t shared_bytes = 0;
  std::vector<PlanEntry> turns = group.entries;
  turns.insert(turns.end(), group.references.begin(), group.references.end());
  const auto forward_of = [&](const PlanEntry& entry) {
    return useful_flops(entry.key.problem, Pass::forward) / forward_flops_per_second;
  };
  const auto launch_of = [&](const PlanEntry& entry) {
    return entry.key.pass == Pass::forward
               ? forward_of(entry)
               : useful_flops(entry.key.problem, Pass::backward) / backward_flops_per_second;
  };
  double longest = kBlockSeconds;  // as long are the blocks of all that take turns on a GPU
  for (const PlanEntry& entry : turns) longest = std::max(longest, launch_of(entry));
  for (std::size_t n = 0; n < turns.size(); ++n) {
    const PlanEntry& entry = turns[n];
    const double forward = stretch * forward_of(entry), launch = stretch * launch_of(entry);
    const double budget = 1e-9 * static_cast<double>(request.stopping.budget_ns);
    const bool gpu = entry.key.timing_source != TimingSource::cpu_clock;
    const bool settles = gpu && entry.key.regime == Regime::sustained && turns.size() > 1;
    const bool waits = gpu && entry.key.regime == Regime::burst;
    const double block = waits ? launch + kColdSeconds : std::max(launch, kBlockSeconds);
    const double sampling = settles        ? std::max(std::min(kTurnSeconds, budget), 2 * longest)
                            : load > kBusy ? budget + block
                                           : std::min(kUsualBlocks * block, budget + block);
    total.seconds += kSetupSeconds + forward + 2 * launch + sampling;
    const bool checked = entry.key.timing_source == TimingSource::cupti && n < group.entries.size();
    if (checked) total.seconds += kCrossCheckSeconds + forward + 2 * launch;
    const std::int64_t inputs = input_bytes(entry.key.problem, entry.key.pass);
    shared_bytes = std::max(shared_bytes, inputs);
    total.bytes += device_bytes(entry) - inputs;
  }
  total.bytes += shared_bytes;
  return total;
}

Estimate estimate(const Plan& plan, const SweepRequest& request, const Device& device, double load) {
  Estimate total;
  SweepRequest restart = request;
  restart.stopping = restart_rule(request);
  for (const PlanGroup& group : plan.groups) {
    const Estimate one = estimate(group, restart, assumed_flops_per_second(device, Pass::forward),
                                  assumed_flops_per_second(device, Pass::backward), load);
    total.seconds += static_cast<double>(request.restarts) * one.seconds;
    total.bytes = std::max(total.bytes, one.bytes);
  }
  return total;
}

double load_here(const SweepRequest& request, const Device& device) {
  if (device.kind != DeviceKind::cpu || !request.worker_prefix.empty()) return 0;
  double minute = 0, rest = 0;
  std::int64_t running = 0;
  std::ifstream file("/proc/loadavg");  // "2.05 2.21 1.80 3/415 20211"
  if (!(file >> minute >> rest >> rest >> running)) return 0;
  // What ran a while ago is in the mean of a minute, and what ends in a moment among those that run now.
  const double others = std::min(minute, static_cast<double>(running - 1));
  return std::max(0.0, others) / static_cast<double>(std::max<std::int64_t>(1, device.multiprocessors));
}

}  // namespace triscope
