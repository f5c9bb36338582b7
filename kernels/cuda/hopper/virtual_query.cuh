// The virtual query of one step, made by the consumers in the registers of the A fragment, rounded to bf16 once:
//   plain    q~_d = q_d k_d                 (the product of two bf16 numbers, rounded)
//   biased   q~_d = q_d (k_d + bias)        fp32
//   cross    q~_d = k_a q_b - k_b q_a       fp32, k with its bias; (d, a, b) cyclic in each chunk of 3 dimensions; the
//                                           dimensions left over are 0
//
// A "word" is two dimensions. Lane c of a quad holds words 4 u + c, u = 0, 1, ..., of its rows (wgmma.cuh). A cross product
// wants whole chunks in one lane. Any order of the dimensions that q~ and the tile keys share leaves S unchanged, so cross
// instances reorder words: in each block of 12 words (8 chunks) word 3 c + j goes to place 4 j + c, and lane c finds two whole
// chunks in its words u = 3 block .. 3 block + 2. The tail that is no whole block stays in place; there q_a lies in q's own
// words and q_b beside them (Layout::kTails), and the ring key has both too.
//
//   words of a block     0 1 2 | 3 4 5 | 6 7 8 | 9 10 11      ->   0 3 6 9 | 1 4 7 10 | 2 5 8 11
#pragma once

#include "kernels/cuda/hopper/config.hpp"
#include "kernels/cuda/hopper/ptx.cuh"

namespace triscope::hopper {

/// Partners of dimension `d` in its chunk: q~_d = k_a q_b - k_b q_a.
__host__ __device__ constexpr int cross_a(int d) { return d % 3 == 2 ? d - 2 : d + 1; }
__host__ __device__ constexpr int cross_b(int d) { return d % 3 == 0 ? d + 2 : d - 1; }

/// Transposes a block of 12 words: lane c's words 3 c + j to places 4 j + c. `in` and `out` are its three 16-byte parts.
__device__ __forceinline__ void reorder_block(const uint4 (&in)[3], uint4 (&out)[3]) {
  out[0] = make_uint4(in[0].x, in[0].w, in[1].z, in[2].y);
  out[1] = make_uint4(in[0].y, in[1].x, in[1].w, in[2].z);
  out[2] = make_uint4(in[0].z, in[1].y, in[2].x, in[2].w);
}

/// Byte offset in a ring key of float number `f` of lane `c`: 16 bytes of each lane of a quad lie side by side.
__device__ __forceinline__ int wide_key_offset(int f, int c) { return (f >> 2) * 64 + c * 16 + (f & 3) * 4; }

template <TileConfig kConfig>
struct VirtualQuery {
  using L = Layout<kConfig>;
  static constexpr int kPartFloats = 12;                         // of a wide key, loaded at a time: 6 words
  static constexpr int kParts = (L::kKeyQuads + 2) / 3;

  std::uint32_t word[kConfig.head_dim / 4];                      // both rows, A fragment order
  std::uint32_t tail[L::kTailWords > 0 ? L::kTailWords : 1][2];  // q_b of the tail, rows g and g + 8

  /// Register of lane word `u` in thread row `r`.
  __host__ __device__ static constexpr int at(int u, int r) { return 4 * (u >> 1) + 2 * (u & 1) + r; }

  /// plain: words of k steps 2 kFirst .. from `a` (row g) and `b` (row g + 8).
  template <int kFirst>
  __device__ __forceinline__ void multiply_pair(const uint4& a, const uint4& b) {
    std::uint32_t* out = word + 8 * kFirst;
    out[0] = multiply_bf16x2(out[0], a.x), out[1] = multiply_bf16x2(out[1], b.x);
    out[2] = multiply_bf16x2(out[2], a.y), out[3] = multiply_bf16x2(out[3], b.y);
    out[4] = multiply_bf16x2(out[4], a.z), out[5] = multiply_bf16x2(out[5], b.z);
    out[6] = multiply_bf16x2(out[6], a.w), out[7] = multiply_bf16x2(out[7], b.w);
  }

  /// biased, cross: the words of part `kPart` of row `r`.
  template <int kPart>
  __device__ __forceinline__ void multiply_wide(const float4 (&key)[3], int r) {
    const float k[kPartFloats] = {key[0].x, key[0].y, key[0].z, key[0].w, key[1].x, key[1].y,
                                  key[1].z, key[1].w, key[2].x, key[2].y, key[2].z, key[2].w};
    if constexpr (kConfig.product == Product::biased) {
#pragma unroll
      for (int x = 0; x < 6; ++x) {
        const int u = 6 * kPart + x;
        if (u >= L::kLaneWords) break;
        std::uint32_t& q = word[at(u, r)];
        q = pack_bf16x2(low_bf16(q) * k[2 * x], high_bf16(q) * k[2 * x + 1]);
      }
    } else {
#pragma unroll
      for (int x = 0; x < 2; ++x) {
        const int block = 2 * kPart + x;
        if (block < L::kCrossBlocks) cross_two_chunks(word[at(3 * block, r)], word[at(3 * block + 1, r)], word[at(3 * block + 2, r)], k + 6 * x);
      }
#pragma unroll
      for (int x = 0; x < L::kTailWords; ++x) {
        const int f = 6 * L::kCrossBlocks + 4 * x - kPartFloats * kPart;
        if (f < 0 || f >= kPartFloats) continue;
        std::uint32_t& a = word[at(3 * L::kCrossBlocks + x, r)];
        const std::uint32_t b = tail[x][r];
        a = pack_bf16x2(k[f] * low_bf16(b) - k[f + 2] * low_bf16(a), k[f + 1] * high_bf16(b) - k[f + 3] * high_bf16(a));
      }
    }
  }

 private:
  /// k x q of two chunks in three words.
  static __device__ __forceinline__ void cross_two_chunks(std::uint32_t& w0, std::uint32_t& w1, std::uint32_t& w2, const float* k) {
    const float q[6] = {low_bf16(w0), high_bf16(w0), low_bf16(w1), high_bf16(w1), low_bf16(w2), high_bf16(w2)};
    float x[6];
#pragma unroll
    for (int d = 0; d < 6; ++d) x[d] = k[cross_a(d)] * q[cross_b(d)] - k[cross_b(d)] * q[cross_a(d)];
    w0 = pack_bf16x2(x[0], x[1]);
    w1 = pack_bf16x2(x[2], x[3]);
    w2 = pack_bf16x2(x[4], x[5]);
  }
};

}  // namespace triscope::hopper
