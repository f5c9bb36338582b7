// Role: the two consumer warpgroups. For each work item: S = Q~ K^T, weights, A += P V, over tiles and steps.
//
// Order of one pass over the short axis (here a chunk of two tiles):  tile 0, tile 1, next step: tile 0, tile 1, ...
// At each tile the next S is issued before the pending P V, so that exponentials run while the tensor cores do both.
//
// One accumulator serves all steps (the ratio trick): o = v_short * A, and from one step to the next A is multiplied by
// v_previous / v_next in fp32, so that products of both steps add up in it.
#pragma once

#include "kernels/cuda/hopper/common/wgmma.cuh"
#include "kernels/cuda/hopper/forward/barriers.cuh"
#include "kernels/cuda/hopper/forward/mask.cuh"
#include "kernels/cuda/hopper/forward/softmax.cuh"
#include "kernels/cuda/hopper/forward/virtual_query.cuh"

namespace triscope::hopper {

template <TileConfig kConfig>
struct Mainloop {
  using L = Layout<kConfig>;
  static constexpr int kBlocks = kConfig.tile_keys / 8;
  /// The row of a warp's 16 that is WGMMA's row `m`. Mixed rows keep their order: ring slots of neighbouring positions
  /// lie in different banks, those of every second one do not.
  static __device__ __forceinline__ int row_in_warp(int m) { return kConfig.mixed_rows ? m : paired_row(m); }

  static constexpr int kRatioGroups = kConfig.head_dim / 16;        // 16-byte ratio words of a thread and row
  static constexpr int kGroupsAtOnce = kConfig.mixed_rows ? 2 : 4;  // 16 registers either way
  static constexpr int kRatioParts = kRatioGroups / kGroupsAtOnce;

  static constexpr int kConsumers = kConsumerWarpgroups * kWarpgroupThreads;

  const ForwardParameters& p;
  std::uint32_t memory;
  Barriers barriers;
  int warpgroup;  // 0 or 1
  int row;        // this thread's row of the warpgroup's 64 that is WGMMA's row g; for row g + 8: thread_row
  int lane;
  int c;        // lane in the quad
  bool leader;  // one lane of each warp

  float score[kConfig.tile_keys / 2];
  float accumulator[kConfig.head_dim / 2];
  std::uint32_t weight[kConfig.tile_keys / 4];
  VirtualQuery<kConfig> query;
  uint4 key[4];  // plain products: short-axis key words of the next step
  // Other products: parts of them (mixed_rows: of both rows).
  std::uint32_t key_part[2][VirtualQuery<kConfig>::kPartWords];
  float4 ratio[4];
  RowState rows;
  std::uint32_t slot[2];    // byte offset in the ring of the rows whose queries are made (mixed_rows; else only [0])
  std::uint32_t ring;       // address of the ring, plus this lane's 16 bytes
  std::uint32_t slot_step;  // from a slot to the next one of the pass: the smaller (unsigned) of slot + slot_step and
  std::uint32_t slot_wrap;  // slot + slot_wrap
  std::uint32_t phases;     // parity to wait for: bits 0-2 key tiles, 3-5 value tiles, 6 turned ratios
  unsigned items_done;
  unsigned stages;  // stages taken

  WorkItem item;        // paired positions: first_key is this warpgroup's own
  std::uint32_t tiles;  // address of the first key's row of the first key tile
  int pass;
  CleanTiles clean;

  // --- memory to registers -----------------------------------------------------------------------------------------

  /// q of this item as A fragments, from the tile that the copy engine wrote (128-byte swizzle).
  __device__ __forceinline__ void load_query() {
    const int buffer = items_done % L::kQueryBuffers;
    const int first_row = kConfig.split_steps ? 0 : warpgroup * 64;
    const int tile_row = first_row + (row & ~15) + row_in_warp(lane & 15);
    const std::uint32_t address =
        memory + L::kQuery + buffer * L::kQueryBytes + tile_row * 128 + (((lane >> 4) ^ (tile_row & 7)) << 4);
#pragma unroll
    for (int k = 0; k < kConfig.head_dim / 16; ++k) {
      std::uint32_t* word = query.word + 4 * k;
      load_matrices((address ^ ((k & 3) << 5)) + (k >> 2) * L::kQueryHalfBytes, word[0], word[1], word[2], word[3]);
    }
#pragma unroll
    for (int x = 0; x < L::kTailWords; ++x) {
      const std::uint32_t tails = memory + L::kTails + buffer * L::kTailBytes + 16 * x + 4 * c;
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        query.tail[x][r] = load_shared_1(tails + (first_row + thread_row(r)) * 16 * L::kTailWords);
      }
    }
  }

