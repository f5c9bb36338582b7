// A launch that does nothing, to be timed beside calls.
#pragma once

#include "kernels/cuda/common/launch.hpp"

namespace triscope::test {

/// Enqueues, as `how` says, blocks that do nothing, with 1,024 bytes of parameters: some of what our kernels have.
/// Throws `Error`.
void launch_nothing(const Launch& how);

}  // namespace triscope::test
