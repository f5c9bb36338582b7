// One of the two warpgroups that compute: 64 of a work item's 128 virtual keys.
//
// Tile t of queries (64 rows: columns of the products S and dP), all sums in registers until the item ends:
//
//   S(t)  = KK q^T              P  = exp2(scale S - LSE)        fp16 operands
//   dP(t) = VV do^T             dS = P (dP - delta)             bf16
//   dVV  += P^T do              P from registers                bf16
//   dKK  += dS^T q              dS from shared memory           fp16
//   dQ(t) = dS KK               64 rows x half of head_dim, over the keys of both warpgroups; two tiles late
//
// Order within a tile; "|" is a wait, and nothing is in flight across the loop's edge (otherwise ptxas serialises):
//
//   issue S(t), dQ(t-2), dV(t-1) | S | dQ | stage dQ, read LSE, issue dP(t) | exponentials, issue dK(t-1) | dV |
//   round P | dP | dS(t) to shared memory | dK
//
// The exponentials stand behind the issue of dP. ptxas moves most of them between the instructions of dK, but the first
// ones before those of dP: LSE is read in front of the wait for do, or dP would wait in the busy shared-memory pipe.
//
// Registers at head_dim 128: dK 64, dV 64, S 32, dP or dQ 32, P 16 = 208 of 240. dS as a register operand does not fit.
#pragma once

#include "kernels/cuda/hopper/backward/kernel/epilogue.cuh"
#include "kernels/cuda/hopper/backward/kernel/products.cuh"
#include "kernels/cuda/hopper/common/wgmma.cuh"

namespace triscope::hopper::backward {

template <int kHeadDim, bool kCross, bool kDeterministic>
class Consumer {
  using L = Layout<kHeadDim, kDeterministic>;
  static constexpr int kSteps = kHeadDim / 16;      ///< products over head_dim
  static constexpr int kRowSteps = kTileRows / 16;  ///< over query rows
  static constexpr int kKeySteps = kTileKeys / 16;  ///< over virtual keys
  static constexpr int kBlocks = kTileRows / 8;     ///< blocks of eight query rows
  static constexpr int kQueryRegisters = kHeadDim / 4;
  using Sums = Epilogue<kHeadDim, kDeterministic>;
  // Descriptor steps, in 16 bytes: 16 elements of a 128-byte row; 16 rows.
  static constexpr std::uint64_t kAlongRow = 2, kAlongRows = 16 * 128 / 16;

 public:
  __device__ __forceinline__ Consumer(const BackwardParameters& p, const FixedPoint& fixed, std::uint32_t memory,
                                      int warpgroup)
      : p_(p),
        fixed_(fixed),
        memory_(memory),
        barriers_{memory + L::kBarriers},
        items_(memory + L::kItems, barriers_),
        warpgroup_(warpgroup) {
    thread_ = static_cast<int>(threadIdx.x) & 127;
    lane_ = thread_ & 31;
    row_ = warpgroup * kTileRows + (thread_ >> 5) * 16 + (lane_ >> 2);
    keys_ = tile_descriptor(memory + L::kKeys + warpgroup * (L::kKeyHalf / 2), 16);
    values_ = tile_descriptor(memory + L::kValues + warpgroup * (L::kKeyHalf / 2), 16);
    // Columns of KK for dQ: one half of head_dim each.
    key_columns_ = tile_descriptor(memory + L::kKeys + warpgroup * (L::kHalves == 2 ? L::kKeyHalf : 64), L::kQueryHalf);
    const int matrix_row = warpgroup * kTileRows + (thread_ >> 5) * 16 + (lane_ & 15);
    grad_row_ = memory + L::kFirstGrad + matrix_row * 128;
  }

  __device__ __forceinline__ void run() {
    WorkItem item = items_.next_of_warp(lane_);
    load_long(item);
    load_short(item);
#pragma unroll 1
    while (item.position_tiles > 0) {
      begin(item);
      const int tiles = item.position_tiles * p_.head_blocks;
      TileWalk walk(p_, item);
      step<true>(walk, 0);
#pragma unroll 1
      for (int t = 1; t < tiles; ++t) step<false>(walk, t);
      item = finish(tiles);
    }
    if (lane_ == 0) wait_bulk();
  }

