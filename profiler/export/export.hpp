// Results as text that other programs read: CSV, JSON, Markdown, LaTeX.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/files/output_file.hpp"
#include "profiler/export/latency_table.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/record/measurement.hpp"

namespace triscope {

enum class ExportFormat {
  csv,    ///< RFC 4180 with LF; first line: the view's column names; numbers at full precision, NULL is empty
  json,   ///< an array of objects, keys as in the view; numbers at full precision, NULL is null
  md,     ///< a table for people, numbers rounded
  latex,  ///< a tabular (package booktabs) for people, numbers rounded
};
std::string_view to_string(ExportFormat);
std::optional<ExportFormat> parse_export_format(std::string_view text);
FileKind file_kind(ExportFormat);

/// Columns of an export that names none: all for programs (csv, json), those a person reads for md and latex.
std::vector<const ResultColumn*> export_columns(ExportFormat format);

/// `rows` in `format`, ending in a line break; with no rows the header (json: an empty array) remains.
std::string export_rows(std::span<const ResultRow> rows, ExportFormat format);
std::string export_rows(std::span<const ResultRow> rows, ExportFormat format,
                        std::span<const ResultColumn* const> columns);

/// The pivot: a caption with what all rows share, then the times in ms with the paper's column and ratio where it has
/// them. csv and json carry the intervals, rates and ids too, one object or line per cell group.
std::string export_latency_table(const LatencyTable& table, ExportFormat format);

}  // namespace triscope
