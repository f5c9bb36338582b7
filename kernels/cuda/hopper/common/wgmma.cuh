// WGMMA: D[64 x N] += A[64 x 16] * B[16 x N] by one warpgroup; A in registers, B in shared memory; bf16 or fp16
// in, fp32 out.
//
// Fragments (PTX ISA, "wgmma m64nNk16"): lane = 4 g + c of warp w holds
//   A  a0 = (row 16w+g, k 2c..2c+1)           a1 = (row 16w+g+8, the same k)
//      a2 = (row 16w+g, k 2c+8..2c+9)         a3 = (row 16w+g+8, the same k)
//   D  d[4n+0..1] = (row 16w+g, columns 8n+2c..)   d[4n+2..3] = (row 16w+g+8, the same columns)
// so a D tile, packed to bf16, is the A fragment of the next product: columns become k without any exchange.
//
// Which query rows are WGMMA's rows is free. Unless rows are mixed anyway, rows g and g + 8, which one thread holds,
// are two neighbours (paired_row): they belong to one position whenever a position has an even number of heads.
//
// B tiles are what a bulk tensor copy with 128-byte swizzle writes: rows of 64 bf16, 8-row atoms of 1024 bytes.
#pragma once

#include <cstdint>

namespace triscope::hopper {

/// The row of a warp's 16 that is WGMMA's row `m`: that of m + 8 is its neighbour, and those of 0 .. 7 differ in their
/// last three bits, so that ldmatrix finds them in different banks.
__host__ __device__ constexpr int paired_row(int m) { return (2 * (m & 7) + (m >> 2 & 1)) ^ (m >> 3); }

/// Orders earlier register and shared-memory accesses of the warpgroup before the next WGMMA.
__device__ __forceinline__ void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
/// Waits until at most `kPending` committed groups are unfinished.
template <int kPending>
__device__ __forceinline__ void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}

/// Descriptor of a B tile in shared memory, 128-byte swizzle. `half_bytes`: distance of the 64-column halves when the
/// tile is read transposed (k along the rows); it is ignored otherwise. Advancing by b bytes adds b / 16.
/// `address` may be that of any row of an atom, because the swizzle goes by address bits (hopper_wrappers_check).
__device__ __forceinline__ std::uint64_t tile_descriptor(std::uint32_t address, int half_bytes) {
  constexpr std::uint64_t kSwizzle128 = std::uint64_t{1} << 62;
  constexpr std::uint64_t kAtomStride = std::uint64_t{1024 / 16} << 32;
  return kSwizzle128 | kAtomStride | (static_cast<std::uint64_t>(half_bytes / 16) << 16) | ((address & 0x3FFFF) >> 4);
}

#define TRISCOPE_ACCUMULATORS_8(d, i)                                                                         \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), \
      "+f"(d[i + 7])

/// One WGMMA: `n` columns, operands of type `type`, `accumulators` as "%0, ...", the operands behind them by number.
#define TRISCOPE_WGMMA(n, type, accumulators, a_words, b_tile, p, transposed)                            \
  "{.reg .pred p; setp.ne.b32 p, " p ", 0; wgmma.mma_async.sync.aligned.m64n" n "k16.f32." type "." type \
  " {" accumulators "}, {" a_words "}, " b_tile ", p, 1, 1, " transposed ";}"
#define TRISCOPE_0_31                                                                                              \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, " \
  "%24, %25, %26, %27, %28, %29, %30, %31"
#define TRISCOPE_0_39 TRISCOPE_0_31 ", %32, %33, %34, %35, %36, %37, %38, %39"
#define TRISCOPE_0_47 TRISCOPE_0_39 ", %40, %41, %42, %43, %44, %45, %46, %47"
#define TRISCOPE_0_55 TRISCOPE_0_47 ", %48, %49, %50, %51, %52, %53, %54, %55"
#define TRISCOPE_0_63 TRISCOPE_0_55 ", %56, %57, %58, %59, %60, %61, %62, %63"

