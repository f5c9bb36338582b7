// `compare --fail-if "slower>2%"`: a comparison as a gate for scripts.
#pragma once

#include <string>
#include <string_view>

#include "profiler/statistics/statistics.hpp"

namespace triscope {

/// "slower>2%": when a comparison counts as a failure.
struct FailCondition {
  Verdict verdict = Verdict::slower;  ///< slower or faster
  double by = 0;                      ///< relative difference in time, above which it fails
  std::string text;
};

/// Throws `Error` (usage) naming `text` when it is not "slower>P%" or "faster>P%".
FailCondition parse_fail_condition(std::string_view text);

/// True when the comparison's verdict is the condition's and the time differs by more than it allows.
bool violates(const FailCondition& condition, const Comparison& comparison);

}  // namespace triscope
