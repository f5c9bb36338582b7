// Why a row of the latency table stands beside nothing.
#pragma once

#include <cstddef>
#include <string>

#include "views/model/tables/latency_model.hpp"

namespace triscope {

/// Why this line has no time beside the reference's in that group, as a sentence. Empty where it has one, where it has
/// no time of its own, and of the reference itself.
std::string why_no_partner(const LatencyModel& model, const LatencyLine& line, std::size_t group);

}  // namespace triscope
