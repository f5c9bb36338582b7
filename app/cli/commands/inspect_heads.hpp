// `triscope inspect --heads`: what each head looks at on average.
#pragma once

#include "kernels/inspect/slice.hpp"
#include "profiler/supervise/supervisor.hpp"

namespace triscope {

/// Prints the means over the queries that count, beside those of even weights, and the pairs of distances at which p is
/// largest on average.
void print_heads(Supervisor& worker, const AttentionSource& source, const SliceQuery& query, const SourceReply& shape,
                 bool json);

}  // namespace triscope
