// How large the scale c of the Match3 head (kernels/tensors/match3.hpp) must be, how large it may be, and where no c is
// left: by length, modulus and the precision of the tensors.
//
//   A logit is c (cos(2 pi s / M) + d) with |d| <= e, the rounding. Matches have s = 0, the nearest misses s = 1 or -1.
//   told apart at the threshold 1/4:
//     n^2 misses weigh at most 1/3 of the sink:   n^2 exp(-c (1 - cos(2 pi / M) - e)) <= 1/3
//     one match weighs at least 1/3 of the sink:  exp(-c e) >= 1/3
//   so   ln(3 n^2) / (1 - cos(2 pi / M) - e)  <=  c  <=  ln(3) / e.
//   Both logarithms are taken 0.01 on the safe side: for sums of exponentials in fp32, products of roundings and
//   subnormal elements.
//
//   e: a determinant of the head has four products that are not zero, whose sizes add up to at most sqrt(2) c. Each has
//   three rounded factors (unit roundoff u); the products are added in fp32, in at most ten roundings.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace triscope {

/// Of the tensors q, k1 and k2. Products are added in fp32.
enum class Match3Precision { fp32, fp16, bf16 };
inline constexpr int kMatch3Precisions = 3;

std::string_view to_string(Match3Precision);
std::optional<Match3Precision> parse_match3_precision(std::string_view text);
/// `x` as the precision holds it.
float held(float x, Match3Precision precision);

struct Match3Bound {
  double rounding = 0;  ///< e
  double least_c = 0;   ///< infinite where rounding is as large as the step from a match to the nearest miss
  double most_c = 0;
  /// Some c is safe: with it every input of these numbers is told rightly.
  bool possible() const { return least_c <= most_c; }
  bool safe(double c) const { return least_c <= c && c <= most_c; }
};
/// Sufficient, not necessary: worst cases of all roundings are taken together.
Match3Bound match3_bound(std::int64_t n, std::int64_t modulus, Match3Precision precision);

/// The largest modulus up to which some c is safe, at most `kMatch3LargestModulus`; 0: none is.
std::int64_t match3_largest_modulus(std::int64_t n, Match3Precision precision);

/// A safe c where there is one, with room to both sides; else what exact arithmetic would take. Held exactly.
double match3_chosen_c(std::int64_t n, std::int64_t modulus, Match3Precision precision);

}  // namespace triscope
