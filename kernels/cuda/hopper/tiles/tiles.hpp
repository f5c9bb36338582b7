// Which part of the tiles of cuda.hopper is useful, by the functions that cut a problem into work items. Host code
// without CUDA calls.
#pragma once

#include <vector>

#include "kernels/attention/tile_use.hpp"

namespace triscope {

/// The forward of every instance that can run `problem`, in the order of `triscope kernels`, then the backward: those
/// with tiles, and "portable", whose backward has two kernels. Instance "rows" has no tiles and computes what is
/// useful. The backward that is chosen is the one behind the chosen forward. Empty for a problem that cuda.hopper
/// refuses.
std::vector<TileUse> hopper_tile_uses(const Problem& problem, TiledQuery query = {});

}  // namespace triscope
