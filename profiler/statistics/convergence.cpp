#include "profiler/statistics/convergence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "profiler/record/columns.hpp"
#include "profiler/statistics/centre.hpp"

namespace triscope {
namespace {

constexpr std::string_view kNot = "not converged", kBegin = "not converged: ", kAsked = " was asked for",
                           kBetween = "; ", kTooFew = "too few to trust";

/// 0.44 of "+-0.44 %..." or "0.44 %..."; unset: no number stands there.
std::optional<double> leading_percent(std::string_view text) {
  if (text.starts_with("+-")) text.remove_prefix(2);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::string_view(end, text.data() + text.size()).starts_with(" %")) return std::nullopt;
  return value;
}

/// Where "1.0 % was asked for" begins, as the end of all of `remark`; npos: it says something else.
std::size_t asked_at(std::string_view remark) {
  if (!remark.starts_with(kBegin) || !remark.ends_with(kAsked)) return std::string_view::npos;
  const std::size_t comma = remark.rfind(", ");
  return comma == std::string_view::npos ? comma : comma + 2;
}

}  // namespace

std::string not_converged_text(const Summary& summary, std::int64_t blocks, const StoppingRule& rule,
                               std::string_view taken) {
  const std::string found = fmt::format("{}{} {}", kBegin, spread_text(summary), taken);
  const std::optional<double> percent = spread_percent(summary.median_ms, summary.ci_low_ms, summary.ci_high_ms);
  if (percent && *percent <= 100 * widest_converged(rule.precision) && blocks < rule.min_blocks) {
    return fmt::format("{} is narrow enough, but {} blocks are {}: at least {} are needed", found, blocks, kTooFew,
                       rule.min_blocks);
  }
  return fmt::format("{}, {} %{}", found, significant_text(100 * rule.precision, 2), kAsked);
}

std::string asked_text(double precision) {
  return fmt::format("{} times the {} % asked for", significant_text(widest_converged(1), 3),
                     significant_text(100 * precision, 2));
}

bool has_converged(const ResultRow& row) {
  std::string_view left = row.reason;
  while (!left.starts_with(kNot)) {
    const std::size_t end = left.find(kBetween);
    if (end == std::string_view::npos) return true;
    left.remove_prefix(end + kBetween.size());
  }
  return false;
}

bool has_few_blocks(const ResultRow& row) { return row.samples < kFewestBlocks; }

std::string corrected_reason(std::string reason) {
  const std::size_t end = std::min(reason.find(kBetween), reason.size());
  const std::string_view first = std::string_view(reason).substr(0, end);
  const std::size_t asked = asked_at(first);
  if (asked == std::string_view::npos) return reason;
  const std::optional<double> had = leading_percent(first.substr(kBegin.size())),
                              wanted = leading_percent(first.substr(asked));
  // So narrow an interval converges as soon as its blocks are enough. One at the edge may be rounded: it stays.
  if (!had || !wanted || *had >= widest_converged(*wanted)) return reason;
  return fmt::format("{} is narrow enough, but its blocks are {}{}", first.substr(0, asked - 2), kTooFew,
                     std::string_view(reason).substr(end));
}

std::string shared_reason(std::string_view reason) {
  if (reason.find(kBetween) != std::string_view::npos) return "";
  if (const std::size_t asked = asked_at(reason); asked != std::string_view::npos) {
    if (const std::optional<double> percent = leading_percent(reason.substr(asked)))
      return "not as narrow as " + asked_text(*percent / 100);
  }
  const bool few = reason.starts_with(kBegin) && reason.find(kTooFew) != std::string_view::npos;
  return few ? fmt::format("their blocks are {}", kTooFew) : "";
}

}  // namespace triscope
