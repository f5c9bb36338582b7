// Which part of the tiles of the paper's listings is useful.
#pragma once

#include <vector>

#include "kernels/attention/tile_use.hpp"

namespace triscope {

/// The paper's listings on a trilinear, causal problem: the forward (64 queries of one head, 32 keys of axis 2, one key
/// of axis 1), the forward as the text has it (64 heads of one query), the backward for dK and dV (neither
/// of its sizes is printed: 32 keys of axis 1 and 64 queries, as in the forward), and the two-stage backward (w2
/// queries, 2 w2 keys of axis 2). The listings know no groups: each query head has a kv head. Empty for other problems.
std::vector<TileUse> listing_tile_uses(const Problem& problem, TiledQuery query = {});

}  // namespace triscope