 private:
  /// Rows of the next item; also behind the last one: registers that are loaded under a condition stay alive through
  /// the loop.
  __device__ __forceinline__ void load_long(const WorkItem& item) {
    const int thread = consumer_thread();
    const RowBlock block = KeyRows(p_, item).block(thread >> 5, 0, thread >= kConsumers / 2);
    if (lane_ == 0) store_shared_4(warp_rows(), block.begin, block.end, block.short_position, item.pair);
    rows_.load_long(p_, item, thread);
    if constexpr (kCross) crosses_.load(p_, item, thread);
  }
  __device__ __forceinline__ void load_short(const WorkItem& item) { rows_.load_short(p_, item, consumer_thread()); }

  __device__ __forceinline__ void begin(const WorkItem& item) {
    if (lane_ == 0) wait_bulk_read<1>();  // sums of keys lie where virtual keys will
    named_barrier_sync(kAllConsumers, kConsumers);
    rows_.store(memory_, consumer_thread());
    if constexpr (kCross) crosses_.store(memory_, consumer_thread());
    fence_async_proxy();
    if (warpgroup_ == 0) {
      const VirtualKey key = virtual_key(p_, item, thread_);
      store_shared_2(memory_ + L::kRowRanges + thread_ * 8, key.first, key.last);
    }
    named_barrier_sync(kAllConsumers, kConsumers);
    find_full_range();
#pragma unroll
    for (int n = 0; n < kHeadDim / 2; ++n) grad_keys_[n] = grad_values_[n] = 0.0f;
    pin(grad_keys_);
    pin(grad_values_);
  }

  /// Of both warpgroups: made of the thread's number, or ptxas keeps it in local memory from item to item.
  static __device__ __forceinline__ int consumer_thread() {
    return static_cast<int>(threadIdx.x) - (kThreads - kConsumers);
  }
  __device__ __forceinline__ std::uint32_t warp_rows() const {
    return memory_ + L::kWarpRows + (consumer_thread() >> 5) * 16;
  }
  /// First and last query of the thread's upper or lower row.
  __device__ __forceinline__ int2 row_range(int below) const {
    const uint2 range = load_shared_2(memory_ + L::kRowRanges + (row_ + below) * 8);
    return {static_cast<int>(range.x), static_cast<int>(range.y)};
  }
  /// Positions that all of this warp's keys see.
  __device__ __forceinline__ void find_full_range() {
    const int2 upper = row_range(0), lower = row_range(8);
    full_first_ = __reduce_max_sync(0xFFFFFFFFu, max(upper.x, lower.x));
    full_last_ = __reduce_min_sync(0xFFFFFFFFu, min(upper.y, lower.y)) - p_.positions + 1;
  }

  // --- products ----------------------------------------------------------------------------------------------------

  __device__ __forceinline__ std::uint32_t query(int stage) const {
    return memory_ + L::kFirstQuery + stage * L::kQueryStage;
  }
  __device__ __forceinline__ std::uint32_t grad_o(int stage) const {
    return memory_ + L::kFirstGradO + stage * L::kQueryStage;
  }
  __device__ __forceinline__ std::uint32_t lse(int stage) const {
    return memory_ + L::kFirstLse + stage * L::kStatisticStage + (lane_ & 3) * 16;
  }
  __device__ __forceinline__ std::uint32_t delta(int stage) const {
    return memory_ + L::kFirstDelta + stage * L::kStatisticStage + (lane_ & 3) * 16;
  }
  /// Where tiles of do are in their ring: that of q, unless do has fewer stages.
  __device__ __forceinline__ const auto& grad_o_stage() const {
    if constexpr (kDeterministic) {
      return own_stage_;
    } else {
      return stage_;
    }
  }
  /// dV of the last tile has ended, and this warp has read delta before.
  __device__ __forceinline__ void release_grad_o() {
    if constexpr (kDeterministic) {
      if (lane_ == 0) barrier_arrive(barriers_.empty_grad_o(own_stage_.previous()));
    }
  }

