// What tells one instance of the Hopper forward from another. The instances themselves: instances.hpp; the shared
// memory that follows: layout.hpp.
#pragma once

#include <cstdint>

#include "kernels/cuda/hopper/common/product.hpp"

namespace triscope::hopper {

/// One compiled instance. "Long axis": the axis whose keys and values stay in shared memory as tiles. "Short axis": the
/// axis that is folded into the query, one position ("step") at a time.
struct TileConfig {
  int head_dim = 128;        ///< 64 or 128
  int tile_keys = 128;       ///< long-axis rows of one tile: N of S = Q~ K^T, K of P V
  bool split_steps = false;  ///< true: both consumer warpgroups share 64 query rows and take even and odd steps;
                             ///< false: each has 64 rows of its own, 128 in all
  bool mixed_rows = false;   ///< the two rows of a thread may be of different positions, so each needs its own ratio
  /// true: each consumer warpgroup has a position of its own, 64 heads of it, and reads the tiles from that position's
  /// first key on: the second one a row later. So tiles hold what one window has, and one row.
  bool paired_positions = false;
  Product product = Product::plain;
  int resident_tiles = 2;  ///< K and V tiles that stay while all steps run over them (a "chunk"): 2 or 3
  int short_keys = 0;      ///< columns of an item's last tile when its keys are no more; 0: always tile_keys
  // Tuned:
  int early_blocks = 12;  ///< 8-key column blocks whose exponentials run before the wait for the previous P V
  int early_last = 12;    ///< the same for the last tile of a step, in whose late part the next queries are made
  // Passes over one tile, tuned too:
  bool takes_turns = false;    ///< the warpgroups issue their products in turns (products.cuh)
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
inline constexpr int kMostResidentTiles = 3;  ///< barriers are there for so many
inline constexpr int kStagesAhead = 4;        ///< steps whose ring rows may wait for the consumers
inline constexpr int kConsumerWarps = kConsumerWarpgroups * 4;
inline constexpr int kSharedMemoryLimit = 232448;  ///< bytes a CTA may use on sm_90

}  // namespace triscope::hopper
