// Which tiles are asked about, and the answer in numbers and words.
#pragma once

#include <string>
#include <vector>

#include "kernels/attention/tile_use.hpp"

namespace triscope {

struct TileQuestion {
  Problem problem;
  TiledQuery query;  ///< whose tiles are wanted too
  bool operator==(const TileQuestion&) const = default;
};

/// Throws `Error` (usage) where the problem is impossible or too large to count, or has no such query.
void require_answerable(const TileQuestion& question);

/// A problem and the forward that `--instance auto` takes for it.
struct ChosenTiles {
  Problem problem;
  TileUse use;
};

struct TileAnswer {
  TileQuestion question;
  std::vector<TileUse> uses;        ///< the paper's listings first, then every instance of this build
  std::vector<ChosenTiles> beside;  ///< the problem itself, then `whole_tile_neighbours`; empty without GPU kernels
};

/// The forward that is chosen; null where this build has none.
const TileUse* chosen_forward(const std::vector<TileUse>& uses);

/// `problem` with its longer window at the whole tiles of 128 keys below and above it: a part of a tile costs as much
/// as all of it.
std::vector<Problem> whole_tile_neighbours(const Problem& problem);

/// Sentences: what shares a tile, and which part of what is computed for `query` counts. Empty without its tiles.
std::string tiles_in_words(const TileUse& use, const Problem& problem, std::int64_t query);
/// What the windows cost beside whole tiles: "By the planner, ..., 284x32 takes 15.15 ms forward (...)". Empty without
/// estimates.
std::string cost_in_words(const std::vector<ChosenTiles>& beside);

}  // namespace triscope
