// Shared memory and barriers of the Hopper backward, and the few instructions that only it needs.
#pragma once

#include "kernels/cuda/hopper/backward/kernel/barrier_table.hpp"
#include "kernels/cuda/hopper/backward/plan/parameters.hpp"
#include "kernels/cuda/hopper/common/barriers.cuh"

namespace triscope::hopper::backward {

inline constexpr int kThreads = 384;  ///< a warpgroup of copying and helping warps, two of consumers
inline constexpr int kConsumers = 32 * kConsumerWarps;

/// Byte offsets. All operand tiles have rows of 64 elements (128 bytes, 128-byte swizzle); a tile of 128 dimensions is
/// two such halves, one behind the other. Deterministic sums of dq have four bytes: room for them is one tile of do.
template <int kHeadDim, bool kDeterministic = false>
struct Layout {
  static constexpr int kHalves = kHeadDim / 64;
  static constexpr int kKeyHalf = kTileKeys * 128;  ///< 64 dimensions of the virtual keys
  static constexpr int kQueryHalf = kTileRows * 128;
  static constexpr int kKeyTile = kHalves * kKeyHalf;
  static constexpr int kQueryTile = kHalves * kQueryHalf;
  static constexpr int kGradTile = kTileKeys * 128;  ///< ds: 128 virtual keys x 64 rows
  static constexpr int kSumBytes = kDeterministic ? 4 : 2;
  static constexpr int kStaged = kTileRows * kHeadDim / 2 * kSumBytes;  ///< half of dq, by one warpgroup
  static constexpr int kStatistic = kTileRows * 4;                      ///< LSE or delta of a tile
  static constexpr int kGradOStages = kDeterministic ? kFewStages : kStages;
  // Either q and do of a stage side by side, or all of q before all of do; their statistics likewise.
  static constexpr int kQueryStage = kDeterministic ? kQueryTile : 2 * kQueryTile;
  static constexpr int kStatisticStage = kDeterministic ? kStatistic : 2 * kStatistic;

  static constexpr int kKeys = 0;
  static constexpr int kValues = kKeys + kKeyTile;
  static constexpr int kFirstQuery = kValues + kKeyTile;
  static constexpr int kFirstGradO = kFirstQuery + (kDeterministic ? kStages : 1) * kQueryTile;
  static constexpr int kFirstGrad = kFirstQuery + (kStages + kGradOStages) * kQueryTile;
  static constexpr int kFirstStaged = kFirstGrad + kGradTiles * kGradTile;
  static constexpr int kFirstLse = kFirstStaged + 2 * kStaged;
  static constexpr int kFirstDelta = kFirstLse + (kDeterministic ? kStages : 1) * kStatistic;
  static constexpr int kRowRanges =
      kFirstLse + (kStages + kGradOStages) * kStatistic;  ///< first and last query of each row
  static constexpr int kBarriers = kRowRanges + kTileKeys * 8;
  static constexpr int kWarpRows = kBarriers + BarrierTable::kBytes;  ///< of each consumer warp: RowBlock, pair
  static constexpr int kItems = kWarpRows + 16 * kConsumerWarps;      ///< see Items
  static constexpr int kBytes = kItems + backward::kItems * 32;
  static_assert(kBytes <= 232448, "shared memory of an SM");
  static_assert(2 * kKeyTile >= kTileKeys * kHeadDim * 4, "the epilogue stages fp32 sums over keys and values");
};

/// The barriers of a CTA by name (barrier_table.hpp).
struct Barriers {
  using Table = BarrierTable;
  std::uint32_t base;
  __device__ std::uint32_t full_query(int stage) const { return barrier_address<Table::kFullQuery>(base, stage); }
  __device__ std::uint32_t full_grad_o(int stage) const { return barrier_address<Table::kFullGradO>(base, stage); }
  __device__ std::uint32_t empty(int stage) const { return barrier_address<Table::kEmpty>(base, stage); }
  __device__ std::uint32_t empty_grad(int tile) const { return barrier_address<Table::kEmptyGrad>(base, tile); }
  __device__ std::uint32_t full_grad(int warpgroup, int tile) const {
    return barrier_address<Table::kFullGrad>(base, 0) + 8 * kGradTiles * warpgroup + 8 * tile;
  }
  __device__ std::uint32_t written_grad(int warpgroup, int tile) const {
    return barrier_address<Table::kWrittenGrad>(base, 0) + 8 * kGradTiles * warpgroup + 8 * tile;
  }
  __device__ std::uint32_t full_staged(int warpgroup) const {
    return barrier_address<Table::kFullStaged>(base, warpgroup);
  }
  __device__ std::uint32_t empty_staged(int warpgroup) const {
    return barrier_address<Table::kEmptyStaged>(base, warpgroup);
  }
  __device__ std::uint32_t full_item(int slot) const { return barrier_address<Table::kFullItem>(base, slot); }
  __device__ std::uint32_t empty_item(int slot) const { return barrier_address<Table::kEmptyItem>(base, slot); }
  __device__ std::uint32_t empty_grad_o(int stage) const { return barrier_address<Table::kEmptyGradO>(base, stage); }

