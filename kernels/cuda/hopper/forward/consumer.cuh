// What one thread of the consumer warpgroups holds: who it is, its registers, where it stands. Built once for the life
// of the CTA (consume in forward.cuh); begin_item sets what is of an item. Roles that work on it: queries.cuh,
// products.cuh, rescale.cuh, softmax.cuh, mask.cuh; their order: mainloop.cuh.
#pragma once

#include "kernels/cuda/hopper/common/ring.hpp"
#include "kernels/cuda/hopper/common/virtual_query.cuh"
#include "kernels/cuda/hopper/common/wgmma.cuh"
#include "kernels/cuda/hopper/forward/barriers.cuh"
#include "kernels/cuda/hopper/forward/mask.cuh"
#include "kernels/cuda/hopper/forward/softmax.cuh"

namespace triscope::hopper {

template <TileConfig kConfig>
struct Consumer {
  using L = Layout<kConfig>;
  static constexpr int kRows = kConfig.mixed_rows ? 2 : 1;  ///< rows of a thread that need keys and ratios of their own

  // --- the thread ----------------------------------------------------------------------------------------------------
  const ForwardParameters& p;
  std::uint32_t memory;
  Barriers barriers;
  int warpgroup;  // 0 or 1
  int row;        // this thread's row of the warpgroup's 64 that is WGMMA's row g; for row g + 8: thread_row
  int lane;
  int c;        // lane in the quad
  bool leader;  // one lane of each warp

  // --- registers of the products -------------------------------------------------------------------------------------
  float score[kConfig.tile_keys / 2];
  float accumulator[kConfig.head_dim / 2];
  std::uint32_t weight[kConfig.tile_keys / 4];
  VirtualQuery<kConfig.head_dim, kConfig.product> query;
  uint4 key[4];  // plain products: short-axis key words of the next step
  // Other products: parts of them (mixed_rows: of both rows).
  std::uint32_t key_part[2][VirtualQuery<kConfig.head_dim, kConfig.product>::kPartWords];
  float4 ratio[4];
  RowState rows;

  // --- where it stands -----------------------------------------------------------------------------------------------
  std::uint32_t slot[2];    // byte offset in the ring of the rows whose queries are made (mixed_rows; else only [0])
  std::uint32_t ring;       // address of the ring, plus this lane's 16 bytes
  std::uint32_t slot_step;  // from a slot to the next one of the pass: the smaller (unsigned) of slot + slot_step and
  std::uint32_t slot_wrap;  // slot + slot_wrap
  std::uint32_t phases;     // parity to wait for: bits 0-2 key tiles, 3-5 value tiles, 6 turned ratios
  unsigned items_done;
  unsigned stages;  // stages taken

  // --- the item ------------------------------------------------------------------------------------------------------
  WorkItem item;        // paired positions: span.first_key is this warpgroup's own
  std::uint32_t tiles;  // address of the first key's row of the first key tile
  int pass;
  CleanTiles clean;

  // --- rows and positions --------------------------------------------------------------------------------------------

  /// The row of a warp's 16 that is WGMMA's row `m`. Mixed rows keep their order: ring slots of neighbouring positions
  /// lie in different banks, those of every second one do not.
  static __device__ __forceinline__ int row_in_warp(int m) { return kConfig.mixed_rows ? m : paired_row(m); }
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
  /// Offset t of step `step` for this warpgroup.
  __device__ __forceinline__ int offset(int step) const {
    return step_offset(pass, step, item.steps, L::kStepsPerStage) + (kConfig.split_steps ? warpgroup : 0);
  }

  // --- the ring ------------------------------------------------------------------------------------------------------

  /// Offsets rise in even passes, so the short-axis row, and with it the slot, falls.
  __device__ __forceinline__ void set_direction() {
    const int step = (pass & 1 ? L::kStepsPerStage : -L::kStepsPerStage) * L::kSlotBytes;
    slot_step = static_cast<std::uint32_t>(step);
    slot_wrap = static_cast<std::uint32_t>(step + (pass & 1 ? -p.ring_rows : p.ring_rows) * L::kSlotBytes);
  }
  __device__ __forceinline__ void advance_slots() {
#pragma unroll
    for (int r = 0; r < kRows; ++r) slot[r] = min(slot[r] + slot_step, slot[r] + slot_wrap);
  }

  // --- waiting -------------------------------------------------------------------------------------------------------

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
  __device__ __forceinline__ void wait_query() const {
    wait_phase(barriers.full_query(items_done % L::kQueryBuffers), items_done / L::kQueryBuffers);
  }
  __device__ __forceinline__ void wait_stage() const {
    wait_phase(barriers.full_stage(stages % kStagesAhead), stages / kStagesAhead);
  }
  __device__ __forceinline__ void free_stage() {
    arrive(barriers.empty_stage(stages % kStagesAhead));
    ++stages;
  }
  /// One arrival of this warp, after all its lanes.
  __device__ __forceinline__ void arrive(std::uint32_t barrier) const {
    __syncwarp();
    if (leader) barrier_arrive(barrier);
  }
};

/// Makes item `index` the one that `me` works on: its rows' ring slots, tiles and masks.
template <TileConfig kConfig>
__device__ __forceinline__ void begin_item(Consumer<kConfig>& me, int index) {
  using L = Layout<kConfig>;
  me.item = work_item<kConfig>(me.p, index);
#pragma unroll
  for (float& x : me.accumulator) x = 0.0f;
#pragma unroll
  for (int r = 0; r < me.kRows; ++r) {
    me.slot[r] =
        ring_slot(me.position_in_item(r) - (kConfig.split_steps ? me.warpgroup : 0), me.p.ring_rows) * L::kSlotBytes;
  }
  me.pass = 0;
  me.set_direction();
  int position = me.item.position, last_position = me.item.last_position;
  me.tiles = me.memory + L::kKeyTiles;
  if constexpr (kConfig.paired_positions) {
    position = last_position = min(me.item.position + me.warpgroup, me.item.last_position);
    if (me.warpgroup == 1) {
      me.tiles += (me.item.span.second_key - me.item.span.first_key) * 128;
      me.item.span.first_key = me.item.span.second_key;
    }
  }
  me.clean = clean_tiles<kConfig.tile_keys>(me.p, me.item, position, last_position, me.offset(me.item.steps - 1));
}

}  // namespace triscope::hopper
