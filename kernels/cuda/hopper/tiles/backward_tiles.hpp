// Which part of the tiles of the backward of cuda.hopper is useful, as tiles.hpp says it of the forward.
#pragma once

#include <vector>

#include "kernels/attention/kernel.hpp"
#include "kernels/attention/tile_use.hpp"

namespace triscope {

/// Instances "virtual_keys" and "virtual_queries", and "portable" with a line for each of its two kernels. `fold`: that
/// of the LSE, by which one is chosen.
std::vector<TileUse> backward_tile_uses(const Problem& problem, Fold fold, TiledQuery query);

}  // namespace triscope
