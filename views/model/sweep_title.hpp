// What a sweep measures, in a few words, so that sweeps can be told apart in a list.
#pragma once

#include <string>

#include "profiler/plan/request.hpp"
#include "profiler/record/measurement.hpp"

namespace triscope {

/// "Table 1, 32k tokens, 64/1 heads"; what is not the usual comes first: "determinant", "forward only", "burst".
std::string request_title(const SweepRequest& request);

/// The note a person gave it, else the title of its request.
std::string sweep_title(const SweepInfo& sweep);

}  // namespace triscope
