// One query row at a time on CUDA cores, with a running maximum: any logit that fp32 holds is safe, and nothing is
// prepared. Two users: rows that overflowed in the forward (repair.cuh), and problems too small for tiles (rows.cu).
//
// A group of head_dim / 8 lanes owns a row, or shares it with the other groups of its warp, each of which takes every
// n-th key of the long axis. A lane holds 8 consecutive dimensions: one 16-byte access. The virtual query is rounded as
// in the forward, so the lse is the same fold; weights stay fp32.
#pragma once

#include <limits>

#include "kernels/cuda/hopper/common/ptx.cuh"
#include "kernels/cuda/hopper/common/virtual_query.cuh"
#include "kernels/cuda/hopper/forward/parameters.hpp"

namespace triscope::hopper {

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct RowPlace {
  int batch, position, head, kv_head;
};

/// Index in lse [batch, q_heads, seq_len].
__device__ __forceinline__ std::int64_t lse_index(const ForwardParameters& p, const RowPlace& row) {
  return (static_cast<std::int64_t>(row.batch) * p.q_heads + row.head) * p.seq_len + row.position;
}

/// Eight bf16 numbers of a 16-byte load.
struct EightNumbers {
  uint4 words;
  EightNumbers() = default;
  __device__ __forceinline__ explicit EightNumbers(const __nv_bfloat16* source)
      : words(__ldg(reinterpret_cast<const uint4*>(source))) {}
  __device__ __forceinline__ float operator[](int i) const {
    const std::uint32_t word = i < 4 ? (i < 2 ? words.x : words.y) : (i < 6 ? words.z : words.w);
    return i & 1 ? high_bf16(word) : low_bf16(word);
  }
};

/// `kHalf`: the virtual query is rounded to the 11 bits of fp16, at any exponent. `kHugeValues`: sums of values up to
/// 2^127 do not overflow, whatever the windows (without it: when they hold fewer than 2^127 / |v1 v2| triples).
template <int kHeadDim, bool kDeterminant, bool kHalf, bool kHugeValues>
class RowAttention {
 public:
  static constexpr int kLanes = kHeadDim / 8;

  /// `group` of the `groups` (a power of two) that share the row; all lanes of a group call alike.
  __device__ __forceinline__ RowAttention(const ForwardParameters& parameters, const RowPlace& place, int group,
                                          int groups)
      : p_(parameters),
        row_(place),
        first_(static_cast<int>(threadIdx.x) % kLanes * 8),
        lanes_(((1u << kLanes) - 1) << (threadIdx.x % 32 / kLanes * kLanes)),
        stride_(p_.kv_heads * kHeadDim * groups) {
    const int first_key = max(0, row_.position - p_.long_window + 1) + group;
    keys_ = (row_.position - first_key + groups) >> (31 - __clz(groups));
    const std::int64_t offset = kv_offset(first_key);
    first_long_key_ = p_.long_key + offset;
    first_long_value_ = p_.long_value + offset;
  }

  /// Sums the keys that are this group's.
  __device__ __forceinline__ void run() {
    load_query();
    const int steps = min(p_.short_window, row_.position + 1);
    const int row_stride = p_.kv_heads * kHeadDim;
    const std::int64_t offset = kv_offset(row_.position);
    const __nv_bfloat16 *key = p_.short_key + offset, *value = p_.short_value + offset;
    for (int t = 0; t < steps; ++t, key -= row_stride, value -= row_stride)
      add_step(EightNumbers(key), EightNumbers(value));
  }

  /// Adds up the groups of the warp; each of them gets the result. All lanes of the warp.
  __device__ __forceinline__ void merge() {
#pragma unroll
    for (int mask = kLanes; mask < 32; mask *= 2) {
      const float top = fmaxf(highest_, __shfl_xor_sync(0xFFFFFFFFu, highest_, mask));
      rescale(top);
      sum_ += __shfl_xor_sync(0xFFFFFFFFu, sum_, mask);
#pragma unroll
      for (float& x : o_) x += __shfl_xor_sync(0xFFFFFFFFu, x, mask);
    }
  }

