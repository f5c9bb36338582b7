#include "profiler/paper/rotary.hpp"

#include <algorithm>
#include <cmath>

namespace triscope {
namespace {

Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double dot(const Vector3& a, const Vector3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

constexpr Vector3 kSharedAxis{0, 0.6, 0.8};
constexpr std::array<Vector3, 3> kOwnAxes{Vector3{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

}  // namespace

Vector3 rotated(const Vector3& v, const Vector3& axis, double angle) {
  const double c = std::cos(angle), s = std::sin(angle), along = dot(axis, v) * (1 - c);
  const Vector3 across = cross(axis, v);
  Vector3 turned{};
  for (std::size_t d = 0; d < 3; ++d) turned.at(d) = v.at(d) * c + across.at(d) * s + axis.at(d) * along;
  return turned;
}

double determinant(const Chunk3& chunk) { return dot(chunk[0], cross(chunk[1], chunk[2])); }

double trilinear(const Chunk3& chunk) {
  double sum = 0;
  for (std::size_t d = 0; d < 3; ++d) sum += chunk[0].at(d) * chunk[1].at(d) * chunk[2].at(d);
  return sum;
}

Chunk3 embedded(const Chunk3& chunk, RotaryAxes axes, const Positions3& positions, double angle) {
  Chunk3 turned{};
  for (std::size_t n = 0; n < 3; ++n) {
    const Vector3& axis = axes == RotaryAxes::shared ? kSharedAxis : kOwnAxes.at(n);
    turned.at(n) = rotated(chunk.at(n), axis, angle * static_cast<double>(positions.at(n)));
  }
  return turned;
}

ShiftedLogits shifted_logits(const Chunk3& chunk, RotaryAxes axes, const Positions3& positions, double angle,
                             std::int64_t most) {
  ShiftedLogits logits;
  for (std::int64_t shift = 0; shift <= most; ++shift) {
    const Positions3 moved{positions[0] + shift, positions[1] + shift, positions[2] + shift};
    const Chunk3 turned = embedded(chunk, axes, moved, angle);
    logits.determinants.push_back(determinant(turned));
    logits.trilinears.push_back(trilinear(turned));
    logits.worst_determinant =
        std::max(logits.worst_determinant, std::abs(logits.determinants.back() - logits.determinants.front()));
    logits.worst_trilinear =
        std::max(logits.worst_trilinear, std::abs(logits.trilinears.back() - logits.trilinears.front()));
  }
  return logits;
}

}  // namespace triscope
