// cuda.portable: mma.sync tensor cores, any GPU from sm_80.
#pragma once

#include <memory>

#include "kernels/attention/kernel.hpp"

namespace triscope {

std::unique_ptr<Kernel> make_cuda_portable();

}  // namespace triscope