  /// out = A B^T over head_dim, A: this warpgroup's virtual keys or values, B: a tile of q or do.
  template <typename Element>
  __device__ __forceinline__ void issue_over_dimensions(float (&out)[32], std::uint64_t a, std::uint32_t rows) {
    const std::uint64_t b = tile_descriptor(rows, 16);
#pragma unroll
    for (int n = 0; n < kSteps; ++n) {
      multiply_shared<Element, false, false>(out, a + (n & 3) * kAlongRow + (n >> 2) * (L::kKeyHalf / 16),
                                             b + (n & 3) * kAlongRow + (n >> 2) * (L::kQueryHalf / 16), n > 0);
    }
  }
  __device__ __forceinline__ void issue_grad_values(int stage) {
    const std::uint64_t b = tile_descriptor(grad_o(stage), L::kQueryHalf);
#pragma unroll
    for (int n = 0; n < kRowSteps; ++n) {
      wgmma<true>(grad_values_, probabilities_[4 * n], probabilities_[4 * n + 1], probabilities_[4 * n + 2],
                  probabilities_[4 * n + 3], b + n * kAlongRows, true);
    }
  }
  __device__ __forceinline__ void issue_grad_keys(int stage) {
    const std::uint64_t b = tile_descriptor(query(stage), L::kQueryHalf);
    const std::uint64_t a = tile_descriptor(
        memory_ + L::kFirstGrad + written_.previous() * L::kGradTile + warpgroup_ * (L::kGradTile / 2), 16);
#pragma unroll
    for (int n = 0; n < kRowSteps; ++n)
      multiply_shared<__half, false, true>(grad_keys_, a + n * kAlongRow, b + n * kAlongRows, true);
  }
  __device__ __forceinline__ void issue_grad_query() {
    const std::uint64_t a = tile_descriptor(memory_ + L::kFirstGrad + read_.slot * L::kGradTile, L::kQueryHalf);
#pragma unroll
    for (int n = 0; n < kKeySteps; ++n)
      multiply_shared<__half, true, true>(grad_query(), a + n * kAlongRows, key_columns_ + n * kAlongRows, n > 0);
  }
  /// Accumulators of dQ: those of dP where they have the same shape.
  __device__ __forceinline__ auto& grad_query() {
    if constexpr (kQueryRegisters == 32) {
      return products_;
    } else {
      return narrow_grad_query_;
    }
  }
  __device__ __forceinline__ void pin_products() {
    pin(products_);
    if constexpr (kQueryRegisters != 32) pin(narrow_grad_query_);
  }

  // --- a tile ------------------------------------------------------------------------------------------------------

  /// S of this tile, dQ of the last but one and dV of the last, `before`; a group each.
  template <bool kFirst>
  __device__ __forceinline__ void issue_products(int t) {
    // Opaque, or ptxas keeps sums of them for the whole loop, in local memory.
    asm volatile("" : "+l"(keys_));
    asm volatile("" : "+l"(values_));
    barrier_wait(barriers_.full_query(stage_.slot), stage_.parity);
    if (!kFirst && t > 1) wait_for_grads();
    pin(scores_);
    pin_products();
    pin(grad_keys_);
    pin(grad_values_);
    pin(probabilities_);
    wgmma_fence();
    issue_over_dimensions<__half>(scores_, keys_, query(stage_.slot));
    wgmma_commit();
    if (kFirst) return;
    issue_grad_query();
    wgmma_commit();
    issue_grad_values(grad_o_stage().previous());
    wgmma_commit();
  }

  /// They lay where ds and dq are staged.
  __device__ __forceinline__ void wait_for_sums_of_values() {
    if (lane_ == 0) wait_bulk_read();
    named_barrier_sync(kOwnWarpgroup + warpgroup_, 128);
  }

