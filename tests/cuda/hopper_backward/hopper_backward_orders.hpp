// Deterministic gradients of the backward of cuda.hopper, in whatever order their sums come.
#pragma once

#include "kernels/attention/kernel.hpp"

namespace triscope::backward_bench {

/// Prints what was compared. 1: a result is wrong.
int check_orders(const Kernel& kernel);

}  // namespace triscope::backward_bench
