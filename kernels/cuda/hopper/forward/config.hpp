// The tile configurations of the Hopper forward: one constexpr struct each, and the shared memory that follows from it.
#pragma once

#include <cstdint>

#include "kernels/cuda/hopper/common/product.hpp"

namespace triscope::hopper {

/// One compiled instance. "Long axis": the axis whose keys and values stay in shared memory as tiles. "Short axis": the
/// axis that is folded into the query, one position ("step") at a time.
struct TileConfig {
  int head_dim;      ///< 64 or 128
  int tile_keys;     ///< long-axis rows of one tile: N of S = Q~ K^T, K of P V
  bool split_steps;  ///< true: both consumer warpgroups share 64 query rows and take even and odd steps;
                     ///< false: each has 64 rows of its own, 128 in all
  bool mixed_rows;   ///< the two rows of a thread may belong to different positions, so each needs its own ratio
  Product product;
  int early_blocks;  ///< 8-key column blocks whose exponentials run before the wait for the previous P V (tuned)
  int early_last;    ///< the same for the last tile of a step, in whose late part the next queries are made (tuned)
  int resident_tiles = 2;  ///< K and V tiles that stay while all steps run over them (a "chunk"): 2 or 3
  int short_keys = 0;      ///< columns of an item's last tile when its keys are no more; 0: always tile_keys
  /// true: each consumer warpgroup has a position of its own, 64 heads of it, and reads the tiles from that position's
  /// first key on: the second one a row later. So tiles hold what one window has, and one row.
  bool paired_positions = false;
  // Passes over one tile (all tuned):
  bool takes_turns = false;    ///< the warpgroups issue their products in turns (mainloop.cuh)
  int early_alone = 0;         ///< early blocks of their tile; 0: early_last
  bool queries_early = false;  ///< the next queries are made before the wait for the previous P V, not behind it

  bool operator==(const TileConfig&) const = default;
};

/// Long-axis rows that a tile holds.
constexpr int tile_rows(const TileConfig& config) { return config.tile_keys + (config.paired_positions ? 1 : 0); }

inline constexpr int kWarpgroupThreads = 128;
inline constexpr int kConsumerWarpgroups = 2;
inline constexpr int kThreads = (1 + kConsumerWarpgroups) * kWarpgroupThreads;
/// Warps of the producer warpgroup that bring the short axis; warp 0 loads tiles.
inline constexpr int kShortAxisWarps = 3;
inline constexpr int kMostResidentTiles = 3;       ///< barriers are there for so many
inline constexpr int kStagesAhead = 4;             ///< steps whose ring rows may wait for the consumers
inline constexpr int kSharedMemoryLimit = 232448;  ///< bytes a CTA may use on sm_90

/// Sizes and offsets (bytes) of one instance's shared memory. The ring of short-axis rows comes last: its length is a
/// launch parameter.
template <TileConfig kConfig>
struct Layout {
  static_assert(kConfig.head_dim == 64 || kConfig.head_dim == 128, "one or two 128-byte swizzle atoms a row");
  static_assert(kConfig.tile_keys % 16 == 0 && kConfig.tile_keys >= 64 && kConfig.tile_keys <= 128,
                "P V contracts 16 keys at a time; more than 128 keys do not fit the registers");
  static_assert(kConfig.resident_tiles == 2 || (kConfig.resident_tiles == 3 && kConfig.short_keys > 0),
                "what run_item cares for");
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
  static constexpr bool kCross = kConfig.product == Product::cross || kConfig.product == Product::biased_cross;
  static constexpr bool kWideKeys =
      kConfig.product == Product::biased || kConfig.product == Product::biased_cross;  ///< in fp32
  /// One buffer where the wide keys of 64 positions or a third tile need the room: the next q then waits for the end of
  /// the item.
  static constexpr int kQueryBuffers = (kWideKeys && kConfig.mixed_rows) || kConfig.resident_tiles == 3 ? 1 : 2;
  static constexpr int kRingSlack = (kStagesAhead + 2) * kStepsPerStage;  ///< ring rows beyond those of one step

