// The part of `triscope paper scaling` about L(N, D) = E + A / N^alpha + B / D^beta.
#pragma once

#include <vector>

#include "app/cli/paper/paper_sections.hpp"

namespace triscope {

/// At which the question's law is evaluated: the forecasts and the sizes that have losses.
std::vector<double> law_sizes(const std::vector<LossSeries>& series, const ScalingQuestion& question);

/// The law and how the straight line follows from it; what the question asks of it.
void print_general_law(const std::vector<LossSeries>& series, const ScalingQuestion& question, bool json);

}  // namespace triscope
