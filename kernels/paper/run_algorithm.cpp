#include "kernels/paper/run_algorithm.hpp"

#include "kernels/paper/step_machine.hpp"

namespace triscope {

AlgorithmSteps run_algorithm(Algorithm algorithm, const StepSizes& sizes) {
  const StepSizes shown = clamped(sizes);
  switch (algorithm) {
    case Algorithm::paper_forward:
      return run_paper_forward(shown);
    case Algorithm::paper_keys:
      return run_paper_keys(shown);
    case Algorithm::paper_two_stage:
      return run_paper_two_stage(shown);
    case Algorithm::our_forward:
      return run_our_forward(shown);
    case Algorithm::our_backward:
      return run_our_backward(shown);
  }
  return {};
}

}  // namespace triscope
