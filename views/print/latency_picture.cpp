// The latency table for print: as it is filtered and sorted, with the columns that are shown.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "views/data/format.hpp"
#include "views/model/latency_columns.hpp"
#include "views/parts/widgets.hpp"
#include "views/print/chart_picture.hpp"
#include "views/print/drawn_series.hpp"
#include "views/print/table_page.hpp"

namespace triscope {
namespace {

/// What has no room goes in this order, the highest first.
int least_of(LatencyField field) {
  static const std::map<LatencyField, int> kLeast{
      {LatencyField::tflops, 1},  {LatencyField::interval, 2},     {LatencyField::beside_interval, 3},
      {LatencyField::verdict, 4}, {LatencyField::of_reference, 5}, {LatencyField::paper, 6},
      {LatencyField::peak, 8},    {LatencyField::paper_ratio, 7},  {LatencyField::error, 9},
      {LatencyField::flagged, 10}};
  const auto found = kLeast.find(field);
  return found == kLeast.end() ? 0 : found->second;
}

PrintColumn column_of(const LatencyModel& model, const LatencyColumn& column) {
  PrintColumn made;
  made.title = column.title;
  made.numeric = is_numeric(column.field);
  made.least = least_of(column.field);
  const bool of_pass = (is_numeric(column.field) || is_verdict(column.field)) && column.field != LatencyField::paper &&
                       column.field != LatencyField::paper_ratio;
  if (of_pass) made.group = model.groups[column.group].title;
  if (column.field == LatencyField::median) made.title = "ms";
  return made;
}

PrintCell cell_of(const LatencyLine& line, const LatencyColumn& column, const Theme& theme) {
  PrintCell made{cell_text(line, column)};
  const LatencyCell* cell = column.group < line.cells.size() ? line.cells[column.group].get() : nullptr;
  if (cell == nullptr) return made;
  const std::optional<Comparison>& judged =
      column.field == LatencyField::beside ? cell->beside : cell->against_baseline;
  if ((column.field == LatencyField::beside || column.field == LatencyField::verdict) && judged)
    made.colour = verdict_colour(theme, judged->verdict);
  return made;
}

}  // namespace

std::string latency_picture(const LatencyModel& model, const std::vector<std::size_t>& order,
                            const std::vector<LatencyColumn>& columns, const std::string& title,
                            const std::string& caption, const PrintStyle& style) {
  const Theme& theme = theme_of(style);
  PrintTable table;
  for (const LatencyColumn& column : columns) table.columns.push_back(column_of(model, column));
  for (const std::size_t index : order) {
    PrintRow& row = table.rows.emplace_back();
    for (const LatencyColumn& column : columns) row.cells.push_back(cell_of(model.lines[index], column, theme));
  }
  return table_picture(std::move(table), "the table", title, caption, style);
}

std::vector<DrawnSeries> drawn_series(const LatencyModel& model, const std::vector<std::size_t>& order,
                                      const SweepResults& shown, const OtherSweeps& others) {
  std::vector<std::int64_t> measurements;
  for (const std::size_t index : order) {
    for (const auto& cell : model.lines[index].cells) {
      if (cell) measurements.push_back(cell->row.measurement);
      if (cell && cell->backward != 0) measurements.push_back(cell->backward);
    }
  }
  return drawn_series(measurements, shown, others);
}

}  // namespace triscope
