// One comparison of `triscope compare`.
#pragma once

#include "profiler/statistics/statistics.hpp"
#include "profiler/verdict/pairing.hpp"

namespace triscope {

/// Two rows and what is said of them.
struct ComparedPair {
  RowPair rows;
  Comparison comparison;
  double confidence = 0.95;  ///< of the interval
  bool converged_a = true, converged_b = true;
  bool violated = false;          ///< by --fail-if
  bool open = false;              ///< --fail-if cannot say whether it is
  bool same_measurement = false;  ///< A and B are one
};

}  // namespace triscope
