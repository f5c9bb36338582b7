// The barriers of barrier_table.hpp on the device.
#pragma once

#include "kernels/cuda/hopper/common/barriers.cuh"
#include "kernels/cuda/hopper/forward/barrier_table.hpp"

namespace triscope::hopper {

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
