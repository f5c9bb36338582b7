// Runs an algorithm step by step.
#pragma once

#include "kernels/paper/algorithm_steps.hpp"

namespace triscope {

/// On `step_tensors` of the clamped sizes.
AlgorithmSteps run_algorithm(Algorithm algorithm, const StepSizes& sizes);

}  // namespace triscope
