// A table for print, as a paper sets one: rules above, below the heads and at the end, and nothing else but text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "profiler/statistics/statistics.hpp"
#include "views/print/plot_frame.hpp"

namespace triscope {

struct PrintCell {
  std::string text{};
  ImU32 colour = 0;                   ///< 0: that of words
  std::optional<double> bar{};        ///< a bar of this share of the column instead of words
  std::optional<Interval> whisker{};  ///< on the bar, of the same unit
};

struct PrintColumn {
  std::string title;
  std::string group{};   ///< columns of one group beside each other have a head together; empty: none
  bool numeric = false;  ///< numbers, which line up on their points
  bool wraps = false;    ///< its words take as many lines as they need
  int least = 0;         ///< what has no room is left out, the highest first; 0: never
  float bar_width = 0;   ///< of a column of bars
};

struct PrintRow {
  std::vector<PrintCell> cells;  ///< by column; one alone is a heading over what follows
};

struct PrintTable {
  std::vector<PrintColumn> columns;
  std::vector<PrintRow> rows;
};

/// `what`: of what the rows are, "The latency table", for errors. The caption names the columns that the width leaves
/// no room for. Throws `Error` (usage) where the rest has none, or the height none for the rows.
std::string table_picture(PrintTable table, const std::string& what, const std::string& title,
                          const std::string& caption, const PrintStyle& style);

}  // namespace triscope
