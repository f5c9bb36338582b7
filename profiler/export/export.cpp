#include "profiler/export/export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "kernels/base/text/plain_text.hpp"
#include "profiler/export/text_table.hpp"
#include "profiler/paper/table1.hpp"
#include "profiler/record/words/factor_text.hpp"

namespace triscope {
namespace {

using Json = nlohmann::ordered_json;

TableFormat table_format(ExportFormat format) {
  switch (format) {
    case ExportFormat::csv:
      return TableFormat::csv;
    case ExportFormat::md:
      return TableFormat::markdown;
    default:
      return TableFormat::latex;
  }
}

// Shortest text that reads back as the same number.
std::string full_precision(const ColumnValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *integer);
  if (const auto* real = std::get_if<double>(&value)) return std::isfinite(*real) ? fmt::format("{}", *real) : "";
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return "";
}

Json json_of(const ColumnValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  if (const auto* real = std::get_if<double>(&value)) return std::isfinite(*real) ? Json(*real) : Json();
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return nullptr;
}
Json json_of(const std::optional<double>& value) { return value ? json_of(ColumnValue(*value)) : Json(); }

// Text that came from elsewhere may be no UTF-8; its bad bytes are replaced rather than the export refused.
std::string dump(const Json& json) {
  return plain_json(json.dump(1, ' ', false, Json::error_handler_t::replace)) + "\n";
}

// The power of a burst has the pauses between its launches in it: times the time of one it is no energy.
bool has_pauses(const ResultColumn& column, const ResultRow& row) {
  return row.regime == Regime::burst && column.id.starts_with("joules");
}
ColumnValue exported(const ResultColumn& column, const ResultRow& row) {
  return has_pauses(column, row) ? ColumnValue() : column.value(row);
}
std::string exported_text(const ResultColumn& column, const ResultRow& row) {
  return has_pauses(column, row) ? std::string() : column.text(row);
}

bool is_numeric(const ResultColumn& column, std::span<const ResultRow> rows) {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const ResultRow& row) { return number_of(column, row).has_value(); });
}

// What the cells of a latency table show, by format.
std::string shown_median(const LatencyTableCell& cell) {
  if (!cell.result) return "";
  if (cell.result->status != Status::ok) return std::string(to_string(cell.result->status));
  return find_result_column("median_ms")->text(*cell.result);
}
std::string shown_rate(const LatencyTableCell& cell) {
  return cell.result && cell.result->status == Status::ok ? find_result_column("tflops")->text(*cell.result) : "";
}

bool has_paper(const LatencyTable& table) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [](const LatencyTableRow& row) { return row.paper_ms.has_value(); });
}
bool has_paper_ratio(const LatencyTable& table, std::size_t column) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [column](const LatencyTableRow& row) { return row.cells[column].paper_ratio.has_value(); });
}

TextTable latency_grid_for_people(const LatencyTable& table) {
  TextTable grid;
  for (const std::string& name : table.fact_names) grid.add_column(name, false);
  for (std::size_t n = 0; n < table.columns.size(); ++n) {
    grid.add_column(table.columns[n].title + ", ms", true);
    grid.add_column("TFLOP/s", true);
    if (has_paper_ratio(table, n)) grid.add_column("of paper", true);
  }
  const bool paper = has_paper(table);
  if (paper) grid.add_column("paper, ms", true);
  for (const LatencyTableRow& row : table.rows) {
    std::vector<std::string>& cells = grid.rows.emplace_back(row.facts);
    for (std::size_t n = 0; n < row.cells.size(); ++n) {
      cells.push_back(shown_median(row.cells[n]));
      cells.push_back(shown_rate(row.cells[n]));
      if (!has_paper_ratio(table, n)) continue;
      cells.push_back(row.cells[n].paper_ratio ? fmt::format("{:.{}f}x", *row.cells[n].paper_ratio,
                                                             factor_decimals(*row.cells[n].paper_ratio, 2))
                                               : "");
    }
    if (paper) cells.push_back(row.paper_ms ? fmt::format("{}", *row.paper_ms) : "");
  }
  return grid;
}

constexpr std::array<std::string_view, 13> kCellColumns = {
    "measurement", "status",  "median_ms",    "ci_low_ms", "ci_high_ms",       "tflops", "peak_fraction",
    "error",       "power_w", "sm_clock_mhz", "joules",    "joules_per_tflop", "limiter"};

// Of the main columns those that are left out where no row has them.
constexpr std::array<std::string_view, 5> kOptionalColumns = {"power_w", "sm_clock_mhz", "joules", "joules_per_tflop",
                                                              "limiter"};

TextTable latency_grid_for_programs(const LatencyTable& table) {
  TextTable grid;
  for (const std::string& name : table.fact_names) grid.add_column(name, false);
  grid.add_column("paper_ms", true);
  for (const LatencyTableColumn& column : table.columns) {
    for (const std::string_view id : kCellColumns) grid.add_column(fmt::format("{} {}", column.title, id), true);
    grid.add_column(column.title + " paper_ratio", true);
  }
  const auto number = [](const std::optional<double>& value) {
    return value ? fmt::format("{}", *value) : std::string();
  };
  for (const LatencyTableRow& row : table.rows) {
    std::vector<std::string>& cells = grid.rows.emplace_back(row.facts);
    cells.push_back(number(row.paper_ms));
    for (const LatencyTableCell& cell : row.cells) {
      for (const std::string_view id : kCellColumns) {
        cells.push_back(cell.result ? full_precision(exported(*find_result_column(id), *cell.result)) : "");
      }
      cells.push_back(number(cell.paper_ratio));
    }
  }
  return grid;
}

