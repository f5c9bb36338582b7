// What the paper's page is made of.
#pragma once

#include <string>
#include <vector>

#include "kernels/attention/tile_use.hpp"
#include "profiler/paper/layer_mix.hpp"

namespace triscope {

struct PaperPageInput {
  std::string database;         ///< its name, for the head
  std::vector<ResultRow> rows;  ///< of all sweeps; those that fail or have no time are left out
  std::vector<TileUse> tiles;   ///< of `tiled`
  Problem tiled;
  LayerMixRequest layer;  ///< of the layer calculator
  WorkTable work;         ///< of `problems_to_count`
};

}  // namespace triscope
