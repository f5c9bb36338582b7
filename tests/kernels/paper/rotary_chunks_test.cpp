// Rotary embedding on chunks of three: what holds of the CPU's, which the GPU's is compared with.
#include "kernels/paper/rotary_chunks.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "kernels/attention/inputs.hpp"

namespace triscope {
namespace {

std::vector<float> normal_inputs(InputStream stream, std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  fill_input(stream, 5, Element::fp32, values);
  return values;
}

TEST(RotaryChunks, turn_by_position_and_speed_about_the_third_element) {
  const std::int64_t n = 40, heads = 3, dim = 20;  // six chunks, two elements left over
  const std::vector<float> before = normal_inputs(InputStream::q, 2 * n * heads * dim);
  std::vector<float> after = before;
  rotate_chunks(2, n, heads, dim, rotary_chunk_table(n, dim), after);
  for (std::int64_t row = 0; row < 2 * n * heads; ++row) {
    const std::int64_t position = row / heads % n;
    const float *x = before.data() + row * dim, *y = after.data() + row * dim;
    for (std::int64_t l = 0; l < 6; ++l) {
      const double angle = static_cast<double>(position) / std::pow(10'000.0, static_cast<double>(l) / 6);
      const double a = static_cast<double>(x[3 * l]), b = static_cast<double>(x[3 * l + 1]);
      EXPECT_NEAR(static_cast<double>(y[3 * l]), a * std::cos(angle) - b * std::sin(angle), 1e-5);
      EXPECT_NEAR(static_cast<double>(y[3 * l + 1]), a * std::sin(angle) + b * std::cos(angle), 1e-5);
      EXPECT_EQ(y[3 * l + 2], x[3 * l + 2]);
    }
    EXPECT_EQ(y[18], x[18]);
    EXPECT_EQ(y[19], x[19]);
  }
}

/// Sum over chunks of the determinant of q, k1 and k2, after each was turned by its own position.
double logit(const std::array<std::vector<float>, 3>& rows, const std::array<std::int64_t, 3>& positions,
             bool determinant) {
  const std::int64_t dim = 24, most = 200;
  static const std::vector<float> table = rotary_chunk_table(most, dim);
  std::array<std::vector<double>, 3> turned;
  for (std::size_t t = 0; t < 3; ++t) {
    std::vector<float> all(static_cast<std::size_t>(most * dim), 0.0F);
    std::copy(rows.at(t).begin(), rows.at(t).end(), all.begin() + positions.at(t) * dim);
    rotate_chunks(1, most, 1, dim, table, all);
    turned.at(t).assign(all.begin() + positions.at(t) * dim, all.begin() + (positions.at(t) + 1) * dim);
  }
  const auto& [a, b, c] = turned;
  double sum = 0;
  for (std::size_t d = 0; d < 24; d += 3) {
    sum += determinant
               ? a[d] * (b[d + 1] * c[d + 2] - b[d + 2] * c[d + 1]) - a[d + 1] * (b[d] * c[d + 2] - b[d + 2] * c[d]) +
                     a[d + 2] * (b[d] * c[d + 1] - b[d + 1] * c[d])
               : a[d] * b[d] * c[d] + a[d + 1] * b[d + 1] * c[d + 1] + a[d + 2] * b[d + 2] * c[d + 2];
  }
  return sum;
}

TEST(RotaryChunks, leave_the_determinant_to_relative_positions) {
  const std::array rows{normal_inputs(InputStream::q, 24), normal_inputs(InputStream::k1, 24),
                        normal_inputs(InputStream::k2, 24)};
  double moved = 0, trilinear = 0;
  for (const std::int64_t shift : {1, 17, 120}) {
    const double here = logit(rows, {50, 43, 21}, true),
                 later = logit(rows, {50 + shift, 43 + shift, 21 + shift}, true);
    EXPECT_NEAR(here, later, 1e-4) << shift;
    moved = std::max(moved, std::abs(here - logit(rows, {50, 43 - 5, 21}, true)));
    trilinear = std::max(trilinear, std::abs(logit(rows, {50, 43, 21}, false) -
                                             logit(rows, {50 + shift, 43 + shift, 21 + shift}, false)));
  }
  EXPECT_GT(moved, 0.05) << "relative positions matter";
  EXPECT_GT(trilinear, 0.05) << "the trilinear form does not have that property";
}

}  // namespace
}  // namespace triscope
