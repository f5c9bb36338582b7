// Estimated time of a launch, us. Host code without CUDA calls.
#pragma once

#include "kernels/cuda/hopper/choose/chip.hpp"
#include "kernels/cuda/hopper/choose/instance_facts.hpp"
#include "kernels/cuda/hopper/forward/parameters.hpp"
#include "kernels/cuda/portable/common/shape.hpp"

namespace triscope::hopper {

/// An instance with tiles; `p` as its plan made it.
double tiles_us(const Chip& chip, const ForwardParameters& p, const InstanceFacts& facts);

/// What a half instance takes longer than its bf16 twin: its other kernels.
double half_us(const Chip& chip, const ForwardParameters& p);

/// Instance rows, `groups` groups of lanes to a row (Plan::row_groups).
double rows_us(const Chip& chip, const ForwardParameters& p, int groups);

/// Instance portable.
double portable_us(const Chip& chip, const portable::Shape& shape);

}  // namespace triscope::hopper