  static constexpr int kKeyPart = kConfig.mixed_rows ? (L::kKeyQuads < 2 ? L::kKeyQuads : 2) : L::kKeyQuads;  // plain

  /// Part `kPart` of the key at `slot`.
  template <int kPart>
  __device__ __forceinline__ void load_key_part() {
#pragma unroll
    for (int r = 0; r < (kConfig.mixed_rows ? 2 : 1); ++r) {
      const std::uint32_t address = ring + slot[r];
      if constexpr (kConfig.product == Product::plain) {
#pragma unroll
        for (int m = 0; m < kKeyPart; ++m) key[r * kKeyPart + m] = load_shared_4(address + (kPart * kKeyPart + m) * 64);
      } else {
        load_words<L::kKeyWords - 12 * kPart>(address + 3 * kPart * 64, key_part[kConfig.mixed_rows ? r : kPart & 1]);
      }
    }
  }
  /// `kCount` words (12 at most) of a ring key.
  template <int kCount>
  static __device__ __forceinline__ void load_words(std::uint32_t address, std::uint32_t (&words)[12]) {
#pragma unroll
    for (int m = 0; m < 3; ++m) {
      if (kCount - 4 * m > 2) {
        const uint4 x = load_shared_4(address + 64 * m);
        words[4 * m] = x.x, words[4 * m + 1] = x.y, words[4 * m + 2] = x.z, words[4 * m + 3] = x.w;
      } else if (kCount - 4 * m == 2) {
        const uint2 x = load_shared_2(address + 64 * m);
        words[4 * m] = x.x, words[4 * m + 1] = x.y;
      } else if (kCount - 4 * m == 1) {
        words[4 * m] = load_shared_1(address + 64 * m);
      }
    }
  }
  /// Plain: the words of quads kFirst + kOffset .. of the key.
  template <int kFirst, int kOffset>
  __device__ __forceinline__ void multiply_quads() {
    query.template multiply_pair<kFirst + kOffset>(key[kOffset],
                                                   key[kConfig.mixed_rows ? kKeyPart + kOffset : kOffset]);
    if constexpr (kOffset + 1 < kKeyPart) multiply_quads<kFirst, kOffset + 1>();
  }
  template <int kPart>
  __device__ __forceinline__ void multiply_part() {
    if constexpr (kConfig.product == Product::plain) {
      multiply_quads<kPart * kKeyPart, 0>();
    } else {
      query.template multiply_part<kPart>(key_part[kConfig.mixed_rows ? 0 : kPart & 1], 0);
      query.template multiply_part<kPart>(key_part[kConfig.mixed_rows ? 1 : kPart & 1], 1);
    }
  }
  static constexpr int kKeyParts =
      kConfig.product == Product::plain ? L::kKeyQuads / kKeyPart : VirtualQuery<kConfig>::kParts;
  /// Parts of the key that the registers hold at once where no ratios need the room.
  static constexpr int kPartsHeld = kKeyParts == 1 || kConfig.product == Product::plain || kConfig.mixed_rows ? 1 : 2;

  template <int kHeld>
  __device__ __forceinline__ void load_first_key_parts() {
    load_key_part<0>();
    if constexpr (kHeld == 2) load_key_part<1>();
  }
  /// Completes the virtual queries from part `kPart` on; q and the first kHeld parts of the key are loaded.
  template <int kHeld, int kPart = 0>
  __device__ __forceinline__ void fold_query() {
    multiply_part<kPart>();
    if constexpr (kPart + kHeld < kKeyParts) load_key_part<kPart + kHeld>();
    if constexpr (kPart + 1 < kKeyParts) fold_query<kHeld, kPart + 1>();
  }

  __device__ __forceinline__ void wait_stage() {
    barrier_wait(barriers.full_stage(stages % kStagesAhead), stages / kStagesAhead & 1);
  }
  __device__ __forceinline__ void free_stage() {
    __syncwarp();
    if (leader) barrier_arrive(barriers.empty_stage(stages % kStagesAhead));
    ++stages;
  }
  /// Waits for a stage and makes its virtual queries.
  __device__ __forceinline__ void take_stage() {
    wait_stage();
    load_query();
    load_first_key_parts<1>();
    fold_query<1>();
    free_stage();
  }

