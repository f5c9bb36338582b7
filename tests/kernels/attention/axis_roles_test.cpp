#include "kernels/attention/axis_roles.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace triscope {
namespace {

Problem problem_of(std::int64_t window1, std::int64_t window2, std::int64_t seq_len = 4096) {
  Problem problem;
  problem.window1 = window1, problem.window2 = window2, problem.seq_len = seq_len;
  return problem;
}

TEST(AxisRoles, the_narrower_window_is_the_short_axis_and_axis_2_in_doubt) {
  EXPECT_FALSE(axis_roles(problem_of(512, 32), BiasPlace::in_product).axis1_is_short);
  EXPECT_TRUE(axis_roles(problem_of(32, 512), BiasPlace::in_product).axis1_is_short);
  EXPECT_FALSE(axis_roles(problem_of(32, 32), BiasPlace::in_product).axis1_is_short);
  EXPECT_FALSE(axis_roles(problem_of(16, 512, 8), BiasPlace::in_product).axis1_is_short)
      << "both windows are the sequence";
  EXPECT_EQ(axis_roles(problem_of(32, 512, 100), BiasPlace::in_product).window, (ByRole<std::int64_t>{32, 100}));
}

TEST(AxisRoles, a_bias_that_is_added_in_the_product_keeps_axis_2_short) {
  for (const auto& [k2_bias, v2_bias] : {std::pair{0.5, 0.0}, {0.0, 0.25}}) {
    Problem problem = problem_of(32, 512);
    problem.k2_bias = k2_bias, problem.v2_bias = v2_bias;
    const AxisRoles product = axis_roles(problem, BiasPlace::in_product),
                    keys = axis_roles(problem, BiasPlace::in_keys);
    EXPECT_FALSE(product.axis1_is_short);
    EXPECT_EQ(product.window, (ByRole<std::int64_t>{512, 32}));
    EXPECT_EQ(product.key_bias, (ByRole<float>{static_cast<float>(k2_bias), 0.0f}));
    EXPECT_EQ(product.value_bias, (ByRole<float>{static_cast<float>(v2_bias), 0.0f}));
    EXPECT_TRUE(keys.axis1_is_short);
    EXPECT_EQ(keys.key_bias, (ByRole<float>{0.0f, static_cast<float>(k2_bias)})) << "biases stay with k2 and v2";
    EXPECT_EQ(keys.value_bias, (ByRole<float>{0.0f, static_cast<float>(v2_bias)}));
  }
}

TEST(AxisRoles, the_full_mask_and_dot_products_keep_axis_1_long) {
  Problem problem = problem_of(32, 512);
  problem.mask = Mask::full;
  EXPECT_FALSE(axis_roles(problem, BiasPlace::in_keys).axis1_is_short);
  problem.mask = Mask::causal, problem.form = Form::dot_product;
  EXPECT_FALSE(axis_roles(problem, BiasPlace::in_keys).axis1_is_short);
}

TEST(AxisRoles, inputs_and_gradients_go_to_the_role_of_their_own_axis) {
  const AxisRoles usual = axis_roles(problem_of(512, 32), BiasPlace::in_product),
                  exchanged = axis_roles(problem_of(32, 512), BiasPlace::in_product);
  EXPECT_EQ(usual.by_role<std::string>("grad_k1", "grad_k2"), (ByRole<std::string>{"grad_k2", "grad_k1"}));
  EXPECT_EQ(exchanged.by_role<std::string>("grad_k1", "grad_k2"), (ByRole<std::string>{"grad_k1", "grad_k2"}));
}

/// det(q, short, long) with the scale of the roles, as kernels compute it: long . (short x q).
double folded_determinant(const AxisRoles& roles, const double (&q)[3], const double (&k1)[3], const double (&k2)[3]) {
  const auto k = roles.by_role<const double*>(k1, k2);
  const double *s = k.short_axis, *l = k.long_axis;
  return roles.scale *
         (l[0] * (s[1] * q[2] - s[2] * q[1]) + l[1] * (s[2] * q[0] - s[0] * q[2]) + l[2] * (s[0] * q[1] - s[1] * q[0]));
}

TEST(AxisRoles, folding_either_axis_gives_the_determinant_its_sign) {
  const double q[3] = {1, 2, 3}, k1[3] = {-2, 1, 5}, k2[3] = {4, -3, 2};
  const double determinant = q[0] * (k1[1] * k2[2] - k1[2] * k2[1]) - q[1] * (k1[0] * k2[2] - k1[2] * k2[0]) +
                             q[2] * (k1[0] * k2[1] - k1[1] * k2[0]);
  ASSERT_NE(determinant, 0);
  for (Problem problem : {problem_of(512, 32), problem_of(32, 512)}) {
    problem.form = Form::determinant;
    for (const double scale : {0.5, -0.25}) {
      problem.scale = scale;
      const AxisRoles roles = axis_roles(problem, BiasPlace::in_product);
      EXPECT_DOUBLE_EQ(folded_determinant(roles, q, k1, k2), scale * determinant) << describe(problem);
    }
    problem.form = Form::trilinear;
    EXPECT_EQ(axis_roles(problem, BiasPlace::in_product).scale, -0.25) << "the trilinear form is symmetric";
  }
}

TEST(AxisRoles, the_fold_names_the_key_that_is_folded) {
  const AxisRoles usual = axis_roles(problem_of(512, 32), BiasPlace::in_product),
                  exchanged = axis_roles(problem_of(32, 512), BiasPlace::in_product);
  EXPECT_EQ(fold_of(usual), Fold::query_k2);
  EXPECT_EQ(fold_of(exchanged), Fold::query_k1);
  EXPECT_EQ(fold_of(usual, true), Fold::cross_k2);
  EXPECT_EQ(fold_of(exchanged, true), Fold::cross_k1);
  EXPECT_EQ(half_fold_of(usual), Fold::half_k2);
  EXPECT_EQ(half_fold_of(exchanged), Fold::half_k1);
  for (const Form form : {Form::trilinear, Form::determinant}) {  // what a forward has instead, beyond fp16's range
    const bool cross = form == Form::determinant;
    EXPECT_EQ(bf16_fold(half_fold_of(usual), form), fold_of(usual, cross));
    EXPECT_EQ(bf16_fold(half_fold_of(exchanged), form), fold_of(exchanged, cross));
    EXPECT_EQ(bf16_fold(Fold::key_pair, form), Fold::key_pair);
  }
}

TEST(AxisRoles, the_exponent_scale_is_never_0_so_that_masked_logits_stay_masked) {
  EXPECT_FLOAT_EQ(exponent_scale(0.125), 0.125f * 1.4426950408889634f);
  EXPECT_EQ(exponent_scale(-0.125), exponent_scale(0.125));
  for (const double scale : {0.0, 1e-60}) {
    EXPECT_EQ(exponent_scale(scale) * -INFINITY, -INFINITY);
    EXPECT_EQ(std::exp2(exponent_scale(scale) * 1e20f), 1.0f) << "and finite logits count as 0";
  }
}

}  // namespace
}  // namespace triscope
