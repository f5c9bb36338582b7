// How many decimals of a measured value are known.
#pragma once

#include <optional>

namespace triscope {

/// As many as give the half-width of the value's interval two digits, so that no digit is written that it does not
/// bear. Without one the value keeps four digits. At most `most`.
int decimals_that_are_known(double value, std::optional<double> half_width, int most);

}  // namespace triscope
