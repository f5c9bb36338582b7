// What both sides of the backward by virtual queries do (virtual_queries.cuh): a block's place in the problem and its
// walk over tiles, rows to shared memory, products, and sums that leave.
#pragma once

#include "kernels/cuda/hopper/backward/kernel/products.cuh"
#include "kernels/cuda/hopper/backward/kernel/queries.hpp"
#include "kernels/cuda/hopper/backward/kernel/query_barriers.hpp"
#include "kernels/cuda/hopper/backward/kernel/query_memory.cuh"
#include "kernels/cuda/hopper/common/wgmma.cuh"

namespace triscope::hopper::backward {

class QuerySide {
 protected:
  using L = QueryLayout;
  using Barrier = QueryBarrier;
  static constexpr int kHeadDim = 128, kSteps = kHeadDim / 16, kRowSteps = kTileRows / 16;
  static constexpr int kBlocks = 16;  ///< of eight columns, of the accumulators of a product
  static constexpr int kAhead = 3;    ///< blocks of 16 dimensions whose words are read before they are used
  // Descriptor steps, in 16 bytes: 16 elements of a 128-byte row; 16 rows.
  static constexpr std::uint64_t kAlongRow = 2, kAlongRows = 16 * 128 / 16;

  __device__ __forceinline__ QuerySide(const QueryParameters& p, std::uint32_t memory)
      : p_(p),
        memory_(memory),
        thread_(static_cast<int>(threadIdx.x)),
        warp_(thread_ >> 5 & 3),
        lane_(thread_ & 31),
        first_key_(static_cast<int>(blockIdx.x) * kTileKeys) {
    const BackwardParameters& s = p.shape;
    key_stride_ = s.kv_heads * kHeadDim;
    query_stride_ = p.q_heads * kHeadDim;
    key_base_ = static_cast<int>(blockIdx.z) * s.seq_len * key_stride_ + static_cast<int>(blockIdx.y) * kHeadDim;
  }

  template <int n>
  static __device__ __forceinline__ void clear(float (&x)[n]) {
#pragma unroll
    for (float& value : x) value = 0.0f;
  }

  /// Calls `tile`(head of the group, steps) for each tile of queries that sees the block's keys.
  template <typename Tile>
  __device__ __forceinline__ void for_tiles(const Tile& tile) {
    const BackwardParameters& s = p_.shape;
    const int end = min(s.seq_len, first_key_ + kTileKeys - 1 + s.long_window);
#pragma unroll 1
    for (int head = 0; head < s.group; ++head) {
      query_base_ = static_cast<int>(blockIdx.z) * s.seq_len * query_stride_ +
                    (static_cast<int>(blockIdx.y) * s.group + head) * kHeadDim;
#pragma unroll 1
      for (first_query_ = first_key_; first_query_ < end; first_query_ += kTileRows) {
        upper_ = first_query_ + 16 * warp_ + 2 * (lane_ >> 2);
        slot_ = 0;
        tile(head, min(s.short_window + 1, first_query_ + kTileRows));
      }
    }
  }

  // --- rows --------------------------------------------------------------------------------------------------------

  /// Long keys or values of the block, as an operand.
  __device__ __forceinline__ void load_keys(std::uint32_t to, const void* tensor) const {
    const BackwardParameters& s = p_.shape;
    const int part = 2 * (thread_ & 7);
#pragma unroll 1
    for (int row = thread_ >> 3 & 15; row < kTileKeys; row += kSideThreads / 8) {
      const int position = first_key_ + row;
      const auto* from = reinterpret_cast<const uint4*>(static_cast<const __half*>(tensor) + key_base_ +
                                                        min(position, s.seq_len - 1) * key_stride_ + part * 8);
      Sixteen words{from[0], from[1]};
      if (position >= s.seq_len) words = {};
      words.store(memory_ + to + operand_part<kTileKeys>(row, part));
    }
    fence_async_proxy();
  }

