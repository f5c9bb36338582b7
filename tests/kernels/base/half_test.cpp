#include "kernels/base/half.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace triscope {
namespace {

// The definition (IEEE 754, table 3.5): sign, then 5 bits of exponent with bias 15, then 10 bits.
double value_of_half(int bits) {
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  const int exponent = (bits >> 10) & 31, mantissa = bits & 1023;
  if (exponent == 31) return mantissa == 0 ? sign * INFINITY : NAN;
  return exponent == 0 ? sign * std::ldexp(mantissa, -24) : sign * std::ldexp(1024 + mantissa, exponent - 25);
}

TEST(Half, every_number_widens_to_its_value_and_returns) {
  for (int bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float wide = float_from_half(half);
    const double value = value_of_half(bits);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(wide)) << bits;
    } else {
      ASSERT_EQ(static_cast<double>(wide), value) << bits;
      ASSERT_EQ(std::signbit(wide), (bits & 0x8000) != 0) << bits;
    }
    ASSERT_EQ(half_from_float(wide), half) << bits;
  }
}

TEST(Half, rounds_to_nearest_and_ties_to_even_between_all_neighbours) {
  for (int bits = 0; bits < 0x7BFF; ++bits) {  // up to the pair below the largest finite number
    // The middle of two neighbours has one bit more than a half: a float holds it exactly.
    const auto middle = static_cast<float>((value_of_half(bits) + value_of_half(bits + 1)) / 2);
    const int even = bits % 2 == 0 ? bits : bits + 1;
    ASSERT_EQ(half_from_float(middle), even) << bits;
    ASSERT_EQ(half_from_float(-middle), even | 0x8000) << bits;
    ASSERT_EQ(half_from_float(std::nextafterf(middle, 0)), bits) << bits;
    ASSERT_EQ(half_from_float(std::nextafterf(middle, INFINITY)), bits + 1) << bits;
  }
}

TEST(Half, overflows_to_infinity_from_65520_and_keeps_nan) {
  EXPECT_EQ(half_from_float(65504), 0x7BFF);
  EXPECT_EQ(half_from_float(std::nextafterf(65520, 0)), 0x7BFF);
  EXPECT_EQ(half_from_float(65520), 0x7C00);
  EXPECT_EQ(half_from_float(1e30f), 0x7C00);
  EXPECT_EQ(half_from_float(-INFINITY), 0xFC00);
  EXPECT_EQ(half_from_float(std::numeric_limits<float>::denorm_min()), 0);
  EXPECT_EQ(half_from_float(-0.0f), 0x8000);
  const float low_payload = std::bit_cast<float>(0x7F800001u);  // its payload does not fit
  EXPECT_TRUE(std::isnan(float_from_half(half_from_float(low_payload))));
  EXPECT_TRUE(std::isnan(float_from_half(half_from_float(NAN))));
}

TEST(Bfloat16, every_number_widens_to_its_value_and_returns) {
  for (int bits = 0; bits < 0x10000; ++bits) {
    const auto narrow = static_cast<std::uint16_t>(bits);
    const float wide = float_from_bfloat16(narrow);
    // The definition: the upper half of a float.
    ASSERT_EQ(std::bit_cast<std::uint32_t>(wide), static_cast<std::uint32_t>(bits) << 16);
    ASSERT_EQ(bfloat16_from_float(wide), narrow) << bits;
  }
}

TEST(Bfloat16, rounds_to_nearest_and_ties_to_even_between_all_neighbours) {
  for (int bits = 0; bits < 0x7F80; ++bits) {  // the last pair is the largest finite number and infinity
    const float middle = std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16 | 0x8000u);
    const int even = bits % 2 == 0 ? bits : bits + 1;
    ASSERT_EQ(bfloat16_from_float(middle), even) << bits;
    ASSERT_EQ(bfloat16_from_float(-middle), even | 0x8000) << bits;
    ASSERT_EQ(bfloat16_from_float(std::nextafterf(middle, 0)), bits) << bits;
    ASSERT_EQ(bfloat16_from_float(std::nextafterf(middle, INFINITY)), bits + 1) << bits;
  }
}

TEST(Bfloat16, keeps_infinity_and_nan) {
  EXPECT_EQ(bfloat16_from_float(INFINITY), 0x7F80);
  EXPECT_EQ(bfloat16_from_float(std::numeric_limits<float>::max()), 0x7F80);
  const float low_payload = std::bit_cast<float>(0xFF800001u);
  EXPECT_EQ(bfloat16_from_float(low_payload), 0xFFC0);
}

}  // namespace
}  // namespace triscope