  // Words (pairs of dimensions) of one lane of a consumer quad. Cross products: 3 in each block of 12, then the tail.
  static constexpr int kLaneWords = kConfig.head_dim / 8;
  static constexpr int kCrossBlocks = kCross ? kConfig.head_dim / 24 : 0;
  static constexpr int kTailWords = kCross ? kLaneWords - 3 * kCrossBlocks : 0;
  /// 32-bit words of a ring key for each lane, and how many 16-byte groups of them.
  static constexpr int kKeyWords = (kWideKeys ? 2 : 1) * (kLaneWords + kTailWords);
  static constexpr int kKeyQuads = (kKeyWords + 3) / 4;
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
  static constexpr int kRepairFlag = kBarriers + 240;        ///< not 0: a row of this CTA needs repair.cuh
  static constexpr int kOnes = kBarriers + 256;              ///< a ratio row of ones
  static constexpr int kPositions = kOnes + kRatioRowBytes;  ///< of each query row: its position, from the item's first
  static constexpr int kRing = kPositions + kQueryRows * 4;
  static constexpr int kMaxRingRows = (kSharedMemoryLimit - kRing) / kSlotBytes;

  static_assert(kHalfTileBytes % 1024 == 0 && kQueryHalfBytes % 1024 == 0, "swizzle atoms are 1024 bytes");
  static_assert(kRing % 16 == 0 && kSlotBytes % 16 == 0, "16-byte accesses");
  static_assert(kMaxRingRows >= kRingSlack + 2, "no room for the ring of short-axis rows");

  static constexpr int bytes(int ring_rows) { return kRing + ring_rows * kSlotBytes; }
};

struct Instance {
  const char* name;
  TileConfig config;
};

/// Every instance with tiles (one forward_<name>.cu each). Which one serves which problem: plan.cpp.
inline constexpr Instance kInstances[] = {
    // head_dim, tile_keys, split_steps, mixed_rows, product, early_blocks, early_last, resident_tiles, short_keys,
    // paired_positions, takes_turns, early_alone, queries_early
    {"d128_rows128_keys128", {128, 128, false, false, Product::plain, 12, 12, 2, 0, false, true}},
    {"d128_split64_keys128", {128, 128, true, false, Product::plain, 12, 12}},
    {"d128_rows128_keys112", {128, 112, false, false, Product::plain, 8, 8, 3, 80}},
    {"d128_split64_keys96_mixed", {128, 96, true, true, Product::plain, 6, 6}},
    {"d64_rows128_keys128", {64, 128, false, false, Product::plain, 12, 12}},
    {"d64_split64_keys128", {64, 128, true, false, Product::plain, 12, 12}},
    {"d64_split64_keys128_mixed", {64, 128, true, true, Product::plain, 10, 10}},
    {"d128_rows128_keys128_cross", {128, 128, false, false, Product::cross, 12, 8, 2, 0, false, true}},
    {"d128_split64_keys128_cross", {128, 128, true, false, Product::cross, 12, 12}},
    {"d128_rows128_keys112_cross", {128, 112, false, false, Product::cross, 8, 8, 3, 80}},
    {"d128_split64_keys96_mixed_cross", {128, 96, true, true, Product::cross, 6, 6}},
    {"d64_rows128_keys128_cross", {64, 128, false, false, Product::cross, 10, 10}},
    {"d64_split64_keys128_cross", {64, 128, true, false, Product::cross, 10, 10}},
    {"d64_split64_keys128_mixed_cross", {64, 128, true, true, Product::cross, 10, 10}},
    {"d128_split64_keys128_biased", {128, 128, true, false, Product::biased, 12, 12}},
    {"d128_split64_keys96_mixed_biased", {128, 96, true, true, Product::biased, 6, 6}},
    {"d64_split64_keys128_mixed_biased", {64, 128, true, true, Product::biased, 10, 10}},
    {"d128_split64_keys96_mixed_biased_cross", {128, 96, true, true, Product::biased_cross, 6, 6}},
    {"d64_split64_keys128_mixed_biased_cross", {64, 128, true, true, Product::biased_cross, 10, 6}},
    {"d128_pair64_keys128", {128, 128, false, false, Product::plain, 12, 12, 2, 0, true, true}},
    {"d128_pair64_keys128_cross", {128, 128, false, false, Product::cross, 12, 8, 2, 0, true, true, 14, true}},
};
inline constexpr int kInstanceCount = sizeof(kInstances) / sizeof(kInstances[0]);

/// One more, without tiles: rows.cu.
inline constexpr int kRowsInstance = kInstanceCount;
inline constexpr const char* kRowsName = "rows";

}  // namespace triscope::hopper
