// The kernels that run anywhere: the fp64 oracle, the fast fp32 kernels and the dot-product baseline.
#pragma once

#include <memory>

#include "kernels/kernel.hpp"

namespace triscope {

std::unique_ptr<Kernel> make_cpu_oracle();    ///< cpu.oracle: fp64 arithmetic on fp32 tensors, direct loops
std::unique_ptr<Kernel> make_cpu_fast();      ///< cpu.fast: fp32, virtual-query GEMMs, OpenMP and SIMD
std::unique_ptr<Kernel> make_cpu_baseline();  ///< baseline.cpu: causal and sliding-window dot-product attention

}  // namespace triscope
