// Which part of the tiles that a kernel computes lies inside the windows, and where the tiles of one query lie.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/attention/problem.hpp"

namespace triscope {

/// Tiles in the plane of the keys: for each of `folds` keys of the folded axis, from `fold` on, `keys` keys of the
/// other axis from `first` on, in tiles of `tile_keys` (the last may be shorter). `first` moves on by `slant` with each
/// fold. Keys below 0, beyond the sequence or outside the windows are computed and masked.
struct TileBlock {
  std::int64_t fold = 0, folds = 1;
  std::int64_t first = 0, keys = 0, tile_keys = 0;
  std::int64_t slant = 0;                                                            ///< 0 or 1
  std::int64_t first_at(std::int64_t index) const { return first + slant * index; }  ///< of fold `fold` + index
  bool operator==(const TileBlock&) const = default;
};

/// What is computed for one query, and what stands in the same tiles.
struct QueryTiles {
  bool folds_axis1 = false;  ///< keys of axis 1 are folded one by one, tiles are along axis 2; else the other way round
  std::int64_t first_query = 0, last_query = 0;  ///< positions whose rows share a tile with this query's
  std::int64_t heads = 0;                        ///< of each position
  std::int64_t rows = 0;                         ///< of a tile; rows beyond positions x heads stand for nobody
  std::vector<TileBlock> blocks;                 ///< a pair may be in two of them: it is masked in one

  /// Appends one fold; what continues the last block becomes part of it.
  void add(std::int64_t fold, std::int64_t first, std::int64_t keys, std::int64_t tile_keys);
};

/// One launch. "Triples" are (query, key of axis 1, key of axis 2) of all heads and batches.
struct TileUse {
  std::string kernel;    ///< "paper forward", "cuda.hopper"
  std::string instance;  ///< of a kernel that has several
  Pass pass = Pass::forward;
  std::string tile;       ///< "64 queries x 32 keys"
  std::string note;       ///< what was assumed; empty: nothing
  double computed = 0;    ///< triples of all tiles that are computed
  double useful = 0;      ///< those inside the windows
  double planned_us = 0;  ///< the planner's estimate for an H200; 0: there is none
  bool chosen = false;    ///< what `--instance auto` takes
  /// Numbers of the parts whose costs make up a launch's time, in an order of the instance: work items, the tiles that
  /// they compute, ... An estimate fits a cost to each.
  std::vector<double> work;
  QueryTiles query_tiles;  ///< of the query that was asked about; without blocks: none was, or there are no tiles
  double fraction() const { return computed > 0 ? useful / computed : 0; }
};

/// Of which query the tiles are wanted too, in the first head of the first batch; nullopt: of none.
using TiledQuery = std::optional<std::int64_t>;

/// Pairs of keys that are computed for the query; those of them that it sees.
double computed_pairs(const QueryTiles& tiles);
double useful_pairs(const QueryTiles& tiles, const Problem& problem, std::int64_t query);

}  // namespace triscope