  /// One thread, before the CTA's first __syncthreads.
  __device__ void init(bool deterministic) const {
    for (int stage = 0; stage < kStages; ++stage) {
      init_barrier<Table::kFullQuery>(base, stage);
      init_barrier<Table::kFullGradO>(base, stage);
      init_barrier<Table::kEmpty>(base, stage);
    }
    for (int tile = 0; tile < kGradTiles; ++tile) init_barrier<Table::kEmptyGrad>(base, tile);
    for (int n = 0; n < 2 * kGradTiles; ++n) {
      init_barrier<Table::kFullGrad>(base, n);
      init_barrier<Table::kWrittenGrad>(base, n);
    }
    for (int warpgroup = 0; warpgroup < 2; ++warpgroup) {
      init_barrier<Table::kFullStaged>(base, warpgroup);
      init_barrier<Table::kEmptyStaged>(base, warpgroup);
    }
    for (int slot = 0; slot < kItems; ++slot) {
      init_barrier<Table::kFullItem>(base, slot);
      init_barrier<Table::kEmptyItem>(base, slot);
    }
    if (deterministic) {
      for (int stage = 0; stage < kFewStages; ++stage) init_barrier<Table::kEmptyGradO>(base, stage);
    }
    fence_barrier_init();
  }
};

/// A position in a ring of `kSlots` buffers and the parity of its next wait.
template <int kSlots>
struct Cursor {
  int slot = 0;
  std::uint32_t parity = 0;
  __device__ __forceinline__ void advance() {
    if (++slot == kSlots) {
      slot = 0;
      parity ^= 1;
    }
  }
  __device__ __forceinline__ int previous() const { return slot == 0 ? kSlots - 1 : slot - 1; }
  __device__ __forceinline__ std::uint32_t previous_parity() const { return slot == 0 ? parity ^ 1 : parity; }
};

/// The tiles of queries of a work item in the order in which every warp of the CTA meets them: all head blocks of a
/// position tile, and position tiles from first_tile around.
struct TileWalk {
  int position_tile, block = 0, flip, blocks, position_tiles, first_position, positions;
  __device__ __forceinline__ TileWalk(const BackwardParameters& p, const WorkItem& item)
      : position_tile(item.first_tile),
        flip((p.head_blocks & 1) == 0 ? item.tile & 1 : 0),
        blocks(p.head_blocks),
        position_tiles(item.position_tiles),
        first_position(item.first_position),
        positions(p.positions) {}
  __device__ __forceinline__ int position() const { return first_position + position_tile * positions; }
  __device__ __forceinline__ int head_block() const { return block ^ flip; }
  __device__ __forceinline__ void advance() {
    if (++block == blocks) {
      block = 0;
      if (++position_tile == position_tiles) position_tile = 0;
    }
  }
};

/// A CTA's work items in turns, as one role reads them from shared memory, where number_items writes them.
class Items {
 public:
  __device__ __forceinline__ Items(std::uint32_t place, Barriers barriers) : place_(place), barriers_(barriers) {}

  static __device__ __forceinline__ void write(std::uint32_t place, int slot, const WorkItem& item) {
    const int kind = (item.edge ? 1 : 0) | (item.both_ends ? 2 : 0);
    store_shared_4(place + slot * kBytes, item.pair, item.key, item.start, kind);
    store_shared_4(place + slot * kBytes + 16, item.first_position, item.position_tiles, item.first_tile, item.tile);
  }
  /// The next one, or one without tiles behind the last. It may be written over when all roles have told so.
  __device__ __forceinline__ WorkItem next() const {
    barrier_wait(barriers_.full_item(read_ % kItems), read_ / kItems % 2);
    const std::uint32_t from = place_ + read_ % kItems * kBytes;
    const uint4 a = load_shared_4(from), b = load_shared_4(from + 16);
    WorkItem item;
    item.pair = static_cast<int>(a.x), item.key = static_cast<int>(a.y), item.start = static_cast<int>(a.z);
    item.edge = (a.w & 1) != 0, item.both_ends = (a.w & 2) != 0;
    item.first_position = static_cast<int>(b.x), item.position_tiles = static_cast<int>(b.y);
    item.first_tile = static_cast<int>(b.z), item.tile = static_cast<int>(b.w);
    return item;
  }
  __device__ __forceinline__ void release() {
    barrier_arrive(barriers_.empty_item(read_ % kItems));
    ++read_;
  }
  /// Both, by all lanes of a warp.
  __device__ __forceinline__ WorkItem next_of_warp(int lane) {
    const WorkItem item = next();
    __syncwarp();
    if (lane == 0) {
      release();
    } else {
      ++read_;
    }
    return item;
  }

  static constexpr int kBytes = 32;

