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

GateResult judge(const FailCondition& condition, const Comparison& comparison, bool disturbed) {
  if (!(comparison.ratio > 0)) return GateResult::fails;
  const bool slower = condition.verdict == Verdict::slower;
  const auto is_beyond = [&](double ratio) { return slower ? ratio > 1 + condition.by : ratio < 1 - condition.by; };
  if (is_beyond(comparison.ratio)) return GateResult::fails;
  const double worst = slower ? comparison.interval.high : comparison.interval.low;
  const bool trusted = interval_known(comparison) && !comparison.few_blocks && !disturbed;
  return trusted && !is_beyond(worst) ? GateResult::passes : GateResult::open;
}

}  // namespace triscope
