// About how long the instances of a backward take on a chip, for the choice between them. Host code without CUDA
// calls.
#pragma once

#include "kernels/attention/problem.hpp"
#include "kernels/cuda/hopper/choose/chip.hpp"

namespace triscope::hopper::backward {

/// Microseconds of virtual keys with all their launches. `problem` is one that they can run.
double virtual_keys_us(const Chip& chip, const Problem& problem);

/// Microseconds of virtual queries, the same.
double virtual_queries_us(const Chip& chip, const Problem& problem);

/// Microseconds of the portable backward with head_dim 64 or 128.
double portable_us(const Chip& chip, const Problem& problem);

}  // namespace triscope::hopper::backward
