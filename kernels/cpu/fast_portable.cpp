// The CPU kernels compiled for one instruction set: see fast_tiles.hpp. Flags: cmake/CpuKernels.cmake.
#define TRISCOPE_SIMD portable
#define TRISCOPE_SIMD_BYTES 16
#define TRISCOPE_SIMD_ROWS 4
#define TRISCOPE_SIMD_VECTORS 3
#define TRISCOPE_SIMD_UNROLL 1

#include "kernels/cpu/fast_backward.inl"
#include "kernels/cpu/fast_forward.inl"
#include "kernels/cpu/fast_vector.inl"

namespace triscope::cpu {
namespace portable {
namespace {

bool available() { return true; }

}  // namespace
}  // namespace portable

extern const InstructionSet kPortableInstructions;
const InstructionSet kPortableInstructions = {
    "portable",
    portable::kRows,
    portable::kLanes,
    portable::available,
    portable::forward_scratch,
    portable::backward_scratch,
    portable::forward,
    portable::backward_position,
    portable::backward_keys,
    portable::exp2_array,
};

}  // namespace triscope::cpu
