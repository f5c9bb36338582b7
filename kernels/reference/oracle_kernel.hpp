// The fp64 oracle as a kernel.
#pragma once

#include <memory>

#include "kernels/attention/kernel.hpp"

namespace triscope {

std::unique_ptr<Kernel> make_cpu_oracle();  ///< cpu.oracle: fp64 arithmetic on fp32 tensors, direct loops

}  // namespace triscope
