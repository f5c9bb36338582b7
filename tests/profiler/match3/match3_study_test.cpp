// The head of Theorem 1 by a kernel: beside brute force, and the bound on c by trying.
#include "profiler/match3/match3_study.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "kernels/base/error.hpp"
#include "kernels/tensors/match3.hpp"

namespace triscope {
namespace {

/// Pairs that complete the number at `i`, from the definition.
std::int64_t pairs_of(const std::vector<std::int64_t>& numbers, std::size_t i, std::int64_t modulus) {
  std::int64_t pairs = 0;
  for (const std::int64_t x : numbers) {
    for (const std::int64_t y : numbers) pairs += (numbers[i] + x + y) % modulus == 0 ? 1 : 0;
  }
  return pairs;
}

/// Calls `visit` for every list of `n` numbers below `modulus`.
template <typename Visit>
void every_input(std::int64_t n, std::int64_t modulus, Visit visit) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(n), 0);
  while (true) {
    visit(numbers);
    std::size_t at = 0;
    while (at < numbers.size() && ++numbers[at] == modulus) numbers[at++] = 0;
    if (at == numbers.size()) return;
  }
}

TEST(Match3Study, tells_every_small_input_rightly_wherever_some_c_is_safe) {
  std::int64_t inputs = 0, matching = 0, others = 0;
  for (int precision = 0; precision < kMatch3Precisions; ++precision) {
    for (const auto& [n, largest] : {std::pair{1, 16}, {2, 16}, {3, 9}, {4, 5}, {5, 3}}) {
      for (std::int64_t modulus = 1; modulus <= largest; ++modulus) {
        const auto kind = static_cast<Match3Precision>(precision);
        if (!match3_bound(n, modulus, kind).possible()) continue;
        every_input(n, modulus, [&](const std::vector<std::int64_t>& numbers) {
          const Match3Answer answer = ask_match3({numbers, modulus, kind, 0});
          ASSERT_EQ(answer.tokens.size(), numbers.size());
          EXPECT_GT(answer.margin, 0);
          for (std::size_t i = 0; i < numbers.size(); ++i) {
            const Match3Token& token = answer.tokens[i];
            ASSERT_EQ(token.matches, pairs_of(numbers, i, modulus));
            ASSERT_EQ(token.told, token.matches > 0) << "M " << modulus << ", " << to_string(kind);
            ++(token.told ? matching : others);
          }
          ++inputs;
        });
      }
    }
  }
  EXPECT_GT(inputs, 8000);
  EXPECT_GT(matching, 5000);
  EXPECT_GT(others, 5000);
}

TEST(Match3Study, output_is_the_share_of_the_matches) {
  const Match3Answer answer = ask_match3({{1, 9, 0, 4, 20, -11}, 10, Match3Precision::fp32, 0});
  for (const Match3Token& token : answer.tokens) {
    const auto matches = static_cast<double>(token.matches);
    EXPECT_NEAR(token.output, matches / (matches + 1), 0.2);
    EXPECT_GE(token.output, matches / (matches + 1) - 1e-3);
  }
  EXPECT_EQ(answer.tokens[0].matches, 8) << "9 and -11 with 0 and 20 each, in both orders";
}

/// The bound is made of worst cases, so it holds for any n and M; nothing in it was fitted.
TEST(Match3Study, every_safe_c_decides_up_to_the_largest_modulus) {
  for (int i = 0; i < kMatch3Precisions; ++i) {
    const auto precision = static_cast<Match3Precision>(i);
    for (const std::int64_t n : {2, 7, 23, 50, 101}) {
      const std::int64_t largest = match3_largest_modulus(n, precision);
      ASSERT_GT(largest, 3) << to_string(precision);
      for (const std::int64_t modulus : {std::int64_t{4}, (largest + 4) / 2, largest - 1, largest}) {
        const Match3Bound bound = match3_bound(n, modulus, precision);
        ASSERT_TRUE(bound.possible()) << to_string(precision) << " " << n << " " << modulus;
        for (const double part : {0.0, 0.3, 1.0}) {
          double c = bound.least_c + part * (bound.most_c - bound.least_c);
          c = static_cast<double>(held(static_cast<float>(c), precision));
          if (!bound.safe(c)) continue;  // rounded out of the range
          const Match3Trial trial = try_match3(n, modulus, precision, c, 12, 77);
          EXPECT_EQ(trial.wrong, 0) << to_string(precision) << ", n " << n << ", M " << modulus << ", c " << c;
          EXPECT_GT(trial.margin, 0);
        }
      }
    }
  }
}

TEST(Match3Study, below_the_least_c_near_misses_pass_for_a_match) {
  for (const std::int64_t n : {31, 64}) {
    for (const std::int64_t modulus : {7, 43}) {
      const double least = match3_bound(n, modulus, Match3Precision::fp32).least_c;
      EXPECT_GT(try_match3(n, modulus, Match3Precision::fp32, 0.7 * least, 12, 5).wrong, 0) << n << " " << modulus;
      EXPECT_EQ(try_match3(n, modulus, Match3Precision::fp32, 1.01 * least, 12, 5).wrong, 0) << n << " " << modulus;
    }
  }
}

