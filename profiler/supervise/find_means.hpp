// Asks a worker for the mean over queries of some tensors' attention.
#pragma once

#include <stop_token>

#include "kernels/inspect/mean_maps.hpp"
#include "profiler/supervise/supervisor.hpp"

namespace triscope {

/// Of all heads, over every `step`-th query that counts. Makes a slice of each. Throws `Error` as `MeanMapsMaker` does,
/// and after a stop.
MeanMaps find_means(Supervisor& worker, const OverviewRequest& request, const SourceReply& shape,
                    const std::stop_token& stop = {});

}  // namespace triscope
