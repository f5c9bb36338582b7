// How much is done for a question about many lengths or windows: what is the same for all of them is done once. On
// 100,000 measurements the times of it would tell, but not on a busy machine.
#include "kernels/base/work_count.hpp"

#include <gtest/gtest.h>

#include "kernels/attention/flops.hpp"
#include "profiler/paper/layers/advice.hpp"
#include "profiler/paper/layers/measured_crossing.hpp"

namespace triscope {
namespace {

constexpr Windows kCountedWindows[] = {{128, 32}, {256, 32}, {512, 32}, {1024, 32}, {256, 64}, {1024, 64}};
constexpr std::int64_t kCountedLengths = 24, kCountedSweeps = 5;
constexpr std::size_t kPasses = 2;

ResultRow counted_row(const char* kernel, std::int64_t seq_len, const Windows& windows, Pass pass, std::int64_t sweep) {
  ResultRow row;
  row.kernel = kernel;
  row.device = "GPU";
  row.pass = pass;
  row.status = Status::ok;
  row.problem.seq_len = seq_len;
  row.problem.window1 = windows.window1;
  row.problem.window2 = windows.window2;
  row.card.kind = KernelKind::simplicial;
  row.median_ms = 1e-9 * triple_count(row.problem) * (pass == Pass::forward ? 1 : 2);
  row.ci_low_ms = 0.99 * *row.median_ms;
  row.ci_high_ms = 1.01 * *row.median_ms;
  row.sweep = sweep;
  return row;
}

/// Two kernels of ours and dot-product attention at many lengths, each several times.
std::vector<ResultRow> many_rows() {
  std::vector<ResultRow> rows;
  for (std::int64_t n = 1; n <= kCountedLengths; ++n) {
    const std::int64_t seq_len = 2048 * n;
    for (std::int64_t sweep = 1; sweep <= kCountedSweeps; ++sweep) {
      for (const Pass pass : {Pass::forward, Pass::backward}) {
        for (const Windows& windows : kCountedWindows) {
          rows.push_back(counted_row("k", seq_len, windows, pass, sweep));
          rows.push_back(counted_row("other", seq_len, windows, pass, sweep));
        }
        ResultRow dot = counted_row("baseline.fa3", seq_len, {seq_len, 1}, pass, sweep);
        dot.problem.form = Form::dot_product;
        dot.card.kind = KernelKind::dot_product;
        rows.push_back(dot);
      }
    }
  }
  return rows;
}

/// Both kernels have two instances, one for windows of fewer pairs; the work goes by triples.
WorkTable with_tiles(const std::vector<Problem>& problems) {
  WorkTable table;
  for (const Problem& problem : problems) {
    CountedProblem& counted = table.emplace_back(problem);
    for (const Pass pass : {Pass::forward, Pass::backward}) {
      for (const char* kernel : {"k", "other"}) {
        for (const char* instance : {"", "of few"}) {
          TileUse use;
          use.kernel = kernel, use.instance = instance, use.pass = pass, use.chosen = *instance == '\0';
          use.work = {triple_count(problem), static_cast<double>(problem.seq_len)};
          counted.uses.push_back(use);
        }
      }
    }
  }
  return table;
}

LayerMixRequest between_windows() {
  LayerMixRequest request;
  request.windows = {300, 32};
  return request;
}

TEST(WorkCount, of_a_crossing_does_not_grow_with_its_lengths) {
  const std::vector<ResultRow> rows = many_rows();
  work_count = {};
  const std::vector<Problem> problems = crossing_problems(rows, between_windows());
  constexpr std::size_t kProblems = kCountedLengths * (std::size(kCountedWindows) + 1);
  EXPECT_EQ(problems.size(), kProblems);
  EXPECT_LE(work_count.rows, kPasses * rows.size());
  EXPECT_LE(work_count.compared, 2 * (rows.size() + kPasses * 2 * kCountedLengths * kProblems));
  for (const WorkTable& table : {WorkTable{}, with_tiles(problems)}) {
    work_count = {};
    const Crossings told = measured_crossings(rows, between_windows(), table);
    ASSERT_FALSE(told.step.empty());
    EXPECT_EQ(told.step.front().reason, "");
    EXPECT_EQ(work_count.fits, kPasses * 2) << "one for each kernel and pass";
    EXPECT_LE(work_count.rows, kPasses * rows.size());
    EXPECT_LE(work_count.compared, 2 * rows.size() + 100 * kCountedLengths);
  }
}

TEST(WorkCount, of_advice_does_not_grow_with_its_windows) {
  const std::vector<ResultRow> rows = many_rows();
  AdviceRequest request;
  work_count = {};
  const std::vector<Problem> problems = advice_problems(rows, request);
  EXPECT_GT(problems.size(), std::size(kCountedWindows) * kCountedLengths);
  EXPECT_LE(work_count.rows, 2 * kPasses * rows.size()) << "once for what is matched, once for the windows";
  for (const WorkTable& table : {WorkTable{}, with_tiles(problems)}) {
    work_count = {};
    EXPECT_FALSE(advise_windows(rows, request, table).windows.empty());
    EXPECT_EQ(work_count.fits, kPasses * 2);
    EXPECT_LE(work_count.rows, 2 * kPasses * rows.size()) << "windows and what they are beside";
  }
}

}  // namespace
}  // namespace triscope