/// d = a * B + (accumulate ? d : 0) for N = 2 * kRegisters. `kTransposed`: B's rows are k (V tiles), else columns (K
/// tiles). `kHalf`: both operands are fp16.
template <bool kTransposed, bool kHalf = false, int kRegisters>
__device__ __forceinline__ void wgmma(float (&d)[kRegisters], std::uint32_t a0, std::uint32_t a1, std::uint32_t a2,
                                      std::uint32_t a3, std::uint64_t b, bool accumulate) {
  static_assert(kRegisters == 32 || kRegisters == 40 || kRegisters == 48 || kRegisters == 56 || kRegisters == 64,
                "N is 64, 80, 96, 112 or 128");
#define TRISCOPE_OPERANDS \
  "r"(a0), "r"(a1), "r"(a2), "r"(a3), "l"(b), "r"(static_cast<int>(accumulate)), "n"(kTransposed ? 1 : 0)
#define TRISCOPE_EITHER_TYPE(n, columns, words, tile, p, transposed, ...)                                           \
  if constexpr (kHalf) {                                                                                            \
    asm volatile(TRISCOPE_WGMMA(n, "f16", columns, words, tile, p, transposed) : __VA_ARGS__ : TRISCOPE_OPERANDS);  \
  } else {                                                                                                          \
    asm volatile(TRISCOPE_WGMMA(n, "bf16", columns, words, tile, p, transposed) : __VA_ARGS__ : TRISCOPE_OPERANDS); \
  }
  if constexpr (kRegisters == 32) {
    TRISCOPE_EITHER_TYPE("64", TRISCOPE_0_31, "%32, %33, %34, %35", "%36", "%37", "%38", TRISCOPE_ACCUMULATORS_8(d, 0),
                         TRISCOPE_ACCUMULATORS_8(d, 8), TRISCOPE_ACCUMULATORS_8(d, 16), TRISCOPE_ACCUMULATORS_8(d, 24))
  } else if constexpr (kRegisters == 40) {
    TRISCOPE_EITHER_TYPE("80", TRISCOPE_0_39, "%40, %41, %42, %43", "%44", "%45", "%46", TRISCOPE_ACCUMULATORS_8(d, 0),
                         TRISCOPE_ACCUMULATORS_8(d, 8), TRISCOPE_ACCUMULATORS_8(d, 16), TRISCOPE_ACCUMULATORS_8(d, 24),
                         TRISCOPE_ACCUMULATORS_8(d, 32))
  } else if constexpr (kRegisters == 48) {
    TRISCOPE_EITHER_TYPE("96", TRISCOPE_0_47, "%48, %49, %50, %51", "%52", "%53", "%54", TRISCOPE_ACCUMULATORS_8(d, 0),
                         TRISCOPE_ACCUMULATORS_8(d, 8), TRISCOPE_ACCUMULATORS_8(d, 16), TRISCOPE_ACCUMULATORS_8(d, 24),
                         TRISCOPE_ACCUMULATORS_8(d, 32), TRISCOPE_ACCUMULATORS_8(d, 40))
  } else if constexpr (kRegisters == 56) {
    TRISCOPE_EITHER_TYPE("112", TRISCOPE_0_55, "%56, %57, %58, %59", "%60", "%61", "%62", TRISCOPE_ACCUMULATORS_8(d, 0),
                         TRISCOPE_ACCUMULATORS_8(d, 8), TRISCOPE_ACCUMULATORS_8(d, 16), TRISCOPE_ACCUMULATORS_8(d, 24),
                         TRISCOPE_ACCUMULATORS_8(d, 32), TRISCOPE_ACCUMULATORS_8(d, 40), TRISCOPE_ACCUMULATORS_8(d, 48))
  } else if constexpr (kRegisters == 64) {
    TRISCOPE_EITHER_TYPE("128", TRISCOPE_0_63, "%64, %65, %66, %67", "%68", "%69", "%70", TRISCOPE_ACCUMULATORS_8(d, 0),
                         TRISCOPE_ACCUMULATORS_8(d, 8), TRISCOPE_ACCUMULATORS_8(d, 16), TRISCOPE_ACCUMULATORS_8(d, 24),
                         TRISCOPE_ACCUMULATORS_8(d, 32), TRISCOPE_ACCUMULATORS_8(d, 40), TRISCOPE_ACCUMULATORS_8(d, 48),
                         TRISCOPE_ACCUMULATORS_8(d, 56))
  }
#undef TRISCOPE_EITHER_TYPE
#undef TRISCOPE_OPERANDS
}

#undef TRISCOPE_WGMMA
#undef TRISCOPE_0_31
#undef TRISCOPE_0_39
#undef TRISCOPE_0_47
#undef TRISCOPE_0_55
#undef TRISCOPE_0_63
#undef TRISCOPE_ACCUMULATORS_8

}  // namespace triscope::hopper
