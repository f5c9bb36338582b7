// The tiles of cuda.portable, which is an instance of cuda.hopper in both passes.
#pragma once

#include "kernels/attention/tile_use.hpp"

namespace triscope {

/// Of the kernels that own rows (the forward, and the backward for dq and the short axis): blocks of 64 rows, tiles of
/// `keys` keys from the first one that the block sees. Whole tiles count, though a warp skips one that none of its 16
/// rows sees. Triples of all blocks; the tiles of query `i`.
double portable_row_triples(const Problem& problem, std::int64_t keys);
QueryTiles portable_row_tiles(const Problem& problem, std::int64_t keys, std::int64_t i);

/// The same of the backward for the long axis: blocks of 64 keys, and tiles of 32 rows from the first that sees them.
inline constexpr std::int64_t kPortableKeyRows = 32;
double portable_key_triples(const Problem& problem);
QueryTiles portable_key_tiles(const Problem& problem, std::int64_t i);

}  // namespace triscope