  /// q or do of a tile in the order of its rows (8 n + m is query 16 (n / 2) + 2 m + n % 2), and the short rows of its
  /// first three steps.
  __device__ __forceinline__ void load_rows(std::uint32_t to, const void* tensor, std::uint32_t to_short,
                                            const void* short_tensor) const {
    const int thread = opaque(thread_);
    const int part = thread & 15, m = thread >> 4 & 7, last = p_.shape.seq_len - 1;
#pragma unroll
    for (int n = 0; n < kTileRows / 8; ++n) {
      const int row = m + 8 * n, key = first_query_ + row, query = first_query_ + 16 * (n >> 1) + 2 * m + (n & 1);
      copy_16(memory_ + to + row_part(row, part),
              static_cast<const __half*>(tensor) + query_base_ + min(query, last) * query_stride_ + part * 8,
              query <= last);
      copy_16(memory_ + to_short + slot_part(row, part),
              static_cast<const __half*>(short_tensor) + key_base_ + min(key, last) * key_stride_ + part * 8,
              key <= last);
    }
    load_short_row(to_short, short_tensor, first_query_ - 1, kShortSlots - 1);
  }
  /// Short position `key` to its slot, (key - first_query) mod kShortSlots.
  __device__ __forceinline__ void load_short_row(std::uint32_t to, const void* tensor, int key, int slot) const {
    if ((thread_ & (kSideThreads - 1)) >= 16) return;
    copy_16(memory_ + to + slot_part(slot, lane_),
            static_cast<const __half*>(tensor) + key_base_ + max(key, 0) * key_stride_ + lane_ * 8, key >= 0);
  }

  /// LSE or delta of the thread's two rows; `hidden` behind the sequence.
  __device__ __forceinline__ void load_statistic(const float* tensor, int head, float hidden, float (&to)[2]) const {
    const BackwardParameters& s = p_.shape;
    const int pair = static_cast<int>(blockIdx.z) * s.kv_heads + static_cast<int>(blockIdx.y);
    const std::int64_t first =
        (std::int64_t{pair} * s.head_blocks + head / kTileRows) * statistic_copies(s) * s.padded_len * s.head_rows;
#pragma unroll
    for (int below = 0; below < 2; ++below) {
      const std::int64_t row = std::int64_t{upper_ + below} * s.head_rows + head % kTileRows;
      to[below] = upper_ + below < s.seq_len ? __ldg(tensor + first + fragment_place(row)) : hidden;
    }
  }

  /// Q (kHalf, from q and short keys) or O of a step whose short position first_query - o lies in `slot`. A thread
  /// makes 16 dimensions of rows m and m + 8 of two sixteens: these pairs have one short position. All is read before
  /// any is used: beside products in flight a read takes long.
  template <bool kHalf>
  __device__ __forceinline__ void make_rows(int stage, int slot) const {
    constexpr int kPairs = kTileRows / 32;
    const int t = opaque(thread_) & (kSideThreads - 1), sixteen = t >> 6;
    const int part = 2 * ((t & 1) | (t >> 2 & 6)), m = (t >> 1 & 1) | (t >> 4 & 2) | (t & 4), row = m + 16 * sixteen;
    const std::uint32_t from = memory_ + (kHalf ? L::kQuery : L::kGradO) + row_part(row, part);
    Sixteen keys[kPairs], rows[kPairs][2];
#pragma unroll
    for (int n = 0; n < kPairs; ++n) {
      const int key = wrap_slot(slot + 2 * m + 16 * sixteen + 32 * n + 1);
      const std::uint32_t at = memory_ + (kHalf ? L::kShortKey : L::kShortValue) + slot_part(key, part);
      keys[n] = {load_shared_4(at), load_shared_4(at ^ 16)};
#pragma unroll
      for (int below = 0; below < 2; ++below) {
        const std::uint32_t row_at = from + (32 * n + 8 * below) * L::kRowBytes;
        rows[n][below] = {load_shared_4(row_at), load_shared_4(row_at ^ 16)};
      }
    }
    const std::uint32_t to =
        rows_of(memory_, stage) + (kHalf ? 0 : 2 * L::kQueryHalf) + operand_part<kTileRows>(row, part);
#pragma unroll
    for (int n = 0; n < kPairs; ++n) {
#pragma unroll
      for (int below = 0; below < 2; ++below)
        Sixteen{multiply<kHalf>(rows[n][below].a, keys[n].a), multiply<kHalf>(rows[n][below].b, keys[n].b)}.store(
            to + (32 * n + 8 * below) * 128);
    }
  }
  template <bool kHalf>
  static __device__ __forceinline__ uint4 multiply(uint4 a, uint4 b) {
    if constexpr (kHalf) {
      return {multiply_fp16x2(a.x, b.x), multiply_fp16x2(a.y, b.y), multiply_fp16x2(a.z, b.z),
              multiply_fp16x2(a.w, b.w)};
    } else {
      return {multiply_bf16x2(a.x, b.x), multiply_bf16x2(a.y, b.y), multiply_bf16x2(a.z, b.z),
              multiply_bf16x2(a.w, b.w)};
    }
  }
  /// Q of a stage; O lies 2 kQueryHalf further.
  static __device__ __forceinline__ std::uint32_t rows_of(std::uint32_t memory, int stage) {
    return memory + L::kFirstStage + stage * L::kStage;
  }

  // --- products ----------------------------------------------------------------------------------------------------

