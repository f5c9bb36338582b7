// Defects that public implementations of 2-simplicial attention have had. Each test fails for a kernel that shares one.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/cpu/fast.hpp"
#include "tests/kernels/attention/attention_case.hpp"
#include "tests/kernels/reference/brute_force.hpp"

namespace triscope {
namespace {

using test::attention_problem;
using test::AttentionCase;
using test::BruteForce;
using test::relative_error;

// Both passes of cpu.fast and what they should have given.
struct Outcome {
  AttentionCase tensors;
  BruteForce expected;
};

Outcome outcome_of(const Problem& problem) {
  AttentionCase tensors(problem);
  const auto kernel = make_cpu_fast();
  tensors.run(*kernel, Pass::forward);
  tensors.run(*kernel, Pass::backward);
  return {tensors, test::brute_force(tensors)};
}

void expect_gradients(const Outcome& outcome) {
  EXPECT_LT(relative_error(outcome.tensors.grad_q, outcome.expected.grad_q), 1e-5);
  EXPECT_LT(relative_error(outcome.tensors.grad_k1, outcome.expected.grad_k1), 1e-5);
  EXPECT_LT(relative_error(outcome.tensors.grad_k2, outcome.expected.grad_k2), 1e-5);
  EXPECT_LT(relative_error(outcome.tensors.grad_v1, outcome.expected.grad_v1), 1e-5);
  EXPECT_LT(relative_error(outcome.tensors.grad_v2, outcome.expected.grad_v2), 1e-5);
}

TEST(KnownDefects, the_lse_is_the_natural_logarithm_also_where_the_backward_reads_it) {
  Problem problem = attention_problem(Form::trilinear, 12, 5, 3);
  problem.scale = 0.0;
  const Outcome outcome = outcome_of(problem);
  EXPECT_NEAR(outcome.tensors.lse[11], std::log(15.0), 1e-6);
  problem.scale = 1.0;
  expect_gradients(outcome_of(problem));
}

// bf16(0.3) is 0.30078125: a scale rounded to bf16 moves every logit by 0.26 %.
TEST(KnownDefects, the_scale_is_not_rounded_to_bf16) {
  Problem problem = attention_problem(Form::trilinear, 1, 1, 1, 1, 1, 64);
  problem.scale = 0.3;
  const Outcome outcome = outcome_of(problem);
  EXPECT_NEAR(outcome.tensors.lse[0], outcome.expected.lse[0], 1e-5 * std::abs(outcome.expected.lse[0]));
}

TEST(KnownDefects, the_backward_takes_any_second_window) {
  for (std::int64_t window2 : {1, 7, 31, 32, 33, 40}) {
    SCOPED_TRACE(window2);
    expect_gradients(outcome_of(attention_problem(Form::trilinear, 44, 42, window2, 2, 1, 6)));
  }
}

TEST(KnownDefects, delta_is_read_with_the_right_batch_stride) {
  expect_gradients(outcome_of(attention_problem(Form::trilinear, 9, 5, 3, 4, 2, 6, 3)));
}

TEST(KnownDefects, a_bias_of_0_is_off_and_not_1_over_head_dim) {
  const Problem problem = attention_problem(Form::trilinear, 9, 5, 3);
  const Outcome off = outcome_of(problem);
  Problem biased = problem;
  biased.k2_bias = biased.v2_bias = 1.0 / static_cast<double>(problem.head_dim);
  const Outcome on = outcome_of(biased);
  EXPECT_LT(relative_error(off.tensors.o, off.expected.o), 1e-5);
  EXPECT_LT(relative_error(on.tensors.o, on.expected.o), 1e-5);
  EXPECT_GT(relative_error(off.tensors.o, on.tensors.o), 1e-2);
}

TEST(KnownDefects, the_backward_sums_the_query_heads_of_a_group_into_their_kv_head) {
  expect_gradients(outcome_of(attention_problem(Form::trilinear, 11, 6, 4, 6, 2, 6)));
  expect_gradients(outcome_of(attention_problem(Form::determinant, 11, 6, 4, 6, 2, 6)));
}

// A kernel that takes the shorter window as its short axis must return each gradient under its own name, and the
// determinant changes sign with the axes.
TEST(KnownDefects, gradients_keep_their_names_and_signs_when_the_axes_are_swapped) {
  for (Form form : {Form::trilinear, Form::determinant}) {
    const Outcome outcome = outcome_of(attention_problem(form, 20, 3, 11));
    EXPECT_LT(relative_error(outcome.tensors.o, outcome.expected.o), 1e-5);
    expect_gradients(outcome);
  }
}

}  // namespace
}  // namespace triscope
