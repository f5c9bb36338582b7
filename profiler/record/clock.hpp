// The two clocks of a measurement.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <string>

namespace triscope {

/// Wall clock, ns since 1970 in UTC: when something was measured.
inline std::int64_t unix_now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// CLOCK_MONOTONIC_RAW in ns, which no time server slews: how long something took.
inline std::int64_t monotonic_raw_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

/// "2026-11-30T04:05:06Z": ISO 8601, UTC, whole seconds. By hand: it is written for each row of a large database.
inline std::string utc_date(std::int64_t unix_ns) {
  const std::chrono::sys_seconds time{std::chrono::seconds(unix_ns / 1'000'000'000)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{time - day};
  std::string text = "0000-00-00T00:00:00Z";
  const auto write = [&text](std::size_t behind, std::int64_t number) {
    for (; number > 0; number /= 10) text[--behind] = static_cast<char>('0' + number % 10);
  };
  write(4, static_cast<int>(date.year()));
  write(7, static_cast<unsigned>(date.month()));
  write(10, static_cast<unsigned>(date.day()));
  write(13, clock.hours().count());
  write(16, clock.minutes().count());
  write(19, clock.seconds().count());
  return text;
}

}  // namespace triscope
