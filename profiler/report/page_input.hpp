// What the paper's page is made of.
#pragma once

#include <string>
#include <vector>

#include "kernels/attention/tile_use.hpp"
#include "profiler/paper/layers/layer_mix.hpp"

namespace triscope {

struct PaperPageInput {
  std::string database;                    ///< its name, for the head
  std::vector<ResultRow> rows;             ///< of all sweeps; those that fail or have no time are left out
  std::string device;                      ///< that `rows` are of; empty: not told
  std::vector<std::string> other_devices;  ///< that the database has rows of, too
  std::vector<TileUse> tiles;              ///< of `tiled`
  Problem tiled;
  LayerMixRequest layer;  ///< of the layer calculator
  WorkTable work;         ///< of `page_problems`
};

/// Sets `rows`, `device` and `other_devices`. A page shows one device: `device`, or where no row of it has a time the
/// one with most rows that have one.
void take_rows(PaperPageInput& input, std::vector<ResultRow> rows, std::string device = {});

/// The problems whose tiles its layers and crossings want to know.
std::vector<Problem> page_problems(const PaperPageInput& input);

}  // namespace triscope
