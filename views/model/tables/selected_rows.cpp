// What Details says of all that are selected: a table to be copied.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiler/record/columns.hpp"
#include "views/data/format.hpp"
#include "views/model/tables/beside_model.hpp"
#include "views/model/tables/latency_model.hpp"

namespace triscope {

TextTable figures_text(const SelectionFigures& figures) {
  TextTable table;
  for (const char* words : {"row", "kernel", "pass", "tokens", "status"}) table.add_column(words, false);
  for (const char* number : {"median ms", "low ms", "high ms", "TFLOP/s", "time / first", "low", "high"})
    table.add_column(number, true);
  table.add_column("verdict", false);
  const auto number = [](const std::optional<double>& value) { return value ? fmt::format("{:.6g}", *value) : ""; };
  for (const SelectedRow& one : figures.rows) {
    const ResultRow& row = one.row;
    std::vector<std::string> cells{line_label(row),
                                   row.card.label,
                                   std::string(to_string(row.pass)),
                                   fmt::format("{}", row.problem.seq_len),
                                   std::string(to_string(row.status)),
                                   number(row.median_ms),
                                   number(row.ci_low_ms),
                                   number(row.ci_high_ms),
                                   number(row.tflops)};
    if (one.time) {
      cells.push_back(one.time->ratio > 0 ? number(one.time->ratio) : "");
      const bool known = interval_known(*one.time);
      cells.push_back(known ? number(one.time->interval.low) : "");
      cells.push_back(known ? number(one.time->interval.high) : "");
      cells.emplace_back(to_string(one.time->verdict));
    } else {
      cells.resize(table.header.size());
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace triscope
