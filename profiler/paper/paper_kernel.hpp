// The paper's Triton kernels (python/examples/paper_triton.py) where they were measured in turns with other kernels.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "profiler/record/measurement.hpp"

namespace triscope {

/// Said wherever their times stand.
inline constexpr const char* kPaperKernelCaveat =
    "These kernels are written anew from the paper's formulas, with its tiles and no further tuning; the paper's own "
    "code may differ.";
/// And where `time_ratio` does.
inline constexpr const char* kRatioOfMedians =
    " They took turns with ours; the ratio here is that of the medians, its interval that of both times.";

/// The id that they are measured under.
inline constexpr const char* kPaperKernel = "paper.triton";

/// Their row that counts for one question, sustained, and what took turns with it: rows of the same sweep, device, pass
/// and clock, of each kernel there the row that counts. Ok rows with a time.
struct PaperKernelRow {
  const ResultRow* paper = nullptr;
  const ResultRow* ours = nullptr;         ///< the fastest other 2-simplicial kernel of the same problem; null: none
  const ResultRow* dot_product = nullptr;  ///< the attention beside the problem (`baseline_problem`); null: none
};

/// What one row's time is of another's, with the interval from opposite ends of theirs.
struct TimeRatio {
  double ratio = 0;
  double low = 0, high = 0;  ///< both 0 where an interval is not known
};
/// Both rows have a time.
TimeRatio time_ratio(const ResultRow& of, const ResultRow& to);
/// "12.9 (12.7 to 13.1)"
std::string time_ratio_text(const TimeRatio& ratio);

/// By device, then forward first, then by length.
std::vector<PaperKernelRow> paper_kernel_rows(std::span<const ResultRow> rows);

}  // namespace triscope
