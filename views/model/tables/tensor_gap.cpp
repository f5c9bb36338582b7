#include "views/model/tables/tensor_gap.hpp"

#include <fmt/format.h>

#include <cmath>

namespace triscope {
namespace {

bool is_share(double value) { return value > 0 && value <= 1; }  // NaN is none

bool shows_difference(const RateGap& gap) {
  const auto& [low, high] = gap.interval;
  return gap.ratio > 0 && low > 0 && high >= low && std::isfinite(high) &&
         (low > 1 + gap.same_within || high < 1 - gap.same_within);
}

}  // namespace

std::string tensor_gap_words(const TensorUse& a, const TensorUse& b, const RateGap& gap) {
  for (const double share : {a.busy, b.busy, a.useful, b.useful}) {
    if (!is_share(share)) return {};
  }
  if (!shows_difference(gap)) return {};
  // In parts of the difference: rates multiply.
  const double whole = std::log(gap.ratio), busy = std::log(a.busy / b.busy) / whole,
               padding = std::log(a.useful / b.useful) / whole;
  if (std::abs(1 - busy - padding) > 0.5) return {};
  const char* cause = padding > 2 * busy   ? "mostly padding of tiles"
                      : busy > 2 * padding ? "mostly how busy they are"
                                           : "both, padding of tiles and how busy they are";
  return fmt::format(
      "The tensor cores run at {:.0f} % of their rate in A and {:.0f} % in B; of what they compute {:.1f} % and {:.1f} "
      "% is useful work. So the difference in TFLOP/s is {}.",
      100 * a.busy, 100 * b.busy, 100 * a.useful, 100 * b.useful, cause);
}

}  // namespace triscope
