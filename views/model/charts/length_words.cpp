#include "views/model/charts/length_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "profiler/record/words/power_text.hpp"
#include "profiler/statistics/training_step.hpp"
#include "views/data/format.hpp"
#include "views/model/charts/length_point.hpp"

namespace triscope {
namespace {

std::string length_text(double tokens) {
  return format_count(static_cast<std::int64_t>(std::llround(tokens / 100) * 100));
}

/// "31,300 to 32,200", of an interval that is known.
std::string range_text(const LatencyCrossing& crossing) {
  const std::string low = length_text(crossing.low), high = length_text(crossing.high);
  if (crossing.open_below()) return crossing.open_above() ? "at any measured length" : high + " or less";
  return crossing.open_above() ? low + " or more" : low + " to " + high;
}

/// "31,300 to 32,200 by the 95 % intervals".
std::string interval_words(const LatencyCrossing& crossing) {
  if (!(crossing.low > 0)) return "too few samples for an interval";
  return range_text(crossing) + " by the 95 % intervals" +
         (crossing.few_blocks ? ", some of too few blocks to trust" : "");
}

/// Of what the intervals decide.
std::string doubt_words(const LatencyCrossing& crossing) {
  return crossing.few_blocks ? " (by some intervals of too few blocks to trust)" : "";
}

}  // namespace

std::string shared_words(std::span<const LengthCurve> curves) {
  if (curves.empty()) return {};
  const Problem& first = curves.front().problem;
  const auto is_shared = [&](auto member) {
    return std::ranges::all_of(curves, [&](const LengthCurve& one) { return one.problem.*member == first.*member; });
  };
  std::vector<std::string> words;
  if (is_shared(&Problem::form)) words.emplace_back(to_string(first.form));
  if (is_shared(&Problem::q_heads) && is_shared(&Problem::kv_heads))
    words.push_back(fmt::format("{}/{} heads", first.q_heads, first.kv_heads));
  if (is_shared(&Problem::head_dim)) words.push_back(fmt::format("head size {}", first.head_dim));
  if (first.batch != 1 && is_shared(&Problem::batch)) words.push_back(fmt::format("batch {}", first.batch));
  if (first.deterministic && is_shared(&Problem::deterministic)) words.emplace_back("deterministic");
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string short_name(const LengthCurve& curve) {
  const std::string& full = curve.card.label;
  const bool has_short = !curve.card.short_label.empty() && curve.label.starts_with(full);
  return has_short ? curve.card.short_label + curve.label.substr(full.size()) : curve.label;
}

std::vector<std::string> crossing_row(const LengthCurve& ours, const LengthCurve& baseline,
                                      const LengthCrossing& crossing) {
  const LatencyCrossing& m = crossing.measured;
  std::string tokens = "–", interval = "–", verdict;
  switch (m.kind) {
    case LatencyCrossing::Kind::crosses:
      tokens = length_text(m.seq_len);
      verdict = std::string("crosses") + (crossing.in_turns || crossing.passes_in_turns ? ", in turns" : "");
      break;
    case LatencyCrossing::Kind::cheaper:
      verdict = fmt::format("costs less, {} to {}", format_tokens(m.shortest), format_tokens(m.longest));
      break;
    case LatencyCrossing::Kind::dearer:
      verdict = fmt::format("costs more up to {}", format_tokens(m.longest));
      break;
    case LatencyCrossing::Kind::not_decided:
      verdict = "not decided";
      break;
    case LatencyCrossing::Kind::not_comparable:
      verdict = "fewer than two lengths in common";
  }
  if (m.kind == LatencyCrossing::Kind::crosses || m.kind == LatencyCrossing::Kind::not_decided)
    interval = m.low > 0 ? range_text(m) : "unknown";
  if (m.few_blocks) verdict += ", few blocks";
  return {ours.label,
          short_name(baseline),
          tokens,
          interval,
          verdict,
          format_count(crossing.exact_count),
          format_count(crossing.paper_count)};
}

TextTable crossing_table(const LengthPass& pass) {
  TextTable table{{"windows", "beside", "same cost at, tokens", "95 % interval", "verdict", "by exact count",
                   "by the paper's count"},
                  {false, false, true, true, false, true, true},
                  {}};
  for (const LengthCrossing& crossing : pass.crossings) table.rows.push_back(crossing.row);
  return table;
}

std::string crossing_sentence(const LengthCurve& ours, const LengthCurve& baseline, const LengthCrossing& crossing) {
  const LatencyCrossing& m = crossing.measured;
  std::string measured;
  switch (m.kind) {
    case LatencyCrossing::Kind::crosses:
      measured = fmt::format("{} costs as much as {} at {} tokens, by measured latency{} ({})", ours.label,
                             baseline.label, length_text(m.seq_len), crossing.turns_words(), interval_words(m));
      break;
    case LatencyCrossing::Kind::cheaper:
      measured = fmt::format("{} costs less than {} at every length that both have, {} to {}{}", ours.label,
                             baseline.label, format_tokens(m.shortest), format_tokens(m.longest), doubt_words(m));
      break;
    case LatencyCrossing::Kind::dearer:
      measured = fmt::format("{} costs more than {} at the longest length that both have, {}{}", ours.label,
                             baseline.label, format_tokens(m.longest), doubt_words(m));
      break;
    case LatencyCrossing::Kind::not_decided:
      measured = fmt::format("Where {} begins to cost less than {} is not decided ({})", ours.label, baseline.label,
                             interval_words(m));
      break;
    case LatencyCrossing::Kind::not_comparable:
      measured = fmt::format("{} and {} have fewer than two measured lengths in common", ours.label, baseline.label);
  }
  return fmt::format("{}; by the exact count at {} (2 w1 w2 is {}), by the paper's count, 3 w1 w2, at {}.", measured,
                     format_count(crossing.exact_count), format_count(crossing.full_rows),
                     format_count(crossing.paper_count));
}

std::string area_text(const AreaEstimate& estimate) {
  const auto rounded = [](double area) {
    const double unit = std::max(1.0, std::pow(10, std::floor(std::log10(area)) - 2));
    return format_count(std::llround(std::round(area / unit) * unit));
  };
  return "about " + rounded(estimate.area) +
         (estimate.low > 0 ? fmt::format(" ({} to {})", rounded(estimate.low), rounded(estimate.high))
                           : " (interval unknown)");
}

std::string point_text(const LengthCurve& curve, const LengthPoint& point) {
  const auto is_elsewhere = [&](const LengthPoint& one) {
    return one.sweep != curve.points.front().sweep || one.backward_sweep != curve.points.front().backward_sweep;
  };
  std::string of;  // which sweep, where the line is of several
  if (std::ranges::any_of(curve.points, is_elsewhere)) of = fmt::format(", of sweep {}", point.sweep);
  if (point.backward != 0 && point.backward_sweep != point.sweep)
    of = fmt::format(", forward of sweep {}, backward of sweep {}", point.sweep, point.backward_sweep);
  return fmt::format(
      "{}, {} tokens{}: {}, {}{}", curve.label, format_count(point.seq_len), of, format_ms(point.ms, half_width(point)),
      interval_known(point) ? "95 % interval " + format_ms_interval(point.low_ms, point.high_ms, point.ms)
                            : "interval unknown",
      interval_known(point) && !point.converged ? ", not converged" : "");
}

}  // namespace triscope
