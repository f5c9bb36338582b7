// The example of the section on rotations: one chunk of q, k1 and k2, turned about one axis, and moved on by positions.
#pragma once

#include <cstdint>

#include "profiler/paper/rotary.hpp"

namespace triscope {

inline constexpr std::int64_t kExampleShift = 64;  ///< positions that all three move on by, at most
inline constexpr Positions3 kExamplePositions{40, 37, 12};
inline constexpr double kExampleAngle = 0.1;  ///< radians a position

/// Both logits of the chunk with all three vectors turned about one axis.
struct TurnedLogits {
  double degrees = 0, determinant = 0, trilinear = 0;
};
TurnedLogits turned_logits(double degrees);

ShiftedLogits example_shift(RotaryAxes axes);

}  // namespace triscope
