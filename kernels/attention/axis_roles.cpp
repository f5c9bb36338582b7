#include "kernels/attention/axis_roles.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace triscope {

AxisRoles axis_roles(const Problem& problem, BiasPlace place) {
  const std::int64_t window1 = std::min(problem.window1, problem.seq_len);
  const std::int64_t window2 = std::min(problem.window2, problem.seq_len);
  const bool biased = problem.k2_bias != 0.0 || problem.v2_bias != 0.0;
  const bool fixed =
      problem.mask == Mask::full || problem.form == Form::dot_product || (biased && place == BiasPlace::in_product);
  AxisRoles roles;
  roles.axis1_is_short = !fixed && window1 < window2;
  roles.window = roles.by_role(window1, window2);
  roles.key_bias = roles.by_role(0.0f, static_cast<float>(problem.k2_bias));
  roles.value_bias = roles.by_role(0.0f, static_cast<float>(problem.v2_bias));
  const bool negated = roles.axis1_is_short && problem.form == Form::determinant;
  roles.scale = negated ? -problem.effective_scale() : problem.effective_scale();
  return roles;
}

Fold fold_of(const AxisRoles& roles, bool cross_in_bf16) {
  if (cross_in_bf16) return roles.axis1_is_short ? Fold::cross_k1 : Fold::cross_k2;
  return roles.axis1_is_short ? Fold::query_k1 : Fold::query_k2;
}

Fold half_fold_of(const AxisRoles& roles) { return roles.axis1_is_short ? Fold::half_k1 : Fold::half_k2; }

float exponent_scale(double scale) {
  constexpr float kLeast = 1e-30f;
  return std::max(static_cast<float>(std::abs(scale) * std::numbers::log2e), kLeast);
}

}  // namespace triscope