  /// out = rows keys^T over head_dim: 64 rows x 128 keys.
  template <typename Element>
  static __device__ __forceinline__ void issue_over_dimensions(float (&out)[64], std::uint32_t rows,
                                                               std::uint32_t keys) {
    const std::uint64_t a = tile_descriptor(rows, 16), b = tile_descriptor(keys, 16);
    wgmma_fence();
#pragma unroll
    for (int n = 0; n < kSteps; ++n)
      multiply_shared<Element, false, false>(out, a + (n & 3) * kAlongRow + (n >> 2) * (L::kQueryHalf / 16),
                                             b + (n & 3) * kAlongRow + (n >> 2) * (L::kKeyHalf / 16), n > 0);
  }
  /// out = weights keys over all keys: 64 rows x head_dim.
  template <typename Element>
  static __device__ __forceinline__ void issue_over_keys(float (&out)[64], std::uint32_t weights, std::uint32_t keys) {
    const std::uint64_t a = tile_descriptor(weights, 16), b = tile_descriptor(keys, L::kKeyHalf);
#pragma unroll
    for (int n = 0; n < kTileKeys / 16; ++n)
      multiply_shared<Element, false, true>(out, a + (n & 3) * kAlongRow + (n >> 2) * (L::kQueryHalf / 16),
                                            b + n * kAlongRows, n > 0);
  }
  /// out += weights^T rows over 64 rows: 64 keys x 2 kCount dimensions.
  template <typename Element, int kCount>
  static __device__ __forceinline__ void issue_over_rows(float (&out)[kCount], std::uint32_t weights,
                                                         std::uint32_t rows) {
    const std::uint64_t a = tile_descriptor(weights, L::kQueryHalf), b = tile_descriptor(rows, L::kQueryHalf);
#pragma unroll
    for (int n = 0; n < kRowSteps; ++n)
      multiply_shared<Element, true, true>(out, a + n * kAlongRows, b + n * kAlongRows, true);
  }

  /// Where a thread has blocks n and n + 1 of p in shared memory, for ldmatrix and stmatrix (of ds kGrads -
  /// kProbabilities further).
  __device__ __forceinline__ std::uint32_t weights_of_block(std::uint32_t memory, int n) const {
    const std::uint32_t row = memory + L::kProbabilities + (warp_ * 16 + (lane_ & 15)) * 128;
    const std::uint32_t first = row + (((lane_ >> 4) ^ (lane_ & 7)) << 4);
    return (first ^ ((n & 7) << 4)) + (n >> 3) * L::kQueryHalf;
  }

  // --- sums --------------------------------------------------------------------------------------------------------

  /// Of four dimensions of the thread's upper row of q or do, of the first sixteen: those of sixteen j ^ j << 5, of the
  /// lower row 8 kRowBytes further.
  __device__ __forceinline__ std::uint32_t own_words(std::uint32_t rows) const {
    return rows + row_part(warp_ * 16 + (lane_ >> 2), lane_ >> 1 & 1) + (lane_ & 1) * 8;
  }
  /// Of the same dimensions of a short position.
  __device__ __forceinline__ float* at_key(float* tensor, int key) const {
    return tensor + (key_base_ + key * key_stride_ + 4 * (lane_ & 3));
  }
  __device__ __forceinline__ bool is_position(int key) const { return key >= 0 && key < p_.shape.seq_len; }
  __device__ __forceinline__ int nearest_position(int key) const { return min(max(key, 0), p_.shape.seq_len - 1); }

  /// Sums of 64 long keys from `first`, 2 kCount dimensions. No other block has these.
  template <int kCount>
  __device__ __forceinline__ void store_keys(float* tensor, int first, const float (&sums)[kCount]) const {
    const int key = first_key_ + first + warp_ * 16 + (lane_ >> 2);
    float* to = at_key(tensor, key);
#pragma unroll
    for (int n = 0; n < kCount; n += 8) {
      if (key < p_.shape.seq_len)
        *reinterpret_cast<float4*>(to + 2 * n) = {sums[n], sums[n + 1], sums[n + 4], sums[n + 5]};
      if (key + 8 < p_.shape.seq_len)
        *reinterpret_cast<float4*>(to + 8 * key_stride_ + 2 * n) = {sums[n + 2], sums[n + 3], sums[n + 6], sums[n + 7]};
    }
  }

  const QueryParameters& p_;
  std::uint32_t memory_;
  int thread_, warp_, lane_;  ///< the warp of this side
  int first_key_;
  int key_stride_, query_stride_, key_base_, query_base_;  ///< in elements
  int first_query_, upper_;                                ///< of the tile; of the thread's upper row
  int slot_;  ///< where the short position first_query - o lies, of the step in turn
};

}  // namespace triscope::hopper::backward
