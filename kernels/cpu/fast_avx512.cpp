// The CPU kernels compiled for one instruction set: see fast_tiles.hpp. Flags: cmake/CpuKernels.cmake.
#define TRISCOPE_SIMD avx512
#define TRISCOPE_SIMD_BYTES 64
#define TRISCOPE_SIMD_ROWS 8
#define TRISCOPE_SIMD_VECTORS 2
#define TRISCOPE_SIMD_UNROLL 4

#include "kernels/cpu/fast_backward.inl"
#include "kernels/cpu/fast_forward.inl"
#include "kernels/cpu/fast_vector.inl"

namespace triscope::cpu {
namespace avx512 {
namespace {

bool available() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
}

}  // namespace
}  // namespace avx512

extern const InstructionSet kAvx512Instructions;
const InstructionSet kAvx512Instructions = {
    "avx512",
    avx512::kRows,
    avx512::kLanes,
    avx512::available,
    avx512::forward_scratch,
    avx512::backward_scratch,
    avx512::forward,
    avx512::backward_position,
    avx512::backward_keys,
    avx512::exp2_array,
};

}  // namespace triscope::cpu
