// `compare --fail-if "longer>2%"`: a comparison as a gate for scripts.
#pragma once

#include <string>
#include <string_view>

#include "profiler/statistics/statistics.hpp"

namespace triscope {

/// "longer>2%": when a comparison counts as a failure.
struct FailCondition {
  Verdict verdict = Verdict::slower;  ///< slower or faster
  double by = 0;                      ///< relative difference in time, above which it fails
  std::string text;
};

/// Throws `Error` (usage) naming `text` when it is not "longer>P%" or "shorter>P%" of the time, nor
/// "slower>P%" or "faster>P%", which mean the same.
FailCondition parse_fail_condition(std::string_view text);

enum class GateResult { passes, open, fails };

/// Fails when the ratio lies beyond the condition, whatever the verdict: what may take that much longer is not known to
/// be good; and where there is no ratio, since a side has no samples that can be used. Passes when the whole interval
/// lies inside it, also where the verdict, which asks for more precision, is unclear. Open: between the two, without an
/// interval, or `disturbed` (`why_disturbed`).
GateResult judge(const FailCondition& condition, const Comparison& comparison, bool disturbed);

}  // namespace triscope
