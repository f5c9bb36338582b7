#include "app/number_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace triscope {

std::string significant(double value, int digits) {
  if (value == 0) return "0";
  if (!std::isfinite(value)) return fmt::format("{}", value);
  const double magnitude = std::abs(value);
  if (magnitude < 1e-4 || magnitude >= 1e9) return fmt::format("{:.{}e}", value, digits - 1);
  // Rounding first: 9.996 with three digits has two digits before the point, not one.
  const double step = std::pow(10.0, std::floor(std::log10(magnitude)) - (digits - 1));
  const double rounded = std::round(magnitude / step) * step;
  const int decimals = digits - 1 - static_cast<int>(std::floor(std::log10(rounded) + 1e-12));
  return fmt::format("{:.{}f}", value, std::max(decimals, 0));
}

std::string milliseconds_text(double milliseconds) { return significant(milliseconds, 4); }

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
