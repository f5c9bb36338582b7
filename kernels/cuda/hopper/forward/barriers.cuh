// The mbarriers of the Hopper forward, at Layout::kBarriers: one table. "full": written, may be read; "empty": read,
// may be written. Roles: copier (the thread that loads tiles), short (3 warps of the short axis), consumers (8 warps).
// Phases are counted over the life of the CTA, and a wait for phase n passes the parity n & 1 (common/barriers.cuh).
//
// clang-format off
//   barrier      arrivals         completes when                who waits, for phase       why nobody is two phases behind
//   full_key     copier, bytes    key tile is there             consumers: n               refilled after empty_key
//   empty_key    8 consumers      its last S is read            copier: n - 1              consumers wait for full_key
//   full_value   copier, bytes    value tile is there           consumers: n               refilled after empty_value
//   empty_value  8 consumers      its last P V has ended        copier: n - 1              consumers wait for full_value
//   full_query   copier, bytes    q of an item is there         consumers; cross: short; n refilled after empty_query
//   empty_query  8 consumers      its last queries are made     copier: n - 1              consumers wait for full_query
//   full_stage   3 short          rows of stage s are there     consumers: s / 4           rewritten after empty_stage
//   empty_stage  8 consumers      its queries are made          short: s / 4 - 1           consumers wait for full_stage
//   pass_done    8 consumers      ratios of a pass are read     short: that pass           turned ratios come after it (*)
//   turned       3 short          ratios are turned round       consumers: that turn       short waits for pass_done (*)
//   merge_full   4 of warpgroup 1 half 0, half 1 are written    warpgroup 0: 2 item + half merge_taken lies between
//   merge_taken  4 of warpgroup 0 half 0 is read                warpgroup 1: item          merge_full lies between
//   merge_free   4 of warpgroup 0 half 1 is read                warpgroup 1: item - 1      merge_full lies between
//   items_done   8 consumers      all items are stored          consumers: 0               it has one phase
// clang-format on
//
// n: the n-th filling of that tile or buffer. Stage s: the s-th step whose rows are new, in slot s % 4; the first one
// of an item also says that q is in the order of cross products.
// (*) Known gap: where an item has one step and several passes (1024x1 of 4096 tokens), a pass has no stage of its own,
// and pass_done alone holds short and consumers together: they can be two passes apart, where parity tells them
// nothing.
//
// bar.sync: id 0 is __syncthreads; kNeverReached, kTurn below.
#pragma once

#include "kernels/cuda/hopper/common/barriers.cuh"
#include "kernels/cuda/hopper/forward/layout.hpp"

namespace triscope::hopper {

inline constexpr int kNeverReached = 1;  ///< bar.sync id, see hold_here
inline constexpr int kTurn = 2;          ///< of warpgroup 0; kTurn + 1: of warpgroup 1; see take_turn

/// The table: place, number and arrivals. A copy arrives once, with its bytes.
struct BarrierTable {
  static constexpr BarrierRow kFullKey{0, kMostResidentTiles, 1};
  static constexpr BarrierRow kEmptyKey{kFullKey.end(), kMostResidentTiles, kConsumerWarps};
  static constexpr BarrierRow kFullValue{kEmptyKey.end(), kMostResidentTiles, 1};
  static constexpr BarrierRow kEmptyValue{kFullValue.end(), kMostResidentTiles, kConsumerWarps};
  static constexpr BarrierRow kFullQuery{kEmptyValue.end(), 2, 1};
  static constexpr BarrierRow kEmptyQuery{kFullQuery.end(), 2, kConsumerWarps};
  static constexpr BarrierRow kFullStage{kEmptyQuery.end(), kStagesAhead, kShortAxisWarps};
  static constexpr BarrierRow kEmptyStage{kFullStage.end(), kStagesAhead, kConsumerWarps};
  static constexpr BarrierRow kPassDone{kEmptyStage.end(), 1, kConsumerWarps};
  static constexpr BarrierRow kMergeFull{kPassDone.end(), 1, kConsumerWarps / 2};
  static constexpr BarrierRow kMergeTaken{kMergeFull.end(), 1, kConsumerWarps / 2};
  static constexpr BarrierRow kMergeFree{kMergeTaken.end(), 1, kConsumerWarps / 2};
  static constexpr BarrierRow kTurned{kMergeFree.end(), 1, kShortAxisWarps};
  static constexpr BarrierRow kItemsDone{kTurned.end(), 1, kConsumerWarps};
  static_assert(8 * kItemsDone.end() == kBarrierBytes);
};

/// The barriers of a CTA by name.
struct Barriers {
  using Table = BarrierTable;
  std::uint32_t base;

  __device__ std::uint32_t full_key(int tile) const { return barrier_address<Table::kFullKey>(base, tile); }
  __device__ std::uint32_t empty_key(int tile) const { return barrier_address<Table::kEmptyKey>(base, tile); }
  __device__ std::uint32_t full_value(int tile) const { return barrier_address<Table::kFullValue>(base, tile); }
  __device__ std::uint32_t empty_value(int tile) const { return barrier_address<Table::kEmptyValue>(base, tile); }
  __device__ std::uint32_t full_query(int buffer) const { return barrier_address<Table::kFullQuery>(base, buffer); }
  __device__ std::uint32_t empty_query(int buffer) const { return barrier_address<Table::kEmptyQuery>(base, buffer); }
  __device__ std::uint32_t full_stage(int slot) const { return barrier_address<Table::kFullStage>(base, slot); }
  __device__ std::uint32_t empty_stage(int slot) const { return barrier_address<Table::kEmptyStage>(base, slot); }
  __device__ std::uint32_t pass_done() const { return barrier_address<Table::kPassDone>(base, 0); }
  __device__ std::uint32_t merge_full() const { return barrier_address<Table::kMergeFull>(base, 0); }
  __device__ std::uint32_t merge_taken() const { return barrier_address<Table::kMergeTaken>(base, 0); }
  __device__ std::uint32_t merge_free() const { return barrier_address<Table::kMergeFree>(base, 0); }
  __device__ std::uint32_t turned() const { return barrier_address<Table::kTurned>(base, 0); }
  __device__ std::uint32_t items_done() const { return barrier_address<Table::kItemsDone>(base, 0); }

  /// One thread, before the CTA's first __syncthreads.
  __device__ void init() const {
    for (int tile = 0; tile < kMostResidentTiles; ++tile) {
      init_barrier<Table::kFullKey>(base, tile);
      init_barrier<Table::kFullValue>(base, tile);
      init_barrier<Table::kEmptyKey>(base, tile);
      init_barrier<Table::kEmptyValue>(base, tile);
    }
    for (int buffer = 0; buffer < 2; ++buffer) {
      init_barrier<Table::kFullQuery>(base, buffer);
      init_barrier<Table::kEmptyQuery>(base, buffer);
    }
    for (int slot = 0; slot < kStagesAhead; ++slot) {
      init_barrier<Table::kFullStage>(base, slot);
      init_barrier<Table::kEmptyStage>(base, slot);
    }
    init_barrier<Table::kTurned>(base, 0);
    init_barrier<Table::kPassDone>(base, 0);
    init_barrier<Table::kItemsDone>(base, 0);
    init_barrier<Table::kMergeFull>(base, 0);
    init_barrier<Table::kMergeTaken>(base, 0);
    init_barrier<Table::kMergeFree>(base, 0);
    fence_barrier_init();
  }
};

}  // namespace triscope::hopper
