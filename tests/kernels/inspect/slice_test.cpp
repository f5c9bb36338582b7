// Slices, overviews and sheets beside a brute force over triples and beside the fp64 oracle.
#include "kernels/inspect/cpu/slice.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/base/error.hpp"
#include "kernels/reference/oracle.hpp"
#include "tests/kernels/attention/attention_case.hpp"

namespace triscope {
namespace {

using test::attention_problem;
using test::AttentionCase;

std::shared_ptr<AttentionTensors> tensors_of(const AttentionCase& data) {
  const Problem& p = data.problem;
  return std::make_shared<AttentionTensors>(p.batch, p.seq_len, p.q_heads, p.kv_heads, p.head_dim,
                                            std::array{data.q, data.k1, data.k2, data.v1, data.v2},
                                            p.sink ? data.sink : std::vector<float>{});
}

/// The logit of one triple, straight from the paper.
double logit(const AttentionCase& data, std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j,
             std::int64_t k) {
  const Problem& p = data.problem;
  const std::int64_t kv = h / p.group();
  const auto q = [&](std::int64_t d) {
    return static_cast<double>(
        data.q[static_cast<std::size_t>(((b * p.seq_len + i) * p.q_heads + h) * p.head_dim + d)]);
  };
  const auto k1 = [&](std::int64_t d) {
    return static_cast<double>(
        data.k1[static_cast<std::size_t>(((b * p.seq_len + j) * p.kv_heads + kv) * p.head_dim + d)]);
  };
  const auto k2 = [&](std::int64_t d) {
    return data.k2[static_cast<std::size_t>(((b * p.seq_len + k) * p.kv_heads + kv) * p.head_dim + d)] + p.k2_bias;
  };
  double sum = 0;
  if (p.form == Form::trilinear) {
    for (std::int64_t d = 0; d < p.head_dim; ++d) sum += q(d) * k1(d) * k2(d);
  } else {
    for (std::int64_t l = 0; l + 3 <= p.head_dim; l += 3) {
      sum += q(l) * (k1(l + 1) * k2(l + 2) - k1(l + 2) * k2(l + 1)) +
             q(l + 1) * (k1(l + 2) * k2(l) - k1(l) * k2(l + 2)) + q(l + 2) * (k1(l) * k2(l + 1) - k1(l + 1) * k2(l));
    }
  }
  return sum * p.effective_scale();
}

struct Distribution {
  std::vector<Triple> cells;  // p and logit of every pair that is seen
  double sink_p = 0, entropy = 0;
};

Distribution brute_force(const AttentionCase& data, std::int64_t b, std::int64_t h, std::int64_t i) {
  const Problem& p = data.problem;
  Distribution result;
  double sum = p.sink ? std::exp(static_cast<double>(data.sink[static_cast<std::size_t>(h)])) : 0;
  const double sink = sum;
  for (std::int64_t k = 0; k < p.seq_len; ++k) {
    for (std::int64_t j = 0; j < p.seq_len; ++j) {
      if (p.mask == Mask::causal && (j > i || j <= i - p.window1 || k > i || k <= i - p.window2)) continue;
      const double x = logit(data, b, h, i, j, k);
      result.cells.push_back({j, k, x, std::exp(x)});
      sum += std::exp(x);
    }
  }
  for (Triple& cell : result.cells) {
    const double of_pairs = cell.p / (sum - sink);
    result.entropy -= of_pairs * std::log(of_pairs);
    cell.p /= sum;
  }
  result.sink_p = sink / sum;
  return result;
}

std::vector<Problem> slice_problems() {
  std::vector<Problem> all;
  for (Form form : {Form::trilinear, Form::determinant}) {
    all.push_back(attention_problem(form, 40, 17, 5, 4, 2, 13, 2));
    all.push_back(attention_problem(form, 40, 3, 33, 2, 1, 64));
    all.back().k2_bias = 0.3;
    all.back().sink = 0.5;
    all.push_back(attention_problem(form, 12, 4, 4, 2, 1, 12));
    all.back().mask = Mask::full;
    all.back().sink = -0.25;
    all.back().scale = 0.7;
  }
  return all;
}

TEST(Slice, equals_the_brute_force_over_every_pair_the_query_sees) {
  for (const Problem& problem : slice_problems()) {
    SCOPED_TRACE(describe(problem));
    const AttentionCase data(problem);
    const auto tensors = tensors_of(data);
    for (std::int64_t i : {std::int64_t{0}, std::int64_t{3}, problem.seq_len - 1}) {
      const SliceQuery query{problem, Arithmetic::exact, problem.batch - 1, problem.q_heads - 1, i};
      const Slice slice = make_slice(*tensors, query);
      const Distribution expected = brute_force(data, query.batch, query.head, i);
      ASSERT_EQ(static_cast<std::size_t>(slice.count1 * slice.count2), expected.cells.size());
      double total = slice.sink_p;
      std::vector<double> marginal1(static_cast<std::size_t>(slice.count1)),
          marginal2(static_cast<std::size_t>(slice.count2));
      double distance1 = 0, distance2 = 0, pairs = 0;
      for (const Triple& cell : expected.cells) {
        const auto at = static_cast<std::size_t>((cell.k - slice.first2) * slice.count1 + cell.j - slice.first1);
        EXPECT_NEAR(std::exp(static_cast<double>(slice.log_p[at])), cell.p, 1e-6);
        EXPECT_NEAR(slice.log_p[at] + slice.lse, cell.logit, 2e-6);
        total += std::exp(static_cast<double>(slice.log_p[at]));
        marginal1[static_cast<std::size_t>(cell.j - slice.first1)] += cell.p;
        marginal2[static_cast<std::size_t>(cell.k - slice.first2)] += cell.p;
        distance1 += cell.p * static_cast<double>(i - cell.j);
        distance2 += cell.p * static_cast<double>(i - cell.k);
        pairs += cell.p;
      }
      EXPECT_NEAR(total, 1, 1e-6);
      EXPECT_NEAR(slice.sink_p, expected.sink_p, 1e-12);
      EXPECT_NEAR(slice.entropy, expected.entropy, 1e-9);
      EXPECT_NEAR(slice.distance1, distance1 / pairs, 1e-9);
      EXPECT_NEAR(slice.distance2, distance2 / pairs, 1e-9);
      for (std::size_t n = 0; n < marginal1.size(); ++n) EXPECT_NEAR(slice.marginal1[n], marginal1[n], 1e-6);
      for (std::size_t n = 0; n < marginal2.size(); ++n) EXPECT_NEAR(slice.marginal2[n], marginal2[n], 1e-6);
    }
  }
}

TEST(Slice, lse_is_the_oracle_s_for_both_forms_and_for_the_bf16_kernel_s_rounding) {
  for (const Problem& exact : slice_problems()) {
    for (Arithmetic arithmetic : {Arithmetic::exact, Arithmetic::bf16_inputs, Arithmetic::bf16_kernel}) {
      Problem problem = exact;
      if (arithmetic != Arithmetic::exact) problem.element = Element::bf16;
      SCOPED_TRACE(describe(problem));
      const AttentionCase rounded(problem), stored(exact);
      const Oracle oracle(problem, rounded.inputs(),
                          arithmetic == Arithmetic::bf16_kernel ? Fold::query_k2 : Fold::none);
      const std::int64_t i = problem.seq_len - 2;
      std::vector<double> o(static_cast<std::size_t>(problem.head_dim));
      const Slice slice = make_slice(*tensors_of(stored), {exact, arithmetic, 0, 1, i});
      EXPECT_NEAR(slice.lse, oracle.row({0, i, 1}, o), 1e-9);
    }
  }
}

TEST(Slice, its_output_is_the_oracle_s_and_the_shares_of_all_triples_are_the_whole) {
  for (Problem problem : slice_problems()) {
    problem.v2_bias = 0.25;
    SCOPED_TRACE(describe(problem));
    const AttentionCase data(problem);
    const Oracle oracle(problem, data.inputs());
    std::vector<double> o(static_cast<std::size_t>(problem.head_dim));
    for (std::int64_t i : {std::int64_t{2}, problem.seq_len - 1}) {
      const std::int64_t head = problem.q_heads - 1;
      const Slice slice = make_slice(*tensors_of(data), {problem, Arithmetic::exact, 0, head, i}, 1 << 20);
      oracle.row({0, i, head}, o);
      ASSERT_EQ(slice.output.size(), o.size());
      for (std::size_t d = 0; d < o.size(); ++d) EXPECT_NEAR(slice.output[d], o[d], 1e-6);
      double share = 0;
      for (const Triple& triple : slice.top) share += triple.output_share;
      EXPECT_NEAR(share, 1, 1e-5);
    }
  }
}

TEST(Slice, without_values_there_is_no_output) {
  const Problem problem = attention_problem(Form::trilinear, 20, 8, 4, 1, 1, 8);
  const AttentionCase data(problem);
  const AttentionTensors tensors(1, 20, 1, 1, 8, std::array{data.q, data.k1, data.k2, data.v1, std::vector<float>{}},
                                 {});
  const Slice slice = make_slice(tensors, {problem, Arithmetic::exact, 0, 0, 19});
  EXPECT_TRUE(slice.output.empty());
  EXPECT_EQ(slice.top.front().output_share, 0);
}

TEST(Slice, top_triples_are_the_largest_in_order) {
  const Problem problem = attention_problem(Form::determinant, 60, 40, 30, 2, 1, 12);
  const AttentionCase data(problem);
  const Slice slice = make_slice(*tensors_of(data), {problem, Arithmetic::exact, 0, 1, 59}, 25);
  std::vector<Triple> expected = brute_force(data, 0, 1, 59).cells;
  std::sort(expected.begin(), expected.end(), [](const Triple& a, const Triple& b) { return a.p > b.p; });
  ASSERT_EQ(slice.top.size(), 25U);
  for (std::size_t n = 0; n < slice.top.size(); ++n) {
    EXPECT_EQ(slice.top[n].j, expected[n].j);
    EXPECT_EQ(slice.top[n].k, expected[n].k);
    EXPECT_NEAR(slice.top[n].p, expected[n].p, 1e-9);
  }
  EXPECT_NEAR(slice.largest_p, expected.front().p, 1e-9);
}

TEST(Slice, every_width_around_the_padding_is_right) {
  for (std::int64_t window : {1, 7, 31, 32, 33, 64, 65}) {
    const Problem problem = attention_problem(Form::trilinear, 70, window, 9, 1, 1, 5);
    const AttentionCase data(problem);
    const Slice slice = make_slice(*tensors_of(data), {problem, Arithmetic::exact, 0, 0, 69});
    for (const Triple& cell : brute_force(data, 0, 0, 69).cells) {
      const auto at = static_cast<std::size_t>((cell.k - slice.first2) * slice.count1 + cell.j - slice.first1);
      ASSERT_NEAR(std::exp(static_cast<double>(slice.log_p[at])), cell.p, 1e-6) << window;
    }
  }
}

TEST(Slice, a_logit_range_of_thousands_neither_overflows_nor_loses_the_sum) {
  Problem problem = attention_problem(Form::trilinear, 50, 50, 50, 1, 1, 16);
  problem.scale = 500.0;
  const AttentionCase data(problem);
  const Slice slice = make_slice(*tensors_of(data), {problem, Arithmetic::exact, 0, 0, 49});
  double total = 0;
  for (float x : slice.log_p) total += std::exp(static_cast<double>(x));
  EXPECT_NEAR(total, 1, 1e-6);
  EXPECT_TRUE(std::isfinite(slice.lse));
  EXPECT_GE(slice.entropy, 0);
}

TEST(Slice, a_log_p_too_small_for_a_float_is_finite_all_the_same) {
  Problem problem = attention_problem(Form::trilinear, 50, 50, 50, 2, 1, 16);
  problem.scale = 1e30;
  AttentionCase data(problem);
  for (float& x : data.q) x *= 1e30F;
  const auto tensors = tensors_of(data);
  const Slice slice = make_slice(*tensors, {problem, Arithmetic::exact, 0, 1, 49});
  EXPECT_EQ(slice.nan_count + slice.infinite_count, 0);
  double total = 0;
  for (float x : slice.log_p) {
    ASSERT_TRUE(std::isfinite(x));
    total += std::exp(static_cast<double>(x));
  }
  EXPECT_NEAR(total, 1, 1e-6);
  for (float x : make_sheet(*tensors, {problem, Arithmetic::exact, 0, 0, 49}, 50, 50).log_p)
    EXPECT_TRUE(std::isfinite(x));
}

TEST(Slice, the_dot_product_row_is_a_softmax_of_q_k1) {
  const Problem problem = attention_problem(Form::trilinear, 30, 11, 4, 2, 1, 16);
  const AttentionCase data(problem);
  const Slice slice = make_slice(*tensors_of(data), {problem, Arithmetic::exact, 0, 1, 20});
  std::vector<double> weights;
  double sum = 0;
  for (std::int64_t j = 10; j <= 20; ++j) {
    double x = 0;
    for (std::int64_t d = 0; d < 16; ++d)
      x += static_cast<double>(data.q[static_cast<std::size_t>((20 * 2 + 1) * 16 + d)]) *
           data.k1[static_cast<std::size_t>(j * 16 + d)];
    weights.push_back(std::exp(x / 4));
    sum += weights.back();
  }
  ASSERT_EQ(slice.dot_log_p.size(), weights.size());
  for (std::size_t n = 0; n < weights.size(); ++n)
    EXPECT_NEAR(std::exp(static_cast<double>(slice.dot_log_p[n])), weights[n] / sum, 1e-7);
}

TEST(Slice, the_dot_product_row_keeps_its_digits_where_logits_are_thousands) {
  const Problem problem = attention_problem(Form::trilinear, 40, 40, 1, 1, 1, 4);
  AttentionCase data(problem);
  for (float& x : data.q) x = 3000;
  for (std::size_t n = 0; n < data.k1.size(); ++n) {
    const std::size_t position = n / 4;
    data.k1[n] = 1 + 1e-5F * static_cast<float>(position);
  }
  const Slice slice = make_slice(*tensors_of(data), {problem, Arithmetic::exact, 0, 0, 39});
  double sum = 0;
  const auto logit = [&](std::size_t j) { return 4 * 3000.0 * data.k1[4 * j] / 2; };
  for (std::size_t j = 0; j < 40; ++j) sum += std::exp(logit(j) - logit(39));
  for (std::size_t j = 0; j < 40; ++j) EXPECT_NEAR(slice.dot_log_p[j], logit(j) - logit(39) - std::log(sum), 1e-6);
}

TEST(Slice, a_nan_in_a_key_is_counted_and_leaves_the_other_pairs_a_distribution) {
  const Problem problem = attention_problem(Form::trilinear, 20, 8, 4, 1, 1, 8);
  AttentionCase data(problem);
  data.k1[15 * 8 + 3] = std::numeric_limits<float>::quiet_NaN();
  data.k1[14 * 8 + 3] = std::numeric_limits<float>::infinity();
  const Slice slice = make_slice(*tensors_of(data), {problem, Arithmetic::exact, 0, 0, 19});
  EXPECT_EQ(slice.nan_count, 4);
  EXPECT_EQ(slice.infinite_count, 4);
  double total = 0;
  for (float x : slice.log_p) {
    if (std::isfinite(x)) total += std::exp(static_cast<double>(x));
  }
  EXPECT_NEAR(total, 1, 1e-6);
  EXPECT_EQ(slice.top.size(), 4U * 6U);
  EXPECT_TRUE(std::isnan(slice.log_p[15 - 12]));
}

TEST(Slice, a_head_without_a_finite_logit_has_no_figures) {
  for (const bool with_sink : {false, true}) {
    Problem problem = attention_problem(Form::trilinear, 20, 8, 4, 2, 1, 8);
    if (with_sink) problem.sink = 0.5;
    AttentionCase data(problem);
    for (std::size_t n = 0; n < data.q.size(); ++n) {
      if (n / 8 % 2 == 1) data.q[n] = std::numeric_limits<float>::quiet_NaN();  // head 1
    }
    const auto tensors = tensors_of(data);
    const Slice slice = make_slice(*tensors, {problem, Arithmetic::exact, 0, 1, 19});
    EXPECT_EQ(slice.nan_count, 8 * 4);
    EXPECT_TRUE(slice.top.empty());
    for (double figure : {slice.entropy, slice.largest_p, slice.distance1, slice.distance2})
      EXPECT_TRUE(std::isnan(figure));
    EXPECT_EQ(slice.sink_p, with_sink ? 1 : 0);
    const Overview overview = make_overview(*tensors, {problem, Arithmetic::exact, 0, 0, 0}, 1);
    for (const auto* figure : {&overview.entropy, &overview.largest_p, &overview.distance1, &overview.distance2}) {
      for (std::size_t n = 0; n < 40; ++n) EXPECT_EQ(std::isnan((*figure)[n]), n >= 20) << n;
    }
  }
}

TEST(Slice, a_token_that_is_nan_in_keys_and_values_alike_leaves_the_output_of_the_others) {
  const Problem problem = attention_problem(Form::trilinear, 20, 8, 4, 1, 1, 8);
  AttentionCase data(problem);
  const auto token = [&](std::vector<float>& tensor, std::size_t position, float value) {
    std::fill_n(tensor.begin() + static_cast<std::ptrdiff_t>(position) * 8, 8, value);
  };
  token(data.k1, 15, std::numeric_limits<float>::quiet_NaN());
  token(data.k2, 18, std::numeric_limits<float>::infinity());
  AttentionCase bad = data;
  token(bad.v1, 15, std::numeric_limits<float>::quiet_NaN());
  token(bad.v2, 18, std::numeric_limits<float>::infinity());
  const SliceQuery query{problem, Arithmetic::exact, 0, 0, 19};
  const std::vector<float> output = make_slice(*tensors_of(bad), query).output;
  EXPECT_EQ(output, make_slice(*tensors_of(data), query).output);
  for (float x : output) EXPECT_TRUE(std::isfinite(x));
  token(bad.v1, 16, std::numeric_limits<float>::quiet_NaN());  // a key that takes part
  for (float x : make_slice(*tensors_of(bad), query).output) EXPECT_TRUE(std::isnan(x));
}

TEST(Overview, equals_the_slices_one_by_one) {
  for (const Problem& problem : slice_problems()) {
    SCOPED_TRACE(describe(problem));
    const AttentionCase data(problem);
    const auto tensors = tensors_of(data);
    SliceQuery query{problem, Arithmetic::exact, problem.batch - 1, 0, 0};
    const Overview overview = make_overview(*tensors, query, 3);
    ASSERT_EQ(overview.columns, (problem.seq_len + 2) / 3);
    for (query.head = 0; query.head < problem.q_heads; ++query.head) {
      for (std::int64_t column = 0; column < overview.columns; ++column) {
        query.query = column * 3;
        const Slice slice = make_slice(*tensors, query, 1);
        const auto at = static_cast<std::size_t>(query.head * overview.columns + column);
        EXPECT_NEAR(overview.entropy[at], slice.entropy, 1e-5);
        EXPECT_NEAR(overview.largest_p[at], slice.largest_p, 1e-6);
        EXPECT_NEAR(overview.sink_p[at], slice.sink_p, 1e-6);
        EXPECT_NEAR(overview.distance1[at], slice.distance1, 1e-4);
        EXPECT_NEAR(overview.distance2[at], slice.distance2, 1e-4);
      }
    }
  }
}

TEST(Sheet, each_cell_is_the_largest_of_its_part_of_the_window) {
  const Problem problem = attention_problem(Form::trilinear, 64, 40, 12, 3, 1, 16);
  const AttentionCase data(problem);
  const auto tensors = tensors_of(data);
  for (std::int64_t i : {std::int64_t{63}, std::int64_t{5}}) {
    const HeadSheet sheet = make_sheet(*tensors, {problem, Arithmetic::exact, 0, 0, i}, 10, 6);
    ASSERT_EQ(sheet.width, 10);
    ASSERT_EQ(sheet.height, 6);
    for (std::int64_t head = 0; head < 3; ++head) {
      std::vector<float> expected(60, -std::numeric_limits<float>::infinity());
      for (const Triple& cell : brute_force(data, 0, head, i).cells) {
        const std::int64_t x = (cell.j - (i - 39)) / 4, y = (cell.k - (i - 11)) / 2;
        float& most = expected[static_cast<std::size_t>(y * 10 + x)];
        most = std::max(most, static_cast<float>(std::log(cell.p)));
      }
      for (std::size_t n = 0; n < 60; ++n) {
        const float value = sheet.log_p[static_cast<std::size_t>(head) * 60 + n];
        if (std::isinf(expected[n])) {
          EXPECT_EQ(value, expected[n]);
        } else {
          EXPECT_NEAR(value, expected[n], 1e-5);
        }
      }
    }
  }
}

TEST(Slice, impossible_queries_are_refused_in_words) {
  const Problem problem = attention_problem(Form::trilinear, 20, 8, 4, 2, 1, 8);
  const auto tensors = tensors_of(AttentionCase(problem));
  const auto why = [&](SliceQuery query) {
    try {
      make_slice(*tensors, query);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(why({problem, Arithmetic::exact, 0, 2, 0}), testing::HasSubstr("no query head 2"));
  EXPECT_THAT(why({problem, Arithmetic::exact, 0, 0, 20}), testing::HasSubstr("no query 20; choose one from 0 to 19"));
  EXPECT_THAT(why({problem, Arithmetic::exact, 1, 0, 0}), testing::HasSubstr("no batch 1"));
  Problem large = attention_problem(Form::trilinear, 5000, 1, 1, 1, 1, 1);
  const auto many = tensors_of(AttentionCase(large));
  large.mask = Mask::full;
  EXPECT_THROW(make_slice(*many, {large, Arithmetic::exact, 0, 0, 0}), Error);
}

}  // namespace
}  // namespace triscope
