#include "profiler/paper/paper_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "profiler/record/columns.hpp"
#include "profiler/statistics/row_that_counts.hpp"
#include "profiler/statistics/statistics.hpp"

namespace triscope {
namespace {

using Rows = std::vector<const ResultRow*>;

bool is_timed(const ResultRow& row) {
  return row.status == Status::ok && row.median_ms && *row.median_ms > 0 && row.regime == Regime::sustained;
}

bool is_same_size(const Problem& a, const Problem& b) {
  return std::tie(a.batch, a.seq_len, a.q_heads, a.kv_heads, a.head_dim) ==
         std::tie(b.batch, b.seq_len, b.q_heads, b.kv_heads, b.head_dim);
}

/// Of each kernel the row that counts; of these the fastest. Null without rows.
const ResultRow* fastest(const std::map<std::string, Rows>& kernels) {
  const ResultRow* best = nullptr;
  for (const auto& [kernel, measured] : kernels) {
    const ResultRow* row = row_that_counts(measured);
    if (best == nullptr || *row->median_ms < *best->median_ms) best = row;
  }
  return best;
}

PaperKernelRow beside(std::span<const ResultRow> rows, const ResultRow& paper) {
  std::map<std::string, Rows> ours, dot_product;
  for (const ResultRow& other : rows) {
    if (other.sweep != paper.sweep || other.pass != paper.pass || !is_timed(other)) continue;
    if (other.problem == paper.problem && other.kernel != paper.kernel) ours[other.kernel].push_back(&other);
    if (other.problem.form == Form::dot_product && is_same_size(other.problem, paper.problem))
      dot_product[other.kernel].push_back(&other);
  }
  return {&paper, fastest(ours), fastest(dot_product)};
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
  std::vector<Rows> questions;
  for (const ResultRow& row : rows) {
    if (row.kernel != kPaperKernel || !is_timed(row)) continue;
    const auto same = std::ranges::find_if(questions, [&](const Rows& one) {
      const ResultRow& first = *one.front();
      return first.device == row.device && first.pass == row.pass && first.problem == row.problem;
    });
    (same == questions.end() ? questions.emplace_back() : *same).push_back(&row);
  }
  std::vector<PaperKernelRow> found;
  for (const Rows& question : questions) found.push_back(beside(rows, *row_that_counts(question)));
  std::ranges::stable_sort(found, {}, [](const PaperKernelRow& one) {
    return std::tuple(one.paper->device, one.paper->pass, one.paper->problem.seq_len);
  });
  return found;
}

}  // namespace triscope
