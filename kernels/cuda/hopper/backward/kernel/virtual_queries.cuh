// The Hopper backward without grouped queries: virtual queries. Two tiles of keys and values stay in shared memory, and
// for one offset o between query and short position the products q_i k_short_(i - o) and do_i v_short_(i - o) are the
// rows of an ordinary attention over the long axis. Rows of a step have distinct queries, so a single head fills tiles.
//
//   Q = q k_short, O = do v_short        by dimension, fp16 and bf16
//   S = Q K^T, p = exp2(scale S - LSE), ds = p (O V^T - delta)
//   dv_long += p^T O      dk_long += ds^T Q                 in registers for all steps of the block
//   A = p V, B = ds K     six products for the five that attention needs
//   dv_short_(i - o) += do_i A          dk_short_(i - o) += q_i B       dq_i += k_short_(i - o) B
//
// Rows 2 n and 2 n + 1 of the 64 queries of a tile have offsets o - 1 and o: the same short position, so their shares
// of dk_short and dv_short are added in one thread, and half as many sums go to device memory. Offsets -1 and
// short_window are hidden. dq stays in registers for all offsets of a tile. Rows g and g + 8 of a warp are those two
// queries.
//
//   launches       prepare.cu (prepare.cuh: zeros, ranges, rows, keys) | this kernel | finish.cu
//   a block        128 long positions of one kv head x all queries of its group that see them
//   a step         64 queries at one pair of offsets
//   warpgroup w    S, p, ds for its 64 keys and their dv_long, dk_long; A, B for its 64 dimensions
//   registers      dk, dv 128, S and A 32, dP and B 32, dq 32 = 224 of 255
//   shared memory  K, V 64 KB, 2 x (Q, O) 64, p, ds 32, q, do 32, k_short, v_short 33: 230,400 bytes
//   barriers       __syncthreads: p and ds are written | everything of the step is done, next Q and O are written
//
// Order within a step; "|" is a wait:
//   issue S, dP | S | exponentials, p to shared memory | dP | ds to shared memory, barrier, issue A, B, dV and dK, make
//   Q and O of the next step | A | sums of dv_short | B | dq, sums of dk_short | dV and dK, barrier
// The fence for Q and O stands in front of the sums, for whose end it would wait.
//
// Rates on an H200, 2026-11-24: 266 useful TFLOP/s at 512x32 with 16/16 heads and 8k tokens, sustained, everything
// included. docs/backward.md has more, and what limits it.
//
// Limits. Trilinear, head_dim 128, causal windows, bf16. Sums are added in no fixed order. Scores are rounded as
// fp16(q k_short) k_long, as the forward's half folds of the short axis are.
#pragma once

#include "kernels/cuda/hopper/backward/kernel/products.cuh"
#include "kernels/cuda/hopper/backward/kernel/queries.hpp"
#include "kernels/cuda/hopper/backward/kernel/query_memory.cuh"
#include "kernels/cuda/hopper/common/wgmma.cuh"

namespace triscope::hopper::backward {

class QueryBlock {
  using L = QueryLayout;
  static constexpr int kHeadDim = 128, kSteps = kHeadDim / 16, kRowSteps = kTileRows / 16;
  static constexpr int kBlocks = 8;  ///< of eight columns, of a warpgroup's accumulators
  // Descriptor steps, in 16 bytes: 16 elements of a 128-byte row; 16 rows.
  static constexpr std::uint64_t kAlongRow = 2, kAlongRows = 16 * 128 / 16;

 public:
  __device__ __forceinline__ QueryBlock(const QueryParameters& p, std::uint32_t memory)
      : p_(p),
        memory_(memory),
        thread_(static_cast<int>(threadIdx.x)),
        warpgroup_(__shfl_sync(0xFFFFFFFFu, thread_ >> 7, 0)),
        warp_(thread_ >> 5 & 3),
        lane_(thread_ & 31),
        part_(thread_ & 15),
        part_row_(thread_ >> 4),
        first_key_(static_cast<int>(blockIdx.x) * kTileKeys) {
    const BackwardParameters& s = p.shape;
    key_stride_ = s.kv_heads * kHeadDim;
    query_stride_ = p.q_heads * kHeadDim;
    key_base_ = static_cast<int>(blockIdx.z) * s.seq_len * key_stride_ + static_cast<int>(blockIdx.y) * kHeadDim;
  }

