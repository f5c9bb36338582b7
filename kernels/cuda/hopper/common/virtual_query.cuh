// The virtual query of one step, made by the consumers in the registers of the A fragment:
//   plain         q~_d = q_d k_d                   bf16: the product, rounded
//   biased        q~_d = q_d (k_d + bias)          fp32, rounded to bf16 once
//   cross         q~_d = k_a q_b - (k_b q_a)       bf16: the product in brackets is rounded, then the whole
//   biased_cross  q~_d = k_a q_b - k_b q_a         fp32 with k + bias, rounded to bf16 once
//   half, half_cross: as plain and cross, in fp16
// (d, a, b) are cyclic in each chunk of 3 dimensions; the dimensions left over are 0.
//
// A "word" is two dimensions. Lane c of a quad holds words 4 u + c, u = 0, 1, ..., of its rows (wgmma.cuh). A cross
// product wants whole chunks in one lane, and pairs of chunks in each word. Any order of the dimensions that q~ and the
// tile keys share leaves S unchanged, so cross instances reorder them: lane c's share of a block of 12 words (8 chunks)
// is the two chunks (x y z), (x' y' z') of words 3 c .. 3 c + 2, as words (x x'), (y y'), (z z') in its places u = 3
// block .. 3 block + 2. The tail that is no whole block keeps its order; there q_a lies in q's own words and q_b beside
// them (`tail`), and the ring key has both too.
//
//   lane                0              1             2              3
//   a block        xy zx' y'z'    xy zx' y'z'    xy zx' y'z'    xy zx' y'z'
//   reordered      xx'  xx'  xx'  xx'   |   yy'  yy'  yy'  yy'   |   zz'  zz'  zz'  zz'        (one of each lane)
#pragma once

#include "kernels/cuda/hopper/common/product.hpp"
#include "kernels/cuda/hopper/common/ptx.cuh"

namespace triscope::hopper {

/// Partners of dimension `d` in its chunk: q~_d = k_a q_b - k_b q_a.
__host__ __device__ constexpr int cross_a(int d) { return d % 3 == 2 ? d - 2 : d + 1; }
__host__ __device__ constexpr int cross_b(int d) { return d % 3 == 0 ? d + 2 : d - 1; }

/// Reorders a block of 12 words, given and returned as its three 16-byte parts.
__device__ __forceinline__ void reorder_block(const uint4 (&in)[3], uint4 (&out)[3]) {
  const std::uint32_t w[12] = {in[0].x, in[0].y, in[0].z, in[0].w, in[1].x, in[1].y,
                               in[1].z, in[1].w, in[2].x, in[2].y, in[2].z, in[2].w};
  std::uint32_t x[4], y[4], z[4];
#pragma unroll
  for (int c = 0; c < 4; ++c) {
    x[c] = __byte_perm(w[3 * c], w[3 * c + 1], 0x7610);
    y[c] = __byte_perm(w[3 * c], w[3 * c + 2], 0x5432);
    z[c] = __byte_perm(w[3 * c + 1], w[3 * c + 2], 0x7610);
  }
  out[0] = make_uint4(x[0], x[1], x[2], x[3]);
  out[1] = make_uint4(y[0], y[1], y[2], y[3]);
  out[2] = make_uint4(z[0], z[1], z[2], z[3]);
}

/// The virtual queries of one thread's two rows, g and g + 8 of an A fragment (wgmma.cuh).
template <int kHeadDim, Product kProduct>
struct VirtualQuery {
  using L = QuadWords<kHeadDim, kProduct>;
  static constexpr int kPartWords = 12;  // of a ring key, loaded at a time (products but plain)
  static constexpr int kParts = (L::kKeyWords + kPartWords - 1) / kPartWords;

  std::uint32_t word[kHeadDim / 4];                              // both rows, A fragment order
  std::uint32_t tail[L::kTailWords > 0 ? L::kTailWords : 1][2];  // q_b of the tail, rows g and g + 8

  /// Register of lane word `u` in thread row `r`.
  __host__ __device__ static constexpr int at(int u, int r) { return 4 * (u >> 1) + 2 * (u & 1) + r; }

  /// plain: words of k steps 2 kFirst .. from `a` (row g) and `b` (row g + 8).
  template <int kFirst>
  __device__ __forceinline__ void multiply_pair(const uint4& a, const uint4& b) {
    std::uint32_t* out = word + 8 * kFirst;
    out[0] = multiply(out[0], a.x), out[1] = multiply(out[1], b.x);
    out[2] = multiply(out[2], a.y), out[3] = multiply(out[3], b.y);
    out[4] = multiply(out[4], a.z), out[5] = multiply(out[5], b.z);
    out[6] = multiply(out[6], a.w), out[7] = multiply(out[7], b.w);
  }

