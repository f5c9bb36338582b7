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
//   warpgroup 0    the values: S, p, A, O, dv; and dk of the first 64 keys and dimensions, which has no room in
//   warpgroup 1    the keys: dP = O V^T, ds, B, Q, dq and the rest of dk
//   registers      values: dv 128, dk 32, S or A 64; keys: dk 96, dq 64, dP or B 64; 224 of 255 each
//   shared memory  K, V 64 KB, 2 x (Q, O) 64, p, ds 32, q, do 32, k_short, v_short 33: 230,400 bytes
//   barriers       query_barriers.hpp
//
// Order within a step; "|" is a wait:
//   values  issue S | exponentials, p to shared memory, O of the next step, issue A and dv | A | dv_short | ds there,
//           issue dk | dv, dk
//   keys    issue dP | p there, dP | ds, Q of the next step, issue B and dk | B | dk_short, dq | dk
// So the sides are out of phase: one multiplies while the other waits for its own reads. Rows are made while a side has
// no product in flight: its accumulators are free to hold all that it reads.
//
// Rates on an H200, 2026-11-30: 300 useful TFLOP/s at 512x32 with 16/16 heads and 8k tokens, sustained, everything
// included. docs/backward.md has more, and what limits it.
//
// Limits. Trilinear, head_dim 128, causal windows, bf16. Sums are added in no fixed order. Scores are rounded as
// fp16(q k_short) k_long, as the forward's half folds of the short axis are; ds is made with p in bf16.
#pragma once

#include "kernels/cuda/hopper/backward/kernel/query_side.cuh"

namespace triscope::hopper::backward {

class ValueSide : QuerySide {
 public:
  __device__ __forceinline__ ValueSide(const QueryParameters& p, std::uint32_t memory) : QuerySide(p, memory) {}

  __device__ __forceinline__ void run() {
    load_keys(L::kValues, p_.shape.long_value);
    clear(grad_values_[0]);
    clear(grad_values_[1]);
    clear(grad_keys_);
    for_tiles([&](int head, int steps) { tile(head, steps); });
    store_keys(p_.shape.grad_long_value, 0, grad_values_[0]);
    store_keys(p_.shape.grad_long_value, 64, grad_values_[1]);
    store_keys(p_.shape.grad_long_key, 0, grad_keys_);
  }

 private:
  __device__ __forceinline__ void tile(int head, int steps) {
    const BackwardParameters& s = p_.shape;
    load_statistic(s.lse2, head, kHiddenLse, lse_);
    inner_ = first_query_ >= first_key_ + kTileKeys - 1 && first_query_ + kTileRows - 1 - first_key_ < s.long_window &&
             first_query_ + kTileRows <= s.seq_len;
    load_rows(L::kGradO, p_.grad_o, L::kShortValue, s.scaled_short_value);
    wait_copies();
    named_barrier_sync(Barrier::kOwn, kSideThreads);
    make_rows<false>(0, 0);
    fence_async_proxy();
    named_barrier_arrive(Barrier::kGradRowsThere, kQueryThreads);
#pragma unroll 1
    for (int o = 0; o < steps; ++o) step(o, steps);
    named_barrier_arrive(Barrier::kTileDone, kQueryThreads);
    named_barrier_sync(Barrier::kOwn, kSideThreads);
  }

