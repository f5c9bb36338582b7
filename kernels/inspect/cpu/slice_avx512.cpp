// Slices compiled for one instruction set: see slice_rows.hpp. Flags: cmake/CpuKernels.cmake.
#define TRISCOPE_SLICE slice_avx512
#define TRISCOPE_SLICE_BYTES 64
#define TRISCOPE_SLICE_ROWS 8

#include "kernels/inspect/cpu/slice_rows.inl"

namespace triscope::cpu {
namespace slice_avx512 {
namespace {
bool available() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
}
}  // namespace
}  // namespace slice_avx512

extern const SliceInstructions kSliceAvx512Instructions;
const SliceInstructions kSliceAvx512Instructions = {slice_avx512::available, slice_avx512::logits,
                                                    slice_avx512::largest, slice_avx512::exponentials};

}  // namespace triscope::cpu
