#include "profiler/match3/match3_bound.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "kernels/base/half.hpp"
#include "kernels/tensors/match3.hpp"

namespace triscope {
namespace {

constexpr double kSumRoundings = 10;  ///< of fp32, in a logit: two in a cross product, six sums, two in log2(e)
constexpr double kSlack = 0.01;       ///< nats: sums of exponentials in fp32, products of roundings, subnormal elements
constexpr double kLargestFp16 = 65504;

double unit_roundoff(Match3Precision precision) {
  switch (precision) {
    case Match3Precision::fp32:
      return 0x1p-24;
    case Match3Precision::fp16:
      return 0x1p-11;
    case Match3Precision::bf16:
      break;
  }
  return 0x1p-8;
}

/// From a match to the nearest miss, of a head with c = 1.
double step_of(std::int64_t modulus) { return 1 - std::cos(2 * std::numbers::pi / static_cast<double>(modulus)); }

}  // namespace

std::string_view to_string(Match3Precision precision) {
  constexpr std::array kNames{"fp32", "fp16", "bf16"};
  return kNames.at(static_cast<std::size_t>(precision));
}

std::optional<Match3Precision> parse_match3_precision(std::string_view text) {
  for (int i = 0; i < kMatch3Precisions; ++i) {
    if (to_string(static_cast<Match3Precision>(i)) == text) return static_cast<Match3Precision>(i);
  }
  return std::nullopt;
}

float held(float x, Match3Precision precision) {
  if (precision == Match3Precision::fp16) return float_from_half(half_from_float(x));
  if (precision == Match3Precision::bf16) return float_from_bfloat16(bfloat16_from_float(x));
  return x;
}

Match3Bound match3_bound(std::int64_t n, std::int64_t modulus, Match3Precision precision) {
  Match3Bound bound;
  bound.rounding = std::numbers::sqrt2 * (3 * unit_roundoff(precision) + kSumRoundings * 0x1p-24);
  bound.most_c = (std::log(3.0) - kSlack) / bound.rounding;
  if (precision == Match3Precision::fp16) bound.most_c = std::min(bound.most_c, kLargestFp16);
  if (modulus == 1) return bound;  // every pair matches
  const double room = step_of(modulus) - bound.rounding;
  bound.least_c = room > 0 ? (std::log(3 * static_cast<double>(n) * static_cast<double>(n)) + kSlack) / room
                           : std::numeric_limits<double>::infinity();
  return bound;
}

std::int64_t match3_largest_modulus(std::int64_t n, Match3Precision precision) {
  std::int64_t largest = 0;
  for (std::int64_t modulus = 1; modulus <= kMatch3LargestModulus && match3_bound(n, modulus, precision).possible();
       ++modulus)
    largest = modulus;
  return largest;
}

double match3_chosen_c(std::int64_t n, std::int64_t modulus, Match3Precision precision) {
  const Match3Bound bound = match3_bound(n, modulus, precision);
  double c = match3_usual_c(n, modulus);
  if (bound.possible()) {
    c = std::clamp(c, bound.least_c, bound.most_c);
    c = std::min(1.1 * c, (c + bound.most_c) / 2);
  }
  if (precision == Match3Precision::fp16) c = std::min(c, kLargestFp16);
  return static_cast<double>(held(static_cast<float>(c), precision));
}

}  // namespace triscope
