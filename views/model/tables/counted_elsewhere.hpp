// Where counters of two kernels are, if two measurements of them have none.
#pragma once

#include <cstdint>
#include <vector>

#include "views/data/window_data.hpp"

namespace triscope {

/// The other pass of the same pair, counted.
struct CountedElsewhere {
  std::vector<std::int64_t> measurements;  ///< A's and B's; empty: there are none
  std::int64_t sweep = 0;
  Pass pass = Pass::forward;
  bool pass_counted = false;  ///< a row of A's kernel and pass has counters somewhere
};

/// Looks through the shown sweep and those of its device: of a large database too many rows for a frame.
CountedElsewhere find_counted(const DatabaseData& data, const ResultRow& a, const ResultRow& b);

}  // namespace triscope
