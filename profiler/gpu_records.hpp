// Kernel records as CUPTI's activity tracing delivers them, and their joining to launches. Pure; CUPTI is elsewhere.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "profiler/measurement.hpp"

namespace triscope {

/// A kernel (or memset, or copy) that ran, with the id that was pushed when it was enqueued; 0: none.
struct ActivityRecord {
  LaunchRecord launch;              ///< times in CLOCK_MONOTONIC_RAW
  std::uint32_t correlation = 0;    ///< ties it to the API call, and through that to `external_id`
  std::uint64_t external_id = 0;
};

/// An external id as CUPTI delivers it: attached to the API call, not to the kernel.
struct ExternalId {
  std::uint32_t correlation = 0;
  std::uint64_t id = 0;
};

/// Gives each record the external id of its API call. Of several ids for one call the last wins.
void join_external_ids(std::span<ActivityRecord> records, std::span<const ExternalId> ids);

/// The records of one block, in order of start. `dropped` records, a record without valid times, no record at all, or a
/// number that is no multiple of `launches` make the block unusable: throws `Error` with the reason.
struct BlockTimes {
  std::int64_t start_ns = 0;        ///< of the first kernel
  std::int64_t end_ns = 0;          ///< of the last
  std::int64_t per_launch_ns = 0;   ///< mean over launches of (last end - first start) of an operation
};
BlockTimes block_times(std::span<const ActivityRecord> records, std::uint64_t block_id, std::int64_t launches,
                       std::int64_t dropped);

/// The records of `block_id` in order of start, as launch facts.
std::vector<LaunchRecord> launches_of(std::span<const ActivityRecord> records, std::uint64_t block_id);

}  // namespace triscope
