// baseline.cublas: one matrix product, the machine's practical ceiling. Loaded at run time, never linked, never
// shipped; without the library the kernel still exists, and says how to get it.
#pragma once

#include <memory>

#include "kernels/attention/kernel.hpp"
#include "kernels/base/gpu.hpp"

namespace triscope {

std::unique_ptr<Kernel> make_baseline_cublas(CurrentGpu current_gpu);

}  // namespace triscope