  __device__ __forceinline__ void run() {
    const BackwardParameters& s = p_.shape;
    load_keys();
#pragma unroll
    for (int n = 0; n < kHeadDim / 2; ++n) grad_keys_[n] = grad_values_[n] = 0.0f;
    const int end = min(s.seq_len, first_key_ + kTileKeys - 1 + s.long_window);
#pragma unroll 1
    for (int head = 0; head < s.group; ++head) {
      query_base_ = static_cast<int>(blockIdx.z) * s.seq_len * query_stride_ +
                    (static_cast<int>(blockIdx.y) * s.group + head) * kHeadDim;
#pragma unroll 1
      for (first_query_ = first_key_; first_query_ < end; first_query_ += kTileRows) tile(head);
    }
    store_keys(p_.shape.grad_long_key, grad_keys_);
    store_keys(p_.shape.grad_long_value, grad_values_);
  }

 private:
  // --- tiles -------------------------------------------------------------------------------------------------------

  __device__ __forceinline__ void load_keys() const {
    const BackwardParameters& s = p_.shape;
#pragma unroll
    for (int n = 0; n < kTileKeys / 16; ++n) {
      const int row = part_row_ + 16 * n, position = first_key_ + row;
      const int from = key_base_ + min(position, s.seq_len - 1) * key_stride_ + part_ * 8;
      const std::uint32_t to = memory_ + operand_part<kTileKeys>(row, part_);
      copy_16(to + L::kKeys, s.scaled_long_key + from, position < s.seq_len);
      copy_16(to + L::kValues, s.long_value + from, position < s.seq_len);
    }
  }

  /// The query of row `row` of each sixteen.
  static __device__ __forceinline__ int query_of_row(int row) { return 2 * (row & 7) + (row >> 3); }

  /// q and do of a tile in the order of its rows, and the short rows of its first step.
  __device__ __forceinline__ void load_tile() const {
    const BackwardParameters& s = p_.shape;
#pragma unroll
    for (int n = 0; n < kTileRows / 16; ++n) {
      const int row = part_row_ + 16 * n, query = first_query_ + 16 * n + query_of_row(part_row_);
      const int key = first_query_ + row, last = s.seq_len - 1;
      const int from = query_base_ + min(query, last) * query_stride_ + part_ * 8;
      const int key_from = key_base_ + min(key, last) * key_stride_ + part_ * 8;
      const std::uint32_t to = memory_ + row_part(row, part_);
      copy_16(to + L::kQuery, p_.query + from, query <= last);
      copy_16(to + L::kGradO, p_.grad_o + from, query <= last);
      copy_16(to + L::kShortKey, s.scaled_short_key + key_from, key <= last);
      copy_16(to + L::kShortValue, s.scaled_short_value + key_from, key <= last);
    }
    load_short_row(first_query_ - 1);
  }
  /// Short position `key` lies in slot (key - first_query) mod kShortSlots. By the first warp.
  __device__ __forceinline__ void load_short_row(int key) const {
    if (thread_ >= 32) return;
    const BackwardParameters& s = p_.shape;
    const int slot = wrap_slot((key - first_query_) % kShortSlots + kShortSlots), part = lane_ & 15;
    const int from = key_base_ + max(key, 0) * key_stride_ + part * 8;
    const void* source = lane_ < 16 ? static_cast<const void*>(s.scaled_short_key + from)
                                    : static_cast<const void*>(s.scaled_short_value + from);
    copy_16(memory_ + (lane_ < 16 ? L::kShortKey : L::kShortValue) + row_part(slot, part), source, key >= 0);
  }

