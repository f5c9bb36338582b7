// The paper's Theorem 1 by the head itself: beside a count of all pairs.
#include "kernels/tensors/match3.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "kernels/base/error.hpp"
#include "kernels/inspect/cpu/slice.hpp"

namespace triscope {
namespace {

/// The head's output of every token: values are 1, the blank pair's is 0.
std::vector<double> outputs(const AttentionTensors& tensors, Arithmetic arithmetic = Arithmetic::exact) {
  std::vector<double> result;
  for (float sink : make_overview(tensors, {match3_problem(tensors.seq_len), arithmetic}, 1).sink_p)
    result.push_back(1 - static_cast<double>(sink));
  return result;
}

TEST(Match3, decides_a_thousand_random_inputs_with_none_one_and_many_matches) {
  std::mt19937 random(7);
  int none = 0, single = 0, many = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const auto n = static_cast<std::int64_t>(1 + random() % 64);
    const auto modulus = static_cast<std::int64_t>(1 + random() % 97);
    // A third of the inputs are drawn from few residues, where matches are rare.
    const std::int64_t spread = trial % 3 == 0 ? std::max<std::int64_t>(1, modulus / 8) : modulus;
    std::vector<std::int64_t> numbers;
    for (std::int64_t i = 0; i < n; ++i)
      numbers.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(spread)) +
                        (trial % 3 == 0 ? 1 : 0));
    const auto tensors = match3_tensors(numbers, modulus, 0);
    const std::vector<std::int64_t> counts = match3_counts(numbers, modulus);
    const std::vector<double> told = outputs(*tensors);
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t beta = counts[static_cast<std::size_t>(i)];
      const double o = told[static_cast<std::size_t>(i)];
      ASSERT_EQ(o > kMatch3Threshold, beta > 0)
          << "n " << n << ", M " << modulus << ", token " << i << ", output " << o << ", matches " << beta;
      const auto matches = static_cast<double>(beta);
      // Misses weigh at most a quarter of the sink: between beta / (beta + 1) and what they add.
      ASSERT_GE(o, matches / (matches + 1) - 2e-3);
      ASSERT_LE(o, (matches + 0.25) / (matches + 1.25) + 2e-3);
      ++(beta == 0 ? none : beta == 1 ? single : many);
    }
  }
  EXPECT_GT(none, 1000);
  EXPECT_GT(single, 100);
  EXPECT_GT(many, 1000);
}

TEST(Match3, pairs_are_counted_as_one_by_one) {
  std::mt19937 random(3);
  for (const std::int64_t modulus : {1, 2, 7, 10, 1000}) {
    std::vector<std::int64_t> numbers;
    for (int i = 0; i < 30; ++i) numbers.push_back(static_cast<std::int64_t>(random() % 2001) - 1000);
    const std::vector<std::int64_t> counts = match3_counts(numbers, modulus);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      std::int64_t pairs = 0;
      for (std::int64_t x : numbers) {
        for (std::int64_t y : numbers) pairs += (numbers[i] + x + y) % modulus == 0;
      }
      EXPECT_EQ(counts[i], pairs) << "modulus " << modulus << ", token " << i;
    }
  }
}

TEST(Match3, logits_are_c_times_the_cosine_of_the_summed_angles) {
  const std::vector<std::int64_t> numbers{3, 8, 0, 5, -4};
  const double c = 20;
  const auto tensors = match3_tensors(numbers, 11, c);
  for (std::int64_t i = 0; i < 5; ++i) {
    const Slice slice = make_slice(*tensors, {match3_problem(5), Arithmetic::exact, 0, 0, i}, 25);
    ASSERT_EQ(slice.top.size(), 25U);
    for (const Triple& triple : slice.top) {
      const auto sum =
          static_cast<double>(numbers[static_cast<std::size_t>(i)] + numbers[static_cast<std::size_t>(triple.j)] +
                              numbers[static_cast<std::size_t>(triple.k)]);
      EXPECT_NEAR(triple.logit, c * std::cos(2 * M_PI * sum / 11), 1e-5);
    }
  }
}

TEST(Match3, a_smaller_c_lets_near_misses_pass_for_a_match) {
  const std::vector<std::int64_t> numbers(60, 1);  // every sum is 3: one step from the modulus below
  const auto enough = match3_tensors(numbers, 4, 0), small = match3_tensors(numbers, 4, 0.25 * match3_least_c(60, 4));
  EXPECT_LT(outputs(*enough)[0], kMatch3Threshold);
  EXPECT_GT(outputs(*small)[0], kMatch3Threshold);
}

TEST(Match3, bf16_is_too_coarse_for_a_large_modulus) {
  std::mt19937 random(11);
  int wrong = 0, wrong_exact = 0;
  for (int trial = 0; trial < 40; ++trial) {
    std::vector<std::int64_t> numbers;
    for (int i = 0; i < 10; ++i) numbers.push_back(static_cast<std::int64_t>(random() % 97));
    const auto tensors = match3_tensors(numbers, 97, 0);
    const std::vector<std::int64_t> counts = match3_counts(numbers, 97);
    const std::vector<double> exact = outputs(*tensors), coarse = outputs(*tensors, Arithmetic::bf16_kernel);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      wrong_exact += (exact[i] > kMatch3Threshold) != (counts[i] > 0);
      wrong += (coarse[i] > kMatch3Threshold) != (counts[i] > 0);
    }
  }
  EXPECT_EQ(wrong_exact, 0);
  EXPECT_GT(wrong, 40);
}

TEST(Match3, impossible_inputs_are_refused_in_words) {
  EXPECT_THROW(match3_tensors({}, 5, 0), Error);
  EXPECT_THROW(match3_tensors({1}, 0, 0), Error);
  EXPECT_THROW(match3_tensors({1}, 5, std::nan("")), Error);
  EXPECT_THROW(match3_tensors(std::vector<std::int64_t>(2000, 1), 5, 0), Error);
}

}  // namespace
}  // namespace triscope
