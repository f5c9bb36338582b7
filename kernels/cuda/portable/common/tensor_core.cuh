// Thin names for the sm_80 instructions the kernels use, and the one shared-memory layout they share.
#pragma once

#include <cuda_bf16.h>

#include <cstdint>

namespace triscope::portable {

using bf16 = __nv_bfloat16;

/// Tiles in shared memory are rows of D bf16, cut into chunks of 8 (16 bytes). Chunk c of row r lies at place c ^ (r &
/// 7), so eight rows at the same chunk (ldmatrix), or one row's chunks (cp.async, 16-byte stores), touch all 32 banks
/// once.
template <int D>
__device__ inline uint32_t tile_offset(int row, int chunk) {
  return static_cast<uint32_t>(row * D * 2 + ((chunk ^ (row & 7)) << 4));
}

__device__ inline uint32_t shared_address(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

/// `x`, its origin hidden from the compiler: what is computed from it is computed where it is used, instead of being
/// hoisted out of the loop and held in registers that the accumulators need.
__device__ inline uint32_t not_hoisted(uint32_t x) {
  asm volatile("" : "+r"(x));
  return x;
}

/// Copies 16 bytes to shared memory asynchronously; writes zeros when `valid` is false (`source` must still be
/// readable).
__device__ inline void copy_async(uint32_t destination, const void* source, bool valid) {
  const int bytes = valid ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(destination), "l"(source), "r"(bytes) : "memory");
}
__device__ inline void copy_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
__device__ inline void copy_wait_all() { asm volatile("cp.async.wait_group 0;" ::: "memory"); }

/// Four 8x8 matrices; lane l gives the address of row l % 8 of matrix l / 8.
__device__ inline void load_matrices(uint32_t (&x)[4], uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
               : "r"(address)
               : "memory");
}
__device__ inline void load_matrices_transposed(uint32_t (&x)[4], uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
               : "r"(address)
               : "memory");
}

/// c[16x8] += a[16x16] b[16x8]. Lane l holds rows l/4 and l/4 + 8, columns 2(l%4) and 2(l%4) + 1 of c.
__device__ inline void multiply_add(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// 2^x, flushing results below the smallest normal to 0.
__device__ inline float exp2_fast(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

__device__ inline uint32_t pack(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const uint32_t*>(&pair);
}
__device__ inline float low_float(uint32_t pair) { return __uint_as_float(pair << 16); }
__device__ inline float high_float(uint32_t pair) { return __uint_as_float(pair & 0xFFFF0000u); }

/// Lane addresses of the three ways a warp reads a tile of rows of D. `base` is the shared address of the tile; it must
/// be aligned to 256 bytes. Column steps of 16 are XORed in (column_step << 5); row steps of 16 are added (16 * D * 2
/// bytes).
template <int D>
struct FragmentAddress {
  /// A operand: rows are m, columns are k.
  static __device__ uint32_t a(uint32_t base, int lane) { return base + tile_offset<D>(lane & 15, lane >> 4); }
  /// B operand of c += a rows^T: rows are n, columns are k; one read serves 16 n.
  static __device__ uint32_t b_rows(uint32_t base, int lane) {
    return base + tile_offset<D>((lane & 7) + ((lane >> 4) << 3), (lane >> 3) & 1);
  }
  /// B operand of c += a rows: rows are k, columns are n; one (transposing) read serves 16 n.
  static __device__ uint32_t b_columns(uint32_t base, int lane) { return a(base, lane); }
};

/// c[16 x 8*N] += a rows^T for N/2 groups of 16 rows and all D columns; `a(step)` gives the A fragment of 16 columns.
template <int D, int N, typename AFragment>
__device__ inline void multiply_rows(float (&c)[N][4], AFragment&& a_fragment, uint32_t rows_address) {
#pragma unroll
  for (int step = 0; step < D / 16; ++step) {
    const auto& a = a_fragment(step);
#pragma unroll
    for (int n = 0; n < N / 2; ++n) {
      uint32_t b[4];
      load_matrices(b, (rows_address ^ (step << 5)) + n * 16 * D * 2);
      multiply_add(c[2 * n], a, b[0], b[1]);
      multiply_add(c[2 * n + 1], a, b[2], b[3]);
    }
  }
}

/// c[16 x D] += p[16 x 16*K] rows; p are packed A fragments, rows a tile of 16*K rows of D.
template <int D, int K>
__device__ inline void multiply_columns(float (&c)[D / 8][4], const uint32_t (&p)[K][4], uint32_t columns_address) {
#pragma unroll
  for (int step = 0; step < K; ++step) {
#pragma unroll
    for (int n = 0; n < D / 16; ++n) {
      uint32_t b[4];
      load_matrices_transposed(b, (columns_address ^ (n << 5)) + step * 16 * D * 2);
      multiply_add(c[2 * n], p[step], b[0], b[1]);
      multiply_add(c[2 * n + 1], p[step], b[2], b[3]);
    }
  }
}

/// Accumulators [16 x 16*K] as packed bf16 A fragments.
template <int K>
__device__ inline void pack_fragments(uint32_t (&p)[K][4], const float (&s)[2 * K][4]) {
#pragma unroll
  for (int step = 0; step < K; ++step) {
    p[step][0] = pack(s[2 * step][0], s[2 * step][1]);
    p[step][1] = pack(s[2 * step][2], s[2 * step][3]);
    p[step][2] = pack(s[2 * step + 1][0], s[2 * step + 1][1]);
    p[step][3] = pack(s[2 * step + 1][2], s[2 * step + 1][3]);
  }
}

template <int N>
__device__ inline void clear(float (&c)[N][4]) {
#pragma unroll
  for (int n = 0; n < N; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) c[n][e] = 0.0f;
  }
}

}  // namespace triscope::portable