  /// All steps of 64 queries of one head of the group.
  __device__ __forceinline__ void tile(int head) {
    const BackwardParameters& s = p_.shape;
#pragma unroll
    for (int n = 0; n < kHeadDim / 4; ++n) grad_query_[n] = 0.0f;
    upper_ = first_query_ + 16 * warp_ + 2 * (lane_ >> 2);
    load_statistics(head, 0);
    load_statistics(head, 1);
    inner_ = first_query_ >= first_key_ + kTileKeys - 1 && first_query_ + kTileRows - 1 - first_key_ < s.long_window &&
             first_query_ + kTileRows <= s.seq_len;
    load_tile();
    wait_copies();
    __syncthreads();
    first_slot_ = 0;
    make_rows(0, 0);
    fence_async_proxy();
    __syncthreads();
    const int steps = min(s.short_window + 1, first_query_ + kTileRows);
#pragma unroll 1
    for (int o = 0; o < steps; ++o) step(o, steps);
    add_query();
  }

  __device__ __forceinline__ void load_statistics(int head, int below) {
    const BackwardParameters& s = p_.shape;
    const int position = upper_ + below;
    lse_[below] = kHiddenLse, delta_[below] = 0.0f;
    if (position >= s.seq_len) return;
    const int pair = static_cast<int>(blockIdx.z) * s.kv_heads + static_cast<int>(blockIdx.y);
    const std::int64_t first =
        (std::int64_t{pair} * s.head_blocks + head / kTileRows) * statistic_copies(s) * s.padded_len * s.head_rows;
    const std::int64_t place = first + fragment_place(std::int64_t{position} * s.head_rows + head % kTileRows);
    lse_[below] = __ldg(s.lse2 + place);
    delta_[below] = __ldg(s.delta + place);
  }