std::string latency_json(const LatencyTable& table) {
  Json json;
  json["common"] = table.common;
  json["columns"] = Json::array();
  for (const LatencyTableColumn& column : table.columns) {
    json["columns"].push_back({{"title", column.title},
                               {"kernel", column.kernel},
                               {"instance", column.instance},
                               {"pass", to_string(column.pass)},
                               {"regime", to_string(column.regime)},
                               {"timing_source", to_string(column.timing_source)}});
  }
  json["rows"] = Json::array();
  for (const LatencyTableRow& row : table.rows) {
    Json line;
    for (std::size_t n = 0; n < row.facts.size(); ++n) line[table.fact_names[n]] = row.facts[n];
    line["paper_ms"] = json_of(row.paper_ms);
    line["cells"] = Json::array();
    for (const LatencyTableCell& cell : row.cells) {
      Json one;
      if (cell.result) {
        for (const std::string_view id : kCellColumns) {
          one[std::string(id)] = json_of(exported(*find_result_column(id), *cell.result));
        }
        one["paper_ratio"] = json_of(cell.paper_ratio);
      }
      line["cells"].push_back(std::move(one));
    }
    json["rows"].push_back(std::move(line));
  }
  return dump(json);
}

/// What all rows share, and what has to be known of the paper's times where they stand.
std::string caption_of(const LatencyTable& table) {
  return has_paper(table) ? table.common + ". " + kPaperTimesCaveat : table.common;
}

}  // namespace

std::string_view to_string(ExportFormat format) {
  switch (format) {
    case ExportFormat::csv:
      return "csv";
    case ExportFormat::json:
      return "json";
    case ExportFormat::md:
      return "md";
    case ExportFormat::latex:
      return "latex";
  }
  return "?";
}

std::optional<ExportFormat> parse_export_format(std::string_view text) {
  for (const ExportFormat format : {ExportFormat::csv, ExportFormat::json, ExportFormat::md, ExportFormat::latex}) {
    if (to_string(format) == text) return format;
  }
  return std::nullopt;
}

FileKind file_kind(ExportFormat format) {
  switch (format) {
    case ExportFormat::csv:
      return FileKind::csv;
    case ExportFormat::json:
      return FileKind::json;
    case ExportFormat::md:
      return FileKind::markdown;
    case ExportFormat::latex:
      return FileKind::latex;
  }
  return FileKind::csv;
}

std::vector<const ResultColumn*> export_columns(ExportFormat format) {
  std::vector<const ResultColumn*> columns;
  if (format == ExportFormat::csv || format == ExportFormat::json) {
    for (const ResultColumn& column : result_columns()) columns.push_back(&column);
    return columns;
  }
  for (const std::string_view id :
       {"device",     "kernel",   "instance",      "pass",    "form",   "seq_len",   "q_heads",
        "kv_heads",   "head_dim", "window1",       "window2", "regime", "median_ms", "ci_low_ms",
        "ci_high_ms", "tflops",   "peak_fraction", "flagged", "error",  "status"}) {
    columns.push_back(find_result_column(id));
  }
  for (const std::string_view id : kOptionalColumns) columns.push_back(find_result_column(id));
  return columns;
}

std::string export_rows(std::span<const ResultRow> rows, ExportFormat format) {
  std::vector<const ResultColumn*> columns = export_columns(format);
  if (format == ExportFormat::md || format == ExportFormat::latex) {
    std::erase_if(columns, [&](const ResultColumn* column) {
      const bool optional =
          std::find(kOptionalColumns.begin(), kOptionalColumns.end(), column->id) != kOptionalColumns.end();
      return optional && std::none_of(rows.begin(), rows.end(),
                                      [&](const ResultRow& row) { return !exported_text(*column, row).empty(); });
    });
  }
  return export_rows(rows, format, columns);
}

std::string export_rows(std::span<const ResultRow> rows, ExportFormat format,
                        std::span<const ResultColumn* const> columns) {
  if (format == ExportFormat::json) {
    Json json = Json::array();
    for (const ResultRow& row : rows) {
      Json object = Json::object();
      for (const ResultColumn* column : columns) object[std::string(column->id)] = json_of(exported(*column, row));
      json.push_back(std::move(object));
    }
    return dump(json);
  }
  const bool for_people = format != ExportFormat::csv;
  TextTable grid;
  for (const ResultColumn* column : columns) {
    grid.add_column(for_people ? header_of(*column) : std::string(column->id), is_numeric(*column, rows));
  }
  for (const ResultRow& row : rows) {
    std::vector<std::string>& cells = grid.rows.emplace_back();
    for (const ResultColumn* column : columns) {
      cells.push_back(for_people ? exported_text(*column, row) : full_precision(exported(*column, row)));
    }
  }
  return write_table(grid, table_format(format));
}

std::string export_latency_table(const LatencyTable& table, ExportFormat format) {
  switch (format) {
    case ExportFormat::json:
      return latency_json(table);
    case ExportFormat::csv:
      return write_table(latency_grid_for_programs(table), TableFormat::csv);
    case ExportFormat::md:
      return escape_text(caption_of(table), TableFormat::markdown) + "\n\n" +
             write_table(latency_grid_for_people(table), TableFormat::markdown);
    case ExportFormat::latex:
      return write_table(latency_grid_for_people(table), TableFormat::latex) + "\n" +
             escape_text(caption_of(table), TableFormat::latex) + "\n";
  }
  return "";
}

}  // namespace triscope
