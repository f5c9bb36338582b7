// The work of the operator by both counts, against sums over rows and against the crossings.
#include "profiler/paper/layers/operator_work.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "profiler/plan/crossing.hpp"

namespace triscope {
namespace {

TEST(OperatorWork, is_the_papers_and_the_exact_count) {
  const Windows windows{512, 32};
  const OperatorWork work = operator_work(2048, windows);
  EXPECT_EQ(work.dot_paper, 2.0 * 2048 * 2048);
  EXPECT_EQ(work.windows_paper, 6.0 * 2048 * 512 * 32);
  double pairs = 0, triples = 0;
  for (std::int64_t i = 1; i <= 2048; ++i) {
    pairs += static_cast<double>(i);
    triples += static_cast<double>(std::min<std::int64_t>(i, 512) * std::min<std::int64_t>(i, 32));
  }
  EXPECT_EQ(work.dot_exact, 4 * pairs);
  EXPECT_EQ(work.windows_exact, 4 * triples);
}

TEST(OperatorWork, crosses_where_the_planner_says) {
  const Windows windows{64, 8};
  const std::int64_t paper = crossing_by_paper_count(windows), exact = crossing_by_exact_count(windows);
  EXPECT_EQ(operator_work(paper, windows).dot_paper, operator_work(paper, windows).windows_paper);
  EXPECT_LT(operator_work(exact, windows).windows_exact, operator_work(exact, windows).dot_exact);
  EXPECT_GE(operator_work(exact - 1, windows).windows_exact, operator_work(exact - 1, windows).dot_exact);
  const std::vector<OperatorWork> curve = work_by_length(windows, 4, 20);
  ASSERT_EQ(curve.size(), 17U);
  EXPECT_EQ(curve.front().seq_len, 16);
  EXPECT_EQ(curve.back().dot_paper, operator_work(1 << 20, windows).dot_paper);
}

}  // namespace
}  // namespace triscope
