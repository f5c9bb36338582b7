// What is said of two sides, A and B, beside the verdicts on their rows: what did not change did between them too, and
// ratios that no verdict is on.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/record/measurement.hpp"
#include "profiler/statistics/statistics.hpp"

namespace triscope {

/// "1.019", time x clock of A / that of B, three decimals everywhere; empty where it is not known.
std::string cycle_ratio_text(const Comparison& comparison);

/// Both ran the same program: one text of one kernel, or one version of a library.
bool is_unchanged(const ResultRow& a, const ResultRow& b);

/// Kernels that did not change, on the two sides that changed ones are compared on.
struct UnchangedKernels {
  std::set<std::string> labels;
  std::vector<double> times, cycles;  ///< ratios A / B
  void add(const ResultRow& row, const Comparison& comparison);
};
/// "What did not change, on the same two sides (FlashAttention-3, cuDNN; 6 measurements): time A / B 1.018, in cycles
/// 1.001 (medians)."; empty where there is nothing.
std::string unchanged_text(const UnchangedKernels& kernels);

/// Comparisons that are not comparable, though there are ratios.
struct Unjudged {
  std::set<std::string> reasons;  ///< "A and B were measured on two GPUs"
  std::size_t longer = 0, shorter = 0, longer_cycles = 0, shorter_cycles = 0;
  void add(const Comparison& comparison);
};
/// "Not comparable: A and B were measured on two GPUs. By time A takes longer in 22 and shorter in 12, in cycles longer
/// in 30 and shorter in 4."; empty where there is none. `heading` stands before the reasons.
std::string unjudged_text(const Unjudged& unjudged, std::string_view heading = "Not comparable");

}  // namespace triscope
