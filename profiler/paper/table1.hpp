// What stands beside the paper's Table 1: its caveat, the rates that its milliseconds imply, and a recording on an
// H100.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/attention/paper.hpp"
#include "profiler/record/measurement.hpp"

namespace triscope {

/// What has to be said wherever the paper's milliseconds stand.
inline constexpr const char* kPaperTimesCaveat =
    "The paper does not say which GPU its milliseconds were measured on, nor at which length and heads. 32,768 tokens "
    "with 64 query heads of 128 on one are inferred.";

/// The paper's windows at the shape that is inferred (`has_paper_shape`).
Problem inferred_problem(const Windows& windows);

/// TFLOP/s at the inferred shape, if its milliseconds are the paper's.
struct ImpliedRates {
  double by_paper_count = 0;  ///< 6 n w1 w2 a head and dimension
  double by_two_products = 0;
};
ImpliedRates implied_rates(const PaperRow& row);
/// The highest of them beside the rate that the paper's text states; stands behind the caveat.
std::string highest_rates_text();

/// "24.21 +-3.8 %", with the digits that the 95 % interval from `low` to `high` bears (`known_decimals`).
/// Without an interval four digits.
std::string known_ms_text(double ms, std::optional<double> low, std::optional<double> high,
                          std::string_view sign = "+-");

/// The sustained forward of the paper's windows at the inferred shape: of each 2-simplicial kernel the row that counts
/// (`row_that_counts`), and of these the fastest; null: not measured.
const ResultRow* fastest_table1_forward(std::span<const ResultRow> rows, const Windows& windows);

/// The paper's windows where they were measured at another shape only: the sustained forward of our kernels at the
/// longest length. Of each kernel and shape there the row that counts, and of these the fastest; null: not measured.
const ResultRow* other_shape_forward(std::span<const ResultRow> rows, const Windows& windows);

/// The forward of cuda.hopper at the inferred shape: assets/recorded/h100.db, sweep 1.
struct RecordedTable1 {
  std::string device;    ///< "NVIDIA H100 80GB HBM3"
  std::string database;  ///< "h100.db"
  struct Line {
    Windows windows;
    std::string kernel;
    double ms = 0, low_ms = 0, high_ms = 0;  ///< 95 % interval
  };
  std::vector<Line> lines;  ///< in the paper's order

  /// Null where nothing was recorded.
  const Line* of(const Windows& windows) const;
};
const RecordedTable1& recorded_table1();
/// Whether `rows` are those of the recording, so that their times beside it would stand twice.
bool is_recorded_table1(std::span<const ResultRow> rows);

}  // namespace triscope
