#include "profiler/report/rotation_example.hpp"

#include <numbers>

namespace triscope {

TurnedLogits turned_logits(double degrees) {
  const Vector3 axis{0.6, 0.8, 0};
  Chunk3 chunk = kExampleChunk;
  for (Vector3& v : chunk) v = rotated(v, axis, degrees * std::numbers::pi / 180);
  return {degrees, determinant(chunk), trilinear(chunk)};
}

ShiftedLogits example_shift(RotaryAxes axes) {
  return shifted_logits(kExampleChunk, axes, kExamplePositions, kExampleAngle, kExampleShift);
}

}  // namespace triscope
