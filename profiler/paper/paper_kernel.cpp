#include "profiler/paper/paper_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "profiler/record/words/factor_text.hpp"
#include "profiler/statistics/row_that_counts.hpp"
#include "profiler/statistics/statistics.hpp"

namespace triscope {
namespace {

using Rows = std::vector<const ResultRow*>;

bool is_timed(const ResultRow& row) { return is_plain(row) && row.regime == Regime::sustained; }

/// Took turns with it: a sweep has one group for each pass and shape, whose rows are measured block by block.
bool in_turns(const ResultRow& row, const ResultRow& paper) {
  return is_timed(row) && row.sweep == paper.sweep && row.device == paper.device && row.pass == paper.pass &&
         row.timing_source == paper.timing_source;
}

/// Plain causal dot-product attention over all tokens that stands beside the problem.
bool is_beside(const ResultRow& row, const Problem& problem) { return row.problem == baseline_problem(problem); }

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
    if (!in_turns(other, paper)) continue;
    if (other.problem == paper.problem && other.kernel != paper.kernel && other.card.kind == KernelKind::simplicial)
      ours[other.kernel].push_back(&other);
    if (is_beside(other, paper.problem)) dot_product[other.kernel].push_back(&other);
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
  if (r.high == 0) return factor_text(r.ratio, 2) + " (interval unknown)";
  return fmt::format("{} ({} to {})", factor_text(r.ratio, 3), factor_text(r.low, 3), factor_text(r.high, 3));
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