  /// Writes o and lse.
  __device__ __forceinline__ void store() {
    if (p_.sink != nullptr) {
      const float sink = __ldg(p_.sink + row_.head) * kLog2e;
      rescale(fmaxf(highest_, sink));
      sum_ += exp2f(sink - highest_);
    }
    const float norm = 1.0f / (kHugeValues ? sum_ * shrink_ : sum_);
    const uint4 out = {pack_bf16x2(o_[0] * norm, o_[1] * norm), pack_bf16x2(o_[2] * norm, o_[3] * norm),
                       pack_bf16x2(o_[4] * norm, o_[5] * norm), pack_bf16x2(o_[6] * norm, o_[7] * norm)};
    *reinterpret_cast<uint4*>(p_.o + query_offset() + first_) = out;
    if (first_ == 0) p_.lse[lse_index(p_, row_)] = (highest_ + log2f(sum_)) * kLn2;
  }

 private:
  static constexpr int kCrossDims = kHeadDim / 3 * 3;  // dimensions in chunks of 3

  __device__ __forceinline__ std::int64_t query_offset() const {
    return ((static_cast<std::int64_t>(row_.batch) * p_.seq_len + row_.position) * p_.q_heads + row_.head) * kHeadDim;
  }
  /// Of this lane's dimensions in position `key` of a key or value tensor.
  __device__ __forceinline__ std::int64_t kv_offset(int key) const {
    return ((static_cast<std::int64_t>(row_.batch) * p_.seq_len + key) * p_.kv_heads + row_.kv_head) * kHeadDim +
           first_;
  }
  /// A factor of 1 where both are -inf, so that a group without keys merges.
  __device__ __forceinline__ void rescale(float top) {
    const float factor = highest_ == top ? 1.0f : fast_exp2(highest_ - top);
    highest_ = top;
    sum_ *= factor;
#pragma unroll
    for (float& x : o_) x *= factor;
  }

  /// The partners a and b of this lane's dimensions (virtual_query.cuh), `numbers` being those dimensions. Partners are
  /// at most two dimensions away: in this lane or in a neighbour. Dimensions that are left over get anything finite.
  __device__ __forceinline__ void partners(const EightNumbers& numbers, float (&a)[8], float (&b)[8]) const {
    const std::uint32_t below = __shfl_up_sync(lanes_, numbers.words.w, 1, kLanes),
                        above = __shfl_down_sync(lanes_, numbers.words.x, 1, kLanes);
    const float near[12] = {low_bf16(below), high_bf16(below), numbers[0],      numbers[1],
                            numbers[2],      numbers[3],       numbers[4],      numbers[5],
                            numbers[6],      numbers[7],       low_bf16(above), high_bf16(above)};
    const int phase = first_ % 3;
    const bool last_of_chunk[3] = {phase == 2, phase == 1, phase == 0},
               first_of_chunk[3] = {phase == 0, phase == 2, phase == 1};  // of i % 3
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      a[i] = last_of_chunk[i % 3] ? near[i] : near[i + 3];
      b[i] = first_of_chunk[i % 3] ? near[i + 4] : near[i + 1];
    }
  }

  /// Determinant: q_a and q_b of this lane's dimensions; trilinear: q and nothing.
  __device__ __forceinline__ void load_query() {
    const EightNumbers numbers(p_.q + query_offset() + first_);
    if constexpr (kDeterminant) {
      partners(numbers, query_a_, query_b_);
#pragma unroll
      for (int i = 0; i < 8; ++i) query_a_[i] *= p_.sign, query_b_[i] *= p_.sign;
    } else {
#pragma unroll
      for (int i = 0; i < 8; ++i) query_a_[i] = p_.sign * numbers[i];
    }
  }

