// profiler/statistics/statistics.hpp as JSON and back, by member name.
#pragma once

#include "profiler/record/json.hpp"
#include "profiler/statistics/statistics.hpp"

namespace triscope {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StoppingRule, precision, budget_ns, min_blocks, max_blocks)

}  // namespace triscope
