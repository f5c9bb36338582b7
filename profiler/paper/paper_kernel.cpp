#include "profiler/paper/paper_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "profiler/record/columns.hpp"
#include "profiler/statistics/statistics.hpp"

namespace triscope {
namespace {

bool is_timed(const ResultRow& row) { return row.status == Status::ok && row.median_ms && *row.median_ms > 0; }

bool is_same_size(const Problem& a, const Problem& b) {
  return std::tie(a.batch, a.seq_len, a.q_heads, a.kv_heads, a.head_dim) ==
         std::tie(b.batch, b.seq_len, b.q_heads, b.kv_heads, b.head_dim);
}

}  // namespace

TimeRatio time_ratio(const ResultRow& of, const ResultRow& to) {
  TimeRatio result{*of.median_ms / *to.median_ms};
  if (interval_known(of) && interval_known(to) && *to.ci_low_ms > 0) {
    result.low = *of.ci_low_ms / *to.ci_high_ms;
    result.high = *of.ci_high_ms / *to.ci_low_ms;
  }
  return result;
}

std::string time_ratio_text(const TimeRatio& r) {
  if (r.high == 0) return significant_text(r.ratio, 2) + " (interval unknown)";
  return fmt::format("{} ({} to {})", significant_text(r.ratio, 3), significant_text(r.low, 3),
                     significant_text(r.high, 3));
}

std::vector<PaperKernelRow> paper_kernel_rows(std::span<const ResultRow> rows) {
  std::vector<PaperKernelRow> found;
  for (const ResultRow& row : rows) {
    if (row.kernel != kPaperKernel || !is_timed(row)) continue;
    PaperKernelRow one{&row};
    for (const ResultRow& other : rows) {
      if (other.sweep != row.sweep || other.pass != row.pass || other.regime != row.regime || !is_timed(other))
        continue;
      const bool same = other.problem == row.problem && other.kernel != row.kernel;
      if (same && (one.ours == nullptr || *other.median_ms < *one.ours->median_ms)) one.ours = &other;
      if (other.problem.form == Form::dot_product && is_same_size(other.problem, row.problem)) one.dot_product = &other;
    }
    found.push_back(one);
  }
  std::ranges::stable_sort(found, {}, [](const PaperKernelRow& one) {
    return std::tuple(one.paper->device, one.paper->pass, one.paper->problem.seq_len);
  });
  return found;
}

}  // namespace triscope
