// Counter-based inputs: any element of any tensor can be recomputed anywhere, bit for bit, on CPU and GPU.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define TRISCOPE_HOST_DEVICE __host__ __device__
#else
#define TRISCOPE_HOST_DEVICE
#endif

namespace triscope {

struct PhiloxBlock {
  std::uint32_t x[4];
};

/// Philox4x32-10 (Salmon et al., SC 2011): four random words for a 128-bit counter and a 64-bit key.
TRISCOPE_HOST_DEVICE inline PhiloxBlock philox(std::uint64_t counter_low, std::uint64_t counter_high,
                                               std::uint64_t key) {
  std::uint32_t c0 = static_cast<std::uint32_t>(counter_low), c1 = static_cast<std::uint32_t>(counter_low >> 32);
  std::uint32_t c2 = static_cast<std::uint32_t>(counter_high), c3 = static_cast<std::uint32_t>(counter_high >> 32);
  std::uint32_t k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = 0xD2511F53ull * c0;
    const std::uint64_t p1 = 0xCD9E8D57ull * c2;
    const std::uint32_t n0 = static_cast<std::uint32_t>(p1 >> 32) ^ c1 ^ k0;
    const std::uint32_t n2 = static_cast<std::uint32_t>(p0 >> 32) ^ c3 ^ k1;
    c1 = static_cast<std::uint32_t>(p1);
    c3 = static_cast<std::uint32_t>(p0);
    c0 = n0;
    c2 = n2;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return {{c0, c1, c2, c3}};
}

/// Approximately N(0, 1) from one Philox block: the centred sum of the eight 16-bit halves, scaled to unit variance
/// (Irwin-Hall, |x| <= 4.9). Integers and one exactly rounded multiplication only, so no libm decides the value.
TRISCOPE_HOST_DEVICE inline float unit_normal(std::uint64_t index, std::uint32_t stream, std::uint64_t seed) {
  const PhiloxBlock block = philox(index, stream, seed);
  std::int32_t sum = 0;
  for (const std::uint32_t word : block.x)
    sum += static_cast<std::int32_t>(word & 0xFFFFu) + static_cast<std::int32_t>(word >> 16);
  // Doubled and centred: 2*sum - 8*65535 is an exact integer below 2^21. Its standard deviation is
  // 2*sqrt(8*(65536^2-1)/12) = 107019.8...; the constant is that number's reciprocal as a float.
  const std::int32_t centred = 2 * sum - 8 * 65535;
  return static_cast<float>(centred) * 0x1.3988e2p-17f;
}

/// Philox stream of each input tensor; fixed for ever, since recorded errors refer to them.
enum class InputStream : std::uint32_t { q = 0, k1 = 1, k2 = 2, v1 = 3, v2 = 4, grad_o = 5 };

/// `x` rounded to bf16 (nearest, ties to even) and back; x finite.
TRISCOPE_HOST_DEVICE inline float round_to_bf16(float x) {
  union {
    float f;
    std::uint32_t u;
  } bits{x};
  bits.u += 0x7FFFu + ((bits.u >> 16) & 1u);
  bits.u &= 0xFFFF0000u;
  return bits.f;
}

/// `x` rounded to the 11 significant bits of fp16 (nearest, ties to even), its exponent kept whatever it is; x finite.
TRISCOPE_HOST_DEVICE inline double round_to_half_precision(double x) {
  union {
    double f;
    std::uint64_t u;
  } bits{x};
  bits.u += 0x1FFFFFFFFFFull + ((bits.u >> 42) & 1u);
  bits.u &= ~0x3FFFFFFFFFFull;
  return bits.f;
}

}  // namespace triscope
