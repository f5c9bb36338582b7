// The shared memory of one instance of the Hopper forward.
#pragma once

#include "kernels/cuda/hopper/forward/config.hpp"

namespace triscope::hopper {

inline constexpr int kBarrierBytes = 240;  ///< mbarriers: barrier_table.hpp

/// Sizes and offsets (bytes) of one instance's shared memory. The ring of short-axis rows comes last: its length is a
/// launch parameter.
template <TileConfig kConfig>
struct Layout {
  static_assert(kConfig.head_dim == 64 || kConfig.head_dim == 128, "one or two 128-byte swizzle atoms a row");
  static_assert(kConfig.tile_keys % 16 == 0 && kConfig.tile_keys >= 64 && kConfig.tile_keys <= 128,
                "P V contracts 16 keys at a time; more than 128 keys do not fit the registers");
  static_assert(kConfig.resident_tiles == 2 || (kConfig.resident_tiles == 3 && kConfig.short_keys > 0),
                "run_item has last passes of 1 tile, and for chunks of 3 also of 2, or of 2 and 3 with a short end");
  static_assert(kConfig.short_keys == 0 ||
                    (kConfig.resident_tiles == 3 && kConfig.short_keys % 16 == 0 &&
                     kConfig.short_keys < kConfig.tile_keys && kConfig.early_last < kConfig.short_keys / 8),
                "a short tile is a tile with fewer columns");
  static_assert(!kConfig.paired_positions ||
                    (!kConfig.split_steps && !kConfig.mixed_rows && kConfig.resident_tiles == 2),
                "two positions of 64 rows each");
  static_assert(!kConfig.takes_turns || !kConfig.split_steps, "the merge lets warpgroups that split steps drift apart");
  static_assert(kConfig.early_alone >= 0 && kConfig.early_alone < kConfig.tile_keys / 8 &&
                kConfig.early_alone % 2 == 0);
  static_assert(kConfig.early_blocks > 0 && kConfig.early_blocks < kConfig.tile_keys / 8 &&
                    kConfig.early_blocks % 2 == 0 && kConfig.early_last > 0 &&
                    kConfig.early_last < kConfig.tile_keys / 8 && kConfig.early_last % 2 == 0,
                "P is packed in pairs of column blocks");
  static constexpr int kProducerRegisters = 24;
  static constexpr int kConsumerRegisters = 240;
  static_assert(kThreads * 168 >= (kProducerRegisters + 2 * kConsumerRegisters) * kWarpgroupThreads,
                "setmaxnreg beyond the launch's registers waits for ever");

  static constexpr int kRowBytes = kConfig.head_dim * 2;
  static constexpr int kHalves = kConfig.head_dim / 64;  ///< 64-element column halves of a tile
  static constexpr int kQueryRows = kConfig.split_steps ? 64 : 128;
  static constexpr int kStepsPerStage = kConfig.split_steps ? 2 : 1;
  /// Most heads of one position in one work item.
  static constexpr int kMostHeads = kConfig.paired_positions ? 64 : kQueryRows;
  static constexpr int kHalfTileBytes = (tile_rows(kConfig) + 7) / 8 * 1024;  ///< whole swizzle atoms
  static constexpr int kTileBytes = kHalves * kHalfTileBytes;
  static constexpr int kTileCopyBytes = kHalves * tile_rows(kConfig) * 128;  ///< of a tile, what is copied
  static constexpr int kQueryHalfBytes = kQueryRows * 128;
  static constexpr int kQueryBytes = kHalves * kQueryHalfBytes;
  using Words = QuadWords<kConfig.head_dim, kConfig.product>;
  static constexpr bool kCross = Words::kCross, kWideKeys = Words::kWideKeys;
  static constexpr bool kHalf = is_half(kConfig.product);
  static constexpr bool kPreparesQuery = kCross || kHalf;  ///< by the short axis' warps, in place
  static constexpr int kLaneWords = Words::kLaneWords, kCrossBlocks = Words::kCrossBlocks,
                       kTailWords = Words::kTailWords, kKeyWords = Words::kKeyWords, kKeyQuads = Words::kKeyQuads;
  /// One buffer where the wide keys of 64 positions or a third tile need the room: the next q then waits for the end of
  /// the item.
  static constexpr int kQueryBuffers = (kWideKeys && kConfig.mixed_rows) || kConfig.resident_tiles == 3 ? 1 : 2;
  static constexpr int kRingSlack = (kStagesAhead + 2) * kStepsPerStage;  ///< ring rows beyond those of one step

  static constexpr int kTailBytes = kQueryRows * kTailWords * 16;  ///< second operands of the tails of q

  static constexpr int kKeyBytes = kKeyQuads * 64;
  static constexpr int kRatioRowBytes = kConfig.head_dim * 4 + 64;
  /// One short-axis row: its key, its value ratios; 64 bytes beyond a multiple of 128, so that neighbours differ in
  /// banks.
  static constexpr int kSlotBytes = (kKeyBytes + kRatioRowBytes) / 128 * 128 + 64;
  static constexpr int kMergeHalfBytes = 64 * kConfig.head_dim * 2;  ///< half the columns of 64 fp32 rows
  static constexpr int kMergeBytes = kConfig.split_steps ? kMergeHalfBytes + kWarpgroupThreads * 16 : 0;

  static constexpr int kKeyTiles = 0;
  static constexpr int kValueTiles = kKeyTiles + kConfig.resident_tiles * kTileBytes;
  static constexpr int kQuery = kValueTiles + kConfig.resident_tiles * kTileBytes;
  static constexpr int kTails = kQuery + kQueryBuffers * kQueryBytes;
  static constexpr int kMerge = kTails + kQueryBuffers * kTailBytes;
  static constexpr int kBarriers = kMerge + kMergeBytes;
  static constexpr int kRepairFlag = kBarriers + kBarrierBytes;  ///< not 0: a row of this CTA needs repair.cuh
  static constexpr int kOnes = kBarriers + 256;                  ///< a ratio row of ones
  static constexpr int kPositions = kOnes + kRatioRowBytes;  ///< of each query row: its position, from the item's first
  static constexpr int kRing = kPositions + kQueryRows * 4;
  static constexpr int kMaxRingRows = (kSharedMemoryLimit - kRing) / kSlotBytes;

  static_assert(kHalfTileBytes % 1024 == 0 && kQueryHalfBytes % 1024 == 0, "swizzle atoms are 1024 bytes");
  static_assert(kRing % 16 == 0 && kSlotBytes % 16 == 0, "16-byte accesses");
  static_assert(kMaxRingRows >= kRingSlack + 2, "no room for the ring of short-axis rows");

  static constexpr int bytes(int ring_rows) { return kRing + ring_rows * kSlotBytes; }
};

}  // namespace triscope::hopper
