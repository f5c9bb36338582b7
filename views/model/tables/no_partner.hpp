// What a row of the latency table can stand beside, and why it stands beside nothing.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "views/model/tables/latency_model.hpp"

namespace triscope {

/// Why this line has no time beside the reference's in that group, as a sentence. Empty where it has one, where it has
/// no time of its own, and of the reference itself.
std::string why_no_partner(const LatencyModel& model, const LatencyLine& line, std::size_t group);

/// A kernel that the others can stand beside.
struct OfferedReference {
  std::string kernel, label;  ///< "Two stages, backward only" where it has times of one pass and others have both
};
/// Those that have a time and whose id is no other reference's text: dot-product attention first, then ours.
std::vector<OfferedReference> offered_references(const LatencyModel& model);

}  // namespace triscope
