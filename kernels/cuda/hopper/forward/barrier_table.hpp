// The mbarriers of the Hopper forward, at Layout::kBarriers: one table. "full": written, may be read; "empty": read,
// may be written. Roles: copier (the thread that loads tiles), short (3 warps of the short axis), consumers (8 warps).
// Phases are counted over the life of the CTA, and a wait for phase n passes the parity n & 1 (common/barrier_row.hpp).
//
// clang-format off
//   barrier      arrivals         completes when                who waits, for phase       why nobody is two phases behind
//   full_key     copier, bytes    key tile is there             consumers: n               refilled after empty_key
//   empty_key    8 consumers      its last S is read            copier: n - 1              consumers wait for full_key
//   full_value   copier, bytes    value tile is there           consumers: n               refilled after empty_value
//   empty_value  8 consumers      its last P V has ended        copier: n - 1              consumers wait for full_value
//   full_query   copier, bytes    q of an item is there         consumers, short (**): n refilled after empty_query
//   empty_query  8 consumers      its last queries are made     copier, short (*): n - 1   consumers wait for full_query
//   full_stage   3 short          rows of stage s are there     consumers: s / 4           rewritten after empty_stage
//   empty_stage  8 consumers      its queries are made          short: s / 4 - 1           consumers wait for full_stage
//   pass_done    8 consumers      ratios of a pass are read     short: that pass (*)       turned ratios come after it
//   turned       3 short          ratios are turned round       consumers: that turn       short waits for pass_done
//   merge_full   4 of warpgroup 1 half 0, half 1 are written    warpgroup 0: 2 item + half merge_taken lies between
//   merge_taken  4 of warpgroup 0 half 0 is read                warpgroup 1: item          merge_full lies between
//   merge_free   4 of warpgroup 0 half 1 is read                warpgroup 1: item - 1      merge_full lies between
//   items_done   8 consumers      all items are stored          consumers: 0               it has one phase
// clang-format on
//
// n: the n-th filling of that tile or buffer. Stage s: the s-th step whose rows are new, in slot s % 4; the first one
// of an item also says that q is prepared.
// (**) Where it prepares q: to fp16, and into the order of cross products (Layout::kPreparesQuery).
// (*) Not where items have one step (1024x1): then only an item's first pass has a stage, and nothing but pass_done
// would hold short and consumers together, who could be two passes apart. There short waits for empty_query, once an
// item; nobody waits for pass_done, which compute-sanitizer's synccheck reports as "Missing wait".
// tests/cuda/hopper/hopper_barriers_test.cpp goes through all orders in which these roles can run.
//
// bar.sync: id 0 is __syncthreads; kNeverReached, kTurn below.
#pragma once

#include "kernels/cuda/hopper/common/barrier_row.hpp"
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

}  // namespace triscope::hopper
