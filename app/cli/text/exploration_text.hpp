// What `triscope explore` prints: an exploration as a table, CSV or JSON.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "profiler/explore/exploration.hpp"

namespace triscope {

/// Why there is no point, where there is none: "0 measurements of 252 match the filter. No measurement matches seq=77."
std::string nothing_drawn_text(const Exploration& made);

/// One line a point, no longer than `width`; below it what is left out, and what else differs.
std::string exploration_table(const Exploration& made, std::span<const ExploreSource> sources, std::size_t width);

/// One line a measurement at full precision; the columns are named by the fields.
std::string exploration_csv(const Exploration& made, std::span<const ExploreSource> sources);

/// One object a line for each point, with its measurements under `repeats`.
std::string exploration_json(const Exploration& made, std::span<const ExploreSource> sources);

}  // namespace triscope
