#include "profiler/statistics/verdicts.hpp"

#include <fmt/format.h>

#include "profiler/record/columns.hpp"
#include "profiler/record/words/factor_text.hpp"
#include "profiler/statistics/comparison_facts.hpp"

namespace triscope {

const StepVerdict* find_step(const Verdicts* verdicts, std::int64_t forward, std::int64_t backward) {
  if (verdicts == nullptr) return nullptr;
  const auto found = verdicts->steps.find({forward, backward});
  return found == verdicts->steps.end() ? nullptr : &found->second;
}

bool is_apart(const Comparison& comparison) {
  return !comparison.paired && comparison.verdict != Verdict::not_comparable;
}

std::string time_text(const Comparison& comparison) {
  const std::string word(to_string(comparison.verdict));
  switch (comparison.verdict) {
    case Verdict::faster:
      return fmt::format("{}x {}", factor_text(1 / comparison.ratio), word);
    case Verdict::slower:
      return fmt::format("{}x {}", factor_text(comparison.ratio), word);
    case Verdict::unclear:
      return comparison.ratio > 0 ? fmt::format("{}, {}x the time", word, factor_text(comparison.ratio)) : word;
    case Verdict::same:
      break;
    case Verdict::not_comparable:
      if (comparison.published) return factor_text(comparison.ratio) + "x the time";
      break;
  }
  return word;
}

std::string time_interval_text(const Comparison& comparison) {
  if (!has_interval(comparison)) return {};
  const Interval& ratio = comparison.interval;
  const bool inverse = comparison.verdict == Verdict::faster;
  const double low = inverse ? 1 / ratio.high : ratio.low, high = inverse ? 1 / ratio.low : ratio.high;
  // As many digits as tell the ends apart: "1.13 to 1.13" says nothing.
  int digits = 3;
  while (digits < 6 && factor_text(low, digits) == factor_text(high, digits)) ++digits;
  return fmt::format("{} to {}", factor_text(low, digits), factor_text(high, digits));
}

std::string time_sentence(const Comparison& comparison, const std::string& reference) {
  std::string text = time_text(comparison);
  switch (comparison.verdict) {
    case Verdict::faster:
    case Verdict::slower:
      text += " than " + reference;
      break;
    case Verdict::same:
      text = "the same time as " + reference;
      break;
    case Verdict::unclear:
      text += (comparison.ratio > 0 ? " of " : " beside ") + reference;
      break;
    case Verdict::not_comparable:
      if (comparison.published) return fmt::format("{} of {}, published, no interval", text, reference);
      return text + " with " + reference;
  }
  const std::string interval = time_interval_text(comparison);
  if (!interval.empty()) text += ", " + interval;
  if (!comparison.paired) return text + " *";
  // Elsewhere B may have another time: what it took beside A is what the ratio is of.
  return comparison.b_ms > 0 ? fmt::format("{}, in turns beside {} ms", text, significant_text(comparison.b_ms, 4))
                             : text;
}

}  // namespace triscope
