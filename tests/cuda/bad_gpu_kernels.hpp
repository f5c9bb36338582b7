// Launches that go wrong on a GPU in each way a kernel can. Tests only.
#pragma once

namespace triscope::bad {

/// Enqueues a kernel that runs for `seconds` of the GPU's own clock.
void spin(void* stream, double seconds);
/// Enqueues a kernel that writes to an address nobody owns: the context is lost.
void write_nowhere(void* stream);
/// Asks for more threads in a block than any GPU has: the launch is refused, the device stays usable. Throws `Error`.
void launch_impossible(void* stream);

}  // namespace triscope::bad
