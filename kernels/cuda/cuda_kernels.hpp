// The kernels that need an NVIDIA GPU. The registry includes this header under TRISCOPE_HAVE_CUDA.
#pragma once

#include <memory>

#include "kernels/kernel.hpp"

namespace triscope {

std::unique_ptr<Kernel> make_cuda_portable();  ///< cuda.portable: mma.sync tensor cores, any GPU from sm_80
std::unique_ptr<Kernel> make_cuda_hopper();    ///< cuda.hopper: TMA and WGMMA, sm_90 only

}  // namespace triscope
