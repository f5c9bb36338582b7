// The two key axes in their roles. The operator treats axis 1 and axis 2 alike, the fast kernels do not:
//
//   short axis   folded into the query one position at a time: q~ = q * k_short, or k_short x q per chunk of 3 for the
//                determinant. The axis of the narrower window, so that there are few folds.
//   long axis    read as it is, in tiles: the GEMMs are logits = q~ K_long^T and o += v_short * (P V_long).
//
// By default axis 2 is the short one (the paper's windows are 512x32). Where window1 < window2 the roles are exchanged,
// and det(q, k1, k2) = -det(q, k2, k1) goes into the sign of the scale. Gradients keep their names: what a kernel adds
// up for its short axis is grad_k1 and grad_v1 where axis 1 is short.
#pragma once

#include <cstdint>

#include "kernels/attention/kernel.hpp"

namespace triscope {

/// One thing of each axis: windows, keys, values, biases, gradients.
template <typename T>
struct ByRole {
  T short_axis{};
  T long_axis{};

  bool operator==(const ByRole&) const = default;
};

/// Where a kernel adds the biases, which belong to k2 and v2.
enum class BiasPlace {
  in_keys,     ///< to the keys and values before anything else, exactly: either axis may be folded
  in_product,  ///< where q~ is formed, because a biased key is not exact in bf16: with a bias axis 2 is folded
};

struct AxisRoles {
  bool axis1_is_short = false;  ///< k1 and v1 are folded; else k2 and v2
  ByRole<std::int64_t> window;  ///< clipped to seq_len
  ByRole<float> key_bias;       ///< 0 on axis 1
  ByRole<float> value_bias;
  double scale = 1;  ///< of the logit, negated where the exchange of axes negates a determinant

  /// What belongs to axis 1 and what to axis 2, by role: `by_role(arguments.grad_k1, arguments.grad_k2)`.
  template <typename T>
  ByRole<T> by_role(T axis1, T axis2) const {
    return axis1_is_short ? ByRole<T>{axis1, axis2} : ByRole<T>{axis2, axis1};
  }
};

/// Roles of the axes of `problem`. The full mask and dot products (axis 1 only) keep axis 1 long.
AxisRoles axis_roles(const Problem& problem, BiasPlace place);

/// What a kernel rounds when it rounds q~ to bf16. `cross_in_bf16`: of a determinant also one of its two products.
Fold fold_of(const AxisRoles& roles, bool cross_in_bf16 = false);

/// The same when it rounds q~ to the 11 bits of fp16.
Fold half_fold_of(const AxisRoles& roles);

/// |scale| * log2(e): times a logit before scaling it is an exponent of 2. Never 0: a masked logit is -inf, and
/// 0 * -inf would be NaN. The least value, 1e-30, makes every finite logit below 1e20 an exponent of 0, as 0 would.
/// The sign of the scale is the caller's.
float exponent_scale(double scale);

}  // namespace triscope
