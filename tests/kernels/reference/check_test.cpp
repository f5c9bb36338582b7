#include "kernels/reference/check.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>

#include "kernels/base/error.hpp"
#include "kernels/base/philox.hpp"
#include "kernels/cpu/fast.hpp"
#include "kernels/reference/oracle_kernel.hpp"
#include "tests/kernels/attention/attention_case.hpp"

namespace triscope {
namespace {

using test::attention_problem;
using test::AttentionCase;
using testing::HasSubstr;

AttentionCase solved(Problem problem = [] {
  Problem p = attention_problem(Form::trilinear, 24, 9, 5, 4, 2, 8, 2);
  p.sink = 0.5;
  return p;
}()) {
  AttentionCase tensors(problem);
  const auto oracle = make_cpu_oracle();
  tensors.run(*oracle, Pass::forward);
  tensors.run(*oracle, Pass::backward);
  return tensors;
}

KernelInfo kernel_that_folds(Fold fold = Fold::none) {
  KernelInfo info;
  info.id = "test";
  info.fold = fold;
  return info;
}

TEST(Check, passes_what_the_oracle_wrote_and_reports_every_output) {
  const AttentionCase tensors = solved();
  const CheckResult result = tensors.check(kernel_that_folds(), Pass::backward);
  EXPECT_EQ(result.failure, std::nullopt);
  EXPECT_LT(result.worst, 1e-6);
  for (const char* name : {"o", "lse", "grad_q", "grad_k1", "grad_k2", "grad_v1", "grad_v2", "grad_sink"}) {
    ASSERT_TRUE(result.errors.count(name)) << name;
    EXPECT_LT(result.errors.at(name), 1e-6) << name;
  }
}

TEST(Check, finds_one_wrong_element_of_any_output) {
  const std::vector<std::pair<const char*, std::vector<float> AttentionCase::*>> outputs = {
      {"o", &AttentionCase::o},
      {"lse", &AttentionCase::lse},
      {"grad_q", &AttentionCase::grad_q},
      {"grad_k1", &AttentionCase::grad_k1},
      {"grad_k2", &AttentionCase::grad_k2},
      {"grad_v1", &AttentionCase::grad_v1},
      {"grad_v2", &AttentionCase::grad_v2},
      {"grad_sink", &AttentionCase::grad_sink}};
  for (const auto& [name, output] : outputs) {
    AttentionCase tensors = solved();
    float& x = (tensors.*output)[(tensors.*output).size() / 2];
    x += 0.01f * (1.0f + std::abs(x));
    const CheckResult wrong = tensors.check(kernel_that_folds(), Pass::backward);
    ASSERT_TRUE(wrong.failure.has_value()) << name;
    EXPECT_THAT(*wrong.failure, HasSubstr(std::string(name) + ": "));
    x = std::numeric_limits<float>::quiet_NaN();
    const CheckResult unwritten = tensors.check(kernel_that_folds(), Pass::backward, {.rows = 2, .keys = 2});
    ASSERT_TRUE(unwritten.failure.has_value()) << name;
    EXPECT_THAT(*unwritten.failure, HasSubstr(std::string(name) + " has nan at element"));
  }
}

TEST(Check, names_the_element_that_differs_most) {
  const auto failure = [](std::vector<float> AttentionCase::*output, std::size_t element) {
    AttentionCase tensors = solved();  // 24 positions, 4 query heads, 2 key heads, 8 dimensions, 2 batches
    (tensors.*output)[0] += 0.25f;
    (tensors.*output)[element] = 1000;
    return tensors.check(kernel_that_folds(), Pass::backward).failure.value_or("");
  };
  EXPECT_THAT(failure(&AttentionCase::o, ((1 * 24 + 7) * 4 + 2) * 8 + 5),
              HasSubstr("most at [1, 7, 2, 5]: 1000 instead of"));
  EXPECT_THAT(failure(&AttentionCase::lse, (1 * 4 + 3) * 24 + 9), HasSubstr("most at [1, 3, 9]: 1000 instead of"));
  EXPECT_THAT(failure(&AttentionCase::grad_k2, ((0 * 24 + 3) * 2 + 1) * 8 + 6),
              HasSubstr("most at [0, 3, 1, 6]: 1000 instead of"));
  EXPECT_THAT(failure(&AttentionCase::grad_sink, 2), HasSubstr("most at [2]: 1000 instead of"));
}

TEST(Check, a_sample_of_everything_is_the_full_check_and_a_small_one_sees_both_ends) {
  AttentionCase tensors = solved();
  for (float& x : tensors.grad_k2) x *= 1.001f;  // the same relative error everywhere
  const CheckResult full = tensors.check(kernel_that_folds(), Pass::backward);
  const CheckResult sampled = tensors.check(kernel_that_folds(), Pass::backward, {.rows = 1000, .keys = 1000});
  EXPECT_EQ(full.errors, sampled.errors);
  const CheckResult small = tensors.check(kernel_that_folds(), Pass::backward, {.rows = 8, .keys = 12, .seed = 4});
  EXPECT_TRUE(small.failure.has_value());
  EXPECT_NEAR(small.errors.at("grad_k2"), full.errors.at("grad_k2"), 0.3 * full.errors.at("grad_k2"));

  AttentionCase ends = solved();
  ends.o.back() += 0.5f;
  EXPECT_TRUE(ends.check(kernel_that_folds(), Pass::forward, {.rows = 2}).failure.has_value());
  ends = solved();
  ends.o.front() += 0.5f;
  EXPECT_TRUE(ends.check(kernel_that_folds(), Pass::forward, {.rows = 2}).failure.has_value());
}

// Whoever copies the outputs of a GPU copies no more than those rows.
TEST(Check, reads_no_row_outside_the_positions_that_it_names) {
  const auto spoil = [](std::vector<float>& tensor, const std::vector<PositionRange>& kept, std::int64_t row) {
    std::vector<float> only(tensor.size(), std::numeric_limits<float>::quiet_NaN());
    for (const PositionRange& range : kept)
      std::copy_n(tensor.begin() + range.first * row, range.count * row, only.begin() + range.first * row);
    tensor = only;
  };
  for (const Form form : {Form::trilinear, Form::dot_product}) {
    for (const Pass pass : {Pass::forward, Pass::backward}) {
      const bool dot = form == Form::dot_product;
      AttentionCase tensors(attention_problem(form, 240, dot ? 240 : 9, dot ? 1 : 5, 4, 2, 8, 2));
      const auto kernel = dot ? make_cpu_baseline() : make_cpu_fast();
      tensors.run(*kernel, Pass::forward);
      if (pass == Pass::backward) tensors.run(*kernel, Pass::backward);
      const CheckOptions options{.rows = 6, .keys = 3, .seed = 9, .key_span = 40};
      const CheckResult before = tensors.check(kernel->info(), pass, options);
      ASSERT_EQ(before.failure, std::nullopt);
      const std::vector<PositionRange> read = positions_read(tensors.problem, pass, options);
      std::int64_t count = 0;
      for (const PositionRange& range : read) count += range.count;
      EXPECT_LT(count, 2 * 240 / 2) << "less than half of them";
      for (auto* tensor : {&tensors.q, &tensors.grad_o, &tensors.o, &tensors.grad_q}) spoil(*tensor, read, 4 * 8);
      const CheckResult after = tensors.check(kernel->info(), pass, options);
      EXPECT_EQ(after.failure, std::nullopt);
      EXPECT_EQ(after.errors, before.errors);
    }
  }
  Problem with_sink = attention_problem(Form::trilinear, 240, 9, 5, 4, 2, 8, 2);
  with_sink.sink = 1;
  const auto read = positions_read(with_sink, Pass::backward, {.rows = 2, .keys = 1});
  EXPECT_TRUE(read.size() == 1 && read.front().count == 480) << "the sink's gradient is a sum over all rows";
}

// The rows of causal attention shrink with the position: the first must not hide what is wrong with the others.
TEST(Check, every_row_counts_however_small_it_is) {
  AttentionCase tensors(attention_problem(Form::dot_product, 4096, 4096, 1, 1, 1, 8));
  const auto kernel = make_cpu_baseline();
  tensors.run(*kernel, Pass::forward);
  ASSERT_EQ(tensors.check(kernel->info(), Pass::forward).failure, std::nullopt);
  for (std::size_t n = 8; n < tensors.o.size(); ++n) tensors.o[n] *= 1.1f;  // all rows but the first
  const CheckResult result = tensors.check(kernel_that_folds(), Pass::forward, {.rows = 64});
  EXPECT_NEAR(result.errors.at("o"), 0.1, 0.02);
}

// Score gradients of rows that see one pair are 0 up to rounding: the yardstick keeps that from counting as an error.
TEST(Check, cancelled_score_gradients_are_measured_by_what_cancelled) {
  AttentionCase tensors = solved(attention_problem(Form::trilinear, 6, 1, 1, 2, 1, 8));
  for (float& x : tensors.grad_q) x += 1e-7f;
  EXPECT_EQ(tensors.check(kernel_that_folds(), Pass::backward).failure, std::nullopt);
  for (float& x : tensors.grad_q) x += 1e-3f;
  EXPECT_TRUE(tensors.check(kernel_that_folds(), Pass::backward).failure.has_value());
}

// A forward that rounds q*k2 to bf16, by hand: passes as a kernel with that fold, fails as one with another.
TEST(Check, peaked_bf16_outputs_are_judged_by_the_reference_that_rounds_like_the_kernel) {
  Problem problem = attention_problem(Form::trilinear, 20, 8, 1, 1, 1, 16);
  problem.element = Element::bf16;
  AttentionCase tensors(problem);
  for (float& x : tensors.q) x *= 8;
  AttentionCase rounded = tensors;  // one k per query: q*k2 can be rounded beforehand, with k2 = 1 then
  for (std::size_t n = 0; n < rounded.q.size(); ++n) rounded.q[n] = round_to_bf16(rounded.q[n] * rounded.k2[n]);
  rounded.k2.assign(rounded.k2.size(), 1.0f);
  rounded.problem.element = Element::fp32;
  rounded.run(*make_cpu_oracle(), Pass::forward);
  tensors.o = rounded.o;
  tensors.lse = rounded.lse;
  for (float& x : tensors.o) x = round_to_bf16(x);
  const CheckOptions peaked{.everything = true, .peaked = true};
  const CheckResult alike = tensors.check(kernel_that_folds(Fold::query_k2), Pass::forward, peaked);
  EXPECT_EQ(alike.failure, std::nullopt);
  EXPECT_LT(alike.errors.at("lse"), 1e-5);
  EXPECT_TRUE(tensors.check(kernel_that_folds(Fold::key_pair), Pass::forward, peaked).failure.has_value());
  const CheckResult both = tensors.check(kernel_that_folds(Fold::query_k2), Pass::forward);
  EXPECT_TRUE(both.errors.count("o_rounded"));
  EXPECT_GT(both.errors.at("lse"), both.errors.at("lse_rounded"));
}

// Rounding the folded product of a determinant costs the LSE sqrt(2) times what rounding q*k2 does, and sqrt(3) times
// when the product is made in bf16; the exact bound knows it.
TEST(Check, the_exact_lse_may_err_by_what_the_roundings_of_the_fold_cost) {
  AttentionCase tensors(attention_problem(Form::determinant, 20, 8, 3, 1, 1, 16));
  tensors.run(*make_cpu_oracle(), Pass::forward);
  tensors.problem.element = Element::bf16;
  for (float& x : tensors.o) x = round_to_bf16(x);
  for (float& x : tensors.lse) x += 1.2e-2f;
  const auto failure = [&](Fold fold) {
    return tensors.check(kernel_that_folds(fold), Pass::forward).failure.value_or("");
  };
  EXPECT_THAT(failure(Fold::query_k2), testing::Not(HasSubstr("exact reference")));
  for (float& x : tensors.lse) x += 0.3e-2f;
  EXPECT_THAT(failure(Fold::query_k2), HasSubstr("against the exact reference exceeds 0.0141"));
  EXPECT_THAT(failure(Fold::cross_k2), testing::Not(HasSubstr("exact reference")));
  for (float& x : tensors.lse) x += 1e-2f;
  EXPECT_THAT(failure(Fold::cross_k2), HasSubstr("against the exact reference exceeds 0.0173"));

  AttentionCase product(attention_problem(Form::trilinear, 20, 8, 3, 1, 1, 16));
  product.run(*make_cpu_oracle(), Pass::forward);
  product.problem.element = Element::bf16;
  for (float& x : product.lse) x += 1.2e-2f;
  EXPECT_THAT(product.check(kernel_that_folds(Fold::query_k2), Pass::forward).failure.value_or(""),
              HasSubstr("against the exact reference exceeds 0.01"));
}

// Rounding to the bits of fp16 is held to a fifth of that.
TEST(Check, the_exact_lse_of_a_half_fold_is_bound_more_closely) {
  for (const auto& [form, bound] : {std::pair{Form::trilinear, 2e-3f}, std::pair{Form::determinant, 3e-3f}}) {
    AttentionCase tensors(attention_problem(form, 20, 8, 3, 1, 1, 16));
    tensors.run(*make_cpu_oracle(), Pass::forward);
    tensors.problem.element = Element::bf16;
    for (float& x : tensors.o) x = round_to_bf16(x);
    const std::vector<float> exact = tensors.lse;
    const auto failure = [&](float error) {
      for (std::size_t n = 0; n < exact.size(); ++n) tensors.lse[n] = exact[n] + error;
      return tensors.check(kernel_that_folds(Fold::half_k2), Pass::forward).failure.value_or("");
    };
    EXPECT_THAT(failure(0.9f * bound), testing::Not(HasSubstr("exact reference")));
    EXPECT_THAT(failure(1.1f * bound), HasSubstr("against the exact reference"));
  }
}

TEST(Check, the_exact_o_may_err_by_what_the_roundings_of_the_fold_cost) {
  AttentionCase tensors(attention_problem(Form::determinant, 20, 8, 3, 1, 1, 16));
  tensors.run(*make_cpu_oracle(), Pass::forward);
  tensors.problem.element = Element::bf16;
  const std::vector<float> exact = tensors.o;
  const auto failure = [&](Fold fold, double error) {
    for (std::size_t n = 0; n < exact.size(); ++n) tensors.o[n] = exact[n] * static_cast<float>(1 + error);
    return tensors.check(kernel_that_folds(fold), Pass::forward).failure.value_or("");
  };
  EXPECT_THAT(failure(Fold::none, 3.9e-3), "");
  EXPECT_THAT(failure(Fold::none, 4.1e-3), HasSubstr("against the exact reference exceeds 0.004"));
  EXPECT_THAT(failure(Fold::query_k2, 5.0e-3), testing::Not(HasSubstr("exact reference")));
  EXPECT_THAT(failure(Fold::query_k2, 5.2e-3), HasSubstr("against the exact reference exceeds 0.00507"));
  EXPECT_THAT(failure(Fold::cross_k2, 5.9e-3), testing::Not(HasSubstr("exact reference")));
  EXPECT_THAT(failure(Fold::cross_k2, 6.1e-3), HasSubstr("against the exact reference exceeds 0.00595"));
}

TEST(Check, refuses_a_missing_output) {
  const AttentionCase tensors = solved();
  HostOutputs outputs = tensors.outputs();
  outputs.grad_v2 = nullptr;
  EXPECT_THROW(check_against_oracle(kernel_that_folds(), tensors.problem, Pass::backward, tensors.inputs(), outputs),
               Error);
}

}  // namespace
}  // namespace triscope
