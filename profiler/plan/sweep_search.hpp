// How sweeps are found by words; the window's list, its search and the command line use the same.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/record/measurement.hpp"

namespace triscope {

/// All that a search looks in, in small letters: the sweep's number ("sweep 22"), its `title`, note, device, command,
/// its windows ("512x32", also those of "Table 1"), and when it started, as it is stored and as it is printed in local
/// time: "2026-10-19 15:55", "19 oct 2026 15:55".
std::string searched_text(const SweepInfo& sweep, std::string_view title);

/// What was typed. Every word of it must stand somewhere; a day, a month and a year beside each other ("19 Oct",
/// "19 Oct 2026", "Oct 2026") are one, and "today" is the day of `now`, in unix seconds. A number alone is none of a
/// date or a time. Capitals count as small letters. A comma behind a word is none of it.
class SweepSearch {
 public:
  SweepSearch(std::string_view words, std::int64_t now);
  bool empty() const { return terms_.empty(); }
  bool finds(std::string_view searched) const;

 private:
  struct Term {
    std::string text;
    bool is_day = false;     ///< no digit may stand before it
    std::string or_day;      ///< the same of a day; empty: none
    bool is_number = false;  ///< it stands in no date
  };
  std::vector<Term> terms_;
};

/// One sweep, once.
bool sweep_matches(const SweepInfo& sweep, std::string_view title, std::string_view words, std::int64_t now);

}  // namespace triscope
