// The PTX that CUDA C++ has no words for: mbarriers, bulk tensor copies, named barriers, registers, shared memory by
// address. Shared-memory addresses are 32-bit (`shared_address`). Each wrapper is one instruction unless it says
// otherwise.
#pragma once

#include <cuda.h>

#include <cstdint>

namespace triscope::hopper {

__device__ __forceinline__ std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

// --- mbarrier ------------------------------------------------------------------------------------------------------

__device__ __forceinline__ void barrier_init(std::uint32_t barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
/// Makes initialised barriers visible to the copy engine; before the CTA's first __syncthreads.
__device__ __forceinline__ void fence_barrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/// Arrives once and expects `bytes` from bulk copies.
__device__ __forceinline__ void barrier_expect(std::uint32_t barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
__device__ __forceinline__ void barrier_arrive(std::uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
/// Spins until the phase with this parity has completed. The hint lets a waiting warp sleep instead of polling.
__device__ __forceinline__ void barrier_wait(std::uint32_t barrier, std::uint32_t parity) {
  constexpr std::uint32_t kSuspendNs = 10'000'000;
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1, %2;\n"
      "@done bra finished;\n"
      "bra again;\n"
      "finished:\n"
      "}" ::"r"(barrier),
      "r"(parity), "r"(kSuspendNs)
      : "memory");
}

// --- bulk tensor copies --------------------------------------------------------------------------------------------

/// Copies the box at (x, y, z, w) of a 4-d tensor map to shared memory; completes on `barrier`. One thread.
__device__ __forceinline__ void copy_box(std::uint32_t destination, const CUtensorMap* map, std::uint32_t barrier,
                                         int x, int y, int z, int w) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6}], "
      "[%2];" ::"r"(destination),
      "l"(map), "r"(barrier), "r"(x), "r"(y), "r"(z), "r"(w)
      : "memory");
}
/// Copies 4 kWords bytes to shared memory without a register; waited for with wait_copies. kWords: 1 or 2.
template <int kWords>
__device__ __forceinline__ void copy_words(std::uint32_t destination, const void* source) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(destination), "l"(source), "n"(4 * kWords) : "memory");
}
/// Returns when this thread's copy_words have arrived.
__device__ __forceinline__ void wait_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

/// Orders this thread's ordinary shared-memory writes before later accesses by the copy engine and WGMMA.
__device__ __forceinline__ void fence_async_proxy() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// --- warps ---------------------------------------------------------------------------------------------------------

