// The windows of a request that names none.
#pragma once

#include <vector>

#include "profiler/plan/request.hpp"

namespace triscope {

/// The windows of `request`; where it names none Table 1, of dot_product alone all tokens of its longest length. Empty:
/// it names no length either.
std::vector<Windows> default_windows(const SweepRequest& request);

}  // namespace triscope
