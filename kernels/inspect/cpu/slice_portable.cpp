// Slices compiled for one instruction set: see slice_rows.hpp. Flags: cmake/CpuKernels.cmake.
#define TRISCOPE_SLICE slice_portable
#define TRISCOPE_SLICE_BYTES 16
#define TRISCOPE_SLICE_ROWS 4

#include "kernels/inspect/cpu/slice_rows.inl"

namespace triscope::cpu {
namespace slice_portable {
namespace {
bool available() { return true; }
}  // namespace
}  // namespace slice_portable

extern const SliceInstructions kSlicePortableInstructions;
const SliceInstructions kSlicePortableInstructions = {slice_portable::available, slice_portable::logits,
                                                      slice_portable::largest, slice_portable::exponentials};

}  // namespace triscope::cpu
