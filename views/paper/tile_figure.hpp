// The tiles of one query over the plane of its keys, drawn.
#pragma once

#include "profiler/paper/tile_question.hpp"
#include "views/parts/context.hpp"

namespace triscope {

/// At the cursor, `size` large with its axes; advances like an item. Keys of axis 1 grow to the right, of axis 2
/// upwards; both axes have scales of their own. `query` is the one that `use` has the tiles of.
void draw_tile_figure(const Context& context, const TileUse& use, const Problem& problem, std::int64_t query,
                      ImVec2 size);

}  // namespace triscope