  /// Address of the ratio row for thread row `r` (0 or 1); `fresh`: nothing to rescale, ones.
  __device__ __forceinline__ std::uint32_t ratio_row(int r, bool fresh) const {
    return fresh ? memory + L::kOnes + c * 16 : ring + slot[r] + L::kKeyBytes;
  }
  /// `row`: addresses of the ratio rows.
  template <int kPart>
  __device__ __forceinline__ void load_ratio(const std::uint32_t (&row)[2]) {
#pragma unroll
    for (int r = 0; r < (kConfig.mixed_rows ? 2 : 1); ++r) {
#pragma unroll
      for (int m = 0; m < kGroupsAtOnce; ++m)
        ratio[r * kGroupsAtOnce + m] = load_shared_float4(row[r] + (kPart * kGroupsAtOnce + m) * 64);
    }
  }
  template <int kPart>
  __device__ __forceinline__ void apply_ratio() {
#pragma unroll
    for (int m = 0; m < kGroupsAtOnce; ++m) {
      const float4 a = ratio[m];
      const float4 b = kConfig.mixed_rows ? ratio[kGroupsAtOnce + m] : a;
      float* out = accumulator + (kPart * kGroupsAtOnce + m) * 8;
      out[0] *= a.x, out[1] *= a.y, out[2] *= b.x, out[3] *= b.y;
      out[4] *= a.z, out[5] *= a.w, out[6] *= b.z, out[7] *= b.w;
    }
  }
  /// Parts [kFirst, kEnd): the registers hold part kFirst already; leaves part kEnd loaded if there is one.
  template <int kFirst, int kEnd>
  __device__ __forceinline__ void apply_ratios(const std::uint32_t (&row)[2]) {
    if constexpr (kFirst < kEnd) {
      apply_ratio<kFirst>();
      if constexpr (kFirst + 1 < kRatioParts) load_ratio<kFirst + 1>(row);
      apply_ratios<kFirst + 1, kEnd>(row);
    }
  }

  // --- products ----------------------------------------------------------------------------------------------------

  /// The scores of a tile's first `kKeys` columns.
  template <int kKeys>
  __device__ __forceinline__ float (&columns())[kKeys / 2] {
    return *reinterpret_cast<float(*)[kKeys / 2]>(&score);
  }