  template <bool kFirst>
  __device__ __forceinline__ void step(TileWalk& walk, int t) {
    const int before = stage_.previous();
    issue_products<kFirst>(t);
    const int position = walk.position();
    walk.advance();
    if (kFirst) {
      wgmma_wait<0>();
    } else {
      wgmma_wait<2>();
    }
    pin(scores_);
    mask(position);
    if (!kFirst) {
      wgmma_wait<1>();
      pin_products();
      if (t > 1) take_grad_query();
    }
    const Statistics of_lse = load_statistics(lse(stage_.slot));
    barrier_wait(barriers_.full_grad_o(grad_o_stage().slot), grad_o_stage().parity);
    pin_products();
    wgmma_fence();
    issue_over_dimensions<__nv_bfloat16>(products_, values_, grad_o(grad_o_stage().slot));
    wgmma_commit();
    exponentials(of_lse);
    pin(scores_);
    if (!kFirst) {
      barrier_wait(barriers_.full_grad(warpgroup_, written_.previous()), written_.previous_parity());
      pin(grad_keys_);
      wgmma_fence();
      issue_grad_keys(before);
      wgmma_commit();
    }
    pin(scores_);
    if (!kFirst) {
      wgmma_wait<2>();
      pin(grad_values_);
      pin(probabilities_);
      release_grad_o();
    }
    round_probabilities();
    barrier_wait(barriers_.empty_grad(written_.slot), written_.parity ^ 1);
    if (kFirst) {
      wgmma_wait<0>();
    } else {
      wgmma_wait<1>();
    }
    pin(products_);
    if constexpr (kFirst) wait_for_sums_of_values();
    store_grads();
    if (!kFirst) {
      wgmma_wait<0>();
      pin(grad_keys_);
      if (thread_ == 0) barrier_arrive(barriers_.empty(before));
    }
    written_.advance();
    stage_.advance();
    if constexpr (kDeterministic) own_stage_.advance();
  }

  /// The last tile's dV and dK, and dQ of the last but one.
  __device__ __forceinline__ void issue_last(int tiles) {
    const int before = stage_.previous();
    if (tiles > 1) wait_for_grads();
    barrier_wait(barriers_.full_grad(warpgroup_, written_.previous()), written_.previous_parity());
    pin_products();
    pin(grad_keys_);
    pin(grad_values_);
    pin(probabilities_);
    wgmma_fence();
    issue_grad_query();
    wgmma_commit();
    issue_grad_values(grad_o_stage().previous());
    issue_grad_keys(before);
    wgmma_commit();
  }
  /// Waits for them, and issues dQ of the last tile.
  __device__ __forceinline__ void issue_last_query(int tiles) {
    const int before = stage_.previous();
    wgmma_wait<0>();
    pin_products();
    pin(grad_keys_);
    pin(grad_values_);
    if (thread_ == 0) barrier_arrive(barriers_.empty(before));
    release_grad_o();
    if (tiles > 1) take_grad_query();
    wait_for_grads();
    pin_products();
    wgmma_fence();
    issue_grad_query();
    wgmma_commit();
  }

  /// Hidden pairs get logit -inf.
  __device__ __forceinline__ void mask(int position) {
    if (position >= full_first_ && position <= full_last_) return;
    const int2 upper = row_range(0), lower = row_range(8);
#pragma unroll
    for (int n = 0; n < kBlocks; ++n) {
      const int at = position + (n >> p_.position_shift);
      if (at < upper.x || at > upper.y) scores_[4 * n] = scores_[4 * n + 1] = -INFINITY;
      if (at < lower.x || at > lower.y) scores_[4 * n + 2] = scores_[4 * n + 3] = -INFINITY;
    }
  }

  __device__ __forceinline__ void exponentials(const Statistics& lse) {
#pragma unroll
    for (int n = 0; n < kBlocks / 2; ++n) {
      exponentials_of(2 * n, lse.rows[n].x, lse.rows[n].y);
      exponentials_of(2 * n + 1, lse.rows[n].z, lse.rows[n].w);
    }
  }
  __device__ __forceinline__ void exponentials_of(int n, float lse0, float lse1) {
    scores_[4 * n] = fast_exp2(fmaf(scores_[4 * n], p_.scale_log2, -lse0));
    scores_[4 * n + 1] = fast_exp2(fmaf(scores_[4 * n + 1], p_.scale_log2, -lse1));
    scores_[4 * n + 2] = fast_exp2(fmaf(scores_[4 * n + 2], p_.scale_log2, -lse0));
    scores_[4 * n + 3] = fast_exp2(fmaf(scores_[4 * n + 3], p_.scale_log2, -lse1));
  }
  __device__ __forceinline__ void round_probabilities() {
#pragma unroll
    for (int n = 0; n < kBlocks; ++n) {
      probabilities_[2 * n] = pack_bf16x2(scores_[4 * n], scores_[4 * n + 1]);
      probabilities_[2 * n + 1] = pack_bf16x2(scores_[4 * n + 2], scores_[4 * n + 3]);
    }
  }

