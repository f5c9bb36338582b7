#include "kernels/attention/problem.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "kernels/attention/flops.hpp"
#include "kernels/base/error.hpp"

namespace triscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Problem small(std::int64_t n, std::int64_t w1, std::int64_t w2, Form form = Form::trilinear) {
  Problem problem;
  problem.form = form;
  problem.seq_len = n;
  problem.q_heads = 4;
  problem.kv_heads = 2;
  problem.head_dim = 6;
  problem.window1 = w1;
  problem.window2 = w2;
  return problem;
}

double brute_force_triples(const Problem& problem) {
  double count = 0;
  for (std::int64_t i = 0; i < problem.seq_len; ++i) {
    for (std::int64_t j = 0; j < problem.seq_len; ++j) {
      for (std::int64_t k = 0; k < problem.seq_len; ++k) {
        const bool seen =
            problem.mask == Mask::full || (j <= i && j > i - problem.window1 && k <= i && k > i - problem.window2);
        count += seen ? 1 : 0;
      }
    }
  }
  return count;
}

TEST(Problem, the_default_is_valid) { EXPECT_THAT(validate(Problem{}), IsEmpty()); }

TEST(Problem, every_reason_is_named_with_the_value_and_the_bound) {
  Problem problem;
  problem.window1 = 0;
  problem.window2 = -3;
  problem.scale = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(validate(problem),
              ElementsAre("window1 is 0, but must be at least 1", "window2 is -3, but must be at least 1",
                          "scale is nan, but must be a finite number"));
  EXPECT_THROW(require_valid(problem), Error);
}

TEST(Problem, factors_leave_room_for_logits_in_fp32) {
  Problem problem;
  problem.scale = 1e308;
  problem.k2_bias = -1e31;
  problem.v2_bias = -1e30;
  problem.sink = 1e30;
  EXPECT_THAT(validate(problem),
              ElementsAre("scale is 1e+308, but must lie between -1e+30 and 1e+30: kernels compute with it in fp32",
                          "k2_bias is -1e+31, but must lie between -1e+30 and 1e+30: kernels compute with it in fp32"));
}

TEST(Problem, heads_must_divide) {
  Problem problem;
  problem.q_heads = 6;
  problem.kv_heads = 4;
  EXPECT_THAT(validate(problem), ElementsAre(HasSubstr("multiple of kv_heads")));
}

TEST(Problem, sizes_that_would_overflow_are_refused) {
  Problem problem;
  problem.seq_len = std::int64_t{1} << 31;
  problem.q_heads = std::int64_t{1} << 20;
  EXPECT_THAT(validate(problem), ElementsAre(HasSubstr("elements")));
  problem.seq_len = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(validate(problem), ElementsAre(HasSubstr("seq_len")));
}

TEST(Problem, names_round_trip) {
  for (Form form : {Form::trilinear, Form::determinant, Form::dot_product, Form::gemm})
    EXPECT_EQ(parse_form(to_string(form)), form);
  for (Mask mask : {Mask::causal, Mask::full}) EXPECT_EQ(parse_mask(to_string(mask)), mask);
  for (Element element : {Element::fp32, Element::bf16}) EXPECT_EQ(parse_element(to_string(element)), element);
  for (Pass pass : {Pass::forward, Pass::backward}) EXPECT_EQ(parse_pass(to_string(pass)), pass);
  EXPECT_EQ(parse_form("Trilinear"), std::nullopt);
}

TEST(Flops, triple_count_equals_brute_force) {
  for (std::int64_t n : {1, 2, 3, 7, 12}) {
    for (std::int64_t w1 : {1, 2, 5, 12, 40}) {
      for (std::int64_t w2 : {1, 3, 6, 13}) {
        Problem problem = small(n, w1, w2);
        EXPECT_EQ(triple_count(problem), brute_force_triples(problem)) << n << ' ' << w1 << ' ' << w2;
        problem.mask = Mask::full;
        EXPECT_EQ(triple_count(problem), brute_force_triples(problem));
      }
    }
  }
}

TEST(Flops, dot_product_counts_kept_pairs) {
  Problem problem = small(9, 4, 1, Form::dot_product);
  problem.window2 = 1;
  double pairs = 0;
  for (int i = 0; i < 9; ++i) pairs += std::min(i + 1, 4);
  EXPECT_EQ(triple_count(problem), pairs);
  EXPECT_EQ(useful_flops(problem, Pass::forward), 4 * pairs * 4 * 6);
}

TEST(Flops, backward_is_two_and_a_half_forwards_and_the_paper_counts_six) {
  const Problem problem = small(64, 8, 4);
  EXPECT_EQ(useful_flops(problem, Pass::backward), 2.5 * useful_flops(problem, Pass::forward));
  EXPECT_EQ(paper_flops(problem, Pass::forward), 6.0 * 64 * 8 * 4 * 4 * 6);
}

TEST(Flops, large_problems_do_not_overflow) {
  Problem problem;
  problem.seq_len = std::int64_t{1} << 31;
  problem.window1 = problem.window2 = problem.seq_len;
  problem.q_heads = problem.kv_heads = problem.head_dim = 1;
  const double n = static_cast<double>(problem.seq_len);
  EXPECT_NEAR(triple_count(problem) / (n * n * n / 3), 1.0, 1e-8);
}

}  // namespace
}  // namespace triscope
