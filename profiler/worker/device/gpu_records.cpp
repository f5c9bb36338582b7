#include "profiler/worker/device/gpu_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "kernels/base/error.hpp"

namespace triscope {
namespace {

Error unusable(const std::string& why) {
  return Error("CUPTI's records of a block cannot be used", why, "measure again; when it happens each time, report it",
               ExitCode::measured_failed);
}

// Whatever ran on the GPU since the block began is part of it.
void require_attributed(std::span<const ActivityRecord> records, const Block& block) {
  std::int64_t strangers = 0;
  std::string first;
  for (const ActivityRecord& record : records) {
    const bool earlier = record.launch.start_ns > 0 && record.launch.start_ns < block.begun_ns;
    if (record.external_id == block.id || earlier) continue;
    if (strangers++ == 0) first = record.launch.name;
  }
  if (strangers == 0) return;
  throw unusable(fmt::format(
      "{} of {} kernel records belong to none of its launches (the first: {}), so its time would be too short",
      strangers, records.size(), first));
}

}  // namespace

void join_external_ids(std::span<ActivityRecord> records, std::span<const ExternalId> ids) {
  std::unordered_map<std::uint32_t, std::uint64_t> by_correlation;
  for (const ExternalId& id : ids) by_correlation[id.correlation] = id.id;
  for (ActivityRecord& record : records) {
    const auto found = by_correlation.find(record.correlation);
    if (found != by_correlation.end()) record.external_id = found->second;
  }
}

std::vector<LaunchRecord> launches_of(std::span<const ActivityRecord> records, std::uint64_t block_id) {
  std::vector<LaunchRecord> launches;
  for (const ActivityRecord& record : records) {
    if (record.external_id == block_id) launches.push_back(record.launch);
  }
  std::sort(launches.begin(), launches.end(),
            [](const LaunchRecord& a, const LaunchRecord& b) { return a.start_ns < b.start_ns; });
  return launches;
}

BlockTimes block_times(std::span<const ActivityRecord> records, const Block& block) {
  if (block.dropped > 0) throw unusable(fmt::format("{} records were dropped", block.dropped));
  require_attributed(records, block);
  const std::vector<LaunchRecord> kernels = launches_of(records, block.id);
  const std::int64_t count = static_cast<std::int64_t>(kernels.size());
  if (count == 0) throw unusable("no kernel record arrived");
  if (block.launches < 1 || count % block.launches != 0) {
    throw unusable(fmt::format("{} kernel records arrived for {} launches", count, block.launches));
  }
  for (const LaunchRecord& kernel : kernels) {
    if (kernel.start_ns <= 0 || kernel.end_ns < kernel.start_ns) {
      throw unusable(fmt::format("kernel {} has no valid times", kernel.name));
    }
  }
  const std::int64_t each = count / block.launches;
  BlockTimes times;
  times.start_ns = kernels.front().start_ns;
  std::int64_t total_ns = 0;
  for (std::int64_t n = 0; n < block.launches; ++n) {
    const auto first = kernels.begin() + n * each;
    std::int64_t end_ns = 0;
    for (auto kernel = first; kernel != first + each; ++kernel) end_ns = std::max(end_ns, kernel->end_ns);
    total_ns += end_ns - first->start_ns;
    times.end_ns = std::max(times.end_ns, end_ns);
  }
  times.per_launch_ns = (total_ns + block.launches / 2) / block.launches;
  return times;
}

}  // namespace triscope