  /// dS to shared memory: rows of 64 query rows, one a virtual key.
  __device__ __forceinline__ void store_grads() {
    const Statistics of_delta = load_statistics(delta(grad_o_stage().slot));
    const std::uint32_t row = grad_row_ + written_.slot * L::kGradTile;
#pragma unroll
    for (int n = 0; n < kBlocks; n += 2) {
      const float4 deltas = of_delta.rows[n / 2];
      std::uint32_t words[4];
      grads_of(n, deltas.x, deltas.y, words[0], words[1]);
      grads_of(n + 1, deltas.z, deltas.w, words[2], words[3]);
      store_matrices(row + (((n + (lane_ >> 4)) ^ (lane_ & 7)) << 4), words);
    }
    __syncwarp();
    if (lane_ == 0) barrier_arrive(barriers_.written_grad(warpgroup_, written_.slot));
  }
  __device__ __forceinline__ void grads_of(int n, float delta0, float delta1, std::uint32_t& upper,
                                           std::uint32_t& lower) {
    upper =
        pack_fp16x2(scores_[4 * n] * (products_[4 * n] - delta0), scores_[4 * n + 1] * (products_[4 * n + 1] - delta1));
    lower = pack_fp16x2(scores_[4 * n + 2] * (products_[4 * n + 2] - delta0),
                        scores_[4 * n + 3] * (products_[4 * n + 3] - delta1));
  }

  // --- dQ ----------------------------------------------------------------------------------------------------------

  __device__ __forceinline__ void wait_for_grads() {
    barrier_wait(barriers_.full_grad(0, read_.slot), read_.parity);
    barrier_wait(barriers_.full_grad(1, read_.slot), read_.parity);
  }
  /// Hands dQ to the helper, in fp16 or as integers: eight rows together, of each lane its part of a row in 16-byte
  /// parts.
  __device__ __forceinline__ void take_grad_query() {
    if (lane_ == 0) barrier_arrive(barriers_.empty_grad(read_.slot));
    barrier_wait(barriers_.empty_staged(warpgroup_), staged_parity_);
    staged_parity_ ^= 1;
    constexpr int kBlockBytes = kHeadDim * 4 * L::kSumBytes;     // of eight rows
    constexpr int kParts = kQueryRegisters * L::kSumBytes / 32;  // of a lane, 16 bytes each
    const std::uint32_t to =
        memory_ + L::kFirstStaged + warpgroup_ * L::kStaged + (thread_ >> 5) * (2 * kBlockBytes) + lane_ * 16;
    auto& sums = grad_query();
#pragma unroll
    for (int block = 0; block < 2; ++block) {
#pragma unroll
      for (int part = 0; part < kParts; ++part) {
        std::uint32_t words[4];
#pragma unroll
        for (int n = 0; n < 4; ++n) {
          if constexpr (kDeterministic) {
            words[n] = fixed_point(sums[4 * (2 * part + n / 2) + 2 * block + n % 2]);
          } else {
            const int at = 4 * (4 * part + n) + 2 * block;
            words[n] = pack_fp16x2(sums[at], sums[at + 1]);
          }
        }
        store_shared_4(to + block * kBlockBytes + part * 512, words[0], words[1], words[2], words[3]);
      }
    }
    __syncwarp();
    if (lane_ == 0) barrier_arrive(barriers_.full_staged(warpgroup_));
    read_.advance();
  }

  // --- the end of an item ------------------------------------------------------------------------------------------