template <int kRegisters>
__device__ __forceinline__ void lower_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kRegisters));
}
template <int kRegisters>
__device__ __forceinline__ void raise_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters));
}
__device__ __forceinline__ void named_barrier_sync(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/// Counts this warp in without waiting.
__device__ __forceinline__ void named_barrier_arrive(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// --- kernels -------------------------------------------------------------------------------------------------------

/// Lets the next kernel of the stream start, if it was launched so
/// (cudaLaunchAttributeProgrammaticStreamSerialization).
__device__ __forceinline__ void allow_next_kernel() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }
/// Returns when the kernel in front has ended and its writes can be read.
__device__ __forceinline__ void wait_for_previous_kernel() { asm volatile("griddepcontrol.wait;" ::: "memory"); }

// --- arithmetic ----------------------------------------------------------------------------------------------------

/// 2^x, about 2 ulp, denormals flushed; exp2(-inf) = 0.
__device__ __forceinline__ float fast_exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
/// 1 / x, about 1 ulp, denormals flushed.
__device__ __forceinline__ float fast_reciprocal(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
/// Two bf16 products, each rounded to nearest even.
__device__ __forceinline__ std::uint32_t multiply_bf16x2(std::uint32_t a, std::uint32_t b) {
  std::uint32_t product;
  asm("mul.rn.bf16x2 %0, %1, %2;" : "=r"(product) : "r"(a), "r"(b));
  return product;
}
/// a * b - c of two bf16 pairs, each rounded once.
__device__ __forceinline__ std::uint32_t multiply_subtract_bf16x2(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  std::uint32_t result;
  asm("{.reg .b32 n; neg.bf16x2 n, %3; fma.rn.bf16x2 %0, %1, %2, n;}" : "=r"(result) : "r"(a), "r"(b), "r"(c));
  return result;
}
/// `low` and `high` rounded to bf16, in the lower and upper half of the word.
__device__ __forceinline__ std::uint32_t pack_bf16x2(float low, float high) {
  std::uint32_t word;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  return word;
}
/// Two fp16 products, each rounded to nearest even, subnormals kept.
__device__ __forceinline__ std::uint32_t multiply_f16x2(std::uint32_t a, std::uint32_t b) {
  std::uint32_t product;
  asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(product) : "r"(a), "r"(b));
  return product;
}
/// a * b - c of two fp16 pairs, each rounded once.
__device__ __forceinline__ std::uint32_t multiply_subtract_f16x2(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  std::uint32_t result;
  asm("{.reg .b32 n; neg.f16x2 n, %3; fma.rn.f16x2 %0, %1, %2, n;}" : "=r"(result) : "r"(a), "r"(b), "r"(c));
  return result;
}
/// `low` and `high` rounded to fp16, in the lower and upper half of the word; infinite from 65520 on.
__device__ __forceinline__ std::uint32_t pack_f16x2(float low, float high) {
  std::uint32_t word;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  return word;
}
__device__ __forceinline__ float low_bf16(std::uint32_t word) { return __uint_as_float(word << 16); }
__device__ __forceinline__ float high_bf16(std::uint32_t word) { return __uint_as_float(word & 0xFFFF0000u); }
/// A pair of bf16 times a pair of powers of two (bf16), as fp16.
__device__ __forceinline__ std::uint32_t scaled_to_half(std::uint32_t pair, std::uint32_t scale) {
  const std::uint32_t scaled = multiply_bf16x2(pair, scale);
  return pack_f16x2(low_bf16(scaled), high_bf16(scaled));
}

// --- shared memory -------------------------------------------------------------------------------------------------

__device__ __forceinline__ uint4 load_shared_4(std::uint32_t address) {
  uint4 v;
  asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "r"(address)
               : "memory");
  return v;
}
__device__ __forceinline__ float4 load_shared_float4(std::uint32_t address) {
  float4 v;
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "r"(address)
               : "memory");
  return v;
}
/// Four 8x8 bf16 matrices: lane l gives the address of row l % 8 of matrix l / 8 and receives its part of each.
__device__ __forceinline__ void load_matrices(std::uint32_t address, std::uint32_t& r0, std::uint32_t& r1,
                                              std::uint32_t& r2, std::uint32_t& r3) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
               : "r"(address)
               : "memory");
}
__device__ __forceinline__ uint2 load_shared_2(std::uint32_t address) {
  uint2 v;
  asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "r"(address) : "memory");
  return v;
}
__device__ __forceinline__ std::uint32_t load_shared_1(std::uint32_t address) {
  std::uint32_t v;
  asm volatile("ld.shared.b32 %0, [%1];" : "=r"(v) : "r"(address) : "memory");
  return v;
}
__device__ __forceinline__ std::uint32_t load_shared_u16(std::uint32_t address) {
  std::uint16_t v;
  asm volatile("ld.shared.u16 %0, [%1];" : "=h"(v) : "r"(address) : "memory");
  return v;
}
__device__ __forceinline__ void store_shared_4(std::uint32_t address, std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                               std::uint32_t d) {
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
}
__device__ __forceinline__ void store_shared_float4(std::uint32_t address, float a, float b, float c, float d) {
  asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(address), "f"(a), "f"(b), "f"(c), "f"(d) : "memory");
}
__device__ __forceinline__ void store_shared_2(std::uint32_t address, std::uint32_t a, std::uint32_t b) {
  asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(address), "r"(a), "r"(b) : "memory");
}
__device__ __forceinline__ void store_shared_float2(std::uint32_t address, float a, float b) {
  asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(address), "f"(a), "f"(b) : "memory");
}
__device__ __forceinline__ void store_shared_1(std::uint32_t address, std::uint32_t a) {
  asm volatile("st.shared.b32 [%0], %1;" ::"r"(address), "r"(a) : "memory");
}
__device__ __forceinline__ void store_shared_u16(std::uint32_t address, std::uint32_t a) {
  asm volatile("st.shared.u16 [%0], %1;" ::"r"(address), "h"(static_cast<std::uint16_t>(a)) : "memory");
}

// --- compiler ------------------------------------------------------------------------------------------------------

/// Keeps the compiler from moving uses of these registers across this point (WGMMA reads and writes them
/// asynchronously).
template <int n>
__device__ __forceinline__ void pin(float (&x)[n]) {
#pragma unroll
  for (int i = 0; i < n; ++i) asm volatile("" : "+f"(x[i])::"memory");
}
template <int n>
__device__ __forceinline__ void pin(std::uint32_t (&x)[n]) {
#pragma unroll
  for (int i = 0; i < n; ++i) asm volatile("" : "+r"(x[i])::"memory");
}

}  // namespace triscope::hopper
