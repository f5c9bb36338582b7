// Times and sizes as a person reads them; plain numbers: `significant_text` (profiler/record/columns.hpp).
#pragma once

#include <string>

namespace triscope {

/// Milliseconds with 4 significant digits.
std::string milliseconds_text(double milliseconds);

/// "0:42", "12:05", "1:02:03".
std::string clock_text(double seconds);

/// "1.5 GiB".
std::string bytes_text(double bytes);

}  // namespace triscope
