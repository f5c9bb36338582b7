// How many decimals of a measured value are known.
#pragma once

#include <optional>

namespace triscope {

/// As many as give the half-width of the value's interval two digits, so that no digit is written that it does not
/// bear. Without one the value keeps four digits. At most `most`.
int known_decimals(double value, std::optional<double> half_width, int most = 4);

}  // namespace triscope
