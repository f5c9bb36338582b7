// The GPU the calling thread works on, for kernels that link no CUDA.
#pragma once

#include "kernels/base/gpu.hpp"

namespace triscope {

/// The current device of the CUDA runtime. Cheap enough for every launch. Throws `Error` when there is none.
Gpu current_gpu();

/// Takes back what the CUDA runtime would tell the next who asks this thread for its last error.
void clear_cuda_error();

}  // namespace triscope
