// The tile configurations of the Hopper forward: one constexpr struct each, and the shared memory that follows from it.
#pragma once

#include <cstdint>

namespace triscope::hopper {

/// One compiled instance. "Long axis": the axis whose keys and values stay in shared memory as tiles. "Short axis": the
/// axis that is folded into the query, one position ("step") at a time.
struct TileConfig {
  int head_dim;        ///< 64 or 128
  int tile_keys;       ///< long-axis rows of one tile: N of S = Q~ K^T, K of P V
  bool split_steps;    ///< true: both consumer warpgroups share 64 query rows and take even and odd steps;
                       ///< false: each has 64 rows of its own, 128 in all
  bool mixed_rows;     ///< rows r and r + 8 may belong to different positions, so each needs its own value ratio
  bool fold_ahead;     ///< true: producer warps make the virtual queries (any form, biases); false: the consumers multiply
                       ///< q and the short-axis key themselves (trilinear without bias), which moves fewer bytes
  int early_blocks;    ///< 8-key column blocks whose exponentials run before the wait for the previous P V (tuned)

  bool operator==(const TileConfig&) const = default;
};

inline constexpr int kWarpgroupThreads = 128;
inline constexpr int kConsumerWarpgroups = 2;
inline constexpr int kThreads = (1 + kConsumerWarpgroups) * kWarpgroupThreads;
inline constexpr int kFoldingWarps = 3;      ///< warps of the producer warpgroup that make virtual queries; warp 0 loads tiles
inline constexpr int kResidentTiles = 2;     ///< K and V tiles that stay while all steps run over them (a "chunk")
inline constexpr int kStagesAhead = 4;       ///< steps whose ring rows may wait for the consumers (not folded ahead)
inline constexpr int kStageRows = 128;       ///< rows of the virtual-query buffer: 64 for each consumer warpgroup
inline constexpr int kSharedMemoryLimit = 232448;  ///< bytes a CTA may use on sm_90

/// Sizes and offsets (bytes) of one instance's shared memory. The ring of short-axis rows comes last: its length is a
/// launch parameter.
template <TileConfig kConfig>
struct Layout {
  static_assert(kConfig.head_dim == 64 || kConfig.head_dim == 128, "one or two 128-byte swizzle atoms a row");
  static_assert(kConfig.tile_keys % 16 == 0 && kConfig.tile_keys >= 64 && kConfig.tile_keys <= 128,
                "P V contracts 16 keys at a time; more than 128 keys do not fit the registers");
  static_assert(kConfig.early_blocks > 0 && kConfig.early_blocks < kConfig.tile_keys / 8 && kConfig.early_blocks % 2 == 0,
                "P is packed in pairs of column blocks");
  static constexpr int kProducerRegisters = kConfig.fold_ahead ? 40 : 24;
  static constexpr int kConsumerRegisters = kConfig.fold_ahead ? 232 : 240;
  static_assert(kThreads * 168 >= (kProducerRegisters + 2 * kConsumerRegisters) * kWarpgroupThreads,
                "setmaxnreg beyond the launch's registers waits for ever");

  static constexpr int kRowBytes = kConfig.head_dim * 2;
  static constexpr int kHalves = kConfig.head_dim / 64;           ///< 64-element column halves of a tile
  static constexpr int kQueryRows = kConfig.split_steps ? 64 : 128;
  static constexpr int kStepsPerStage = kConfig.split_steps ? 2 : 1;
  static constexpr int kHalfTileBytes = kConfig.tile_keys * 128;
  static constexpr int kTileBytes = kHalves * kHalfTileBytes;
  static constexpr int kQueryHalfBytes = kQueryRows * 128;
  static constexpr int kQueryBytes = kHalves * kQueryHalfBytes;
  static constexpr int kQueryBuffers = kConfig.fold_ahead ? 1 : 2;
  /// Ring rows beyond those of one step: the steps that consumers may still read while producers write the next.
  static constexpr int kRingSlack = (kConfig.fold_ahead ? 3 : kStagesAhead + 2) * kStepsPerStage;
  static constexpr int kStageBytes = kConfig.fold_ahead ? kStageRows * kRowBytes : 0;
  static constexpr int kRatioRowBytes = kConfig.head_dim * 4 + 64;  ///< 64: neighbouring rows in different banks
  static constexpr int kSlotBytes = kRowBytes + kRatioRowBytes;     ///< one short-axis row: its key, its value ratios
  static constexpr int kMergeHalfBytes = 64 * kConfig.head_dim * 2; ///< half the columns of 64 fp32 rows
  static constexpr int kMergeBytes = kConfig.split_steps ? kMergeHalfBytes + kWarpgroupThreads * 16 : 0;

  static constexpr int kKeyTiles = 0;
  static constexpr int kValueTiles = kKeyTiles + kResidentTiles * kTileBytes;
  static constexpr int kQuery = kValueTiles + kResidentTiles * kTileBytes;
  static constexpr int kStage = kQuery + kQueryBuffers * kQueryBytes;
  static constexpr int kMerge = kStage + kStageBytes;
  static constexpr int kBarriers = kMerge + kMergeBytes;
  static constexpr int kRowSlots = kBarriers + 192;               ///< uint16 for each stage row: ring slot at step 0
  static constexpr int kOnes = kRowSlots + kStageRows * 2;        ///< a ratio row of ones
  static constexpr int kRing = kOnes + kRatioRowBytes;
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

/// Every compiled instance (one forward_<name>.cu each). Which one serves which problem: plan.cpp.
inline constexpr Instance kInstances[] = {
    {"d128_rows128_keys128", {128, 128, false, false, false, 10}},
    {"d128_split64_keys128", {128, 128, true, false, false, 12}},
    {"d128_rows128_keys112", {128, 112, false, false, false, 8}},
    {"d128_rows128_keys112_mixed", {128, 112, false, true, false, 8}},
    {"d128_split64_keys96_mixed", {128, 96, true, true, false, 6}},
    {"d64_rows128_keys128_mixed", {64, 128, false, true, false, 10}},
    {"d64_split64_keys128", {64, 128, true, false, false, 10}},
    {"d64_split64_keys128_mixed", {64, 128, true, true, false, 10}},
    {"d128_rows128_keys128_ahead", {128, 128, false, false, true, 10}},
    {"d128_split64_keys128_ahead", {128, 128, true, false, true, 12}},
    {"d128_rows128_keys112_mixed_ahead", {128, 112, false, true, true, 8}},
    {"d128_split64_keys96_mixed_ahead", {128, 96, true, true, true, 6}},
    {"d64_rows128_keys128_mixed_ahead", {64, 128, false, true, true, 10}},
    {"d64_split64_keys128_mixed_ahead", {64, 128, true, true, true, 10}},
};
inline constexpr int kInstanceCount = sizeof(kInstances) / sizeof(kInstances[0]);

}  // namespace triscope::hopper