TEST(Match3Study, rounding_fails_beyond_the_bound_and_not_far_from_it) {
  for (const Match3Precision precision : {Match3Precision::fp16, Match3Precision::bf16}) {
    for (const std::int64_t n : {8, 24, 40, 64}) {
      const std::int64_t largest = match3_largest_modulus(n, precision);
      std::int64_t fails = 0;
      for (std::int64_t modulus = 2; modulus <= 3 * largest && fails == 0; ++modulus) {
        if (try_match3(n, modulus, precision, 0, 30, 3).wrong > 0) fails = modulus;
      }
      const double times = static_cast<double>(fails) / static_cast<double>(largest);
      EXPECT_GE(times, 1.3) << n << " numbers, " << to_string(precision);
      EXPECT_LE(times, 2.0) << n << " numbers, " << to_string(precision);
    }
  }
}

TEST(Match3Study, the_first_wrong_modulus_has_only_right_ones_below_it) {
  for (const Match3Precision precision : {Match3Precision::fp16, Match3Precision::bf16}) {
    const auto first = match3_first_wrong(8, precision, 12, 2);
    ASSERT_TRUE(first) << to_string(precision);
    EXPECT_GT(try_match3(8, *first, precision, 0, 12, 2).wrong, 0);
    for (std::int64_t modulus = 1; modulus < *first; ++modulus)
      EXPECT_EQ(try_match3(8, modulus, precision, 0, 12, 2).wrong, 0) << to_string(precision) << " " << modulus;
  }
  EXPECT_EQ(match3_first_wrong(8, Match3Precision::fp32, 12, 2), std::nullopt);
}

TEST(Match3Study, the_bound_falls_with_the_length_and_the_precision) {
  for (int i = 0; i < kMatch3Precisions; ++i) {
    const auto precision = static_cast<Match3Precision>(i);
    EXPECT_GE(match3_largest_modulus(4, precision), match3_largest_modulus(64, precision));
    EXPECT_GE(match3_largest_modulus(64, precision), match3_largest_modulus(1024, precision));
    EXPECT_GT(match3_bound(8, 30, precision).least_c, match3_bound(4, 30, precision).least_c);
  }
  EXPECT_LT(match3_largest_modulus(64, Match3Precision::bf16), match3_largest_modulus(64, Match3Precision::fp16));
  EXPECT_LT(match3_largest_modulus(64, Match3Precision::fp16), match3_largest_modulus(64, Match3Precision::fp32));
  EXPECT_FALSE(match3_bound(64, 97, Match3Precision::bf16).possible());
}

/// Every triple of residues, by the definition of a logit on rounded tensors: none is off by more than the bound says.
TEST(Match3Study, no_logit_is_off_by_more_than_the_bound_says) {
  for (int i = 0; i < kMatch3Precisions; ++i) {
    const auto precision = static_cast<Match3Precision>(i);
    const double rounding = match3_bound(8, 53, precision).rounding;
    double worst = 0;
    for (const std::int64_t modulus : {19, 53}) {
      const auto c = static_cast<double>(held(300, precision));
      const auto at = [&](double x) { return static_cast<double>(held(static_cast<float>(x), precision)); };
      for (std::int64_t a = 0; a < modulus; ++a) {
        for (std::int64_t b = 0; b < modulus; ++b) {
          for (std::int64_t d = 0; d < modulus; ++d) {
            const double turn = 2 * M_PI / static_cast<double>(modulus);
            const double x = turn * static_cast<double>(a), y = turn * static_cast<double>(b),
                         z = turn * static_cast<double>(d);
            const double cosine = at(c * std::cos(x)), sine = at(c * std::sin(x));
            const double logit = at(std::cos(z)) * (cosine * at(std::cos(y)) - sine * at(std::sin(y))) -
                                 at(std::sin(z)) * (sine * at(std::cos(y)) + cosine * at(std::sin(y)));
            worst = std::max(worst, std::abs(logit / c - std::cos(x + y + z)));
          }
        }
      }
    }
    EXPECT_LT(worst, rounding) << to_string(precision);
    EXPECT_GT(worst, rounding / 20) << to_string(precision) << ": the bound would be far from what happens";
  }
}

TEST(Match3Study, the_bound_is_the_documented_formula) {
  const double e = std::sqrt(2.0) * (3 * 0x1p-24 + 10 * 0x1p-24), step = 1 - std::cos(2 * M_PI / 53);
  const Match3Bound bound = match3_bound(8, 53, Match3Precision::fp32);
  EXPECT_NEAR(bound.least_c, (std::log(3.0 * 64) + 0.01) / (step - e), 1e-6);
  EXPECT_NEAR(bound.most_c, (std::log(3.0) - 0.01) / e, 1e-4);
}

TEST(Match3Study, seeds_make_the_same_numbers_and_other_seeds_others) {
  const auto numbers = match3_numbers(20, 97, 4);
  EXPECT_EQ(numbers, match3_numbers(20, 97, 4));
  EXPECT_NE(numbers, match3_numbers(20, 97, 5));
  EXPECT_THAT(numbers, testing::Each(testing::AllOf(testing::Ge(0), testing::Lt(97))));
}

TEST(Match3Study, impossible_questions_are_refused_in_words) {
  EXPECT_THROW(ask_match3({{}, 5, Match3Precision::fp32, 0}), Error);
  EXPECT_THROW(ask_match3({{1}, 0, Match3Precision::fp32, 0}), Error);
  EXPECT_THROW(ask_match3({{1}, 5, Match3Precision::fp16, 1e9}), Error) << "fp16 holds no such number";
  EXPECT_NO_THROW(ask_match3({{1, 2, 3}, 1000, Match3Precision::fp16, 0}));
}

}  // namespace
}  // namespace triscope