  template <int kKeys>
  __device__ __forceinline__ void issue_scores(int tile) {
    const std::uint64_t keys = tile_descriptor(tiles, 16) + tile * (L::kTileBytes / 16);
    pin(columns<kKeys>());
    pin(query.word);
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < kConfig.head_dim / 16; ++k) {
      const std::uint32_t* word = query.word + 4 * k;
      wgmma<false>(columns<kKeys>(), word[0], word[1], word[2], word[3],
                   keys + (k & 3) * 2 + (k >> 2) * (L::kHalfTileBytes / 16), k > 0);
    }
    wgmma_commit();
  }

  template <int kKeys>
  __device__ __forceinline__ void issue_values(int tile) {
    const std::uint64_t values =
        tile_descriptor(tiles + (L::kValueTiles - L::kKeyTiles), L::kHalfTileBytes) + tile * (L::kTileBytes / 16);
    pin(accumulator);
    pin(weight);
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < kKeys / 16; ++k) {
      wgmma<true>(accumulator, weight[4 * k], weight[4 * k + 1], weight[4 * k + 2], weight[4 * k + 3], values + k * 128,
                  true);
    }
    wgmma_commit();
  }

  /// Keeps the compiler from moving what `x` depends on below the next wait: ptxas otherwise gathers all exponentials
  /// behind it and nothing overlaps. x is a sum of weights, so never negative; the barrier is never reached.
  __device__ __forceinline__ void hold_here(float x) const {
    if (__any_sync(0xFFFFFFFFu, x < 0.0f)) named_barrier_sync(kNeverReached, kConsumers);
  }

  /// In passes over one tile warpgroups can take turns in issuing their products, so that the exponentials of one run
  /// beside the products of the other: they begin every item together, and would stay so. Warpgroup 1 gives the first
  /// turn.
  __device__ __forceinline__ void take_turn() const { named_barrier_sync(kTurn + warpgroup, kConsumers); }
  __device__ __forceinline__ void give_turn() const { named_barrier_arrive(kTurn + 1 - warpgroup, kConsumers); }

  // --- steps -------------------------------------------------------------------------------------------------------

  __device__ __forceinline__ int offset(int step) const {
    return step_offset(pass, step, item.steps, L::kStepsPerStage) + (kConfig.split_steps ? warpgroup : 0);
  }
  /// Thread row `r` (0: WGMMA's row g, 1: row g + 8) of the warpgroup's 64.
  __device__ __forceinline__ int thread_row(int r) const { return row ^ (kConfig.mixed_rows ? 8 * r : r); }
  /// Of thread row `r`, from the item's first position; rows beyond the item are given one of its positions.
  __device__ __forceinline__ int position_in_item(int r) const {
    const int item_row = (kConfig.split_steps ? 0 : warpgroup * 64) + thread_row(r);
    return static_cast<int>(load_shared_1(memory + L::kPositions + 4 * item_row));
  }
  /// Position of thread row `r`; rows beyond the item repeat its last position and are never stored.
  __device__ __forceinline__ int position_of(int r) const {
    return min(item.position + position_in_item(r), item.last_position);
  }

  __device__ __forceinline__ bool needs_mask(int item_tile) const {
    return item_tile < clean.begin || item_tile >= clean.end;
  }
  template <int kKeys>
  __device__ __forceinline__ void mask_tile(int item_tile, int step) {
    const int t = offset(step);
    const int column = item_tile * kConfig.tile_keys + 2 * c;
    const RowWindow a = row_window(p, item, position_of(0), t);
    const RowWindow b = kConfig.mixed_rows ? row_window(p, item, position_of(1), t) : a;
    if (item_tile < clean.begin) mask_below(columns<kKeys>(), column, a.first, b.first);
    if (item_tile >= clean.end) mask_above(columns<kKeys>(), column, a.last, b.last);
  }

  /// Offsets rise in even passes, so the short-axis row, and with it the slot, falls.
  __device__ __forceinline__ void set_direction() {
    const int step = (pass & 1 ? L::kStepsPerStage : -L::kStepsPerStage) * L::kSlotBytes;
    slot_step = static_cast<std::uint32_t>(step);
    slot_wrap = static_cast<std::uint32_t>(step + (pass & 1 ? -p.ring_rows : p.ring_rows) * L::kSlotBytes);
  }
  __device__ __forceinline__ void advance_slots() {
#pragma unroll
    for (int r = 0; r < (kConfig.mixed_rows ? 2 : 1); ++r) slot[r] = min(slot[r] + slot_step, slot[r] + slot_wrap);
  }

  __device__ __forceinline__ void wait_key(int tile) {
    barrier_wait(barriers.full_key(tile), (phases >> tile) & 1);
    phases ^= 1u << tile;
  }
  __device__ __forceinline__ void wait_value(int tile) {
    barrier_wait(barriers.full_value(tile), (phases >> (3 + tile)) & 1);
    phases ^= 8u << tile;
  }

  __device__ __forceinline__ void wait_turned() {
    barrier_wait(barriers.turned(), phases >> 6 & 1);
    phases ^= 64u;
  }

  /// Tile `kTile` of a chunk of `kTiles` on one step, and the P V of the tile before it. The step's last tile fetches
  /// the next queries; tile 0 is its first (rescale the accumulator). `item_tile`: the tile's number in the item.
  /// kShort: the last tile of the chunk has short_keys columns; then kFresh tells the pass's first step apart, whose
  /// pending tile is a whole one.
  template <int kTile, int kTiles, bool kShort, bool kFresh>
  __device__ __forceinline__ void step_tile(int item_tile, int step) {
    constexpr bool kFirst = kTile == 0, kLast = kTile == kTiles - 1;
    constexpr int kKeys = kShort && kLast ? kConfig.short_keys : kConfig.tile_keys;
    constexpr int kPendingKeys = kShort && kFirst && !kFresh ? kConfig.short_keys : kConfig.tile_keys;
    constexpr bool kAlone = kFirst && kLast, kTurns = kAlone && kConfig.takes_turns,
                   kQueriesEarly = kAlone && kConfig.queries_early;
    constexpr int kEarly = !kLast                              ? kConfig.early_blocks
                           : kAlone && kConfig.early_alone > 0 ? kConfig.early_alone
                                                               : kConfig.early_last;
    const bool fresh = kShort && kFirst ? kFresh : step == 0, last_step = step == item.steps - 1;
    // The pending tile: the one before, or the last one of the step before (in the pass before, when this one begins).
    const int pending_tile = !kFirst ? kTile - 1 : fresh ? kConfig.resident_tiles - 1 : kTiles - 1;
    const bool pending_fresh = kFirst ? step == 1 || (fresh && last_step) : fresh;
    const bool pending_last = kFirst ? fresh : last_step;
    const bool masked = needs_mask(item_tile), next_stage = kLast && !last_step;
    if (fresh) wait_key(kTile);
    if constexpr (kTurns) take_turn();
    pin(accumulator);
    pin(weight);
    issue_scores<kKeys>(kTile);
    if constexpr (kLast) check_sums(rows, weight, accumulator);
    if (pending_fresh) wait_value(pending_tile);
    issue_values<kPendingKeys>(pending_tile);
    if constexpr (kTurns) give_turn();
    // In the shadow of S: barriers, addresses, and what fits the registers.
    const std::uint32_t ratio_rows[2] = {ratio_row(0, fresh), ratio_row(1, fresh)};
    if (kFirst && step == 1 && pass > 0) wait_turned();
    // With the next queries to come, there are no registers for ratios yet.
    if constexpr (kFirst && !kLast) load_ratio<0>(ratio_rows);
    if (next_stage) {
      wait_stage();
      advance_slots();
    }
    if constexpr (kLast && !kFirst && kConfig.product == Product::plain) load_first_key_parts<1>();
    wgmma_wait<1>();
    pin(columns<kKeys>());
    pin(query.word);
    if (last_step && leader) barrier_arrive(barriers.empty_key(kTile));
    if (masked) mask_tile<kKeys>(item_tile, step);
    float partial[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    exponentiate<0, kEarly / 2>(score, rows, p.scale_log2, partial);
    // No branch here, so that the loads can run between exponentials: on the last step the same queries are made again.
    if constexpr (kLast) {
      load_query();
      if constexpr (kQueriesEarly || (!kFirst && kConfig.product != Product::plain)) load_first_key_parts<kPartsHeld>();
    }
    exponentiate<kEarly / 2, kEarly>(score, rows, p.scale_log2, partial);
    if constexpr (kQueriesEarly) {
      fold_query<kPartsHeld>();
      if (next_stage) free_stage();
    }
    if constexpr (kAlone) load_ratio<0>(ratio_rows);
    pin(columns<kKeys>());
    hold_here((partial[0] + partial[1]) + (partial[2] + partial[3]) + rows.sum[0]);
    wgmma_wait<0>();
    pin(accumulator);
    pin(weight);
    if (pending_last && leader) barrier_arrive(barriers.empty_value(pending_tile));
    if constexpr (kFirst) apply_ratios<0, kRatioParts - 1>(ratio_rows);
    pack_weights<0, kEarly>(score, weight);
    if constexpr (kAlone && !kQueriesEarly) load_first_key_parts<1>();  // only now: the ratios had their registers
    exponentiate<kEarly, kKeys / 8>(score, rows, p.scale_log2, partial);
    if constexpr (!kQueriesEarly) {
      if constexpr (kLast) fold_query<kFirst ? 1 : kPartsHeld>();
      if (next_stage) free_stage();
    }
    if constexpr (kFirst) {
      apply_ratios<kRatioParts - 1, kRatioParts>(ratio_rows);
      if (last_step) {
        __syncwarp();
        if (leader) barrier_arrive(barriers.pass_done());
      }
    }
    pack_weights<kEarly, kKeys / 8>(score, weight);
    add_sums(rows, partial);
  }

  /// The item's first tile: sets the softmax reference; nothing is pending yet.
  __device__ __forceinline__ void first_tile() {
    barrier_wait(barriers.full_query(items_done % L::kQueryBuffers), items_done / L::kQueryBuffers & 1);
    take_stage();
    wait_key(0);
    issue_scores<kConfig.tile_keys>(0);
    wgmma_wait<0>();
    pin(score);
    pin(query.word);
    if (item.steps == 1) {
      __syncwarp();
      if (leader) {
        barrier_arrive(barriers.empty_key(0));
        barrier_arrive(barriers.pass_done());
      }
    }
    if (item.tiles == 1 && item.steps > 1) {
      advance_slots();
      take_stage();
    }
    if (needs_mask(0)) mask_tile<kConfig.tile_keys>(0, 0);
    set_reference(rows, score, p.scale_log2);
    float partial[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    exponentiate<0, kBlocks>(score, rows, p.scale_log2, partial);
    pack_weights<0, kBlocks>(score, weight);
    add_sums(rows, partial);
  }

  /// One pass over the short axis; `begun`: tile 0 of step 0 is done. kShort: see step_tile.
  template <int kTiles, bool kShort>
  __device__ __forceinline__ void run_pass(int first, bool begun) {
    set_direction();
    for (int step = kTiles == 1 && begun ? 1 : 0; step < item.steps; ++step) {
      // Whole passes of two tiles ask nothing but `begun`: any more costs registers, and 6 % of a window of one tile.
      if (kConfig.resident_tiles == 2 ? kTiles == 1 || !begun : step > 0 || !begun) {
        if (kShort && step == 0) {
          step_tile<0, kTiles, kShort, true>(first, step);
        } else {
          step_tile<0, kTiles, kShort, false>(first, step);
        }
      }
      if constexpr (kConfig.resident_tiles == 2) begun = false;
      if constexpr (kTiles > 1) step_tile<1, kTiles, kShort, false>(first + 1, step);
      if constexpr (kTiles > 2) step_tile<2, kTiles, kShort, false>(first + 2, step);
    }
  }

  /// Issues the item's last product; `before_last` runs meanwhile. `kKeys`: columns of the tile.
  template <int kKeys, typename BeforeLast>
  __device__ __forceinline__ void finish_item(int tile, const BeforeLast& before_last) {
    if (item.steps == 1) wait_value(tile);
    issue_values<kKeys>(tile);
    before_last(offset(item.steps - 1));
    wgmma_wait<0>();
    pin(accumulator);
    if (leader) barrier_arrive(barriers.empty_value(tile));
  }

  /// Runs one item; leaves A in `accumulator`, references and this thread's partial sums in `rows`. `before_last` runs
  /// while the last product does; the offset t of the last step is its argument.
  template <typename BeforeLast>
  __device__ __forceinline__ void run_item(const BeforeLast& before_last) {
#pragma unroll
    for (float& x : accumulator) x = 0.0f;
#pragma unroll
    for (int r = 0; r < (kConfig.mixed_rows ? 2 : 1); ++r) {
      slot[r] = ring_slot(position_in_item(r) - (kConfig.split_steps ? warpgroup : 0), p.ring_rows) * L::kSlotBytes;
    }
    pass = 0;
    set_direction();
    int position = item.position, last_position = item.last_position;
    tiles = memory + L::kKeyTiles;
    if constexpr (kConfig.paired_positions) {
      position = last_position = min(item.position + warpgroup, item.last_position);
      if (warpgroup == 1) {
        tiles += (item.second_key - item.first_key) * 128;
        item.first_key = item.second_key;
      }
    }
    clean = clean_tiles<kConfig.tile_keys>(p, item, position, last_position, offset(item.steps - 1));
    first_tile();
    constexpr int kResident = kConfig.resident_tiles;
    const bool short_last = ends_short(item.last_position - item.first_key + 1, item.tiles, kConfig.tile_keys,
                                       kResident, kConfig.short_keys);
    int first = 0;
    for (; first + kResident <= item.tiles - short_last; first += kResident, ++pass)
      run_pass<kResident, false>(first, first == 0);
    const int left = item.tiles - first;  // for a last pass
    if (left == 0) --pass;
    if (left == 1) run_pass<1, false>(first, first == 0);
    if constexpr (kResident == 3) {
      if (left == 2 && !short_last) run_pass<2, false>(first, first == 0);
      if (left == 2 && short_last) run_pass<2, true>(first, first == 0);
      if (left == 3) run_pass<3, true>(first, first == 0);
    }
    check_sums(rows, weight, accumulator);
    __syncwarp();
    if (leader) barrier_arrive(barriers.empty_query(items_done % L::kQueryBuffers));
    ++items_done;
    const int last_tile = (left == 0 ? kResident : left) - 1;
    if constexpr (kConfig.short_keys > 0) {
      if (short_last) {
        finish_item<kConfig.short_keys>(last_tile, before_last);
        return;
      }
    }
    finish_item<kConfig.tile_keys>(last_tile, before_last);
  }
};

}  // namespace triscope::hopper
