// The backward of the paper's Algorithm 2 and of its two backward listings, as a kernel of the CPU.
#pragma once

#include <memory>

#include "kernels/attention/kernel.hpp"

namespace triscope {

/// cpu.two_stage: fp64 arithmetic on fp32 tensors, one kernel for dK and dV, and one for dQ, dK' and dV' that visits
/// even and odd tiles of queries in turn. Backward only, trilinear, causal, no sink. There to be looked at and compared
/// with: like cpu.oracle it is measured only when it is named.
std::unique_ptr<Kernel> make_cpu_two_stage();

}  // namespace triscope