  /// The others: the words of row `r` that part `kPart` of the ring key is for.
  template <int kPart>
  __device__ __forceinline__ void multiply_part(const std::uint32_t (&key)[kPartWords], int r) {
    if constexpr (L::kCross && !L::kWideKeys) {
      cross_part<kPart>(key, r);
    } else {
      float k[kPartWords];
#pragma unroll
      for (int x = 0; x < kPartWords; ++x) k[x] = __uint_as_float(key[x]);
      if constexpr (kProduct == Product::biased) biased_part<kPart>(k, r);
      if constexpr (kProduct == Product::biased_cross) biased_cross_part<kPart>(k, r);
    }
  }

 private:
  static __device__ __forceinline__ std::uint32_t multiply(std::uint32_t a, std::uint32_t b) {
    return is_half(kProduct) ? multiply_f16x2(a, b) : multiply_bf16x2(a, b);
  }
  static __device__ __forceinline__ std::uint32_t cross_pair(std::uint32_t ka, std::uint32_t qb, std::uint32_t kb,
                                                             std::uint32_t qa) {
    const std::uint32_t second = multiply(kb, qa);
    return is_half(kProduct) ? multiply_subtract_f16x2(ka, qb, second) : multiply_subtract_bf16x2(ka, qb, second);
  }

  template <int kPart>
  __device__ __forceinline__ void cross_part(const std::uint32_t (&k)[kPartWords], int r) {
#pragma unroll
    for (int n = 0; n < kPartWords / 3; ++n) {
      const int block = kPart * (kPartWords / 3) + n;
      if (block >= L::kCrossBlocks) break;
      std::uint32_t &x = word[at(3 * block, r)], &y = word[at(3 * block + 1, r)], &z = word[at(3 * block + 2, r)];
      const std::uint32_t qx = x, qy = y, qz = z, kx = k[3 * n], ky = k[3 * n + 1], kz = k[3 * n + 2];
      x = cross_pair(ky, qz, kz, qy);
      y = cross_pair(kz, qx, kx, qz);
      z = cross_pair(kx, qy, ky, qx);
    }
#pragma unroll
    for (int n = 0; n < L::kTailWords; ++n) {
      const int at_key = 3 * L::kCrossBlocks + 2 * n - kPartWords * kPart;
      if (at_key < 0 || at_key >= kPartWords) continue;
      std::uint32_t& a = word[at(3 * L::kCrossBlocks + n, r)];
      a = cross_pair(k[at_key], tail[n][r], k[at_key + 1], a);
    }
  }

  template <int kPart>
  __device__ __forceinline__ void biased_part(const float (&k)[kPartWords], int r) {
#pragma unroll
    for (int n = 0; n < kPartWords / 2; ++n) {
      const int u = kPart * (kPartWords / 2) + n;
      if (u >= L::kLaneWords) break;
      std::uint32_t& q = word[at(u, r)];
      q = pack_bf16x2(low_bf16(q) * k[2 * n], high_bf16(q) * k[2 * n + 1]);
    }
  }

  template <int kPart>
  __device__ __forceinline__ void biased_cross_part(const float (&k)[kPartWords], int r) {
#pragma unroll
    for (int n = 0; n < kPartWords / 6; ++n) {
      const int block = kPart * (kPartWords / 6) + n;
      if (block < L::kCrossBlocks)
        cross_two_chunks(word[at(3 * block, r)], word[at(3 * block + 1, r)], word[at(3 * block + 2, r)], k + 6 * n);
    }
#pragma unroll
    for (int n = 0; n < L::kTailWords; ++n) {
      const int f = 6 * L::kCrossBlocks + 4 * n - kPartWords * kPart;
      if (f < 0 || f >= kPartWords) continue;
      std::uint32_t& a = word[at(3 * L::kCrossBlocks + n, r)];
      const std::uint32_t b = tail[n][r];
      a = pack_bf16x2(k[f] * low_bf16(b) - k[f + 2] * low_bf16(a), k[f + 1] * high_bf16(b) - k[f + 3] * high_bf16(a));
    }
  }
  /// k x q of the two chunks in words (x x'), (y y'), (z z').
  static __device__ __forceinline__ void cross_two_chunks(std::uint32_t& x, std::uint32_t& y, std::uint32_t& z,
                                                          const float* k) {
    const float q[6] = {low_bf16(x), high_bf16(x), low_bf16(y), high_bf16(y), low_bf16(z), high_bf16(z)};
    x = pack_bf16x2(k[2] * q[4] - k[4] * q[2], k[3] * q[5] - k[5] * q[3]);
    y = pack_bf16x2(k[4] * q[0] - k[0] * q[4], k[5] * q[1] - k[1] * q[5]);
    z = pack_bf16x2(k[0] * q[2] - k[2] * q[0], k[1] * q[3] - k[3] * q[1]);
  }
};

}  // namespace triscope::hopper
