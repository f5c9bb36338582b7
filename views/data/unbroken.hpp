// A value that stays with its unit where lines are broken.
#pragma once

#include <string>

namespace triscope {

/// "±2.5 %" with no-break spaces in place of its blanks.
inline std::string unbroken(std::string value) {
  for (std::size_t at = value.find(' '); at != std::string::npos; at = value.find(' ', at))
    value.replace(at, 1, "\u00A0");
  return value;
}

}  // namespace triscope
