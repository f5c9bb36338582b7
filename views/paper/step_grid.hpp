// A matrix of the steps page, drawn with its numbers.
#pragma once

#include <vector>

#include "kernels/paper/algorithm_steps.hpp"
#include "views/parts/context.hpp"

namespace triscope {

/// Beside each other, in as many lines as the width asks for; those that the step changed have a frame in the accent
/// colour.
void draw_step_grids(const Context& context, const std::vector<StepGrid>& grids);

}  // namespace triscope
