// Asks a worker for the mean over queries of some tensors' attention.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>

#include "kernels/inspect/mean_maps.hpp"
#include "profiler/supervise/supervisor.hpp"

namespace triscope {

struct MeansProgress {
  std::int64_t done = 0, total = 0;  ///< slices
  double seconds_left = 0;
};

/// Of all heads, over every `step`-th query that counts. Makes a slice of each. `tell` is called on this thread, twice
/// a second: of what is done sooner never. Throws `Error` as `MeanMapsMaker` does, and after a stop.
MeanMaps find_means(Supervisor& worker, const OverviewRequest& request, const SourceReply& shape,
                    const std::stop_token& stop = {}, const std::function<void(const MeansProgress&)>& tell = {});

}  // namespace triscope
