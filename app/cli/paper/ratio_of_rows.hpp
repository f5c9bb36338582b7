// The ratio of the times of two rows, in tables and in JSON: by their turns, or of the medians where they took none.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "profiler/paper/paper_kernel.hpp"
#include "profiler/statistics/statistics.hpp"

namespace triscope {

/// Stands below a table with a ratio that ends in a star.
inline constexpr const char* kNotInTurns =
    "* not in turns: the medians of two runs are compared; what changed on the machine in between is not in it\n";

/// "12.9 (12.7 to 13.1)", with a star where the medians were divided; the verdict's word where there is no ratio.
inline std::string ratio_of_rows_text(const Comparison& time) {
  if (!(time.ratio > 0)) return std::string(to_string(time.verdict));
  const TimeRatio ratio =
      interval_known(time) ? TimeRatio{time.ratio, time.interval.low, time.interval.high} : TimeRatio{time.ratio};
  return time_ratio_text(ratio) + (time.paired ? "" : " *");
}

/// `ratio` and its interval, null where it is unknown, and `in_turns`.
inline nlohmann::json ratio_of_rows_json(const std::optional<Comparison>& time) {
  if (!time || !(time->ratio > 0))
    return {{"ratio", nullptr}, {"ratio_low", nullptr}, {"ratio_high", nullptr}, {"in_turns", false}};
  const bool known = interval_known(*time);
  const auto end = [known](double value) { return known ? nlohmann::json(value) : nlohmann::json(); };
  return {{"ratio", time->ratio},
          {"ratio_low", end(time->interval.low)},
          {"ratio_high", end(time->interval.high)},
          {"in_turns", time->paired}};
}

}  // namespace triscope