  /// Virtual queries and gradients of o. `slot`: of the step's first_query - 1 + offset.
  __device__ __forceinline__ void make_rows(int stage, int slot) const {
    const std::uint32_t to = memory_ + L::kFirstStage + stage * L::kStage + operand_part<kTileRows>(part_row_, part_);
    const std::uint32_t from = memory_ + L::kQuery + row_part(part_row_, part_);
#pragma unroll
    for (int n = 0; n < kTileRows / 16; ++n) {
      const int key = wrap_slot(slot + 2 * (part_row_ & 7) + 1 + 16 * n);
      const std::uint32_t at = memory_ + L::kShortKey + row_part(key, part_);
      const std::uint32_t row = from + 16 * n * L::kRowBytes;
      store_part(to + n * 2048, multiply<true>(load_shared_4(row), load_shared_4(at)));
      store_part(to + n * 2048 + 2 * L::kQueryHalf, multiply<false>(load_shared_4(row + (L::kGradO - L::kQuery)),
                                                                    load_shared_4(at + L::kShortValue - L::kShortKey)));
    }
  }
  static __device__ __forceinline__ void store_part(std::uint32_t address, uint4 v) {
    store_shared_4(address, v.x, v.y, v.z, v.w);
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

  // --- a step ------------------------------------------------------------------------------------------------------

  __device__ __forceinline__ void step(int o, int steps) {
    const int stage = o & 1;
    float scores[32], products[32];
    const std::uint32_t memory = opaque(memory_);
#pragma unroll
    for (int n = 0; n < 32; ++n) scores[n] = products[n] = 0.0f;
    issue_scores(memory, stage, scores, products);
    if (o + 2 < steps) load_short_row(first_query_ - o - 2);
    wgmma_wait<1>();
    pin(scores);
    if (!inner_ || first_query_ < o || o == 0 || o == p_.shape.short_window) mask(o, scores);
    exponentials(scores);
    const std::uint32_t own = memory + L::kProbabilities + warpgroup_ * L::kQueryHalf +
                              (warp_ * 16 + (lane_ & 15)) * 128 + (((lane_ >> 4) ^ (lane_ & 7)) << 4);
    store_probabilities(own, scores);
    wgmma_wait<0>();
    pin(products);
    store_grads(own + (L::kGrads - L::kProbabilities), scores, products);
    fence_async_proxy();
    __syncthreads();
    pin(scores);
    pin(products);
    issue_sums(memory, stage, scores, products);
    const int next_slot = first_slot_ == 0 ? kShortSlots - 1 : first_slot_ - 1;
    if (o + 1 < steps) {
      make_rows(stage ^ 1, next_slot);
      fence_async_proxy();
    }
    const int key = upper_ + 1 - o;
    wgmma_wait<2>();
    pin(scores);
    add_short_value(memory, key, scores);
    wgmma_wait<1>();
    pin(products);
    add_short_key(memory, key, products);
    wgmma_wait<0>();
    pin(grad_keys_);
    pin(grad_values_);
    wait_copies();
    __syncthreads();
    first_slot_ = next_slot;
  }

  /// S and dP over head_dim, a group each; of this warpgroup's keys.
  __device__ __forceinline__ void issue_scores(std::uint32_t memory, int stage, float (&scores)[32],
                                               float (&products)[32]) const {
    const std::uint32_t rows = memory + L::kFirstStage + stage * L::kStage;
    const std::uint64_t query = tile_descriptor(rows, 16), grad = tile_descriptor(rows + 2 * L::kQueryHalf, 16);
    const std::uint64_t key = tile_descriptor(memory + L::kKeys + warpgroup_ * (L::kKeyHalf / 2), 16);
    const std::uint64_t value = tile_descriptor(memory + L::kValues + warpgroup_ * (L::kKeyHalf / 2), 16);
    wgmma_fence();
#pragma unroll
    for (int n = 0; n < kSteps; ++n)
      multiply_shared<__half, false, false>(scores, query + (n & 3) * kAlongRow + (n >> 2) * (L::kQueryHalf / 16),
                                            key + (n & 3) * kAlongRow + (n >> 2) * (L::kKeyHalf / 16), n > 0);
    wgmma_commit();
#pragma unroll
    for (int n = 0; n < kSteps; ++n)
      multiply_shared<__nv_bfloat16, false, false>(products,
                                                   grad + (n & 3) * kAlongRow + (n >> 2) * (L::kQueryHalf / 16),
                                                   value + (n & 3) * kAlongRow + (n >> 2) * (L::kKeyHalf / 16), n > 0);
    wgmma_commit();
  }

  /// A and B, over the keys of both warpgroups, for half of head_dim; then dV and dK.
  __device__ __forceinline__ void issue_sums(std::uint32_t memory, int stage, float (&a)[32], float (&b)[32]) {
    const std::uint64_t all = tile_descriptor(memory + L::kProbabilities, 16);
    const std::uint64_t all_grads = tile_descriptor(memory + L::kGrads, 16);
    const std::uint64_t keys = tile_descriptor(memory + L::kKeys + warpgroup_ * L::kKeyHalf, L::kKeyHalf);
    const std::uint64_t values = tile_descriptor(memory + L::kValues + warpgroup_ * L::kKeyHalf, L::kKeyHalf);
    pin(grad_keys_);
    pin(grad_values_);
    wgmma_fence();
#pragma unroll
    for (int n = 0; n < kSteps; ++n)
      multiply_shared<__nv_bfloat16, false, true>(a, all + (n & 3) * kAlongRow + (n >> 2) * (L::kQueryHalf / 16),
                                                  values + n * kAlongRows, n > 0);
    wgmma_commit();
#pragma unroll
    for (int n = 0; n < kSteps; ++n)
      multiply_shared<__half, false, true>(b, all_grads + (n & 3) * kAlongRow + (n >> 2) * (L::kQueryHalf / 16),
                                           keys + n * kAlongRows, n > 0);
    wgmma_commit();
    const std::uint32_t rows = memory + L::kFirstStage + stage * L::kStage;
    const std::uint64_t query = tile_descriptor(rows, L::kQueryHalf);
    const std::uint64_t grad = tile_descriptor(rows + 2 * L::kQueryHalf, L::kQueryHalf);
    const std::uint32_t own_rows = memory + L::kProbabilities + warpgroup_ * L::kQueryHalf;
    const std::uint64_t own = tile_descriptor(own_rows, L::kQueryHalf);
    const std::uint64_t own_grads = tile_descriptor(own_rows + (L::kGrads - L::kProbabilities), L::kQueryHalf);
#pragma unroll
    for (int n = 0; n < kRowSteps; ++n) {
      multiply_shared<__nv_bfloat16, true, true>(grad_values_, own + n * kAlongRows, grad + n * kAlongRows, true);
      multiply_shared<__half, true, true>(grad_keys_, own_grads + n * kAlongRows, query + n * kAlongRows, true);
    }
    wgmma_commit();
  }

  /// Hidden pairs get logit -inf.
  __device__ __forceinline__ void mask(int o, float (&scores)[32]) const {
    const BackwardParameters& s = p_.shape;
    const int first = first_key_ + warpgroup_ * 64 + 2 * (lane_ & 3), lower = upper_ + 1;
    const bool no_key = lower < o;
    const int upper_last = no_key || o == 0 || upper_ >= s.seq_len ? -1 : upper_;
    const int lower_last = no_key || o == s.short_window || lower >= s.seq_len ? -1 : lower;
#pragma unroll
    for (int n = 0; n < kBlocks; ++n) {
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const int key = first + 8 * n + e;
        if (key > upper_last || key <= upper_ - s.long_window) scores[4 * n + e] = -INFINITY;
        if (key > lower_last || key <= lower - s.long_window) scores[4 * n + 2 + e] = -INFINITY;
      }
    }
  }
  __device__ __forceinline__ void exponentials(float (&scores)[32]) const {
    const float scale = p_.shape.scale_log2;
#pragma unroll
    for (int n = 0; n < 32; ++n) scores[n] = fast_exp2(fmaf(scores[n], scale, -lse_[n >> 1 & 1]));
  }
  __device__ __forceinline__ void store_probabilities(std::uint32_t to, const float (&p)[32]) const {
#pragma unroll
    for (int n = 0; n < kBlocks; n += 2) {
      std::uint32_t words[4];
#pragma unroll
      for (int w = 0; w < 4; ++w) words[w] = pack_bf16x2(p[4 * n + 2 * w], p[4 * n + 2 * w + 1]);
      store_matrices(to ^ (n << 4), words);
    }
  }
  __device__ __forceinline__ void store_grads(std::uint32_t to, const float (&p)[32], const float (&dp)[32]) const {
#pragma unroll
    for (int n = 0; n < kBlocks; n += 2) {
      std::uint32_t words[4];
#pragma unroll
      for (int w = 0; w < 4; ++w) {
        const int x = 4 * n + 2 * w;
        words[w] = pack_fp16x2(p[x] * (dp[x] - delta_[w & 1]), p[x + 1] * (dp[x + 1] - delta_[w & 1]));
      }
      store_matrices(to ^ (n << 4), words);
    }
  }

