// A launch that does nothing, to be timed beside calls.
#pragma once

namespace triscope::test {

/// Enqueues one block that does nothing, with 1,024 bytes of parameters: some of what our kernels have. Throws `Error`.
void launch_nothing(void* stream);

}  // namespace triscope::test
