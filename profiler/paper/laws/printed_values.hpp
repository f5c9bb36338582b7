// Every number of the paper's four tables, as it is printed (assets/paper/tables.csv).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace triscope {

/// One cell of a table of the paper.
struct PrintedValue {
  int table = 0;         ///< 1 latencies, 2 losses, 3 alpha and beta, 4 R2 and residuals
  int row = 0;           ///< from 1, in the paper's order
  std::string label;     ///< "512x32", "Transformer", "2-simplicial", "Delta"
  std::string column;    ///< "latency", "GSM8k", "GSM8k alpha"
  std::string printed;   ///< "0.3277", "+0.79%", "2.8e-06", "~1B"
  double value = 0;      ///< 0.3277, 0.0079, 2.8e-6, 1e9; latencies in ms
  double half_unit = 0;  ///< half a unit of the last printed digit, in units of `value`: how far rounding may move it
};

/// In the file's order: tables, rows and columns as the paper has them.
const std::vector<PrintedValue>& printed_values();

/// The value of a cell. Throws `Error` when the tables have no such cell.
const PrintedValue& printed_value(int table, int row, std::string_view column);

/// The row of a cell in words that no other row of its table has: "Delta, ~1B".
std::string row_name(const PrintedValue& cell);

/// A number as its cell prints it, with a digit or two more: "+0.763%", "2.28e-06".
std::string recomputed_text(const PrintedValue& cell, double value);

/// Reads "0.3277", "+0.79%", "2.8e-06", "104.1 ms", "~3.5B", "32k" (1024 each): value and half unit of `cell.printed`.
/// Throws `Error` for any other text.
void read_printed(PrintedValue& cell);

}  // namespace triscope
