// Outputs made wrong on purpose, and the pair that is named for each.
#include "kernels/inspect/wrong_pairs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "kernels/inspect/cpu/slice.hpp"
#include "kernels/inspect/slice_rules.hpp"
#include "tests/kernels/attention/attention_case.hpp"

namespace triscope {
namespace {

constexpr double kBound = 1e-5;

/// Query 30 of head 1 with windows of 9 and 5 keys, and its row as the weighted sum of all pairs.
class WrongPairs : public testing::Test {
 protected:
  explicit WrongPairs(std::int64_t head_dim = 32) : data_(problem_of(head_dim), 7) {
    const Problem& p = data_.problem;
    tensors_ =
        std::make_unique<AttentionTensors>(p.batch, p.seq_len, p.q_heads, p.kv_heads, p.head_dim,
                                           std::array{data_.q, data_.k1, data_.k2, data_.v1, data_.v2}, data_.sink);
    query_ = checked_slice(*tensors_, {p, Arithmetic::exact, 0, 1, 30});
    slice_ = make_slice(*tensors_, query_);
  }
  static Problem problem_of(std::int64_t head_dim) {
    Problem p = test::attention_problem(Form::trilinear, 40, 9, 5, 2, 1, head_dim);
    p.sink = 0.5;
    p.v2_bias = 0.25;
    p.scale = 1;
    return p;
  }
  double p_of(std::int64_t j, std::int64_t k) const {
    return std::exp(slice_.log_p[static_cast<std::size_t>((k - slice_.first2) * slice_.count1 + j - slice_.first1)]);
  }
  /// `weight` of each pair, which is p where a kernel is right; pairs may lie anywhere.
  std::vector<float> row(const std::function<double(std::int64_t, std::int64_t)>& weight) const {
    const auto dim = static_cast<std::size_t>(data_.problem.head_dim);
    std::vector<double> sum(dim);
    double all = slice_.sink_p;
    for (std::int64_t j = 20; j < 34; ++j) {
      for (std::int64_t k = 20; k < 34; ++k) {
        const double w = weight(j, k);
        all += w;
        for (std::size_t d = 0; d < dim; ++d)
          sum[d] += w * data_.v1[static_cast<std::size_t>(j) * dim + d] *
                    (data_.v2[static_cast<std::size_t>(k) * dim + d] + 0.25);
      }
    }
    std::vector<float> out;
    for (const double x : sum) out.push_back(static_cast<float>(x / all));
    return out;
  }
  double right(std::int64_t j, std::int64_t k) const { return j > 21 && j <= 30 && k > 25 && k <= 30 ? p_of(j, k) : 0; }
  /// The row of a kernel that gives one pair `weight`.
  std::vector<float> with(std::int64_t at_j, std::int64_t at_k, double weight) const {
    return row([&](std::int64_t j, std::int64_t k) { return j == at_j && k == at_k ? weight : right(j, k); });
  }
  std::vector<WrongPair> named(const std::vector<float>& output, double bound = kBound) const {
    return wrong_pairs(*tensors_, query_, slice_, output, bound, 3);
  }

