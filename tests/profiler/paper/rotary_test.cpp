// Rotations and the two forms of a chunk of three.
#include "profiler/paper/rotary.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace triscope {
namespace {

constexpr Chunk3 kChunk{Vector3{1.0, 0.25, 0.1}, Vector3{-0.2, 0.95, 0.35}, Vector3{0.3, -0.3, 0.9}};

TEST(Rotary, turns_about_an_axis_as_the_right_hand_does) {
  const Vector3 y = rotated({1, 0, 0}, {0, 0, 1}, std::numbers::pi / 2);
  EXPECT_NEAR(y[0], 0, 1e-15);
  EXPECT_NEAR(y[1], 1, 1e-15);
  const Vector3 axis{0, 0.6, 0.8};
  const Vector3 same = rotated(axis, axis, 1.2);
  for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(same.at(d), axis.at(d), 1e-15);
}

TEST(Rotary, forms_are_those_of_the_paper) {
  // Sarrus: a1 b2 c3 + a2 b3 c1 + a3 b1 c2 - a1 b3 c2 - a2 b1 c3 - a3 b2 c1.
  const auto& [a, b, c] = kChunk;
  EXPECT_NEAR(determinant(kChunk),
              a[0] * b[1] * c[2] + a[1] * b[2] * c[0] + a[2] * b[0] * c[1] - a[0] * b[2] * c[1] - a[1] * b[0] * c[2] -
                  a[2] * b[1] * c[0],
              1e-15);
  EXPECT_NEAR(trilinear(kChunk), a[0] * b[0] * c[0] + a[1] * b[1] * c[1] + a[2] * b[2] * c[2], 1e-15);
}

TEST(Rotary, one_rotation_of_all_three_keeps_the_determinant_and_not_the_trilinear_form) {
  double moved = 0;
  for (const Vector3& axis : {Vector3{1, 0, 0}, Vector3{0, 0.6, 0.8}}) {
    for (double angle = 0.1; angle < 6; angle += 0.7) {
      Chunk3 turned{};
      for (std::size_t n = 0; n < 3; ++n) turned.at(n) = rotated(kChunk.at(n), axis, angle);
      EXPECT_NEAR(determinant(turned), determinant(kChunk), 1e-14);
      moved = std::max(moved, std::abs(trilinear(turned) - trilinear(kChunk)));
    }
  }
  EXPECT_GT(moved, 0.1);
}

TEST(Rotary, one_axis_means_relative_positions_only_and_different_axes_do_not) {
  const Positions3 positions{40, 37, 12};
  const ShiftedLogits shared = shifted_logits(kChunk, RotaryAxes::shared, positions, 0.1, 64);
  EXPECT_LT(shared.worst_determinant, 1e-13);
  EXPECT_GT(shared.worst_trilinear, 0.01) << "the trilinear form depends on where they stand even so";
  const ShiftedLogits different = shifted_logits(kChunk, RotaryAxes::different, positions, 0.1, 64);
  EXPECT_GT(different.worst_determinant, 0.01);
  EXPECT_EQ(different.determinants.size(), 65U);
  // Relative positions still matter: else nothing would be embedded.
  const Chunk3 here = embedded(kChunk, RotaryAxes::shared, positions, 0.1);
  const Chunk3 nearer = embedded(kChunk, RotaryAxes::shared, {40, 38, 12}, 0.1);
  EXPECT_GT(std::abs(determinant(here) - determinant(nearer)), 1e-3);
}

}  // namespace
}  // namespace triscope
