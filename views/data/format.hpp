// Numbers and times as the window writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "profiler/record/measurement.hpp"

namespace triscope {

/// Decimals with which every value of a column keeps at least three significant digits, at most `most`: the column
/// then lines up on its decimal point. With the half-widths of the values' intervals it goes on to the digit that most
/// of them are sure of. NaN and zero are ignored.
int column_decimals(std::span<const double> values, std::span<const double> half_widths = {}, int most = 4);

std::string format_fixed(double value, int decimals);       ///< "24.40", "nan" as "NaN"
std::string counted(std::size_t number, const char* noun);  ///< "1 row", "2 rows"
std::string format_count(std::int64_t value);               ///< "32,768"
std::string format_tokens(std::int64_t value);              ///< "32k", "1000"
std::string format_bytes(std::int64_t bytes);               ///< "217 KB", "1.2 GB", decimal units
std::string format_seconds(double seconds);                 ///< "40 s", "1 min 40 s", "2 h 5 min"
std::string format_latency(double ms);                      ///< with its unit: "24.40 ms", "812 us", "1.24 s"
std::string format_error(double value);                     ///< of a relative error: "1.6e-3"
std::string format_windows(std::int64_t window1, std::int64_t window2);  ///< "512 × 32"
/// "2026-11-21T14:02:31Z" as a short local time: "today 14:02", "18 Nov 17:31", "2025-11-18". `now` is unix seconds.
std::string format_started(std::string_view iso_utc, std::int64_t now);
/// "CUPTI", "CUDA events", "CPU clock".
std::string timing_label(TimingSource source);
/// A sample's flag in words: "throttled: sw_power_cap" -> "throttled: power limit"; unknown ones stay as they are.
std::string flag_label(std::string_view flag);
bool is_baseline(const ResultRow& row);
/// A number as part of a key; "none" when there is none, which is no number's text.
std::string optional_key(const std::optional<double>& value);

}  // namespace triscope
