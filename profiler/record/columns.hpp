// The columns of the `result` view, described once: tables, tooltips, exports and docs/schema.md take them from here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "profiler/record/measurement.hpp"

namespace triscope {

enum class BetterDirection { none, lower, higher };
std::string_view to_string(BetterDirection);  ///< "", "lower", "higher"

/// A value as the view holds it; monostate is SQL's NULL.
using ColumnValue = std::variant<std::monostate, std::int64_t, double, std::string>;

struct ResultColumn {
  std::string_view id;          ///< the view's name
  std::string_view label;       ///< short header for people, without the unit
  std::string_view unit;        ///< of `value`; empty: a count, a name, a ratio
  std::string_view shown_unit;  ///< of `text`: "%" for a fraction, else like `unit`
  std::string_view meaning;     ///< one sentence
  std::string_view formula;     ///< empty: measured or given
  BetterDirection better = BetterDirection::none;
  ColumnValue (*value)(const ResultRow& row) = nullptr;  ///< full precision
  std::string (*text)(const ResultRow& row) =
      nullptr;  ///< rounded for people, without unit; empty when there is no value
};

/// All columns, in the view's order.
std::span<const ResultColumn> result_columns();

/// The column called `id`, or null.
const ResultColumn* find_result_column(std::string_view id);

/// The value as a number for charts and sorting; nullopt for text and for NULL.
std::optional<double> number_of(const ResultColumn& column, const ResultRow& row);

/// "median, ms": label and shown unit.
std::string header_of(const ResultColumn& column);

/// `value` with `digits` significant digits, without an exponent between 1e-4 and 1e7: "0.00123", "24.4", "1234".
std::string significant_text(double value, int digits = 3);

/// Begins the reason of a row that a person left out while it was measured.
inline constexpr std::string_view kSkippedByUser = "skipped by the user";
/// What became of a row, in a word. One that was left out is cancelled, since resuming measures it, and says "skipped".
inline std::string status_word(const ResultRow& row) {
  if (row.status == Status::cancelled && row.reason.starts_with(kSkippedByUser)) return "skipped";
  return std::string(to_string(row.status));
}

}  // namespace triscope
