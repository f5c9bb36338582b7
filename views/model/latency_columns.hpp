// What stands in the columns of the latency table: texts, sort keys, filter, copy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "views/model/tables/latency_model.hpp"

namespace triscope {

/// Columns of the table. Within a group they repeat per pass.
enum class LatencyField {
  label,
  fact,
  median,
  interval,
  tflops,
  peak,
  beside,
  beside_interval,
  of_reference,
  verdict,
  flagged,
  error,
  paper,
  paper_ratio
};

/// What a header says when it is hovered: definition, unit, formula, better direction.
struct FieldText {
  std::string_view meaning;
  std::string_view formula;  ///< empty = none
  std::string_view better;   ///< "Lower is better.", "Higher is better.", ""
  bool shown_at_first;
};
FieldText field_text(LatencyField field);

struct LatencyColumn {
  LatencyField field = LatencyField::label;
  std::size_t group = 0;  ///< index of the group, or of the fact
  std::string id;         ///< stable name, for settings and tests: "median/forward"
  std::string title;
};
std::vector<LatencyColumn> latency_columns(const LatencyModel& model);
/// Of these the ones whose ids are among `visible`, and the intervals of the ratios among them; all where that is
/// empty.
std::vector<LatencyColumn> shown_columns(const LatencyModel& model, const std::vector<std::string>& visible);
/// Order and widths that a person gave the table belong to one set of columns.
std::string latency_table_name(const std::vector<LatencyColumn>& columns);

/// Text of one cell as it is shown and copied; "" for an absent measurement, the status word for one that is not ok.
std::string cell_text(const LatencyLine& line, const LatencyColumn& column);
/// Sort key; nullopt sorts last in both directions.
std::optional<double> cell_value(const LatencyLine& line, const LatencyColumn& column);
bool is_numeric(LatencyField field);
bool is_verdict(LatencyField field);

/// Indices of lines that contain every word of `filter` (any column, case-insensitive), sorted by `sort` if given. A
/// number is also found as tokens or window, however it is written: "32k" and "32768" find 32,768.
struct LatencySort {
  LatencyColumn column;
  bool descending = false;
};
std::vector<std::size_t> arrange(const LatencyModel& model, std::string_view filter,
                                 const std::optional<LatencySort>& sort);
/// The same with the `filter_texts` of the model, which take ten times as long as the rest.
std::vector<std::size_t> arrange(const LatencyModel& model, std::string_view filter,
                                 const std::optional<LatencySort>& sort, const std::vector<std::string>& texts);
/// Of each line what the words of a filter are looked for in.
std::vector<std::string> filter_texts(const LatencyModel& model);

/// The arranged lines as text, with every column of `columns`.
TextTable latency_text(const LatencyModel& model, const std::vector<std::size_t>& order,
                       const std::vector<LatencyColumn>& columns);

}  // namespace triscope
