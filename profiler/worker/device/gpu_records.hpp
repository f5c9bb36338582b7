// Kernel records as CUPTI's activity tracing delivers them, and how they are assigned to launches. Does not call CUPTI.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "profiler/record/measurement.hpp"

namespace triscope {

/// A kernel (or memset, or copy) that ran, with the id that was pushed when it was enqueued; 0: none.
struct ActivityRecord {
  LaunchRecord launch;            ///< times in CLOCK_MONOTONIC_RAW
  std::uint32_t correlation = 0;  ///< ties it to the API call, and through that to `external_id`
  std::uint64_t external_id = 0;
};

/// An external id as CUPTI delivers it: attached to the API call, not to the kernel.
struct ExternalId {
  std::uint32_t correlation = 0;
  std::uint64_t id = 0;
};

/// Gives each record the external id of its API call. Of several ids for one call the last wins.
void join_external_ids(std::span<ActivityRecord> records, std::span<const ExternalId> ids);

struct BlockTimes {
  std::int64_t start_ns = 0;       ///< of the first kernel
  std::int64_t end_ns = 0;         ///< of the last
  std::int64_t per_launch_ns = 0;  ///< mean over launches of (last end - first start) of an operation
};

/// A number of launches that were enqueued one after another under one id.
struct Block {
  std::uint64_t id = 0;
  std::int64_t begun_ns = 0;  ///< when the first was enqueued, CLOCK_MONOTONIC_RAW; older records are none of its
  std::int64_t launches = 1;
  std::int64_t dropped = 0;  ///< records that CUPTI lost meanwhile
};

/// The times of `block` from what was delivered after it. A dropped record, one without valid times, none at all, a
/// number that is no multiple of the launches, or a kernel that ran meanwhile under no id or another (its time would be
/// missing) make the block unusable: throws `Error` with the reason.
BlockTimes block_times(std::span<const ActivityRecord> records, const Block& block);

/// The records of `block_id` in order of start, as launch facts.
std::vector<LaunchRecord> launches_of(std::span<const ActivityRecord> records, std::uint64_t block_id);

}  // namespace triscope
