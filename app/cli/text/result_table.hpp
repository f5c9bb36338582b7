// Stored measurements as a table for a terminal.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/cli/text/terminal_table.hpp"
#include "profiler/record/measurement.hpp"
#include "profiler/statistics/verdicts.hpp"
#include "profiler/verdict/row_verdicts.hpp"

namespace triscope {

/// What all `rows` share, for the line above the table: "trilinear, fp32, batch 1, seq 1024, heads 8/1, dim 128".
std::string shared_facts(const std::vector<ResultRow>& rows);

/// The table; what `shared_facts` says is left out of it. Rows of `elsewhere` are marked.
TerminalTable result_table(const std::vector<ResultRow>& rows, const Verdicts& verdicts,
                           const std::set<std::int64_t>& elsewhere = {});

/// How far the cross-check lies from the median by CUPTI, in per cent; nullopt when it agrees: inside the 95 %
/// interval, or within 1 %.
std::optional<double> cross_check_beyond(const ResultRow& row);

/// The meaning of the mark on verdicts that were not measured in turns, the rows whose cross-check does not agree, then
/// one line for each row that is not ok or carries a remark: "m12 failed: out of memory".
std::string remarks(const std::vector<ResultRow>& rows, const Verdicts& verdicts);

}  // namespace triscope
