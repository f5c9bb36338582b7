#include "app/cli/options/fail_condition.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "app/cli/options/values.hpp"
#include "kernels/base/error.hpp"

namespace triscope {

FailCondition parse_fail_condition(std::string_view text) {
  FailCondition condition;
  condition.text = text;
  // The last two are of older scripts.
  for (const auto& [verdict, word] :
       {std::pair(Verdict::slower, to_string(Verdict::slower)), std::pair(Verdict::faster, to_string(Verdict::faster)),
        std::pair(Verdict::slower, std::string_view("slower")),
        std::pair(Verdict::faster, std::string_view("faster"))}) {
    const std::string prefix = fmt::format("{}>", word);
    if (!text.starts_with(prefix)) continue;
    condition.verdict = verdict;
    condition.by = parse_percent("--fail-if", text.substr(prefix.size()));
    return condition;
  }
  throw Error(fmt::format("--fail-if '{}'", text), "this is not a condition",
              "write longer>2% or shorter>2%, in quotes", ExitCode::usage);
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