  __device__ __forceinline__ void step(int o, int steps) {
    const int stage = o & 1;
    const std::uint32_t memory = opaque(memory_);
    float scores[64];
    clear(scores);
    named_barrier_sync(Barrier::kRowsThere, kQueryThreads);
    issue_over_dimensions<__half>(scores, rows_of(memory, stage), memory + L::kKeys);
    wgmma_commit();
    wgmma_wait<0>();
    pin(scores);
    if (!inner_ || first_query_ < o || o == 0 || o == p_.shape.short_window) mask(o, scores);
    exponentials(scores);
    store_probabilities(memory, scores);
    wait_copies();
    named_barrier_arrive(Barrier::kPThere, kQueryThreads);
    slot_ = slot_before(slot_);
    if (o + 1 < steps) make_rows<false>(stage ^ 1, slot_);
    fence_async_proxy();
    if (o + 1 < steps) named_barrier_arrive(Barrier::kGradRowsThere + (stage ^ 1), kQueryThreads);
    named_barrier_sync(Barrier::kOwn, kSideThreads);
    issue_sums(memory, stage, scores);
    if (o + 3 < steps)
      load_short_row(L::kShortValue, p_.shape.scaled_short_value, first_query_ - o - 2, slot_before(slot_));
    add_short_value(memory, upper_ + 1 - o, scores);
    named_barrier_sync(Barrier::kDsThere, kQueryThreads);
    pin(grad_keys_);
    wgmma_fence();
    issue_over_rows<__half>(grad_keys_, memory + L::kGrads, rows_of(memory, stage));
    wgmma_commit();
    wgmma_wait<0>();
    pin(grad_values_[0]);
    pin(grad_values_[1]);
    pin(grad_keys_);
  }

  /// A, then dv.
  __device__ __forceinline__ void issue_sums(std::uint32_t memory, int stage, float (&a)[64]) {
    const std::uint32_t grad_o = rows_of(memory, stage) + 2 * L::kQueryHalf;
    clear(a);
    pin(grad_values_[0]);
    pin(grad_values_[1]);
    wgmma_fence();
    issue_over_keys<__nv_bfloat16>(a, memory + L::kProbabilities, memory + L::kValues);
    wgmma_commit();
    issue_over_rows<__nv_bfloat16>(grad_values_[0], memory + L::kProbabilities, grad_o);
    issue_over_rows<__nv_bfloat16>(grad_values_[1], memory + L::kProbabilities + L::kQueryHalf, grad_o);
    wgmma_commit();
  }

  /// Hidden pairs get logit -inf.
  __device__ __forceinline__ void mask(int o, float (&scores)[64]) const {
    const BackwardParameters& s = p_.shape;
    const int first = first_key_ + 2 * (lane_ & 3), lower = upper_ + 1;
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
  __device__ __forceinline__ void exponentials(float (&scores)[64]) const {
    const float scale = p_.shape.scale_log2;
#pragma unroll
    for (int n = 0; n < 64; ++n) scores[n] = fast_exp2(fmaf(scores[n], scale, -lse_[n >> 1 & 1]));
  }
  __device__ __forceinline__ void store_probabilities(std::uint32_t memory, const float (&p)[64]) const {
#pragma unroll
    for (int n = 0; n < kBlocks; n += 2) {
      std::uint32_t words[4];
#pragma unroll
      for (int w = 0; w < 4; ++w) words[w] = pack_bf16x2(p[4 * n + 2 * w], p[4 * n + 2 * w + 1]);
      store_matrices(weights_of_block(memory, n), words);
    }
  }

  /// Waits for A.
  __device__ __forceinline__ void add_short_value(std::uint32_t memory, int key, float (&a)[64]) const {
    const std::uint32_t words = own_words(memory + L::kGradO);
    const bool there = is_position(key);
    float* to = at_key(p_.shape.grad_short_value, nearest_position(key));
    uint2 uppers[kAhead], lowers[kAhead];
    const auto read = [&](int j) {
      uppers[j % kAhead] = load_shared_2(words ^ (j << 5));
      lowers[j % kAhead] = load_shared_2((words ^ (j << 5)) + 8 * L::kRowBytes);
    };
#pragma unroll
    for (int j = 0; j < kAhead; ++j) read(j);
    wgmma_wait<1>();
    pin(a);
#pragma unroll
    for (int j = 0; j < kSteps; ++j) {
      const uint2 upper = uppers[j % kAhead], lower = lowers[j % kAhead];
      if (j + kAhead < kSteps) read(j + kAhead);
      const float x = fmaf(a[8 * j + 2], low_bf16(lower.x), a[8 * j] * low_bf16(upper.x));
      const float y = fmaf(a[8 * j + 3], high_bf16(lower.x), a[8 * j + 1] * high_bf16(upper.x));
      const float z = fmaf(a[8 * j + 6], low_bf16(lower.y), a[8 * j + 4] * low_bf16(upper.y));
      const float w = fmaf(a[8 * j + 7], high_bf16(lower.y), a[8 * j + 5] * high_bf16(upper.y));
      add_global_4_if(there, to + 16 * j, x, y, z, w);
    }
  }

  bool inner_;  ///< all rows of the tile see all keys
  float lse_[2];
  float grad_values_[2][64], grad_keys_[32];
};

class KeySide : QuerySide {
 public:
  __device__ __forceinline__ KeySide(const QueryParameters& p, std::uint32_t memory) : QuerySide(p, memory) {}

