// A sweep whose row in the database cannot be used: it is listed, and says so.
#pragma once

#include <cstdint>
#include <string>

#include "profiler/record/measurement.hpp"

namespace triscope {

/// Stands for sweep `id`, with `fault` in the place of a title. Without a request and an identity it cannot be resumed.
SweepInfo unusable_sweep(std::int64_t id, const std::string& fault);

/// Why `sweep` cannot be used ("its environment is missing"); empty: it can.
std::string why_unusable(const SweepInfo& sweep);

}  // namespace triscope
