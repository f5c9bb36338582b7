// baseline.fa3: FlashAttention-3, forward and backward, Hopper only. Loaded at run time, never linked, never shipped;
// without the library the kernel still exists, and says how to get it.
#pragma once

#include <memory>
#include <string>

#include "kernels/attention/kernel.hpp"
#include "kernels/base/gpu.hpp"

namespace triscope {

/// `sha256`: of the library; empty: the pinned version's.
std::unique_ptr<Kernel> make_baseline_fa3(CurrentGpu current_gpu, std::string sha256 = {});

}  // namespace triscope