  test::AttentionCase data_;
  std::unique_ptr<AttentionTensors> tensors_;
  SliceQuery query_;
  Slice slice_;
};

TEST_F(WrongPairs, a_right_row_names_none) {
  const std::vector<float> exact = row([&](std::int64_t j, std::int64_t k) { return right(j, k); });
  for (std::size_t d = 0; d < exact.size(); ++d) ASSERT_NEAR(exact[d], slice_.output[d], 1e-6);
  EXPECT_TRUE(named(exact).empty());
}

TEST_F(WrongPairs, a_pair_that_was_left_out_is_named) {
  for (const auto& [j, k] : {std::pair{22, 26}, std::pair{30, 30}, std::pair{25, 28}}) {
    const std::vector<WrongPair> found = named(with(j, k, 0));
    ASSERT_FALSE(found.empty()) << j << " " << k;
    EXPECT_EQ(found[0].kind, WrongPairKind::left_out);
    EXPECT_EQ(found[0].j, j);
    EXPECT_EQ(found[0].k, k);
    EXPECT_GT(found[0].share, 0.999);
    EXPECT_NEAR(found[0].p, p_of(j, k), 1e-9);
    EXPECT_NEAR(found[0].c, -p_of(j, k) / (1 - p_of(j, k)), 1e-5);
  }
}

TEST_F(WrongPairs, a_pair_from_beyond_a_window_or_the_mask_is_named) {
  for (const auto& [j, k] : {std::pair{21, 28}, std::pair{24, 25}, std::pair{31, 30}, std::pair{29, 31}}) {
    const std::vector<WrongPair> found = named(with(j, k, 0.03));
    ASSERT_FALSE(found.empty()) << j << " " << k;
    EXPECT_EQ(found[0].kind, WrongPairKind::added);
    EXPECT_EQ(found[0].j, j);
    EXPECT_EQ(found[0].k, k);
    EXPECT_NEAR(found[0].p, 0.03 / 1.03, 1e-5);
  }
  EXPECT_TRUE(named(with(20, 28, 0.03)).empty()) << "two positions beyond the window are not looked at";
}

TEST_F(WrongPairs, a_pair_that_was_weighed_wrongly_is_named_with_its_factor) {
  for (const double times : {0.5, 2.0, 7.0, 200.0}) {
    const std::vector<WrongPair> found = named(with(27, 29, times * p_of(27, 29)));
    ASSERT_FALSE(found.empty()) << times;
    EXPECT_EQ(found[0].kind, WrongPairKind::weighed);
    EXPECT_EQ(found[0].j, 27);
    EXPECT_EQ(found[0].k, 29);
    EXPECT_NEAR(found[0].times, times, 0.01 * times);
  }
}

TEST_F(WrongPairs, two_faults_are_no_single_pair) {
  EXPECT_TRUE(named(row([&](std::int64_t j, std::int64_t k) {
                return right(j, k) + ((j == 22 && k == 26) || (j == 29 && k == 27) ? 0.02 : 0);
              })).empty());
  EXPECT_TRUE(named(row([&](std::int64_t j, std::int64_t k) { return j == 22 ? 0 : right(j, k); })).empty())
      << "a whole key";
}

TEST_F(WrongPairs, rounding_errors_name_none_also_beyond_the_bound) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int n = 0; n < 200; ++n) {
    std::vector<float> noisy = slice_.output;
    double squares = 0, norm = 0;
    std::vector<double> noise;
    for (const float x : slice_.output) {
      noise.push_back(normal(random));
      squares += noise.back() * noise.back();
      norm += static_cast<double>(x) * x;
    }
    const double error = n % 2 == 0 ? 0.9 * kBound : 3e-3;
    for (std::size_t d = 0; d < noisy.size(); ++d)
      noisy[d] = static_cast<float>(noisy[d] + noise[d] * error * std::sqrt(norm / squares));
    EXPECT_TRUE(named(noisy).empty()) << n;
  }
  EXPECT_FALSE(named(with(27, 29, 1.1 * p_of(27, 29))).empty());
  EXPECT_TRUE(named(with(27, 29, 1.1 * p_of(27, 29)), 4e-3).empty()) << "within what a bf16 kernel may be off";
  std::vector<float> not_finite = slice_.output;
  not_finite[3] = std::nanf("");
  EXPECT_TRUE(named(not_finite).empty());
}

/// In so few dimensions many pairs explain anything.
class WrongPairsOfFewDimensions : public WrongPairs {
 protected:
  WrongPairsOfFewDimensions() : WrongPairs(3) {}
};

TEST_F(WrongPairsOfFewDimensions, what_chance_explains_names_none) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  int named_by_chance = 0;
  for (int n = 0; n < 200; ++n) {
    std::vector<float> noisy = slice_.output;
    for (float& x : noisy) x += static_cast<float>(0.02 * normal(random) * std::abs(slice_.output[0]));
    named_by_chance += named(noisy).empty() ? 0 : 1;
  }
  EXPECT_LE(named_by_chance, 20) << "about one in twenty at most";
}

}  // namespace
}  // namespace triscope
