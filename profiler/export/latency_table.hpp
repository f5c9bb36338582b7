// Results as the table people ask for: rows = windows, columns = kernel x pass, the paper's Table 1 beside them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiler/record/measurement.hpp"

namespace triscope {

/// What one column of times shows.
struct LatencyTableColumn {
  std::string kernel;
  std::string instance;  ///< empty when the rows hold one instance of the kernel for each question
  Pass pass = Pass::forward;
  Regime regime = Regime::sustained;
  TimingSource timing_source = TimingSource::cpu_clock;
  std::string
      title;  ///< "cuda.hopper forward"; names instance, regime and timing source only where columns differ in them
};

struct LatencyTableCell {
  std::optional<ResultRow> result;    ///< unset: not in the plan
  std::optional<double> paper_ratio;  ///< the paper's time / this one: above 1 is faster than the paper
};

struct LatencyTableRow {
  Problem problem;
  std::string device;
  std::vector<std::string> facts;       ///< by `LatencyTable::fact_names`
  std::vector<LatencyTableCell> cells;  ///< by `LatencyTable::columns`
  std::optional<double> paper_ms;  ///< the paper's forward time for these windows at this shape; beside a forward only
};

struct LatencyTable {
  std::string common;                   ///< what all rows share: "trilinear, bf16, 32768 tokens, ..."
  std::vector<std::string> fact_names;  ///< what differs between rows; "windows" is always the first
  std::vector<LatencyTableColumn> columns;
  std::vector<LatencyTableRow>
      rows;  ///< the paper's windows in the paper's order first, then as measured, baselines last
};

/// Pivots `rows`. Of several measurements of one question the newest ok one counts, else the newest.
/// The paper gives no shape for Table 1; 32,768 tokens, 64 query heads of 128, batch 1 reproduce its rate, so its times
/// stand only beside trilinear, causal rows of that shape, and its ratio only in forward columns.
LatencyTable make_latency_table(std::span<const ResultRow> rows);

}  // namespace triscope