  // --- sums --------------------------------------------------------------------------------------------------------

  /// Of the upper row's words of q (those of do kGradO - kQuery further, of the lower row eight rows).
  __device__ __forceinline__ std::uint32_t own_words(std::uint32_t memory) const {
    const int g = lane_ >> 2;
    return memory + L::kQuery + (warp_ * 16 + g) * L::kRowBytes + warpgroup_ * 128 + (g << 4) + (lane_ & 3) * 4;
  }
  static __device__ __forceinline__ float2 unpack_bf16x2(std::uint32_t word) {
    return {low_bf16(word), high_bf16(word)};
  }

  __device__ __forceinline__ void add_short_value(std::uint32_t memory, int key, const float (&a)[32]) const {
    const std::uint32_t words = own_words(memory);
    float sums[16];
#pragma unroll
    for (int n = 0; n < kBlocks; ++n) {
      const std::uint32_t at = (words ^ (n << 4)) + (L::kGradO - L::kQuery);
      const float2 upper = unpack_bf16x2(load_shared_1(at)),
                   lower = unpack_bf16x2(load_shared_1(at + 8 * L::kRowBytes));
      sums[2 * n] = fmaf(a[4 * n + 2], lower.x, a[4 * n] * upper.x);
      sums[2 * n + 1] = fmaf(a[4 * n + 3], lower.y, a[4 * n + 1] * upper.y);
    }
    add_to_key(p_.shape.grad_short_value, key, sums);
  }
  __device__ __forceinline__ void add_short_key(std::uint32_t memory, int key, const float (&b)[32]) {
    const std::uint32_t words = own_words(memory);
    const int slot = wrap_slot(first_slot_ + 16 * warp_ + 2 * (lane_ >> 2) + 1);
    const std::uint32_t key_words = memory + L::kShortKey + row_part(slot, warpgroup_ * 8) + (lane_ & 3) * 4;
    float sums[16];
#pragma unroll
    for (int n = 0; n < kBlocks; ++n) {
      const float2 k = unpack_fp16x2(load_shared_1(key_words ^ (n << 4)));
      const std::uint32_t at = words ^ (n << 4);
      const float2 upper = unpack_fp16x2(load_shared_1(at)),
                   lower = unpack_fp16x2(load_shared_1(at + 8 * L::kRowBytes));
#pragma unroll
      for (int e = 0; e < 4; ++e)
        grad_query_[4 * n + e] = fmaf(b[4 * n + e], (e & 1) != 0 ? k.y : k.x, grad_query_[4 * n + e]);
      sums[2 * n] = fmaf(b[4 * n + 2], lower.x, b[4 * n] * upper.x);
      sums[2 * n + 1] = fmaf(b[4 * n + 3], lower.y, b[4 * n + 1] * upper.y);
    }
    add_to_key(p_.shape.grad_short_key, key, sums);
  }
  /// Two lanes exchange blocks of eight columns: each adds four columns of one of them at once.
  __device__ __forceinline__ void add_to_key(float* tensor, int key, const float (&sums)[16]) const {
    const int c = lane_ & 3;
    const bool odd = (c & 1) != 0, there = key >= 0 && key < p_.shape.seq_len;
    float* to = tensor + (key_base_ + key * key_stride_ + warpgroup_ * 64 + 4 * (c >> 1) + (odd ? 8 : 0));
#pragma unroll
    for (int n = 0; n < kBlocks; n += 2) {
      const float keep0 = odd ? sums[2 * n + 2] : sums[2 * n], keep1 = odd ? sums[2 * n + 3] : sums[2 * n + 1];
      const float give0 = odd ? sums[2 * n] : sums[2 * n + 2], give1 = odd ? sums[2 * n + 1] : sums[2 * n + 3];
      const float got0 = __shfl_xor_sync(0xFFFFFFFFu, give0, 1), got1 = __shfl_xor_sync(0xFFFFFFFFu, give1, 1);
      if (there)
        add_global_4(to + 8 * n, odd ? got0 : keep0, odd ? got1 : keep1, odd ? keep0 : got0, odd ? keep1 : got1);
    }
  }

