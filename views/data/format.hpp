// Numbers and times as the window writes them.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "profiler/record/dot_product.hpp"
#include "profiler/record/measurement.hpp"
#include "profiler/record/words/known_decimals.hpp"

namespace triscope {

/// Spaces behind a right-aligned number of `decimals` that put its point below those of numbers with `most`.
std::string point_padding(int decimals, int most);

std::string format_fixed(double value, int decimals);  ///< "24.40", "nan" as "NaN"
std::string format_count(std::int64_t value);          ///< "32,768"
std::string format_tokens(std::int64_t value);         ///< "32k", "1000"
std::string format_bytes(std::int64_t bytes);          ///< "217 KB", "1.2 GB", decimal units
std::string format_seconds(double seconds);            ///< "40 s", "1 min 40 s", "2 h 5 min"
/// "1 row", "32,768 rows". The command line, which groups no digits, has `number_of`.
template <std::integral Number>
std::string counted(Number number, std::string_view noun) {
  return format_count(static_cast<std::int64_t>(number)).append(" ").append(noun).append(number == 1 ? "" : "s");
}
/// Decimals of a time in milliseconds: as many as the half-width of its interval bears, but four at most, or three
/// digits of a time of a few microseconds. Four digits without an interval.
int ms_decimals(double ms, std::optional<double> half_width);
/// "24.40 ms", "0.812 ms": times have one unit everywhere, that of axes and columns.
std::string format_ms(double ms, std::optional<double> half_width = std::nullopt);
/// The ends of an interval with the digits of `middle`: "45.87 to 46.70 ms".
std::string format_ms_interval(double low, double high, double middle);
std::string format_error(double value);                                  ///< of a relative error: "1.6e-3"
std::string format_windows(std::int64_t window1, std::int64_t window2);  ///< "512 × 32"
/// "2026-11-21T14:02:31Z" as a short local time: "today 14:02", "18 Nov 17:31", "2025-11-18". `now` is unix seconds.
std::string format_started(std::string_view iso_utc, std::int64_t now);
/// "CUPTI", "CUDA events", "CPU clock".
std::string timing_label(TimingSource source);
/// A sample's flag in words: "throttled: sw_power_cap" -> "throttled: power limit"; unknown ones stay as they are.
std::string flag_label(std::string_view flag);
/// A number as part of a key; "none" when there is none, which is no number's text.
std::string optional_key(const std::optional<double>& value);

}  // namespace triscope
