#include "views/data/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

#include "profiler/record/columns.hpp"
#include "profiler/record/words/count_text.hpp"

namespace triscope {
std::string point_padding(int decimals, int most) {
  const int missing = std::max(0, most - decimals) + (decimals == 0 && most > 0 ? 1 : 0);
  return std::string(static_cast<std::size_t>(missing), ' ');
}

std::string format_fixed(double value, int decimals) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return fmt::format("{:.{}f}", value, decimals);
}

std::string format_count(std::int64_t value) { return count_text(value); }

std::string format_tokens(std::int64_t value) {
  if (value >= 1024 && value % 1024 == 0) return fmt::format("{}k", value / 1024);
  return fmt::format("{}", value);
}

std::string format_bytes(std::int64_t bytes) {
  static constexpr std::array kUnits{"B", "KB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1000 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", value, unit > 0 && value < 10 ? 1 : 0, kUnits[unit]);
}

std::string format_seconds(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::llround(std::clamp(seconds, 0.0, 1e9)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

int ms_decimals(double ms, std::optional<double> half_width) {
  constexpr int kUsual = 4, kDigits = 3;
  const int of_few_us = ms > 0 ? kDigits - 1 - static_cast<int>(std::floor(std::log10(ms))) : 0;
  return known_decimals(ms, half_width, std::max(kUsual, of_few_us));
}

std::string format_ms(double ms, std::optional<double> half_width) {
  return fmt::format("{} ms", format_fixed(ms, std::isfinite(ms) ? ms_decimals(ms, half_width) : 0));
}

std::string format_ms_interval(double low, double high, double middle) {
  const int decimals = ms_decimals(middle, (high - low) / 2);
  return fmt::format("{} to {} ms", format_fixed(low, decimals), format_fixed(high, decimals));
}

std::string format_error(double value) {
  if (value == 0 || !std::isfinite(value)) return format_fixed(value, 0);
  const std::string text = fmt::format("{:.1e}", value);
  const std::size_t e = text.find('e');
  return fmt::format("{}e{}", text.substr(0, e), std::stoi(text.substr(e + 1)));
}

std::string format_windows(std::int64_t window1, std::int64_t window2) {
  return fmt::format("{} × {}", window1, window2);
}

std::string format_started(std::string_view iso_utc, std::int64_t now) {
  std::tm utc{};
  if (std::sscanf(std::string(iso_utc).c_str(), "%d-%d-%dT%d:%d:%d", &utc.tm_year, &utc.tm_mon, &utc.tm_mday,
                  &utc.tm_hour, &utc.tm_min, &utc.tm_sec) < 5) {
    return std::string(iso_utc);
  }
  utc.tm_year -= 1900;
  utc.tm_mon -= 1;
  const std::time_t then = timegm(&utc);
  const std::time_t today = static_cast<std::time_t>(now);
  std::tm local{}, local_now{};
  localtime_r(&then, &local);
  localtime_r(&today, &local_now);
  char text[32];
  const char* pattern = local.tm_year != local_now.tm_year   ? "%d %b %Y"
                        : local.tm_yday == local_now.tm_yday ? "today %H:%M"
                                                             : "%d %b %H:%M";
  std::strftime(text, sizeof text, pattern, &local);
  return text;
}

std::string timing_label(TimingSource source) {
  switch (source) {
    case TimingSource::cupti:
      return "CUPTI";
    case TimingSource::cuda_events:
      return "CUDA events";
    case TimingSource::cpu_clock:
      return "CPU clock";
  }
  return "?";
}

std::string flag_label(std::string_view flag) {
  constexpr std::pair<std::string_view, std::string_view> kReasons[] = {{"sw_power_cap", "power limit"},
                                                                        {"hw_power_brake", "power supply"},
                                                                        {"sw_thermal", "too warm"},
                                                                        {"hw_thermal", "too hot"},
                                                                        {"hw_slowdown", "hardware"}};
  std::string text(flag);
  for (const auto& [name, words] : kReasons) {
    const std::size_t at = text.find(name);
    if (at == std::string::npos) continue;
    std::size_t end = at + name.size();
    while (end < text.size() && text[end] != ',') ++end;
    text.replace(at, end - at, words);
  }
  return text;
}

std::string optional_key(const std::optional<double>& value) { return value ? fmt::format("{}", *value) : "none"; }

}  // namespace triscope
