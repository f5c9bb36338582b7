// What rounding to bf16 costs o: an fp64 emulation of a kernel that multiplies bf16 weights and writes bf16. It shows
// where the bounds of docs/method.md, "Rounding", come from.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/attention/inputs.hpp"
#include "kernels/reference/check.hpp"
#include "tests/kernels/attention/attention_case.hpp"

namespace triscope {
namespace {

// One standard deviation of rounding a number just above a power of two, relative to it: uniform in +-2^-8.
const double kCoarsest = 0x1p-7 / std::sqrt(12.0);
// The same for o, whose elements are spread over all mantissas.
constexpr double kOfOutput = 1.66e-3;

double to_bf16(double x) {
  if (x == 0) return 0;
  const double unit = std::ldexp(1.0, std::ilogb(x) - 7);
  return std::nearbyint(x / unit) * unit;
}

struct Emulated {
  double weights = 0;  ///< relative error of o with rounded weights
  double both = 0;     ///< with rounded weights, rounded itself
  double first = 0;    ///< share of the first eight rows in the squared norm
};

// Errors over all rows at once, as the check has them. Each row's reference is the largest score of its first step
// (one key of axis 1), plus `shift`: weights are 2^(score - reference) and may exceed 1. `zeros`: every third row and
// every fifth column of v2 is 0.
Emulated emulate(double scale, bool zeros, double shift) {
  constexpr std::int64_t kRows = 32, kWindow1 = 12, kHeads = 24, kDim = 32;
  test::AttentionCase inputs([] {
    Problem problem = test::attention_problem(Form::trilinear, kRows, kWindow1, kRows, kHeads, 1, kDim);
    problem.element = Element::bf16;
    return problem;
  }());
  if (zeros) {
    for (std::int64_t n = 0; n < kRows * kDim; ++n) {
      if (n / kDim % 3 == 0 || n % kDim % 5 == 0) inputs.v2[static_cast<std::size_t>(n)] = 0;
    }
  }
  const auto at = [](const std::vector<float>& tensor, std::int64_t row, std::int64_t d) {
    return static_cast<double>(tensor[static_cast<std::size_t>(row * kDim + d)]);
  };
  double norm = 0, of_first = 0, of_weights = 0, of_both = 0;
  for (std::int64_t i = 0; i < kRows; ++i) {
    for (std::int64_t head = 0; head < kHeads; ++head) {
      double reference = -1e300, sum = 0;
      std::vector<double> exact(kDim), rounded(kDim);
      for (std::int64_t j = i; j >= std::max<std::int64_t>(0, i - kWindow1 + 1); --j) {
        std::vector<double> scores;
        for (std::int64_t k = 0; k <= i; ++k) {
          double score = 0;
          for (std::int64_t d = 0; d < kDim; ++d)
            score += at(inputs.q, i * kHeads + head, d) * at(inputs.k1, j, d) * at(inputs.k2, k, d);
          scores.push_back(scale * M_LOG2E * score);
        }
        if (j == i) reference = *std::max_element(scores.begin(), scores.end()) + shift;
        for (std::int64_t k = 0; k <= i; ++k) {
          const double weight = std::exp2(scores[static_cast<std::size_t>(k)] - reference);
          const double stored = to_bf16(weight);
          sum += weight;
          for (std::int64_t d = 0; d < kDim; ++d) {
            const double value = at(inputs.v1, j, d) * at(inputs.v2, k, d);
            exact[static_cast<std::size_t>(d)] += weight * value;
            rounded[static_cast<std::size_t>(d)] += stored * value;
          }
        }
      }
      for (std::size_t d = 0; d < kDim; ++d) {
        const double o = exact[d] / sum, x = rounded[d] / sum;
        norm += o * o;
        if (i < 8) of_first += o * o;
        of_weights += (x - o) * (x - o);
        of_both += (to_bf16(x) - o) * (to_bf16(x) - o);
      }
    }
  }
  return {std::sqrt(of_weights / norm), std::sqrt(of_both / norm), of_first / norm};
}

// Without zeros the first row has one pair, which is its own reference: its weight is 1 and costs nothing, and o of
// that row is the largest. Zeros take that row's share away.
TEST(Rounding, zeros_in_v2_cost_more_because_the_first_row_no_longer_helps) {
  const Emulated plain = emulate(-0.05, false, 0), zeros = emulate(-0.05, true, 0);
  EXPECT_GT(plain.first, 0.5) << "the first rows decide an error over all rows at once";
  EXPECT_LT(plain.weights, 1.3e-3);
  EXPECT_GT(zeros.weights, 1.2 * plain.weights);
  EXPECT_LT(zeros.weights, kCoarsest);
  EXPECT_LT(plain.both, bounds_of({.element = Element::bf16}, true, Fold::query_k2, 1).o);
}

TEST(Rounding, the_bound_of_other_inputs_holds_wherever_the_weights_lie_between_powers_of_two) {
  const double normal = bounds_of({.element = Element::bf16}, true, Fold::query_k2, 1).o;
  const double other = bounds_of({.element = Element::bf16}, true, Fold::query_k2, 1, true).o;
  EXPECT_GT(other, std::hypot(kCoarsest, kOfOutput));
  EXPECT_LT(other, 1.05 * std::hypot(kCoarsest, kOfOutput)) << "3 % of scatter";
  double worst = 0;
  for (const double scale : {-0.05, 0.005}) {
    for (double shift = 0; shift < 1; shift += 0.125) worst = std::max(worst, emulate(scale, true, shift).both);
  }
  EXPECT_GT(worst, normal) << "2.5e-3 is that of N(0,1) inputs";
  EXPECT_LT(worst, other);
}

}  // namespace
}  // namespace triscope
