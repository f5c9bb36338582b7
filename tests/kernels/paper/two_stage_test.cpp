// cpu.two_stage, the paper's backward, against the fp64 oracle.
#include "kernels/paper/two_stage.hpp"

#include <gmock/gmock.h>

#include "kernels/base/error.hpp"
#include "kernels/cpu/fast.hpp"
#include "kernels/reference/oracle_kernel.hpp"
#include "tests/kernels/attention/attention_case.hpp"

namespace triscope {
namespace {

using test::attention_problem;
using test::AttentionCase;
using testing::HasSubstr;

/// The backward on the oracle's o and lse, every row and key compared.
void expect_two_stage_agreement(const Problem& problem) {
  SCOPED_TRACE(describe(problem));
  AttentionCase tensors(problem);
  ASSERT_TRUE(tensors.run(*make_cpu_oracle(), Pass::forward));
  const auto kernel = make_cpu_two_stage();
  EXPECT_TRUE(tensors.run(*kernel, Pass::backward)) << "wrote beyond its workspace";
  EXPECT_EQ(tensors.check(kernel->info(), Pass::backward).failure, std::nullopt);
}

TEST(TwoStage, agrees_where_the_sequence_ends_in_an_even_or_an_odd_tile_or_inside_one) {
  for (std::int64_t n : {1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 31, 33, 41})
    expect_two_stage_agreement(attention_problem(Form::trilinear, n, 8, 4));
}

TEST(TwoStage, agrees_for_every_kind_of_window) {
  for (const auto& [window1, window2] :
       {std::pair{1, 1}, {20, 1}, {1, 20}, {12, 12}, {5, 33}, {33, 5}, {100, 64}, {3, 400}, {37, 32}})
    expect_two_stage_agreement(attention_problem(Form::trilinear, 70, window1, window2));
}

TEST(TwoStage, agrees_for_groups_of_heads_and_batches) {
  for (const auto& [q_heads, kv_heads] : {std::pair{1, 1}, {3, 3}, {4, 2}, {8, 1}, {5, 1}})
    expect_two_stage_agreement(attention_problem(Form::trilinear, 27, 9, 4, q_heads, kv_heads, 6, 2));
}

TEST(TwoStage, agrees_with_biases_and_a_scale) {
  Problem problem = attention_problem(Form::trilinear, 37, 11, 4, 4, 2, 10, 2);
  problem.k2_bias = 0.6;
  problem.v2_bias = -0.3;
  problem.scale = -0.8;
  expect_two_stage_agreement(problem);
}

TEST(TwoStage, writes_what_the_fast_kernel_writes) {
  const Problem problem = attention_problem(Form::trilinear, 90, 40, 9, 4, 2, 16);
  AttentionCase two_stage(problem), fast(problem);
  fast.run(*make_cpu_fast(), Pass::forward);
  fast.run(*make_cpu_fast(), Pass::backward);
  two_stage.o = fast.o;
  two_stage.lse = fast.lse;
  two_stage.run(*make_cpu_two_stage(), Pass::backward);
  EXPECT_LT(test::relative_error(two_stage.grad_q, fast.grad_q), 1e-5);
  EXPECT_LT(test::relative_error(two_stage.grad_k1, fast.grad_k1), 1e-5);
  EXPECT_LT(test::relative_error(two_stage.grad_k2, fast.grad_k2), 1e-5);
  EXPECT_LT(test::relative_error(two_stage.grad_v1, fast.grad_v1), 1e-5);
  EXPECT_LT(test::relative_error(two_stage.grad_v2, fast.grad_v2), 1e-5);
}

TEST(TwoStage, names_what_the_paper_does_not_have) {
  const auto kernel = make_cpu_two_stage();
  const Problem problem = attention_problem(Form::trilinear, 8, 4, 4);
  const auto why = [&](const Problem& p, Pass pass) { return kernel->unsupported(p, pass).value_or("supported"); };
  EXPECT_EQ(why(problem, Pass::backward), "supported");
  EXPECT_THAT(why(problem, Pass::forward), HasSubstr("no forward"));
  EXPECT_THAT(why(attention_problem(Form::determinant, 8, 4, 4), Pass::backward), HasSubstr("determinant"));
  Problem other = problem;
  other.sink = 0.5;
  EXPECT_THAT(why(other, Pass::backward), HasSubstr("no sink"));
  other = problem;
  other.mask = Mask::full;
  EXPECT_THAT(why(other, Pass::backward), HasSubstr("full mask"));
  AttentionCase tensors(problem);
  EXPECT_THROW(tensors.run(*kernel, Pass::forward), Error);
}

}  // namespace
}  // namespace triscope
