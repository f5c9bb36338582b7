// The two clocks of a measurement.
#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>

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

}  // namespace triscope
