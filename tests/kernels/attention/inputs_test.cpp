#include "kernels/attention/inputs.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace triscope {
namespace {

TEST(Inputs, any_part_of_a_tensor_is_the_same_as_that_part_of_the_whole) {
  std::vector<float> whole(10000), part(1000);
  fill_input(InputStream::k2, 7, Element::fp32, whole);
  fill_input(InputStream::k2, 7, Element::fp32, part, 4321);
  for (std::size_t n = 0; n < part.size(); ++n) EXPECT_EQ(part[n], whole[n + 4321]);
  EXPECT_EQ(whole[123], unit_normal(123, 2, 7));
}

TEST(Inputs, bf16_is_the_fp32_value_rounded) {
  std::vector<float> exact(5000), rounded(5000);
  fill_input(InputStream::q, 1, Element::fp32, exact);
  fill_input(InputStream::q, 1, Element::bf16, rounded);
  for (std::size_t n = 0; n < exact.size(); ++n) EXPECT_EQ(rounded[n], round_to_bf16(exact[n]));
  EXPECT_NE(exact, rounded);
}

}  // namespace
}  // namespace triscope
