// The noise of a comparison: what kernels that did not change differ by between the same two sides, and whether a row
// differs by more (docs/method.md, "What did not change").
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "profiler/record/measurement.hpp"
#include "profiler/statistics/between_sides.hpp"
#include "profiler/statistics/statistics.hpp"

namespace triscope {

/// Fewer unchanged measurements do not say how much they vary.
inline constexpr std::size_t kFewestUnchanged = 5;

/// Between which ratios of time, A / B, unchanged kernels lie.
struct UnchangedBand {
  std::size_t count = 0;
  double middle = 0;  ///< by the mean of the logarithms
  double factor = 1;  ///< of 100 further unchanged ratios 99 lie between `middle` / `factor` and `middle` * `factor`
};
/// Nothing for fewer than `kFewestUnchanged`.
std::optional<UnchangedBand> unchanged_band(const UnchangedKernels& kernels);
/// "One more would lie within 4.8 % of their average in 99 of 100 cases."; of few that there is no such bound; empty
/// where there is nothing.
std::string band_text(const UnchangedKernels& kernels);

/// Whether a row's ratio can be told from those.
enum class BesideUnchanged { slower, faster, inside, unclear };
std::string_view to_string(BesideUnchanged is);
struct BandVerdict {
  BesideUnchanged is = BesideUnchanged::unclear;
  double change = 0;  ///< the ratio over the unchanged kernels' average, less 1
  std::string why{};  ///< of unclear
  char modes_of = 0;  ///< 'A' or 'B': why says that this one has two modes; 0: it says something else
};
/// `comparison` of `a` with `b`. Nothing where it has no ratio.
std::optional<BandVerdict> judge(const UnchangedBand& band, const Comparison& comparison, const ResultRow& a,
                                 const ResultRow& b);
/// "longer, +6.1 %", "inside, +1.9 %".
std::string band_brief(const BandVerdict& verdict);
/// "1.9 % longer than unchanged kernels on average, inside what they vary by (4.8 %): the machine may be the reason."
std::string band_sentence(const UnchangedBand& band, const BandVerdict& verdict);

/// How many rows are what.
struct BandTally {
  std::size_t slower = 0, faster = 0, inside = 0, unclear = 0;
  void add(const BandVerdict& verdict);
};
/// "Beside 21 unchanged measurements 0 of 34 take longer, 1 shorter; 33 inside what those vary by."; empty where no
/// row was judged.
std::string tally_text(const UnchangedBand& band, const BandTally& tally);

/// The words of doubts and of why a row is unclear that say which it is: a table with little room shows these alone.
namespace doubt {
inline constexpr std::string_view kOwnInterval = "own interval", kTwoModes = "two modes", kFewBlocks = "few blocks",
                                  kNotConverged = "not converged", kOneProcess = "one process";
inline constexpr std::array kAll{kOwnInterval, kTwoModes, kFewBlocks, kNotConverged, kOneProcess};
}  // namespace doubt

/// What makes the times of a pair doubtful: "A not converged; B two modes, few blocks"; empty: nothing is known.
/// That A or B has two modes is left out where it has been said already (`BandVerdict::modes_of`).
std::string doubts_text(const ResultRow& a, const ResultRow& b, char modes_said_of = 0);

}  // namespace triscope