  /// The last products, and the sums to device memory. Tensors are read one step before they are used: short rows
  /// during the last product, and behind them the next item; its long rows while sums over rows are made. What is added
  /// to device memory has left shared memory when the next item needs the place: of keys in `begin`, of values in its
  /// first tile.
  __device__ __forceinline__ WorkItem finish(int tiles) {
    issue_last(tiles);
    const uint4 of_warp = load_shared_4(warp_rows());
    const RowBlock block = {static_cast<int>(of_warp.x), static_cast<int>(of_warp.y), static_cast<int>(of_warp.z)};
    const int thread = renewed<kHeadDim>(static_cast<int>(threadIdx.x)) & 127;
    const Sums sums(p_, fixed_, static_cast<int>(of_warp.w), block, thread);
    issue_last_query(tiles);
    typename Sums::Factors keys, values;
    if constexpr (!kCross) sums.load_divisors(keys, p_.scaled_short_key);
    sums.load_divisors(values, p_.scaled_short_value);
    if constexpr (!kCross) sums.load_short(keys, p_.short_key_columns);
    const WorkItem item = items_.next_of_warp(lane_);
    wgmma_wait<0>();
    pin_products();
    take_grad_query();
    const int first_row = warpgroup_ * kTileRows + (thread >> 5) * 16;
    if constexpr (!kCross) sums.template load_products<true>(keys, memory_ + L::kKeys, first_row, p_.scaled_long_key);
    sums.template load_products<false>(values, memory_ + L::kValues, first_row, p_.long_value);
    named_barrier_sync(kAllConsumers, kConsumers);  // the other warpgroup's dQ has read KK and ds, all have read VV
    const std::uint32_t key_place = memory_ + (warpgroup_ * 4 + (thread >> 5)) * Sums::kWarpBytes;
    if constexpr (kCross) {
      sums.stage(grad_keys_, key_place);
      sums.load_short(values, p_.short_value_columns);
      sums.add_cross(p_.long_key, p_.short_key, sums.key_target(), key_place);
    } else {
      auto columns = sums.template put_products<true>(grad_keys_, keys, sums.key_target(), key_place);
      sums.publish(sums.key_target(), key_place);
      sums.load_short(values, p_.short_value_columns);
      load_long(item);
      sums.template add_columns<true>(columns, keys, sums.key_target());
    }
    const std::uint32_t place = value_place();
    auto columns = sums.template put_products<false>(grad_values_, values, sums.value_target(), place);
    sums.publish(sums.value_target(), place);
    if constexpr (kCross) load_long(item);
    load_short(item);
    sums.template add_columns<false>(columns, values, sums.value_target());
    return item;
  }
  /// Where a warp's sums of values are staged: the warpgroup's halves of the tiles of ds and, behind them, what was
  /// staged of dq, when the helper has read it.
  __device__ __forceinline__ std::uint32_t value_place() {
    constexpr int kHalf = L::kGradTile / 2, kBytes = Sums::kWarpBytes;
    static_assert(4 * kBytes <= kGradTiles * kHalf + L::kStaged);
    const int offset = (thread_ >> 5) * kBytes, tile = offset / kHalf;
    if (tile < kGradTiles) return memory_ + L::kFirstGrad + tile * L::kGradTile + warpgroup_ * kHalf + offset % kHalf;
    barrier_wait(barriers_.empty_staged(warpgroup_), staged_parity_);
    int thread = consumer_thread();
    asm volatile("" : "+r"(thread));  // or ptxas keeps the sum in local memory, to be read behind the next rows
    return memory_ + L::kFirstStaged + (thread >> 7) * L::kStaged + (thread >> 5 & 3) * kBytes - kGradTiles * kHalf;
  }

  const BackwardParameters& p_;
  const FixedPoint& fixed_;
  std::uint32_t memory_;
  Barriers barriers_;
  Items items_;
  int warpgroup_, thread_, lane_;
  int row_;                                    ///< the thread's upper row of the work item; the lower one is row_ + 8
  std::uint64_t keys_, values_, key_columns_;  ///< descriptors
  std::uint32_t grad_row_;                     ///< where this lane's row of ds begins in the first tile of ds
  int full_first_ = 0, full_last_ = -1;
  Cursor<kStages> stage_;
  Cursor<L::kGradOStages> own_stage_;
  Cursor<kGradTiles> written_, read_;  ///< tiles of ds: next to write, next to multiply
  std::uint32_t staged_parity_ = 1;
  float grad_keys_[kHeadDim / 2], grad_values_[kHeadDim / 2], scores_[32], products_[32];
  float narrow_grad_query_[16];
  std::uint32_t probabilities_[16];
  FoldedRows<kHeadDim, !kCross> rows_;  ///< of the next item; alive only between items
  FoldedCross<kHeadDim> crosses_;       ///< the same of the determinant
};

}  // namespace triscope::hopper::backward
