// How much a kernel computes for a measurement, beside what lies inside its windows.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "kernels/attention/tile_use.hpp"
#include "profiler/record/measurement.hpp"

namespace triscope {

/// Triples (query, key of axis 1, key of axis 2) in the tiles of one launch, over those inside the windows.
struct ComputedTriples {
  std::optional<double> per_useful;  ///< unset: not known
  std::string unknown;               ///< why, without a full stop; empty: it is known
};

/// Tiles of this row's kernel are counted at all: it is cuda.hopper.
bool has_counted_tiles(const ResultRow& row);

/// As the planners of the build cut them that counted `uses` for the row's problem, whatever version the row is of.
ComputedTriples computed_triples(const ResultRow& row, std::span<const TileUse> uses);

}  // namespace triscope
