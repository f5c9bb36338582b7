// The GPU the calling thread works on, for kernels that link no CUDA.
#pragma once

#include "kernels/base/gpu.hpp"

namespace triscope {

/// The current device of the CUDA runtime. Cheap enough for every launch. Throws `Error` when there is none.
Gpu current_gpu();

}  // namespace triscope
