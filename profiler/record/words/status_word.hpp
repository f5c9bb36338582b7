// What became of a row, in a word.
#pragma once

#include <string>
#include <string_view>

#include "profiler/record/measurement.hpp"

namespace triscope {

/// Begins the reason of a row that a person left out while it was measured.
inline constexpr std::string_view kSkippedByUser = "skipped by the user";

/// Such a row is cancelled, since resuming measures it, and says that it was skipped.
inline std::string status_word(const ResultRow& row) {
  if (row.status == Status::cancelled && row.reason.starts_with(kSkippedByUser)) return "skipped";
  return std::string(to_string(row.status));
}

}  // namespace triscope
