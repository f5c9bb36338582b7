// The CPU kernels compiled for one instruction set: see fast_tiles.hpp. Flags: cmake/CpuKernels.cmake.
#define TRISCOPE_SIMD avx2
#define TRISCOPE_SIMD_BYTES 32
#define TRISCOPE_SIMD_ROWS 4
#define TRISCOPE_SIMD_VECTORS 3
#define TRISCOPE_SIMD_UNROLL 1

#include "kernels/cpu/fast_backward.inl"
#include "kernels/cpu/fast_forward.inl"
#include "kernels/cpu/fast_vector.inl"

namespace triscope::cpu {
namespace avx2 {
namespace {

bool available() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

}  // namespace
}  // namespace avx2

extern const InstructionSet kAvx2Instructions;
const InstructionSet kAvx2Instructions = {
    "avx2",
    avx2::kRows,
    avx2::kLanes,
    avx2::available,
    avx2::forward_scratch,
    avx2::backward_scratch,
    avx2::forward,
    avx2::backward_position,
    avx2::backward_keys,
    avx2::exp2_array,
};

}  // namespace triscope::cpu
