// kernels/attention/tile_use.hpp and the question about it as JSON and back, by member name.
#pragma once

#include "kernels/attention/tile_use.hpp"
#include "profiler/paper/tile_question.hpp"
#include "profiler/record/measurement_codec.hpp"

namespace triscope {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TileBlock, fold, folds, first, keys, tile_keys, slant)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(QueryTiles, folds_axis1, first_query, last_query, heads, rows, blocks)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TileUse, kernel, instance, pass, tile, note, computed, useful, planned_us, chosen,
                                   work, query_tiles)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TileQuestion, problem, query)

}  // namespace triscope
