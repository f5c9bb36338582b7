// Algorithm 1's einsums: Sarrus' rule gives the determinants, and with a softmax what the oracle says.
#include "kernels/paper/einsum_logits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/attention/inputs.hpp"
#include "kernels/reference/oracle.hpp"

namespace triscope {
namespace {

std::vector<float> normal(InputStream stream, std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  fill_input(stream, 11, Element::fp32, values);
  return values;
}

std::vector<double> wide(const std::vector<float>& values) { return {values.begin(), values.end()}; }

TEST(EinsumLogits, turn_chunks_to_the_left) {
  const std::vector<double> rows{1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 15, 16, 17, 18};
  EXPECT_EQ(turned_chunks(rows, 2, 1), (std::vector<double>{2, 3, 1, 5, 6, 4, 0, 0, 12, 13, 11, 15, 16, 14, 0, 0}));
  EXPECT_EQ(turned_chunks(rows, 2, 2), (std::vector<double>{3, 1, 2, 6, 4, 5, 0, 0, 13, 11, 12, 16, 14, 15, 0, 0}));
}

TEST(EinsumLogits, of_unit_vectors_are_the_six_signs) {
  const std::vector<double> units{1, 0, 0, 0, 1, 0, 0, 0, 1};
  const std::vector<double> logits = determinant_by_two_einsums(units, units, units, 3);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 3; ++k) {
        const int sign = (j - i) * (k - i) * (k - j) / 2;  // of the permutation; 0 where two are equal
        EXPECT_EQ(logits[static_cast<std::size_t>(9 * i + 3 * j + k)], sign) << i << j << k;
      }
    }
  }
}

/// o and log-sum-exp of query `i` by a softmax over the logits of the pairs that it sees.
struct Row {
  double lse = 0;
  std::vector<double> o;
};
Row softmax_row(const Problem& problem, const std::vector<double>& logits, std::int64_t i,
                const std::vector<double>& v1, const std::vector<double>& v2) {
  const std::int64_t n = problem.seq_len, d = problem.head_dim;
  Row row{0, std::vector<double>(static_cast<std::size_t>(d))};
  double sum = 0;
  for (std::int64_t j = std::max<std::int64_t>(0, i - problem.window1 + 1); j <= i; ++j) {
    for (std::int64_t k = std::max<std::int64_t>(0, i - problem.window2 + 1); k <= i; ++k) {
      const double weight = std::exp(problem.effective_scale() * logits[static_cast<std::size_t>((i * n + j) * n + k)]);
      sum += weight;
      for (std::int64_t h = 0; h < d; ++h)
        row.o[static_cast<std::size_t>(h)] +=
            weight * v1[static_cast<std::size_t>(j * d + h)] * v2[static_cast<std::size_t>(k * d + h)];
    }
  }
  for (double& value : row.o) value /= sum;
  row.lse = std::log(sum);
  return row;
}

TEST(EinsumLogits, with_a_softmax_are_the_oracles_output_in_both_forms) {
  for (const Form form : {Form::trilinear, Form::determinant}) {
    for (const std::int64_t dim : {3, 7, 12}) {  // 7: one element is left over
      Problem problem;
      problem.form = form;
      problem.element = Element::fp32;
      problem.seq_len = 14;
      problem.window1 = 9;
      problem.window2 = 4;
      problem.q_heads = problem.kv_heads = 1;
      problem.head_dim = dim;
      const std::int64_t n = problem.seq_len, count = n * dim;
      const std::vector<float> q = normal(InputStream::q, count), k1 = normal(InputStream::k1, count),
                               k2 = normal(InputStream::k2, count), v1 = normal(InputStream::v1, count),
                               v2 = normal(InputStream::v2, count);
      const std::vector<double> logits = form == Form::trilinear
                                             ? trilinear_einsum(wide(q), wide(k1), wide(k2), n)
                                             : determinant_by_two_einsums(wide(q), wide(k1), wide(k2), n);
      HostInputs inputs;
      inputs.q = q.data(), inputs.k1 = k1.data(), inputs.k2 = k2.data(), inputs.v1 = v1.data(), inputs.v2 = v2.data();
      const Oracle oracle(problem, inputs);
      for (std::int64_t i = 0; i < n; ++i) {
        const Row row = softmax_row(problem, logits, i, wide(v1), wide(v2));
        std::vector<double> o(static_cast<std::size_t>(dim));
        EXPECT_NEAR(oracle.row({0, i, 0}, o), row.lse, 1e-12) << "row " << i << ", dim " << dim;
        for (std::size_t h = 0; h < o.size(); ++h) EXPECT_NEAR(o[h], row.o[h], 1e-12) << "row " << i << ", dim " << dim;
      }
    }
  }
}

}  // namespace
}  // namespace triscope
