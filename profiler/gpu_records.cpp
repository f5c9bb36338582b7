#include "profiler/gpu_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "kernels/error.hpp"

namespace triscope {
namespace {

Error unusable(const std::string& why) {
  return Error("CUPTI's records of a block cannot be used", why,
               "measure again; when it happens each time, report it",
               ExitCode::measured_failed);
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

BlockTimes block_times(std::span<const ActivityRecord> records, std::uint64_t block_id, std::int64_t launches,
                       std::int64_t dropped) {
  if (dropped > 0) throw unusable(fmt::format("{} records were dropped", dropped));
  const std::vector<LaunchRecord> kernels = launches_of(records, block_id);
  const std::int64_t count = static_cast<std::int64_t>(kernels.size());
  if (count == 0) throw unusable("no kernel record arrived");
  if (launches < 1 || count % launches != 0) {
    throw unusable(fmt::format("{} kernel records arrived for {} launches", count, launches));
  }
  for (const LaunchRecord& kernel : kernels) {
    if (kernel.start_ns <= 0 || kernel.end_ns < kernel.start_ns) {
      throw unusable(fmt::format("kernel {} has no valid times", kernel.name));
    }
  }
  const std::int64_t each = count / launches;
  BlockTimes times;
  times.start_ns = kernels.front().start_ns;
  std::int64_t total_ns = 0;
  for (std::int64_t n = 0; n < launches; ++n) {
    const auto first = kernels.begin() + n * each;
    std::int64_t end_ns = 0;
    for (auto kernel = first; kernel != first + each; ++kernel) end_ns = std::max(end_ns, kernel->end_ns);
    total_ns += end_ns - first->start_ns;
    times.end_ns = std::max(times.end_ns, end_ns);
  }
  times.per_launch_ns = (total_ns + launches / 2) / launches;
  return times;
}

}  // namespace triscope
