#include "kernels/reference/oracle.hpp"

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "kernels/reference/oracle_kernel.hpp"
#include "kernels/registry/registry.hpp"
#include "tests/kernels/attention/attention_case.hpp"
#include "tests/kernels/reference/brute_force.hpp"

namespace triscope {
namespace {

using test::attention_problem;
using test::AttentionCase;
using test::relative_error;

// Both forms and masks, clipped and unclipped windows, grouped heads, batches, a remainder of head_dim, biases, a sink.
std::vector<Problem> problems() {
  std::vector<Problem> list;
  for (Form form : {Form::trilinear, Form::determinant}) {
    list.push_back(attention_problem(form, 9, 4, 3, 4, 2, 7, 2));
    list.push_back(attention_problem(form, 7, 20, 1, 2, 2, 6));
    list.push_back(attention_problem(form, 1, 1, 1, 3, 1, 5));
    Problem full = attention_problem(form, 6, 2, 2, 2, 1, 8);
    full.mask = Mask::full;
    list.push_back(full);
    Problem everything = attention_problem(form, 8, 3, 5, 4, 2, 7, 2);
    everything.sink = 0.3;
    everything.k2_bias = 0.4;
    everything.v2_bias = -0.7;
    everything.scale = 0.9;
    list.push_back(everything);
    everything.mask = Mask::full;
    list.push_back(everything);
  }
  return list;
}

TEST(Oracle, equals_the_brute_force_evaluation_of_the_formulas) {
  const auto oracle = make_cpu_oracle();
  for (const Problem& problem : problems()) {
    SCOPED_TRACE(describe(problem));
    AttentionCase tensors(problem);
    tensors.run(*oracle, Pass::forward);
    tensors.run(*oracle, Pass::backward);
    const test::BruteForce expected = brute_force(tensors);
    EXPECT_LT(relative_error(tensors.o, expected.o), 1e-7);
    EXPECT_LT(relative_error(tensors.lse, expected.lse), 1e-7);
    EXPECT_LT(relative_error(tensors.grad_v1, expected.grad_v1), 1e-7);
    EXPECT_LT(relative_error(tensors.grad_v2, expected.grad_v2), 1e-7);
    if (problem.sink) {
      EXPECT_LT(relative_error(tensors.grad_sink, expected.grad_sink), 1e-7);
    }
    if (problem.seq_len == 1 && !problem.sink) continue;  // a single pair: the score gradients are exactly 0
    EXPECT_LT(relative_error(tensors.grad_q, expected.grad_q), 1e-7);
    EXPECT_LT(relative_error(tensors.grad_k1, expected.grad_k1), 1e-7);
    EXPECT_LT(relative_error(tensors.grad_k2, expected.grad_k2), 1e-7);
  }
}

// sum(o * grad_o) in fp64.
double loss(const AttentionCase& tensors) {
  const Problem& problem = tensors.problem;
  const Oracle oracle(problem, tensors.inputs());
  std::vector<double> o(static_cast<std::size_t>(problem.head_dim));
  double sum = 0;
  for (std::int64_t b = 0; b < problem.batch; ++b) {
    for (std::int64_t i = 0; i < problem.seq_len; ++i) {
      for (std::int64_t h = 0; h < problem.q_heads; ++h) {
        oracle.row({b, i, h}, o);
        sum += oracle.delta({b, i, h}, std::span<const double>(o));
      }
    }
  }
  return sum;
}

// Richardson-extrapolated central differences; the steps are what fp32 really stored.
std::vector<double> differences(AttentionCase& tensors, std::vector<float>& input) {
  std::vector<double> gradient;
  const auto slope = [&](float& x, float step) {
    const float centre = x;
    x = centre + step;
    const double high = loss(tensors), x_high = x;
    x = centre - step;
    const double low = loss(tensors), x_low = x;
    x = centre;
    return (high - low) / (x_high - x_low);
  };
  for (float& x : input) {
    const double coarse = slope(x, 0x1p-8f), fine = slope(x, 0x1p-9f);
    gradient.push_back((4 * fine - coarse) / 3);
  }
  return gradient;
}

TEST(Oracle, the_gradient_of_a_key_is_the_sum_of_its_parts) {
  for (const Problem& problem : problems()) {
    const AttentionCase tensors(problem);
    const Oracle oracle(problem, tensors.inputs());
    const StatisticsOf statistics = [](const OracleRow& row) {
      return RowStatistics{1.0 + 0.1 * static_cast<double>(row.head), 0.3};
    };
    for (const KeyAxis axis : {KeyAxis::one, KeyAxis::two}) {
      const OracleKey key{problem.batch - 1, problem.seq_len / 2, problem.kv_heads - 1};
      const KeyGradient whole = oracle.grad_key(axis, key, statistics);
      std::vector<double> keys(whole.value.size()), values(whole.value.size());
      for (std::int64_t first = 0; first < oracle.positions_seeing(axis, key); first += 2) {
        const KeyGradient part = oracle.grad_key_of(axis, key, statistics, first, 2);
        for (std::size_t d = 0; d < values.size(); ++d) {
          keys[d] += part.key.value[d];
          values[d] += part.value[d];
        }
      }
      EXPECT_LT(relative_error(keys, whole.key.value), 1e-14) << describe(problem);
      EXPECT_LT(relative_error(values, whole.value), 1e-14) << describe(problem);
    }
  }
}

TEST(Oracle, gradients_equal_finite_differences_of_its_forward) {
  const auto oracle = make_cpu_oracle();
  for (const Problem& problem : problems()) {
    if (problem.seq_len == 1) continue;
    SCOPED_TRACE(describe(problem));
    AttentionCase tensors(problem, 3);
    tensors.run(*oracle, Pass::forward);
    tensors.run(*oracle, Pass::backward);
    EXPECT_LT(relative_error(tensors.grad_q, differences(tensors, tensors.q)), 1e-6);
    EXPECT_LT(relative_error(tensors.grad_k1, differences(tensors, tensors.k1)), 1e-6);
    EXPECT_LT(relative_error(tensors.grad_k2, differences(tensors, tensors.k2)), 1e-6);
    EXPECT_LT(relative_error(tensors.grad_v1, differences(tensors, tensors.v1)), 1e-6);
    EXPECT_LT(relative_error(tensors.grad_v2, differences(tensors, tensors.v2)), 1e-6);
    if (problem.sink) {
      EXPECT_LT(relative_error(tensors.grad_sink, differences(tensors, tensors.sink)), 1e-6);
    }
  }
}

TEST(Oracle, the_lse_is_a_natural_logarithm_and_counts_the_sink) {
  Problem problem = attention_problem(Form::trilinear, 6, 3, 2, 1, 1, 4);
  problem.scale = 0.0;  // every logit 0: the LSE is log(pairs [+ exp(sink)])
  AttentionCase plain(problem);
  plain.run(*make_cpu_oracle(), Pass::forward);
  EXPECT_NEAR(plain.lse[5], std::log(6.0), 1e-7);
  problem.sink = 1.5;
  AttentionCase with_sink(problem);
  with_sink.run(*make_cpu_oracle(), Pass::forward);
  EXPECT_NEAR(with_sink.lse[5], std::log(6.0 + std::exp(1.5)), 1e-6);
}

TEST(Oracle, huge_logits_do_not_overflow) {
  Problem problem = attention_problem(Form::trilinear, 12, 8, 4, 1, 1, 8);
  problem.scale = 3000.0;
  AttentionCase tensors(problem);
  tensors.run(*make_cpu_oracle(), Pass::forward);
  for (float x : tensors.o) EXPECT_TRUE(std::isfinite(x));
}

// The dot-product reference: with k2 = v2 = 1 and window2 = 1 the trilinear form is dot-product attention.
TEST(Oracle, dot_product_is_the_trilinear_form_with_unit_second_keys) {
  Problem problem = attention_problem(Form::dot_product, 11, 5, 1, 4, 2, 6, 2);
  AttentionCase dot(problem);
  AttentionCase trilinear(problem);
  trilinear.problem.form = Form::trilinear;
  trilinear.k2.assign(trilinear.k2.size(), 1.0f);
  trilinear.v2 = trilinear.k2;
  const test::BruteForce expected = brute_force(trilinear);
  const Oracle oracle(problem, dot.inputs());
  std::vector<double> o(6);
  for (std::int64_t i = 0; i < 11; ++i) {
    const OracleRow row{1, i, 3};
    EXPECT_NEAR(oracle.row(row, o), expected.lse[static_cast<std::size_t>(oracle.lse_offset(row))], 1e-12);
    for (std::size_t d = 0; d < 6; ++d)
      EXPECT_NEAR(o[d], expected.o[static_cast<std::size_t>(oracle.row_offset(row)) + d], 1e-12);
  }
}

// Rounding q*k2 to bf16 by hand and evaluating exactly must give what the folding reference gives.
TEST(Oracle, folding_rounds_the_named_product_once) {
  for (Form form : {Form::trilinear, Form::determinant}) {
    for (Fold fold : {Fold::query_k2, Fold::query_k1, Fold::key_pair}) {
      SCOPED_TRACE(std::string(to_string(form)) + " " + std::string(to_string(fold)));
      const Problem problem = attention_problem(form, 1, 1, 1, 1, 1, 6);  // one pair: the LSE is its logit
      AttentionCase tensors(problem, 5);
      const auto product = [&](const std::vector<float>& a, const std::vector<float>& b, int d) {
        if (form == Form::trilinear) return static_cast<double>(a[d]) * b[d];
        const int l = d / 3 * 3, x = (d + 1) % 3, y = (d + 2) % 3;
        return static_cast<double>(a[l + x]) * b[l + y] - static_cast<double>(a[l + y]) * b[l + x];
      };
      double expected = 0, exact = 0;
      for (int d = 0; d < 6; ++d) {
        const auto& [a, b, c] = fold == Fold::query_k2   ? std::tie(tensors.k2, tensors.q, tensors.k1)
                                : fold == Fold::query_k1 ? std::tie(tensors.q, tensors.k1, tensors.k2)
                                                         : std::tie(tensors.k1, tensors.k2, tensors.q);
        expected += round_to_bf16(static_cast<float>(product(a, b, d))) * static_cast<double>(c[d]);
        exact += product(a, b, d) * c[d];
      }
      std::vector<double> o(6);
      const double lse = Oracle(problem, tensors.inputs(), fold).row({0, 0, 0}, o);
      EXPECT_NEAR(lse, expected * problem.effective_scale(), 1e-12);
      EXPECT_GT(std::abs(lse - exact * problem.effective_scale()), 1e-6);
      const KeyGradient one =
          Oracle(problem, tensors.inputs(), fold).grad_key(KeyAxis::one, {0, 0, 0}, [&](const OracleRow&) {
            return RowStatistics{lse, 0.0};
          });
      for (int d = 0; d < 6; ++d) EXPECT_NEAR(one.value[d], double(tensors.grad_o[d]) * tensors.v2[d], 1e-12);  // p = 1
    }
  }
}

// A determinant in bf16: the product key_b q_a is rounded first, then its difference to key_a q_b.
TEST(Oracle, crossing_in_bf16_rounds_one_product_and_the_difference) {
  for (Fold fold : {Fold::cross_k2, Fold::cross_k1}) {
    const Problem problem = attention_problem(Form::determinant, 1, 1, 1, 1, 1, 24);  // one pair: the LSE is its logit
    AttentionCase tensors(problem, 5);
    const auto rounded = [](double x) { return static_cast<double>(round_to_bf16(static_cast<float>(x))); };
    const std::vector<float>&key = fold == Fold::cross_k2 ? tensors.k2 : tensors.k1,
          &other = fold == Fold::cross_k2 ? tensors.k1 : tensors.k2;
    double expected = 0;
    for (int d = 0; d < 24; ++d) {
      const int l = d / 3 * 3, a = l + (d + 1) % 3, b = l + (d + 2) % 3;
      const double folded = rounded(double(key[a]) * tensors.q[b] - rounded(double(key[b]) * tensors.q[a]));
      expected += (fold == Fold::cross_k2 ? folded : -folded) * other[d];
    }
    std::vector<double> o(24);
    const double lse = Oracle(problem, tensors.inputs(), fold).row({0, 0, 0}, o);
    EXPECT_NEAR(lse, expected * problem.effective_scale(), 1e-12) << to_string(fold);
    const Fold once = fold == Fold::cross_k2 ? Fold::query_k2 : Fold::query_k1;
    EXPECT_GT(std::abs(lse - Oracle(problem, tensors.inputs(), once).row({0, 0, 0}, o)), 1e-6);
  }
}

// The half folds: eight times finer steps than bf16's, in the same places, at any exponent.
TEST(Oracle, half_folds_round_to_the_bits_of_fp16) {
  for (const double exponent : {1.0, 0x1p100, 0x1p-100}) {
    EXPECT_EQ(round_to_half_precision(exponent * 2047.0), exponent * 2047.0);
    EXPECT_EQ(round_to_half_precision(exponent * 2049.0), exponent * 2048.0) << "ties go to even";
    EXPECT_EQ(round_to_half_precision(exponent * -2051.0), exponent * -2052.0);
    EXPECT_EQ(round_to_half_precision(exponent * 4095.9), exponent * 4096.0);
  }
  for (const Form form : {Form::trilinear, Form::determinant}) {
    for (const Fold fold : {Fold::half_k2, Fold::half_k1}) {
      const Problem problem = attention_problem(form, 1, 1, 1, 1, 1, 24);  // one pair: the LSE is its logit
      AttentionCase tensors(problem, 5);
      const std::vector<float>&key = fold == Fold::half_k2 ? tensors.k2 : tensors.k1,
            &other = fold == Fold::half_k2 ? tensors.k1 : tensors.k2;
      const auto rounded = [](double x) { return round_to_half_precision(x); };
      double expected = 0;
      for (int d = 0; d < 24; ++d) {
        const int l = d / 3 * 3, a = l + (d + 1) % 3, b = l + (d + 2) % 3;
        const double crossed = rounded(double(key[a]) * tensors.q[b] - rounded(double(key[b]) * tensors.q[a]));
        const double folded = form == Form::trilinear ? rounded(double(key[d]) * tensors.q[d])
                              : fold == Fold::half_k2 ? crossed
                                                      : -crossed;
        expected += folded * other[d];
      }
      std::vector<double> o(24);
      const auto lse = [&](Fold which) { return Oracle(problem, tensors.inputs(), which).row({0, 0, 0}, o); };
      EXPECT_NEAR(lse(fold), expected * problem.effective_scale(), 1e-12) << to_string(fold);
      EXPECT_GT(std::abs(lse(fold) - lse(bf16_fold(fold, form))), 1e-6);
      EXPECT_LT(std::abs(lse(fold) - lse(Fold::none)), 1e-3);
    }
  }
}

TEST(Oracle, refuses_a_matrix_product_and_missing_tensors) {
  Problem problem = attention_problem(Form::trilinear, 2, 1, 1);
  AttentionCase tensors(problem);
  HostInputs inputs = tensors.inputs();
  inputs.k2 = nullptr;
  EXPECT_THROW(Oracle(problem, inputs), Error);
  problem.form = Form::gemm;
  EXPECT_THROW(Oracle(problem, tensors.inputs()), Error);
}

}  // namespace
}  // namespace triscope
