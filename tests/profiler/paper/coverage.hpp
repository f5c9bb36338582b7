// How many of some 95 % intervals have to hold what was measured.
#pragma once

#include <cmath>

namespace triscope {

/// The least number of intervals among `all` that hold what was measured in 99 of 100 cases where each does with 95 %:
/// fewer would refute them.
inline int least_held(int all) {
  double chance = std::pow(0.05, all), below = 0;  // of exactly n, of fewer than n
  for (int n = 0; n < all; ++n) {
    if (below + chance > 0.01) return n;
    below += chance;
    chance *= static_cast<double>(all - n) / (n + 1) * (0.95 / 0.05);
  }
  return all;
}

}  // namespace triscope
