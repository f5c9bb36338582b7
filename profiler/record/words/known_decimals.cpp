#include "profiler/record/words/known_decimals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace triscope {

int known_decimals(double value, std::optional<double> half_width, int most) {
  const bool known = half_width && std::isfinite(*half_width) && *half_width > 0;
  const double sure = known ? *half_width : std::abs(value);
  if (!std::isfinite(sure) || sure == 0) return 0;
  // The exponent after rounding: 0.0996 with two digits is 0.10.
  const int digits = known ? 2 : 4;
  const std::string rounded = fmt::format("{:.{}e}", sure, digits - 1);
  return std::clamp(digits - 1 - std::stoi(rounded.substr(rounded.find('e') + 1)), 0, most);
}

}  // namespace triscope
