// The fast fp32 kernels, which run anywhere: 2-simplicial attention and its dot-product baseline.
#pragma once

#include <memory>

#include "kernels/attention/kernel.hpp"

namespace triscope {

std::unique_ptr<Kernel> make_cpu_fast();      ///< cpu.fast: fp32, virtual-query GEMMs, OpenMP and SIMD
std::unique_ptr<Kernel> make_cpu_baseline();  ///< baseline.cpu: causal and sliding-window dot-product attention

}  // namespace triscope
