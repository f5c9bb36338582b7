#include "kernels/base/philox.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace triscope {
namespace {

// Known-answer vectors of Random123 (kat_vectors, philox4x32 10).
TEST(Philox, matches_the_published_known_answers) {
  const PhiloxBlock zero = philox(0, 0, 0);
  EXPECT_EQ(zero.x[0], 0x6627e8d5u);
  EXPECT_EQ(zero.x[1], 0xe169c58du);
  EXPECT_EQ(zero.x[2], 0xbc57ac4cu);
  EXPECT_EQ(zero.x[3], 0x9b00dbd8u);
  const PhiloxBlock ones = philox(~0ull, ~0ull, ~0ull);
  EXPECT_EQ(ones.x[0], 0x408f276du);
  EXPECT_EQ(ones.x[1], 0x41c83b0eu);
  EXPECT_EQ(ones.x[2], 0xa20bc7c6u);
  EXPECT_EQ(ones.x[3], 0x6d5451fdu);
}

TEST(Philox, unit_normal_has_mean_0_variance_1_and_normal_tails) {
  const int n = 1 << 20;
  double sum = 0, squares = 0, fourth = 0;
  int beyond_2 = 0;
  for (int i = 0; i < n; ++i) {
    const double x = unit_normal(static_cast<std::uint64_t>(i), 0, 1);
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
    beyond_2 += std::abs(x) > 2 ? 1 : 0;
  }
  EXPECT_NEAR(sum / n, 0.0, 5e-3);
  EXPECT_NEAR(squares / n, 1.0, 7e-3);
  EXPECT_NEAR(fourth / n, 3.0 - 1.2 / 8, 4e-2);  // kurtosis of the sum of 8 uniforms
  EXPECT_NEAR(static_cast<double>(beyond_2) / n, 0.0455, 3e-3);
}

TEST(Philox, streams_and_seeds_differ) {
  EXPECT_NE(unit_normal(7, 0, 1), unit_normal(7, 1, 1));
  EXPECT_NE(unit_normal(7, 0, 1), unit_normal(7, 0, 2));
}

TEST(Philox, bf16_rounding_is_to_nearest_even) {
  EXPECT_EQ(round_to_bf16(1.0f), 1.0f);
  EXPECT_EQ(round_to_bf16(1.0f + 0x1p-8f), 1.0f);                // tie, even below
  EXPECT_EQ(round_to_bf16(1.0f + 3 * 0x1p-8f), 1.0f + 0x1p-6f);  // tie, even above
  EXPECT_EQ(round_to_bf16(1.0f + 0x1.1p-8f), 1.0f + 0x1p-7f);
}

}  // namespace
}  // namespace triscope
