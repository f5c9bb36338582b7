// What a dot-product head that is read as one number can do on Match3.
#include "profiler/match3/dot_product_head.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/philox.hpp"
#include "kernels/tensors/match3.hpp"
#include "profiler/match3/match3_study.hpp"

namespace triscope {
namespace {

bool matches(const std::vector<std::int64_t>& numbers, std::int64_t modulus) {
  for (const std::int64_t x : numbers) {
    for (const std::int64_t y : numbers) {
      if ((numbers[0] + x + y) % modulus == 0) return true;
    }
  }
  return false;
}

TEST(DotProductHead, four_inputs_that_no_sum_over_tokens_tells_apart) {
  for (std::int64_t modulus = 1; modulus <= 40; ++modulus) {
    const auto swap = match3_swap(modulus);
    ASSERT_EQ(swap.has_value(), modulus >= 4) << modulus;
    if (!swap) continue;
    const auto& in = swap->inputs;
    for (std::size_t n = 0; n < 4; ++n) {
      ASSERT_EQ(in.at(n).size(), 3U);
      EXPECT_EQ(in.at(n)[0], in.at(0)[0]);
      EXPECT_EQ(matches(in.at(n), modulus), n < 2) << modulus;
      const Match3Answer answer = ask_match3({in.at(n), modulus, Match3Precision::fp32, 0});
      EXPECT_EQ(answer.wrong, 0) << "the head of Theorem 1, mod " << modulus;
    }
    for (std::size_t place = 1; place < 3; ++place) {
      EXPECT_TRUE((in.at(0)[place] == in.at(2)[place] && in.at(1)[place] == in.at(3)[place]) ||
                  (in.at(0)[place] == in.at(3)[place] && in.at(1)[place] == in.at(2)[place]));
    }
  }
}

/// Softmax heads as they are, with random queries, keys, values, sinks and thresholds: each is wrong on one of the
/// four.
TEST(DotProductHead, random_softmax_heads_are_wrong_on_one_of_the_four) {
  const std::int64_t modulus = 11;
  const Match3Swap swap = *match3_swap(modulus);
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    std::uint64_t counter = 0;
    const auto normal = [&] { return 2 * static_cast<double>(unit_normal(counter++, 9, seed)); };
    std::array<std::array<double, 7>, 11> keys{};
    std::array<double, 11> values{};
    std::array<double, 7> query{};
    for (auto& key : keys) std::ranges::generate(key, normal);
    std::ranges::generate(values, normal);
    std::ranges::generate(query, normal);
    const double sink = std::exp(normal()), threshold = 0.3 * normal();
    int right = 0;
    for (std::size_t n = 0; n < 4; ++n) {
      double sum = sink, output = 0;
      for (const std::int64_t x : swap.inputs.at(n)) {
        double logit = 0;
        for (std::size_t d = 0; d < 7; ++d) logit += query.at(d) * keys.at(static_cast<std::size_t>(x)).at(d);
        sum += std::exp(logit);
        output += std::exp(logit) * values.at(static_cast<std::size_t>(x));
      }
      right += (output / sum > threshold) == (n < 2) ? 1 : 0;
    }
    EXPECT_LT(right, 4) << seed;
  }
}

TEST(DotProductHead, what_the_search_finds_is_better_than_one_answer_and_worse_than_the_determinant) {
  for (const auto& [n, modulus] : {std::pair{5, 23}, {8, 53}}) {
    const HeadsBeside beside = compare_heads(find_dot_product_head(n, modulus, 1), n, 1001);
    EXPECT_EQ(beside.determinant, beside.tokens);
    EXPECT_LT(beside.dot_product, beside.tokens * 9 / 10);
    EXPECT_GT(beside.dot_product, beside.larger_class * 11 / 10) << "the search learns something";
    EXPECT_EQ(beside.tokens, beside.inputs * n);
  }
}

/// Where a sum over tokens suffices the search finds it: modulo 2 there is a match for an even number always and for an
/// odd one unless there is no even number.
TEST(DotProductHead, the_search_finds_what_can_be_found) {
  const DotProductHead head = find_dot_product_head(4, 2, 1);
  const HeadsBeside beside = compare_heads(head, 4, 99);
  EXPECT_EQ(beside.dot_product, beside.tokens);
  EXPECT_EQ(head.told({1, 1, 1, 1}), std::vector<bool>(4, false));
  EXPECT_EQ(head.told({1, 1, 3, 0}), std::vector<bool>(4, true));
}

}  // namespace
}  // namespace triscope