  __device__ __forceinline__ void add_query() const {
    float* to = p_.grad_query + (query_base_ + upper_ * query_stride_ + warpgroup_ * 64 + 2 * (lane_ & 3));
#pragma unroll
    for (int n = 0; n < kBlocks; ++n) {
      if (upper_ < p_.shape.seq_len) add_global_2(to + 8 * n, grad_query_[4 * n], grad_query_[4 * n + 1]);
      if (upper_ + 1 < p_.shape.seq_len)
        add_global_2(to + query_stride_ + 8 * n, grad_query_[4 * n + 2], grad_query_[4 * n + 3]);
    }
  }
  /// No other block has these.
  __device__ __forceinline__ void store_keys(float* tensor, const float (&sums)[64]) const {
    const int key = first_key_ + warpgroup_ * 64 + warp_ * 16 + (lane_ >> 2);
    float* to = tensor + (key_base_ + key * key_stride_ + 2 * (lane_ & 3));
#pragma unroll
    for (int n = 0; n < kHeadDim / 8; ++n) {
      if (key < p_.shape.seq_len) *reinterpret_cast<float2*>(to + 8 * n) = {sums[4 * n], sums[4 * n + 1]};
      if (key + 8 < p_.shape.seq_len)
        *reinterpret_cast<float2*>(to + 8 * key_stride_ + 8 * n) = {sums[4 * n + 2], sums[4 * n + 3]};
    }
  }

  const QueryParameters& p_;
  std::uint32_t memory_;
  int thread_, warpgroup_, warp_, lane_;
  int part_, part_row_;  ///< 16-byte part of a row that this thread copies, and its first row
  int first_key_;
  int key_stride_, query_stride_, key_base_, query_base_;  ///< in elements
  int first_query_, upper_;                                ///< of the tile; of the thread's upper row
  int first_slot_;  ///< where the short position that is first_query - offset lies, of the step in turn
  bool inner_;      ///< all rows of the tile see all keys
  float lse_[2], delta_[2];
  float grad_keys_[64], grad_values_[64], grad_query_[32];
};

}  // namespace triscope::hopper::backward
