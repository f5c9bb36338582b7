// One chunk of three elements of q, k1 and k2: its determinant and its part of the trilinear form, and what rotations
// by position do to both.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace triscope {

using Vector3 = std::array<double, 3>;
/// q, k1 and k2.
using Chunk3 = std::array<Vector3, 3>;

/// Three vectors to look at: neither parallel nor orthogonal.
inline constexpr Chunk3 kExampleChunk{Vector3{1.0, 0.25, 0.1}, Vector3{-0.2, 0.95, 0.35}, Vector3{0.3, -0.3, 0.9}};

/// `v` about `axis`, which has length 1, by `angle` in radians.
Vector3 rotated(const Vector3& v, const Vector3& axis, double angle);
double determinant(const Chunk3& chunk);
/// sum q k1 k2.
double trilinear(const Chunk3& chunk);

enum class RotaryAxes {
  shared,     ///< q, k1 and k2 of a chunk turn about one axis
  different,  ///< each about one of its own
};
/// Of q, k1 and k2.
using Positions3 = std::array<std::int64_t, 3>;

/// Each vector turned by its position times `angle`.
Chunk3 embedded(const Chunk3& chunk, RotaryAxes axes, const Positions3& positions, double angle);

/// Both logits when all three positions move on together, by 0 .. `most`. A form that depends on relative positions
/// only is the same everywhere.
struct ShiftedLogits {
  std::vector<double> determinants, trilinears;       ///< by shift
  double worst_determinant = 0, worst_trilinear = 0;  ///< largest difference from no shift
};
ShiftedLogits shifted_logits(const Chunk3& chunk, RotaryAxes axes, const Positions3& positions, double angle,
                             std::int64_t most);

}  // namespace triscope
