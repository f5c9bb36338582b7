// Why a row did not become as precise as was asked: one of the remarks in its `reason`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "profiler/record/measurement.hpp"
#include "profiler/statistics/statistics.hpp"

namespace triscope {

/// "not converged: +-2.0 % over 3 restarts, 1.0 % was asked for", or of a narrow interval that its blocks are too few.
/// `taken`: "over 3 restarts", "after 1.3 s".
std::string not_converged_text(const Summary& summary, std::int64_t blocks, const StoppingRule& rule,
                               std::string_view taken);

/// "1.25 times the 1.0 % asked for": how narrow an interval is to be, wherever it is said that one is wider.
std::string asked_text(double precision);

/// Whether the samples of a row reached the precision that was asked for: no remark in its `reason` says that they did
/// not. What the kernel said of itself stands before that remark.
bool has_converged(const ResultRow& row);

/// Whether it has fewer than the `kFewestBlocks` that bear a verdict.
bool has_few_blocks(const ResultRow& row);

/// A stored `reason` as it is written now: until 2026-11-23 a narrow interval of too few blocks was called too wide.
std::string corrected_reason(std::string reason);

/// What rows that say no more than that they did not converge share, "not as narrow as 1.25 times the 1.0 % asked for"
/// or "their blocks are too few to trust"; empty for any other `reason`.
std::string shared_reason(std::string_view reason);

}  // namespace triscope
