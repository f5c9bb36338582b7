// The last launch of a Hopper backward.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/attention/kernel.hpp"
#include "kernels/cuda/hopper/backward/plan/plan.hpp"
#include "kernels/cuda/portable/common/shape.hpp"

namespace triscope::hopper::backward {

/// The backward of cuda.portable with an LSE of a half fold (shape.half), which a word on the GPU may ask for:
/// shape.only_if, null where it never does.
struct PortableInstead {
  portable::Shape shape;
  portable::Tensors tensors;
  portable::BackwardPlan plan;
};

/// Sums to gradients and dsink, for a bound plan, behind its main kernel. Where the word of `instead` is there and not
/// 0, the same launch does all steps of cuda.portable's backward and leaves the sums alone. `multiprocessors` of the
/// current device. Throws `Error` when refused.
void launch_finish(const Plan& plan, const Arguments& arguments, const PortableInstead& instead, int multiprocessors,
                   cudaStream_t stream);

}  // namespace triscope::hopper::backward