 private:
  std::uint32_t place_;
  Barriers barriers_;
  std::uint32_t read_ = 0;  ///< items: one number, since helpers have few registers
};

/// LSE or delta of a tile, of the columns that a thread has of an accumulator.
struct Statistics {
  float4 rows[kTileRows / 16];
};
/// All is read before any is used: with uses between the reads each waits for its own.
__device__ __forceinline__ Statistics load_statistics(std::uint32_t from) {
  Statistics of;
#pragma unroll
  for (int n = 0; n < kTileRows / 16; ++n) of.rows[n] = load_shared_float4(from + n * 64);
  return of;
}

// --- instructions --------------------------------------------------------------------------------------------------

/// Orders ordinary accesses to memory of any kind and those of the copy engine, of this thread.
__device__ __forceinline__ void fence_async_proxy_of_all() { asm volatile("fence.proxy.async;" ::: "memory"); }

/// Copies the box at (x, y, z, u, w) of a 5-d tensor map to shared memory; completes on `barrier`. One thread.
__device__ __forceinline__ void copy_box_5d(std::uint32_t destination, const CUtensorMap* map, std::uint32_t barrier,
                                            int x, int y, int z, int u, int w) {
  asm volatile(
      "cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6, %7}], "
      "[%2];" ::"r"(destination),
      "l"(map), "r"(barrier), "r"(x), "r"(y), "r"(z), "r"(u), "r"(w)
      : "memory");
}
/// Copies `bytes` (a multiple of 16) to shared memory; completes on `barrier`. One thread.
__device__ __forceinline__ void copy_bytes(std::uint32_t destination, const void* source, int bytes,
                                           std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(destination),
      "l"(source), "r"(bytes), "r"(barrier)
      : "memory");
}
/// Adds fp16 values in shared memory to those in device memory, as one bulk group.
__device__ __forceinline__ void add_fp16(void* destination, std::uint32_t source, int bytes) {
  asm volatile(
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%0], [%1], %2;"
      "cp.async.bulk.commit_group;" ::"l"(destination),
      "r"(source), "r"(bytes)
      : "memory");
}
/// The same of 32-bit integers.
__device__ __forceinline__ void add_integers(void* destination, std::uint32_t source, int bytes) {
  asm volatile(
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], %2;"
      "cp.async.bulk.commit_group;" ::"l"(destination),
      "r"(source), "r"(bytes)
      : "memory");
}
/// The same of fp32 values.
__device__ __forceinline__ void add_floats(void* destination, std::uint32_t source, int bytes) {
  asm volatile(
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;"
      "cp.async.bulk.commit_group;" ::"l"(destination),
      "r"(source), "r"(bytes)
      : "memory");
}
__device__ __forceinline__ void commit_bulk() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
/// Returns when of this thread's bulk groups all but the last `kPending` have read shared memory.
template <int kPending = 0>
__device__ __forceinline__ void wait_bulk_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kPending) : "memory");
}
/// Returns when they are done.
__device__ __forceinline__ void wait_bulk() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }

__device__ __forceinline__ void add_global_2(float* address, float a, float b) {
  asm volatile("red.relaxed.gpu.global.add.v2.f32 [%0], {%1, %2};" ::"l"(address), "f"(a), "f"(b) : "memory");
}
__device__ __forceinline__ void add_global_4(float* address, float a, float b, float c, float d) {
  asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(address), "f"(a), "f"(b), "f"(c),
               "f"(d)
               : "memory");
}
__device__ __forceinline__ void add_global(float* address, float a) {
  asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" ::"l"(address), "f"(a) : "memory");
}
__device__ __forceinline__ void add_global(std::int32_t* address, std::int32_t a) {
  asm volatile("red.relaxed.gpu.global.add.s32 [%0], %1;" ::"l"(address), "r"(a) : "memory");
}
__device__ __forceinline__ void add_global(std::int64_t* address, std::int64_t a) {
  asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" ::"l"(address), "l"(a) : "memory");
}
/// Four 8x8 matrices of 16-bit elements: lane l gives the address of row l % 8 of matrix l / 8.
__device__ __forceinline__ void store_matrices(std::uint32_t address, const std::uint32_t (&r)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(r[0]), "r"(r[1]),
               "r"(r[2]), "r"(r[3])
               : "memory");
}
__device__ __forceinline__ std::uint32_t multiply_fp16x2(std::uint32_t a, std::uint32_t b) {
  std::uint32_t product;
  asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(product) : "r"(a), "r"(b));
  return product;
}
/// `low` and `high` rounded to fp16, in the lower and upper half of the word.
__device__ __forceinline__ std::uint32_t pack_fp16x2(float low, float high) {
  std::uint32_t word;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  return word;
}
__device__ __forceinline__ float2 unpack_fp16x2(std::uint32_t word) {
  return __half22float2(*reinterpret_cast<const __half2*>(&word));
}

}  // namespace triscope::hopper::backward