  __device__ __forceinline__ void run() {
    load_keys(L::kKeys, p_.shape.scaled_long_key);
    clear(first_grads_);
    clear(second_grads_);
    for_tiles([&](int head, int steps) { tile(head, steps); });
    store_keys(p_.shape.grad_long_key + kHeadDim / 2, 0, first_grads_);
    store_keys(p_.shape.grad_long_key, 64, second_grads_);
  }

 private:
  __device__ __forceinline__ void tile(int head, int steps) {
    const BackwardParameters& s = p_.shape;
    clear(grad_query_);
    load_statistic(s.delta, head, 0.0f, delta_);
    load_rows(L::kQuery, p_.query, L::kShortKey, s.scaled_short_key);
    wait_copies();
    named_barrier_sync(Barrier::kOwn + 1, kSideThreads);
    make_rows<true>(0, 0);
    fence_async_proxy();
    named_barrier_arrive(Barrier::kRowsThere, kQueryThreads);
#pragma unroll 1
    for (int o = 0; o < steps; ++o) step(o, steps);
    add_query();
    named_barrier_sync(Barrier::kTileDone, kQueryThreads);
  }

  __device__ __forceinline__ void step(int o, int steps) {
    const int stage = o & 1;
    const std::uint32_t memory = opaque(memory_);
    float products[64];
    clear(products);
    named_barrier_sync(Barrier::kGradRowsThere + stage, kQueryThreads);
    issue_over_dimensions<__nv_bfloat16>(products, rows_of(memory, stage) + 2 * L::kQueryHalf, memory + L::kValues);
    wgmma_commit();
    named_barrier_sync(Barrier::kPThere, kQueryThreads);
    wgmma_wait<0>();
    pin(products);
    store_grads(memory, products);
    wait_copies();
    const int next_slot = slot_before(slot_);
    if (o + 1 < steps) make_rows<true>(stage ^ 1, next_slot);
    fence_async_proxy();
    named_barrier_arrive(Barrier::kDsThere, kQueryThreads);
    if (o + 1 < steps) named_barrier_arrive(Barrier::kRowsThere, kQueryThreads);
    named_barrier_sync(Barrier::kOwn + 1, kSideThreads);
    issue_sums(memory, stage, products);
    if (o + 3 < steps)
      load_short_row(L::kShortKey, p_.shape.scaled_short_key, first_query_ - o - 2, slot_before(next_slot));
    add_short_key(memory, upper_ + 1 - o, products);
    slot_ = next_slot;
    wgmma_wait<0>();
    pin(first_grads_);
    pin(second_grads_);
  }

  /// B, then dk.
  __device__ __forceinline__ void issue_sums(std::uint32_t memory, int stage, float (&b)[64]) {
    const std::uint32_t query = rows_of(memory, stage);
    clear(b);
    pin(first_grads_);
    pin(second_grads_);
    wgmma_fence();
    issue_over_keys<__half>(b, memory + L::kGrads, memory + L::kKeys);
    wgmma_commit();
    issue_over_rows<__half>(second_grads_, memory + L::kGrads + L::kQueryHalf, query);
    issue_over_rows<__half>(first_grads_, memory + L::kGrads, query + L::kQueryHalf);
    wgmma_commit();
  }

