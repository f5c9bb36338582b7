// The part of `triscope paper scaling` about L(N, D) = E + A / N^alpha + B / D^beta.
#pragma once

#include <vector>

#include "app/cli/paper/paper_sections.hpp"

namespace triscope {

/// The law and how the straight line follows from it; what the question asks of it.
void print_general_law(const std::vector<LossSeries>& series, const ScalingQuestion& question, bool json);

}  // namespace triscope
