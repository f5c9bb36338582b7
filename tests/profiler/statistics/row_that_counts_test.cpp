// Which of several measurements of one question stands for it.
#include "profiler/statistics/row_that_counts.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/base/work_count.hpp"

namespace triscope {
namespace {

ResultRow row(std::int64_t measurement, const char* started, const char* source, double ms, double half_percent) {
  ResultRow row;
  row.measurement = measurement;
  row.started = started;
  row.source_hash = source;
  row.kernel = "k";
  row.median_ms = ms;
  if (half_percent > 0) {
    row.ci_low_ms = ms * (1 - half_percent / 100);
    row.ci_high_ms = ms * (1 + half_percent / 100);
  }
  return row;
}

const ResultRow* chosen(const std::vector<ResultRow>& rows) {
  std::vector<const ResultRow*> all;
  for (const ResultRow& one : rows) all.push_back(&one);
  return row_that_counts(all);
}

constexpr const char* kMonday = "2026-11-23T19:00:00Z";
constexpr const char* kTuesday = "2026-11-24T19:00:00Z";

/// What else is computed takes another time: it stands for no row of the paper's attention.
TEST(PlainRow, is_ok_and_has_nothing_beside_the_papers_attention) {
  ResultRow plain;
  plain.status = Status::ok;
  plain.median_ms = 1;
  plain.pass = Pass::backward;
  EXPECT_TRUE(is_plain(plain));
  for (const std::function<void(ResultRow&)>& change : std::vector<std::function<void(ResultRow&)>>{
           [](ResultRow& one) { one.status = Status::failed; }, [](ResultRow& one) { one.median_ms.reset(); },
           [](ResultRow& one) { one.median_ms = 0; }, [](ResultRow& one) { one.problem.mask = Mask::full; },
           [](ResultRow& one) { one.problem.sink = 0; }, [](ResultRow& one) { one.problem.k2_bias = 1; },
           [](ResultRow& one) { one.problem.v2_bias = 1; }, [](ResultRow& one) { one.problem.deterministic = true; }}) {
    ResultRow other = plain;
    change(other);
    EXPECT_FALSE(is_plain(other));
  }
  plain.problem.deterministic = true;
  plain.pass = Pass::forward;
  EXPECT_TRUE(is_plain(plain)) << "a forward adds nothing up in another order";
}

TEST(RowThatCounts, is_the_best_known_of_the_newest_source_and_neither_the_newest_nor_the_fastest) {
  EXPECT_EQ(chosen({}), nullptr);
  // The two forwards of 512x32 in the recorded database, in short.
  EXPECT_EQ(chosen({row(1, kMonday, "a", 24.28, 0.5), row(2, kTuesday, "a", 25.41, 1.8)})->measurement, 1);
  EXPECT_EQ(chosen({row(1, kMonday, "a", 24.28, 1.8), row(2, kTuesday, "a", 25.41, 0.5)})->measurement, 2);
  EXPECT_EQ(chosen({row(1, kMonday, "old", 20, 0.1), row(2, kTuesday, "new", 25, 3)})->measurement, 2);
  EXPECT_EQ(chosen({row(2, kTuesday, "new", 25, 3), row(1, kMonday, "old", 20, 0.1)})->measurement, 2);
  EXPECT_EQ(chosen({row(1, kMonday, "a", 20, 0), row(2, kTuesday, "a", 25, 9)})->measurement, 2) << "unknown is last";
  EXPECT_EQ(chosen({row(2, kTuesday, "a", 25, 0), row(1, kMonday, "a", 20, 0)})->measurement, 2);
}

TEST(RowThatCounts, is_of_the_fastest_instance) {
  std::vector<ResultRow> rows{row(1, kMonday, "a", 20, 2), row(2, kMonday, "a", 30, 0.1)};
  rows[0].instance = "fast";
  rows[1].instance = "forced";
  EXPECT_EQ(chosen(rows)->measurement, 1);
}

TEST(RowThatCounts, is_chosen_for_each_question) {
  std::vector<ResultRow> rows{row(1, kMonday, "a", 20, 0.5), row(2, kTuesday, "a", 21, 2), row(3, kMonday, "a", 5, 1),
                              row(4, kTuesday, "a", 22, 1)};
  rows[2].problem.seq_len = 2 * rows[0].problem.seq_len;
  rows[3].pass = Pass::backward;
  const std::vector<const ResultRow*> kept = rows_that_count(addresses_of(rows));
  ASSERT_EQ(kept.size(), 3U);
  EXPECT_EQ(kept[0]->measurement, 1);
  EXPECT_EQ(kept[1]->measurement, 3);
  EXPECT_EQ(kept[2]->measurement, 4);
  rows[0].status = Status::failed;
  EXPECT_EQ(rows_that_count(addresses_of(rows))[0]->measurement, 2) << "a row that failed counts only alone";
  rows[1].status = Status::failed;
  EXPECT_EQ(rows_that_count(addresses_of(rows))[0]->status, Status::failed);
}

TEST(RowThatCounts, of_another_kernel_device_regime_clock_or_problem_is_another_question) {
  for (const std::function<void(ResultRow&)>& change : std::vector<std::function<void(ResultRow&)>>{
           [](ResultRow& one) { one.kernel = "another"; }, [](ResultRow& one) { one.device = "another"; },
           [](ResultRow& one) { one.regime = Regime::burst; },
           [](ResultRow& one) { one.timing_source = TimingSource::cuda_events; },
           [](ResultRow& one) { one.problem.batch = 2; }, [](ResultRow& one) { one.problem.k2_bias = 1; },
           [](ResultRow& one) { one.problem.sink = 0; }, [](ResultRow& one) { one.problem.element = Element::fp32; },
           [](ResultRow& one) { one.problem.deterministic = true; }}) {
    std::vector<ResultRow> rows{row(1, kMonday, "a", 20, 0.5), row(2, kTuesday, "a", 21, 2)};
    EXPECT_EQ(rows_that_count(addresses_of(rows)).size(), 1U);
    change(rows[1]);
    EXPECT_EQ(rows_that_count(addresses_of(rows)).size(), 2U);
  }
}

TEST(RowThatCounts, rows_that_differ_in_one_part_alone_are_not_compared_with_each_other) {
  constexpr int kRows = 1000;
  for (const auto& [what, change] : std::vector<std::pair<const char*, std::function<void(ResultRow&, int)>>>{
           {"scale", [](ResultRow&one, int n) { one.problem.scale = 1 + n; }},
           {"sink", [](ResultRow&one, int n) { one.problem.sink = n; }},
           {"bias", [](ResultRow&one, int n) { one.problem.v2_bias = n; }},
           {"length", [](ResultRow&one, int n) { one.problem.seq_len = 1 + n; }},
           {"kernel", [](ResultRow&one, int n) { one.kernel = std::to_string(n); }},
           {"device", [](ResultRow&one, int n) { one.device = std::to_string(n); }}}) {
    std::vector<ResultRow> rows(kRows, row(1, kMonday, "a", 20, 0.5));
    for (int n = 0; n < kRows; ++n) change(rows[static_cast<std::size_t>(n)], n);
    work_count = {};
    EXPECT_EQ(rows_that_count(addresses_of(rows)).size(), rows.size()) << what;
    EXPECT_LE(work_count.compared, rows.size()) << what;
  }
}

}  // namespace
}  // namespace triscope
