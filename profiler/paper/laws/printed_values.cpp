#include "profiler/paper/laws/printed_values.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <sstream>

#include "kernels/base/error.hpp"
#include "paper_data.hpp"

namespace triscope {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& why) {
  throw Error(what, why, "report this as a defect of triscope", ExitCode::measured_failed);
}

struct Suffix {
  std::string_view text;
  double factor;
};
constexpr std::array kSuffixes{Suffix{"%", 0.01}, Suffix{" ms", 1}, Suffix{"B", 1e9}, Suffix{"k", 1024}};

/// The number of decimals of "2.8e-06" counts from its first digit: 7.
int decimals_of(std::string_view number) {
  const std::size_t exponent = number.find('e');
  int shift = 0;
  if (exponent != std::string_view::npos) {
    std::string_view digits = number.substr(exponent + 1);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    std::from_chars(digits.data(), digits.data() + digits.size(), shift);
    number = number.substr(0, exponent);
  }
  const std::size_t point = number.find('.');
  const int after = point == std::string_view::npos ? 0 : static_cast<int>(number.size() - point - 1);
  return after - shift;
}

std::vector<PrintedValue> read_tables() {
  std::vector<PrintedValue> values;
  std::istringstream lines{std::string(paper_data::kTables)};
  std::string line;
  std::getline(lines, line);  // the header
  while (std::getline(lines, line)) {
    std::istringstream cells(line);
    std::array<std::string, 5> cell;
    for (std::string& text : cell) std::getline(cells, text, ',');
    PrintedValue value{std::stoi(cell[0]), std::stoi(cell[1]), cell[2], cell[3], cell[4]};
    read_printed(value);
    values.push_back(std::move(value));
  }
  return values;
}

}  // namespace

void read_printed(PrintedValue& cell) {
  std::string_view text = cell.printed;
  if (text.starts_with('~') || text.starts_with('+')) text.remove_prefix(1);
  double factor = 1;
  for (const Suffix& suffix : kSuffixes) {
    if (!text.ends_with(suffix.text)) continue;
    factor = suffix.factor;
    text.remove_suffix(suffix.text.size());
    break;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    refuse("a table of the paper cannot be read", fmt::format("'{}' is no number", cell.printed));
  cell.value = value * factor;
  cell.half_unit = 0.5 * std::pow(10.0, -decimals_of(text)) * factor;
}

const std::vector<PrintedValue>& printed_values() {
  static const std::vector<PrintedValue> values = read_tables();
  return values;
}

const PrintedValue& printed_value(int table, int row, std::string_view column) {
  for (const PrintedValue& value : printed_values()) {
    if (value.table == table && value.row == row && value.column == column) return value;
  }
  refuse("a value of the paper was not found",
         fmt::format("table {} has no column '{}' in row {}", table, column, row));
}

std::string row_name(const PrintedValue& cell) {
  if (cell.table != 2) return cell.label;
  // A row of changes names no size; it stands below its two models.
  const int model = cell.row % 3 == 0 ? cell.row - 1 : cell.row;
  return fmt::format("{}, {}", cell.label, printed_value(2, model, "active parameters").printed);
}

std::string recomputed_text(const PrintedValue& cell, double value) {
  if (cell.printed.ends_with('%')) return fmt::format("{:+.3f}%", 100 * value);
  if (cell.printed.ends_with('k')) return fmt::format("{:g}k", value / 1024);
  if (cell.printed.find('e') != std::string::npos) return fmt::format("{:.2e}", value);
  return fmt::format("{:.5f}", value);
}

}  // namespace triscope
