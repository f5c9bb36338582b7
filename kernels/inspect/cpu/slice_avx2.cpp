// Slices compiled for one instruction set: see slice_rows.hpp. Flags: cmake/CpuKernels.cmake.
#define TRISCOPE_SLICE slice_avx2
#define TRISCOPE_SLICE_BYTES 32
#define TRISCOPE_SLICE_ROWS 4

#include "kernels/inspect/cpu/slice_rows.inl"

namespace triscope::cpu {
namespace slice_avx2 {
namespace {
bool available() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
}  // namespace
}  // namespace slice_avx2

extern const SliceInstructions kSliceAvx2Instructions;
const SliceInstructions kSliceAvx2Instructions = {slice_avx2::available, slice_avx2::logits, slice_avx2::largest,
                                                  slice_avx2::exponentials};

}  // namespace triscope::cpu
