#include "app/cli/options/fail_condition.hpp"

#include <fmt/format.h>

#include "app/cli/options/values.hpp"
#include "kernels/base/error.hpp"

namespace triscope {

FailCondition parse_fail_condition(std::string_view text) {
  FailCondition condition;
  condition.text = text;
  for (const Verdict verdict : {Verdict::slower, Verdict::faster}) {
    const std::string prefix = fmt::format("{}>", to_string(verdict));
    if (!text.starts_with(prefix)) continue;
    condition.verdict = verdict;
    condition.by = parse_percent("--fail-if", text.substr(prefix.size()));
    return condition;
  }
  throw Error(fmt::format("--fail-if '{}'", text), "this is not a condition", "write slower>2% or faster>2%, in quotes",
              ExitCode::usage);
}

bool violates(const FailCondition& condition, const Comparison& comparison) {
  if (comparison.verdict != condition.verdict || !(comparison.ratio > 0)) return false;
  const double longer = comparison.ratio - 1;
  return (condition.verdict == Verdict::slower ? longer : -longer) > condition.by;
}

}  // namespace triscope
