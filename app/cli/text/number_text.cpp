#include "app/cli/text/number_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "profiler/record/columns.hpp"

namespace triscope {

std::string milliseconds_text(double milliseconds) { return significant_text(milliseconds, 4); }

std::string clock_text(double seconds) {
  const long total = std::lround(std::max(seconds, 0.0));
  const long hours = total / 3600, minutes = total / 60 % 60, rest = total % 60;
  return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, minutes, rest) : fmt::format("{}:{:02}", minutes, rest);
}

std::string bytes_text(double bytes) {
  constexpr std::array kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.1f} {}", bytes, kUnits[unit]);
}

}  // namespace triscope
