// How well one colour stands off from another.
#pragma once

#include <algorithm>
#include <cmath>

#include "views/parts/theme.hpp"

namespace triscope::fixture {

/// The contrast ratio of WCAG 2.2, 1 to 21.
inline double contrast_of(ImU32 a, ImU32 b) {
  const auto luminance = [](ImU32 colour) {
    const ImVec4 c = to_vec4(colour);
    const auto linear = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
    return 0.2126 * linear(c.x) + 0.7152 * linear(c.y) + 0.0722 * linear(c.z);
  };
  const auto [low, high] = std::minmax({luminance(a), luminance(b)});
  return (high + 0.05) / (low + 0.05);
}

}  // namespace triscope::fixture