  /// The virtual query of short-axis row `key`, rounded as in virtual_query.cuh.
  __device__ __forceinline__ void fold(const EightNumbers& key, float (&folded)[8]) const {
    if constexpr (kDeterminant) {
      float a[8], b[8];
      partners(key, a, b);
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        const float product = (b[i] + p_.key_bias) * query_a_[i];  // rounded where the forward multiplies in bf16
        const float rounded = p_.key_bias == 0.0f ? round_product(product) : product;
        folded[i] = first_ + i < kCrossDims ? round_product((a[i] + p_.key_bias) * query_b_[i] - rounded) : 0.0f;
      }
    } else {
#pragma unroll
      for (int i = 0; i < 8; ++i) folded[i] = round_product(query_a_[i] * (key[i] + p_.key_bias));
    }
  }
  static __device__ __forceinline__ float round_product(float x) {
    if constexpr (!kHalf) return low_bf16(pack_bf16x2(x, 0.0f));
    const std::uint32_t bits = __float_as_uint(x);
    return __uint_as_float((bits + 0xFFFu + (bits >> 13 & 1u)) & 0xFFFFE000u);
  }

  /// One position of the short axis.
  struct Step {
    float query[8];                    // the virtual query
    float factor[8];                   // the short axis' value
    const __nv_bfloat16 *key, *value;  // of the next long-axis key, this lane's dimensions
  };

  __device__ __forceinline__ void add_step(const EightNumbers& short_key, const EightNumbers& short_value) {
    Step step;
    fold(short_key, step.query);
#pragma unroll
    for (int i = 0; i < 8; ++i) step.factor[i] = short_value[i] + p_.value_bias;
    if constexpr (kHugeValues) make_room(step.factor);
    step.key = first_long_key_;
    step.value = first_long_value_;
    int left = keys_;
    for (; left >= 4; left -= 4) add_keys<4>(step);
    if (left & 2) add_keys<2>(step);
    if (left & 1) add_keys<1>(step);
  }

  /// Sums of values beyond 2^60 could overflow before the norm divides them: from the first of those on, this lane's
  /// sums are kept 2^-32 times as large. (All groups of a row have the same values, and so the same factor, when they
  /// merge.)
  __device__ __forceinline__ void make_room(float (&factor)[8]) {
    float largest = 0.0f;
#pragma unroll
    for (float x : factor) largest = fmaxf(largest, fabsf(x));
    if (largest > 0x1p60f && shrink_ == 1.0f) {
      shrink_ = 0x1p-32f;
#pragma unroll
      for (float& x : o_) x *= shrink_;
    }
#pragma unroll
    for (float& x : factor) x *= shrink_;
  }

  /// The next `kCount` keys.
  template <int kCount>
  __device__ __forceinline__ void add_keys(Step& step) {
    EightNumbers key[kCount], value[kCount];
#pragma unroll
    for (int x = 0; x < kCount; ++x) {
      key[x] = EightNumbers(step.key);
      value[x] = EightNumbers(step.value);
      step.key += stride_, step.value += stride_;
    }
    float logit[kCount];
#pragma unroll
    for (int x = 0; x < kCount; ++x) {
      float even = 0.0f, odd = 0.0f;  // two chains
#pragma unroll
      for (int i = 0; i < 8; i += 2) {
        even = fmaf(step.query[i], key[x][i], even);
        odd = fmaf(step.query[i + 1], key[x][i + 1], odd);
      }
      logit[x] = even + odd;
    }
#pragma unroll
    for (int mask = kLanes / 2; mask > 0; mask /= 2) {
#pragma unroll
      for (float& x : logit) x += __shfl_xor_sync(lanes_, x, mask);
    }
    float top = -kInfinity;
#pragma unroll
    for (float& x : logit) {
      x *= p_.row_scale_log2;
      top = fmaxf(top, x);
    }
    if (top > highest_) rescale(top);
    float sums[8] = {};
#pragma unroll
    for (int x = 0; x < kCount; ++x) {
      const float weight = fast_exp2(logit[x] - highest_);
      sum_ += weight;
#pragma unroll
      for (int i = 0; i < 8; ++i) sums[i] = fmaf(weight, value[x][i], sums[i]);
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) o_[i] = fmaf(sums[i], step.factor[i], o_[i]);
  }

  const ForwardParameters& p_;
  RowPlace row_;
  int first_;       // this lane's first dimension
  unsigned lanes_;  // of this group, as a mask
  int keys_;        // of the long axis that are this group's
  int stride_;      // from one of them to the next, in elements
  const __nv_bfloat16 *first_long_key_, *first_long_value_;
  float query_a_[8], query_b_[8];
  float highest_ = -kInfinity;  // log2 units
  float sum_ = 0.0f;
  float o_[8] = {};
  float shrink_ = 1.0f;  // o_ is this times the sum
};

}  // namespace triscope::hopper
