// Numbers as a person reads them.
#pragma once

#include <string>

namespace triscope {

/// `digits` significant digits without an exponent for everyday sizes: 0.0123, 1.23, 12.3, 1234.
std::string significant(double value, int digits = 3);

/// Milliseconds with 4 significant digits.
std::string milliseconds_text(double milliseconds);

/// "0:42", "12:05", "1:02:03".
std::string clock_text(double seconds);

/// "1.5 GiB".
std::string bytes_text(double bytes);

}  // namespace triscope
