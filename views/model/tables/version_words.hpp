// The comparison of two versions of a kernel in few words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "views/model/tables/compare_model.hpp"

namespace triscope {

/// Of two versions whose rows are judged beside what did not change: "0 of 34 longer, 1 shorter,
/// 2 unclear, 31 inside the noise. Largest +2.7 %, 512 × 32 at 65,536 tokens, inside +-4.7 % (A not
/// converged); of rows with no "doubts" +2.5 %, 256 × 32, deterministic, at 8,192 tokens, inside it. A and B were
/// measured on two GPUs: less than 4.7 % cannot be told." Empty where too little did not change.
std::string versions_headline(const CompareModel& model);
/// "128 × 128 +20 to +24 % (5 longer), 256 × 64 +3 to +13 % (5: 4 longer, 1 unclear), 1024 × 16 inside the noise.": the
/// largest first. Empty where there is no band, or all rows are of one window.
std::string by_window_text(const CompareModel& model);
/// "27 unchanged measurements (FlashAttention-3): -1.3 to +2.6 % beside their average, time A / B 0.998, ...": by the
/// base of every change in the headline. Where too little did not change, their ratios.
std::string unchanged_words(const CompareModel& model);
/// "Hopper backward: 0 of 34 longer, ...": what can be said first; where too little did
/// not change the verdicts of rows.
std::string versions_summary(const CompareModel& model, Pass pass);

/// What the comparison of versions says of a pair of rows.
struct VersionVerdict {
  std::string text;     ///< "2c6a73 takes 6.1 % longer than 63ca6c."
  std::string meaning;  ///< in words
  BesideUnchanged is = BesideUnchanged::unclear;
};
/// Of measurement `a` beside `b`, whichever of them is of the newer version: the verdict is that of the newer one.
/// Nothing where they are no such pair.
std::optional<VersionVerdict> version_verdict(const CompareModel& model, std::int64_t a, std::int64_t b);
/// Of a pair whose times have no verdict, which those are and why: "Not comparable with 512 × 32 Hopper fwd: A and B
/// were measured on two GPUs." Two versions are compared all the same, beside what did not change.
std::string not_comparable_words(const Comparison& time, const std::string& other, bool versions);

}  // namespace triscope