  /// ds = p (dP - delta). p is read two pairs of blocks ahead: else each read would be waited for (6 % of the kernel).
  __device__ __forceinline__ void store_grads(std::uint32_t memory, const float (&dp)[64]) const {
    std::uint32_t read[2][4];
    const auto read_block = [&](int n) {
      std::uint32_t(&to)[4] = read[n / 2 % 2];
      load_matrices(weights_of_block(memory, n), to[0], to[1], to[2], to[3]);
    };
    read_block(0);
    read_block(2);
#pragma unroll
    for (int n = 0; n < kBlocks; n += 2) {
      std::uint32_t p[4], words[4];
#pragma unroll
      for (int w = 0; w < 4; ++w) p[w] = read[n / 2 % 2][w];
      if (n + 4 < kBlocks) read_block(n + 4);
#pragma unroll
      for (int w = 0; w < 4; ++w) {
        const int x = 4 * n + 2 * w;
        words[w] = pack_fp16x2(low_bf16(p[w]) * (dp[x] - delta_[w & 1]), high_bf16(p[w]) * (dp[x + 1] - delta_[w & 1]));
      }
      store_matrices(weights_of_block(memory, n) + (L::kGrads - L::kProbabilities), words);
    }
  }

  /// Waits for B.
  __device__ __forceinline__ void add_short_key(std::uint32_t memory, int key, float (&b)[64]) {
    const int slot = wrap_slot(slot_ + 16 * warp_ + 2 * (lane_ >> 2) + 1);
    const std::uint32_t words = own_words(memory + L::kQuery);
    const std::uint32_t key_words = memory + L::kShortKey + slot_part(slot, lane_ >> 1 & 1) + (lane_ & 1) * 8;
    const bool there = is_position(key);
    float* to = at_key(p_.shape.grad_short_key, nearest_position(key));
    uint2 keys[kAhead], uppers[kAhead], lowers[kAhead];
    const auto read = [&](int j) {
      keys[j % kAhead] = load_shared_2(key_words ^ (j << 5));
      uppers[j % kAhead] = load_shared_2(words ^ (j << 5));
      lowers[j % kAhead] = load_shared_2((words ^ (j << 5)) + 8 * L::kRowBytes);
    };
#pragma unroll
    for (int j = 0; j < kAhead; ++j) read(j);
    wgmma_wait<1>();
    pin(b);
#pragma unroll
    for (int j = 0; j < kSteps; ++j) {
      const uint2 k = keys[j % kAhead], upper = uppers[j % kAhead], lower = lowers[j % kAhead];
      if (j + kAhead < kSteps) read(j + kAhead);
      float sums[4];
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const float2 factor = unpack_fp16x2(h == 0 ? k.x : k.y), u = unpack_fp16x2(h == 0 ? upper.x : upper.y),
                     l = unpack_fp16x2(h == 0 ? lower.x : lower.y);
        const int n = 8 * j + 4 * h;
        grad_query_[n] = fmaf(b[n], factor.x, grad_query_[n]);
        grad_query_[n + 1] = fmaf(b[n + 1], factor.y, grad_query_[n + 1]);
        grad_query_[n + 2] = fmaf(b[n + 2], factor.x, grad_query_[n + 2]);
        grad_query_[n + 3] = fmaf(b[n + 3], factor.y, grad_query_[n + 3]);
        sums[2 * h] = fmaf(b[n + 2], l.x, b[n] * u.x);
        sums[2 * h + 1] = fmaf(b[n + 3], l.y, b[n + 1] * u.y);
      }
      add_global_4_if(there, to + 16 * j, sums[0], sums[1], sums[2], sums[3]);
    }
  }

  __device__ __forceinline__ void add_query() const {
    float* to = p_.grad_query + (query_base_ + upper_ * query_stride_ + 4 * (lane_ & 3));
    const float(&x)[64] = grad_query_;
#pragma unroll
    for (int n = 0; n < 64; n += 8) {
      if (upper_ < p_.shape.seq_len) add_global_4(to + 2 * n, x[n], x[n + 1], x[n + 4], x[n + 5]);
      if (upper_ + 1 < p_.shape.seq_len)
        add_global_4(to + query_stride_ + 2 * n, x[n + 2], x[n + 3], x[n + 6], x[n + 7]);
    }
  }

  float delta_[2];
  float first_grads_[32], second_grads_[64];  ///< dk of keys 0 to 63, dimensions 64 to 127; of keys 64 to 127
  float grad_query_[64];
};

}  // namespace triscope::hopper::backward
