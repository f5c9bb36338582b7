#include "profiler/paper/paper_kernel.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace triscope {
namespace {

ResultRow row(const char* kernel, std::int64_t sweep, Pass pass, std::int64_t seq_len, double ms) {
  ResultRow row;
  row.kernel = kernel;
  row.sweep = sweep;
  row.pass = pass;
  row.status = Status::ok;
  row.median_ms = ms;
  row.problem.seq_len = seq_len;
  return row;
}

ResultRow attention(std::int64_t sweep, std::int64_t seq_len, double ms) {
  ResultRow made = row("baseline.fa3", sweep, Pass::forward, seq_len, ms);
  made.problem.form = Form::dot_product;
  made.problem.window1 = seq_len;
  made.problem.window2 = 1;
  return made;
}

TEST(PaperKernel, stands_beside_what_took_turns_with_it) {
  const std::vector<ResultRow> rows{
      row(kPaperKernel, 2, Pass::forward, 8192, 77),  row(kPaperKernel, 2, Pass::forward, 2048, 18),
      row("cuda.hopper", 2, Pass::forward, 8192, 6),  row("cuda.portable", 2, Pass::forward, 8192, 30),
      row("cuda.hopper", 1, Pass::forward, 8192, 5),  attention(2, 8192, 1.7),
      row("cuda.hopper", 2, Pass::backward, 8192, 20)};
  const std::vector<PaperKernelRow> found = paper_kernel_rows(rows);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].paper, &rows[1]) << "shorter first";
  EXPECT_EQ(found[0].ours, nullptr);
  EXPECT_EQ(found[0].dot_product, nullptr);
  EXPECT_EQ(found[1].paper, &rows[0]);
  EXPECT_EQ(found[1].ours, &rows[2]) << "the fastest of the same sweep and pass";
  EXPECT_EQ(found[1].dot_product, &rows[5]);
}

/// Two sweeps of one question; the second knows less. In the first, an older version of ours was faster.
TEST(PaperKernel, one_row_stands_for_each_question) {
  const auto known = [](ResultRow one, double half) {
    one.ci_low_ms = *one.median_ms * (1 - half);
    one.ci_high_ms = *one.median_ms * (1 + half);
    one.started = "2026-11-02";
    one.source_hash = "new";
    return one;
  };
  std::vector<ResultRow> rows{known(row(kPaperKernel, 1, Pass::forward, 8192, 77), 0.01),
                              known(row("cuda.hopper", 1, Pass::forward, 8192, 6), 0.01),
                              known(row("cuda.hopper", 1, Pass::forward, 8192, 5), 0.2),
                              known(row("cuda.hopper", 1, Pass::forward, 8192, 4), 0.001),
                              known(attention(1, 8192, 1.7), 0.01),
                              known(attention(1, 8192, 1.5), 0.3),
                              known(row(kPaperKernel, 2, Pass::forward, 8192, 70), 0.1),
                              known(row("cuda.hopper", 2, Pass::forward, 8192, 7), 0.01),
                              known(row(kPaperKernel, 1, Pass::forward, 8192, 60), 0.001)};
  rows[3].source_hash = "old";
  rows[3].started = "2026-11-01";
  rows[8].regime = Regime::burst;
  const std::vector<PaperKernelRow> found = paper_kernel_rows(rows);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].paper, &rows[0]);
  EXPECT_EQ(found[0].ours, &rows[1]);
  EXPECT_EQ(found[0].dot_product, &rows[4]);
}

/// What did not take turns with it, or is no 2-simplicial kernel of the same problem, is no partner for a ratio.
TEST(PaperKernel, stands_beside_rows_of_its_sweep_device_pass_clock_and_problem_only) {
  const ResultRow paper = row(kPaperKernel, 1, Pass::forward, 8192, 77), ours = row("k", 1, Pass::forward, 8192, 6);
  const auto partner = [&](const std::function<void(ResultRow&)>& change) {
    ResultRow other = ours;
    change(other);
    const std::vector<ResultRow> rows{paper, other};
    return paper_kernel_rows(rows).front().ours != nullptr;
  };
  EXPECT_TRUE(partner([](ResultRow&) {}));
  for (const std::function<void(ResultRow&)>& change : std::vector<std::function<void(ResultRow&)>>{
           [](ResultRow& one) { one.sweep = 2; }, [](ResultRow& one) { one.device = "another"; },
           [](ResultRow& one) { one.pass = Pass::backward; }, [](ResultRow& one) { one.regime = Regime::burst; },
           [](ResultRow& one) { one.timing_source = TimingSource::cuda_events; },
           [](ResultRow& one) { one.problem.window2 = 16; }, [](ResultRow& one) { one.problem.sink = 1; },
           [](ResultRow& one) { one.card.kind = KernelKind::oracle; }})
    EXPECT_FALSE(partner(change));
  std::vector<ResultRow> rows{paper, attention(1, 8192, 1.7)};
  EXPECT_EQ(paper_kernel_rows(rows).front().dot_product, &rows[1]);
  rows[1].problem.window1 = 512;  // local attention
  EXPECT_EQ(paper_kernel_rows(rows).front().dot_product, nullptr);
}

TEST(PaperKernel, rows_without_a_time_are_left_out) {
  ResultRow failed = row(kPaperKernel, 1, Pass::forward, 2048, 18);
  failed.status = Status::failed;
  EXPECT_TRUE(paper_kernel_rows(std::vector{failed, row("cuda.hopper", 1, Pass::forward, 2048, 2)}).empty());
}

}  // namespace
}  // namespace triscope
