// The mbarriers of the Hopper backward, at Layout::kBarriers: one table. "full": written, may be read; "empty": read,
// may be written. Roles: copier (the thread that loads tiles), helper g (one thread for each warpgroup), consumers (two
// warpgroups g of 4 warps). Phases are counted over the life of the CTA, and a wait for phase n passes the parity n & 1
// (common/barrier_row.hpp).
//
// clang-format off
//   barrier          arrivals          completes when               who waits, for phase     why nobody is two phases behind
//   full_query       copier, bytes     q and LSE of a stage there   consumers: n             refilled after empty
//   full_grad_o      copier, bytes     do and delta of a stage      consumers: n             refilled after empty
//   empty            2 warpgroups      dK of its tile has ended     copier: n - 1            consumers wait for full_*
//   written_grad     4 of warpgroup g  its half of ds is there      helper g: n              written after empty_grad
//   full_grad        helper g          the same, fenced             both warpgroups: n       written after empty_grad
//   empty_grad       8 consumers       dQ of that tile has ended    consumers: n - 1         they wait for full_grad of both
//   full_staged      4 of warpgroup g  its half of dq is there      helper g: m              written after empty_staged
//   empty_staged     helper g          it has been read             warpgroup g: m - 1       helper waits for full_staged
//   empty_grad_o     8 consumers       dV of its tile has ended     copier: n - 1            consumers wait for full_grad_o
//   full_item        numberer          a work item is written       all roles: i             written after empty_item
//   empty_item       all roles         they have read it            numberer: i - 1          they wait for full_item
// clang-format on
//
// n: the n-th filling of that stage or tile of ds; m: the m-th half of dq; i: the i-th item in that place. Two of a row
// of the table: g = 0, 1. empty_grad_o belongs to the deterministic backward, whose tiles of do have fewer stages than
// those of q; otherwise `empty` stands for both. A warpgroup's WGMMA are over for all of its warps or for none, so one
// thread arrives at `empty` for the warpgroup. LSE and delta are read by single warps: each of them has arrived at
// written_grad since, and dK waits for full_grad. tests/cuda/hopper_backward/hopper_backward_barriers_test.cpp goes
// through all orders in which these roles can run.
//
// bar.sync: id 0 is __syncthreads; kAllConsumers, kOwnWarpgroup below. Before the tiles all CTAs wait for one another
// between the steps of prepare.cuh, by cooperative_groups; the test has them, too.
#pragma once

#include "kernels/cuda/hopper/common/barrier_row.hpp"

namespace triscope::hopper::backward {

inline constexpr int kStages = 3;         ///< tiles of q and do in shared memory
inline constexpr int kGradTiles = 3;      ///< tiles of ds in shared memory
inline constexpr int kFewStages = 2;      ///< tiles of do of the deterministic backward
inline constexpr int kConsumerWarps = 8;  ///< of two warpgroups
inline constexpr int kItems = 2;          ///< work items in shared memory

inline constexpr int kAllConsumers = 1;  ///< bar.sync id: virtual keys are written; they and ds have been read
inline constexpr int kOwnWarpgroup = 2;  ///< of warpgroup 0; + 1: of warpgroup 1: sums of values have left

/// The table: place, number and arrivals. A copy arrives once, with its bytes. Rows of both warpgroups: g * count / 2.
struct BarrierTable {
  static constexpr BarrierRow kFullQuery{0, kStages, 1};
  static constexpr BarrierRow kFullGradO{kFullQuery.end(), kStages, 1};
  static constexpr BarrierRow kEmpty{kFullGradO.end(), kStages, 2};
  static constexpr BarrierRow kEmptyGrad{kEmpty.end(), kGradTiles, kConsumerWarps};
  static constexpr BarrierRow kFullGrad{kEmptyGrad.end(), 2 * kGradTiles, 1};
  static constexpr BarrierRow kWrittenGrad{kFullGrad.end(), 2 * kGradTiles, kConsumerWarps / 2};
  static constexpr BarrierRow kFullStaged{kWrittenGrad.end(), 2, kConsumerWarps / 2};
  static constexpr BarrierRow kEmptyStaged{kFullStaged.end(), 2, 1};
  static constexpr BarrierRow kEmptyGradO{kEmptyStaged.end(), kFewStages, kConsumerWarps};
  static constexpr BarrierRow kFullItem{kEmptyGradO.end(), kItems, 1};
  static constexpr BarrierRow kEmptyItem{kFullItem.end(), kItems, kConsumerWarps + 3};  // two helpers and the copier
  static constexpr int kBytes = 288;
  static_assert(8 * kEmptyItem.end() <= kBytes);
};

}  // namespace triscope::hopper::backward
