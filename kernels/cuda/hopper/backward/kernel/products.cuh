// WGMMA with both operands in shared memory, beside the one with A in registers of
// kernels/cuda/hopper/common/wgmma.cuh: D[64 x N] += A[64 x 16] * B[16 x N] by one warpgroup, fp16 or bf16 in, fp32
// out. Tiles and descriptors as there.
//
// An operand whose 16 (the k of the product) runs along the 64-wide rows of its tile is "straight", otherwise
// transposed.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

namespace triscope::hopper::backward {

#define TRISCOPE_ACCUMULATORS_8(d, i)                                                                         \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), \
      "+f"(d[i + 7])
#define TRISCOPE_ACCUMULATORS_16(d, i) TRISCOPE_ACCUMULATORS_8(d, i), TRISCOPE_ACCUMULATORS_8(d, i + 8)
#define TRISCOPE_ACCUMULATORS_32(d, i) TRISCOPE_ACCUMULATORS_16(d, i), TRISCOPE_ACCUMULATORS_16(d, i + 16)

#define TRISCOPE_NAMES_16 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define TRISCOPE_NAMES_32 \
  TRISCOPE_NAMES_16 ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define TRISCOPE_NAMES_64                                                                        \
  TRISCOPE_NAMES_32                                                                              \
  ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, " \
  "%50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"

// The operands behind the accumulators: a, b, accumulate, transposed a, transposed b.
#define TRISCOPE_INPUTS(a, b, accumulate) \
  "l"(a), "l"(b), "r"(static_cast<int>(accumulate)), "n"(kTransposedA ? 1 : 0), "n"(kTransposedB ? 1 : 0)

#define TRISCOPE_MULTIPLY(TYPE)                                                                            \
  if constexpr (kRegisters == 16) {                                                                        \
    asm volatile("{.reg .pred p; setp.ne.b32 p, %18, 0; wgmma.mma_async.sync.aligned.m64n32k16.f32." TYPE  \
                 " {" TRISCOPE_NAMES_16 "}, %16, %17, p, 1, 1, %19, %20;}"                                 \
                 : TRISCOPE_ACCUMULATORS_16(d, 0)                                                          \
                 : TRISCOPE_INPUTS(a, b, accumulate));                                                     \
  } else if constexpr (kRegisters == 32) {                                                                 \
    asm volatile("{.reg .pred p; setp.ne.b32 p, %34, 0; wgmma.mma_async.sync.aligned.m64n64k16.f32." TYPE  \
                 " {" TRISCOPE_NAMES_32 "}, %32, %33, p, 1, 1, %35, %36;}"                                 \
                 : TRISCOPE_ACCUMULATORS_32(d, 0)                                                          \
                 : TRISCOPE_INPUTS(a, b, accumulate));                                                     \
  } else {                                                                                                 \
    asm volatile("{.reg .pred p; setp.ne.b32 p, %66, 0; wgmma.mma_async.sync.aligned.m64n128k16.f32." TYPE \
                 " {" TRISCOPE_NAMES_64 "}, %64, %65, p, 1, 1, %67, %68;}"                                 \
                 : TRISCOPE_ACCUMULATORS_32(d, 0), TRISCOPE_ACCUMULATORS_32(d, 32)                         \
                 : TRISCOPE_INPUTS(a, b, accumulate));                                                     \
  }

/// d = A * B + (accumulate ? d : 0) for N = 2 * kRegisters; `a`, `b`: tile descriptors.
template <typename Element, bool kTransposedA, bool kTransposedB, int kRegisters>
__device__ __forceinline__ void multiply_shared(float (&d)[kRegisters], std::uint64_t a, std::uint64_t b,
                                                bool accumulate) {
  static_assert(kRegisters == 16 || kRegisters == 32 || kRegisters == 64, "N is 32, 64 or 128");
  static_assert(std::is_same_v<Element, __half> || std::is_same_v<Element, __nv_bfloat16>);
  if constexpr (std::is_same_v<Element, __half>) {
    TRISCOPE_MULTIPLY("f16.f16")
  } else {
    TRISCOPE_MULTIPLY("bf16.bf16")
  }
}

#undef TRISCOPE_MULTIPLY
#undef TRISCOPE_INPUTS
#undef TRISCOPE_NAMES_64
#undef TRISCOPE_NAMES_32
#undef TRISCOPE_NAMES_16
#undef TRISCOPE_ACCUMULATORS_32
#undef TRISCOPE_ACCUMULATORS_16
#undef TRISCOPE_ACCUMULATORS_8

}  // namespace triscope::hopper::backward
