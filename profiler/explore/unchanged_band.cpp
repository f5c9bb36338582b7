#include "profiler/explore/unchanged_band.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "profiler/statistics/convergence.hpp"
#include "profiler/statistics/student_t.hpp"

namespace triscope {
namespace {

constexpr std::string_view kTwoModes = "two modes: ";

/// How far the modes of a measurement are apart, as a ratio; 1 where it has one. Its reason names them (`modes_text`).
double modes_apart(const ResultRow& row) {
  const std::size_t at = row.reason.find(kTwoModes);
  if (at == std::string::npos) return 1;
  double low = 0, high = 0;
  const std::string numbers = row.reason.substr(at + kTwoModes.size());
  if (std::sscanf(numbers.c_str(), "%lf ms and %lf ms", &low, &high) != 2 || !(low > 0) || !(high > low)) return 1;
  return high / low;
}

std::string percent_text(double share) { return fmt::format("{:.1f} %", 100 * std::abs(share)); }

/// What makes the time of one row doubtful.
std::string doubts_of(const ResultRow& row, bool modes) {
  std::vector<std::string_view> doubts;
  const auto says = [&row](std::string_view words) { return row.reason.find(words) != std::string::npos; };
  if (modes && says(kTwoModes)) doubts.emplace_back(doubt::kTwoModes);
  if (says("blocks are too few")) {
    doubts.emplace_back(doubt::kFewBlocks);
  } else if (!has_converged(row)) {
    doubts.emplace_back(doubt::kNotConverged);
  }
  if (row.restarts == 1) doubts.emplace_back(doubt::kOneProcess);
  return fmt::format("{}", fmt::join(doubts, ", "));
}

}  // namespace

std::optional<UnchangedBand> unchanged_band(const UnchangedKernels& kernels) {
  constexpr double kProbability = 0.995;  // of 100 further ratios one lies outside, above or below
  if (kernels.times.size() < kFewestUnchanged) return std::nullopt;
  const double n = static_cast<double>(kernels.times.size());
  double sum = 0, squares = 0;
  for (const double ratio : kernels.times) sum += std::log(ratio);
  for (const double ratio : kernels.times) squares += std::pow(std::log(ratio) - sum / n, 2);
  const double deviation = std::sqrt(squares / (n - 1));
  return UnchangedBand{kernels.times.size(), std::exp(sum / n),
                       std::exp(t_quantile(kProbability, n - 1) * deviation * std::sqrt(1 + 1 / n))};
}

std::string band_text(const UnchangedKernels& kernels) {
  if (kernels.times.empty()) return {};
  if (const std::optional<UnchangedBand> band = unchanged_band(kernels))
    return fmt::format("One more would lie within {} of their average, {:.3f}, in 99 of 100 cases.",
                       percent_text(band->factor - 1), band->middle);
  return fmt::format("Too few to say how much they vary: {} are needed.", kFewestUnchanged);
}

std::string_view to_string(BesideUnchanged is) {
  switch (is) {
    case BesideUnchanged::slower:
      return "longer";
    case BesideUnchanged::faster:
      return "shorter";
    case BesideUnchanged::inside:
      return "inside";
    case BesideUnchanged::unclear:
      return "unclear";
  }
  return "?";
}

std::optional<BandVerdict> judge(const UnchangedBand& band, const Comparison& comparison, const ResultRow& a,
                                 const ResultRow& b) {
  if (!(comparison.ratio > 0)) return std::nullopt;
  const double change = comparison.ratio / band.middle, apart = std::abs(std::log(change)),
               noise = std::log(band.factor);
  BandVerdict verdict{BesideUnchanged::unclear, change - 1, {}};
  if (apart <= noise) {
    verdict.is = BesideUnchanged::inside;
    return verdict;
  }
  if (!interval_known(comparison)) {
    verdict.why = "too few blocks for an interval";
    return verdict;
  }
  if (comparison.few_blocks) {
    verdict.why = "too few blocks to trust it";
    return verdict;
  }
  const double own = std::log(comparison.interval.high / comparison.interval.low) / 2;
  if (apart <= std::hypot(noise, own)) {
    verdict.why = fmt::format("its {} is +-{}", doubt::kOwnInterval, percent_text(std::exp(own) - 1));
    return verdict;
  }
  for (const auto& [row, letter] : {std::pair(&a, 'A'), std::pair(&b, 'B')}) {
    if (comparison.paired || apart > std::log(modes_apart(*row))) continue;
    verdict.why =
        fmt::format("{} has {} that are {} apart", letter, doubt::kTwoModes, percent_text(modes_apart(*row) - 1));
    verdict.modes_of = letter;
    return verdict;
  }
  verdict.is = change > 1 ? BesideUnchanged::slower : BesideUnchanged::faster;
  return verdict;
}

std::string band_brief(const BandVerdict& verdict) {
  const double percent = std::round(1000 * verdict.change) / 10 + 0.0;  // -0 is 0
  return fmt::format("{}, {:+.1f} %", to_string(verdict.is), percent);
}

std::string band_sentence(const UnchangedBand& band, const BandVerdict& verdict) {
  const bool alike = percent_text(verdict.change) == percent_text(band.factor - 1);  // another digit tells them apart
  const auto percent = [alike](double share) { return fmt::format("{:.{}f} %", 100 * std::abs(share), alike ? 2 : 1); };
  const std::string change = fmt::format("{} {} than unchanged kernels on average", percent(verdict.change),
                                         verdict.change >= 0 ? "longer" : "shorter"),
                    noise = percent(band.factor - 1);
  switch (verdict.is) {
    case BesideUnchanged::inside:
      return fmt::format("{}, inside what they vary by ({}): the machine may be the reason.", change, noise);
    case BesideUnchanged::unclear:
      return fmt::format("{}, outside what they vary by ({}), but unclear: {}.", change, noise, verdict.why);
    default:
      return fmt::format("{}, outside what they vary by ({}).", change, noise);
  }
}

void BandTally::add(const BandVerdict& verdict) {
  slower += verdict.is == BesideUnchanged::slower;
  faster += verdict.is == BesideUnchanged::faster;
  inside += verdict.is == BesideUnchanged::inside;
  unclear += verdict.is == BesideUnchanged::unclear;
}

std::string tally_text(const UnchangedBand& band, const BandTally& tally) {
  const std::size_t judged = tally.slower + tally.faster + tally.inside + tally.unclear;
  if (judged == 0) return {};
  std::string text = fmt::format("Beside {} unchanged measurements {} of {} take longer, {} shorter", band.count,
                                 tally.slower, judged, tally.faster);
  if (tally.inside > 0) text += fmt::format("; {} inside what those vary by", tally.inside);
  if (tally.unclear > 0) text += fmt::format("; {} unclear", tally.unclear);
  return text + ".";
}

std::string doubts_text(const ResultRow& a, const ResultRow& b, char modes_said_of) {
  const std::string of_a = doubts_of(a, modes_said_of != 'A'), of_b = doubts_of(b, modes_said_of != 'B');
  if (of_a == of_b) return of_a.empty() ? "" : "A and B " + of_a;
  std::string text = of_a.empty() ? "" : "A " + of_a;
  if (!of_b.empty()) text += (text.empty() ? "B " : "; B ") + of_b;
  return text;
}

}  // namespace triscope
