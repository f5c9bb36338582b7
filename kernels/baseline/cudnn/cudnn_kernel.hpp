// baseline.cudnn: cuDNN's dot-product attention, forward and backward. Loaded at run time, never linked, never shipped;
// without the library the kernel still exists, and says how to get it.
#pragma once

#include <memory>

#include "kernels/attention/kernel.hpp"
#include "kernels/base/gpu.hpp"

namespace triscope {

std::unique_ptr<Kernel> make_baseline_cudnn(CurrentGpu current_gpu);

}  // namespace triscope
