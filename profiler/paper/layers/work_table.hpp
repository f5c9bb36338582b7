// What kernels compute for some problems, as the planners of a build say it: profiler/tiles asks a worker.
#pragma once

#include <vector>

#include "kernels/attention/tile_use.hpp"

namespace triscope {

struct CountedProblem {
  Problem problem;
  std::vector<TileUse> uses;  ///< of every instance of the build that can run it
};
using WorkTable = std::vector<CountedProblem>;

/// Null where `table` does not have it.
const CountedProblem* find_counted(const WorkTable& table, const Problem& problem);

}  // namespace triscope
