// How far a sweep is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace triscope {

struct Progress {
  std::int64_t done = 0;
  std::int64_t total = 0;
  std::optional<double> seconds_left;  ///< from budgets and what was measured so far; unset: not known
  std::string current;                 ///< "cpu.fast forward 512x32, block 9, +-0.7 %"
};

}  // namespace triscope
