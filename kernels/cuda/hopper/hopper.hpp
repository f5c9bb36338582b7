// cuda.hopper: TMA and WGMMA, sm_90 only.
#pragma once

#include <memory>

#include "kernels/attention/kernel.hpp"

namespace triscope {

std::unique_ptr<Kernel> make_cuda_hopper();

}  // namespace triscope
