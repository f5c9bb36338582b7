// Kernels whose code runs on some GPUs only, told before anything is launched.
#pragma once

#include <memory>

#include "kernels/attention/kernel.hpp"
#include "kernels/base/gpu.hpp"

namespace triscope {

/// Compute capabilities as 10 * major + minor, both ends included.
struct CapabilityRange {
  int lowest = 0;
  int highest = 1'000'000;
};

/// `kernel`, which on a GPU outside `range`, or where `current_gpu` finds none, supports no problem and says why.
std::unique_ptr<Kernel> restrict_to(CapabilityRange range, std::unique_ptr<Kernel> kernel, CurrentGpu current_gpu);

}  // namespace triscope
