// The backward of cuda.portable behind one of cuda.hopper, for inputs that only the GPU can tell.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/cuda/portable/common/shape.hpp"

namespace triscope::hopper::backward {

/// All steps of cuda.portable's backward with an LSE of a half fold (shape.half) in one launch, where the word
/// shape.only_if is not 0; else it does nothing. `multiprocessors` of the current device. Throws `Error` when refused.
void launch_portable_instead(const portable::Shape& shape, const portable::BackwardPlan& plan,
                             const portable::Tensors& tensors, void* workspace, int multiprocessors,
                             cudaStream_t stream);

}  // namespace triscope::hopper::backward
