// Layers that were not measured, estimated from what the kernels compute: every row of the recorded databases from rows
// that were measured otherwise.
#include "profiler/paper/layers/layer_estimate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "kernels/registry/registry.hpp"
#include "profiler/paper/layers/layer_mix.hpp"
#include "profiler/statistics/row_that_counts.hpp"
#include "profiler/store/store.hpp"
#include "tests/paths.hpp"
#include "tests/profiler/paper/coverage.hpp"

namespace triscope {
namespace {

/// What is left out with a row: every row that has as much in common with it.
using LeftOut = std::function<bool(const ResultRow& row, const ResultRow& question)>;

bool same_windows(const ResultRow& a, const ResultRow& b) {
  return a.problem.window1 == b.problem.window1 && a.problem.window2 == b.problem.window2;
}
bool same_length(const ResultRow& a, const ResultRow& b) { return a.problem.seq_len == b.problem.seq_len; }
bool same_heads(const ResultRow& a, const ResultRow& b) { return a.problem.q_heads == b.problem.q_heads; }

/// Rows that one question about a layer can be answered from.
bool alike(const ResultRow& a, const ResultRow& b) {
  return a.kernel == b.kernel && a.pass == b.pass && a.device == b.device && a.problem.form == b.problem.form &&
         a.problem.kv_heads == b.problem.kv_heads && a.problem.head_dim == b.problem.head_dim;
}

std::vector<ResultRow> rows_of(const char* database, const std::function<bool(const ResultRow&)>& wanted) {
  std::vector<ResultRow> rows = Snapshot(recorded_file(database)).results();
  std::erase_if(rows, [&](const ResultRow& row) {
    return row.status != Status::ok || !row.median_ms || row.regime != Regime::sustained || !wanted(row);
  });
  return rows;
}

std::vector<ResultRow> ours(const char* database) {
  return rows_of(database, [](const ResultRow& row) { return row.kernel == "cuda.hopper"; });
}

WorkTable counted(const std::vector<ResultRow>& rows) {
  WorkTable table;
  for (const ResultRow& row : rows) {
    if (find_counted(table, row.problem) == nullptr)
      table.push_back({row.problem, registered_tile_uses(row.problem, {})});
  }
  return table;
}

std::string name_of(const ResultRow& row) {
  const Problem& p = row.problem;
  return fmt::format("{} {} {}x{} {} {}/{} {}", to_string(row.pass), to_string(p.form), p.window1, p.window2, p.seq_len,
                     p.q_heads, p.kv_heads, p.head_dim);
}

/// What came of the questions that one of the two ways of telling a time was taken for.
struct ToldTimes {
  int all = 0, held = 0;              ///< questions; intervals that hold what was measured
  double worst = 0;                   ///< largest error of a middle, as a part of what was measured
  std::vector<std::string> not_held;  ///< with the error in percent
};

struct Judged {
  ToldTimes numbers, intervals;  ///< numbers have an interval too, which is not printed
  int refused = 0;
};

void judge_one(ToldTimes& told, const WorkEstimate& estimate, const ResultRow& question) {
  const double measured = *question.median_ms, error = estimate.ms / measured - 1;
  ++told.all;
  told.worst = std::max(told.worst, std::abs(error));
  if (std::abs(measured - estimate.ms) <= estimate.half * estimate.ms) {
    ++told.held;
  } else {
    told.not_held.push_back(
        fmt::format("{}: {:+.1f} % (+-{:.1f} %)", name_of(question), 100 * error, 100 * estimate.half));
  }
}

/// Every question by rows that were measured otherwise: they shape the estimate, the question's own does not.
Judged judge(const std::vector<ResultRow>& rows, const WorkTable& table, const LeftOut& left_out) {
  Judged judged;
  for (const ResultRow& question : rows_that_count(rows)) {
    std::vector<const ResultRow*> others;
    for (const ResultRow& row : rows) {
      if (alike(row, question) && !left_out(row, question)) others.push_back(&row);
    }
    LayerEstimate estimate;
    if (!others.empty()) estimate = estimate_layer(others, question.problem, table);
    if (!estimate.time || estimate.time->half > kWidestHalf) {
      ++judged.refused;
    } else {
      judge_one(estimate.time->half <= kNumberHalf ? judged.numbers : judged.intervals, *estimate.time, question);
    }
  }
  return judged;
}

std::string listed(const std::vector<std::string>& texts) { return fmt::format("{}", fmt::join(texts, "; ")); }

/// 95 % intervals, so 95 of 100 of them hold what was measured; the count goes into the test's record.
void expect_held(const char* what, const ToldTimes& told) {
  testing::Test::RecordProperty(what, fmt::format("{} of {} hold it, worst {:.1f} %: {}", told.held, told.all,
                                                  100 * told.worst, listed(told.not_held)));
  EXPECT_GE(told.held, least_held(told.all)) << what << " of " << told.all << ": " << listed(told.not_held);
}

TEST(LeastHeld, is_that_of_the_binomial_distribution) {
  // R: qbinom(0.01, n, 0.95)
  EXPECT_EQ(least_held(1), 0);
  EXPECT_EQ(least_held(20), 16);
  EXPECT_EQ(least_held(63), 55);
  EXPECT_EQ(least_held(200), 182);
}

class LayerEstimates : public testing::Test {
 protected:
  void SetUp() override {
    if (registered_tile_uses({}, {}).empty()) GTEST_SKIP() << "a build without CUDA knows no tiles";
  }
};

/// What an estimate tells as a number is within 5 % (the bound of the layer calculator), and its interval holds.
void expect_numbers(const ToldTimes& numbers) {
  EXPECT_GT(numbers.all, 0);
  EXPECT_LE(numbers.worst, kNumberHalf) << listed(numbers.not_held);
  expect_held("numbers", numbers);
}

TEST_F(LayerEstimates, of_windows_that_were_left_out_hold_what_was_measured) {
  const std::vector<ResultRow> rows = ours("h200.db");
  const Judged judged = judge(rows, counted(rows), same_windows);
  expect_numbers(judged.numbers);
  EXPECT_GT(judged.intervals.all, 0);
  expect_held("intervals", judged.intervals);
  EXPECT_GT(judged.numbers.all + judged.intervals.all, judged.refused) << "else the calculator tells little";
}

TEST_F(LayerEstimates, of_lengths_that_were_left_out_are_intervals_that_hold_what_was_measured) {
  const std::vector<ResultRow> rows = ours("h200.db");
  const Judged judged = judge(rows, counted(rows), same_length);
  EXPECT_EQ(judged.numbers.all, 0) << "no sweep says in which company that length would be measured";
  EXPECT_GT(judged.intervals.all, 0);
  expect_held("intervals", judged.intervals);
}

TEST_F(LayerEstimates, of_heads_that_were_left_out_hold_what_was_measured) {
  const std::vector<ResultRow> rows = ours("h200.db");
  const Judged judged = judge(rows, counted(rows), same_heads);
  expect_held("numbers", judged.numbers);
  expect_held("intervals", judged.intervals);
}

TEST_F(LayerEstimates, of_the_h100_s_windows_hold_what_was_measured) {
  const std::vector<ResultRow> rows = ours("h100.db");
  const Judged judged = judge(rows, counted(rows), same_windows);
  expect_numbers(judged.numbers);
  expect_held("intervals", judged.intervals);
}

TEST(LayerEstimatesWithoutTiles, of_attention_by_pairs_rows_and_a_fixed_part_hold_what_was_measured) {
  const std::vector<ResultRow> rows = rows_of("h200.db", [](const ResultRow& row) {
    return row.kernel == "baseline.fa3" && row.problem.window1 >= row.problem.seq_len;
  });
  const Judged judged = judge(rows, {}, same_length);
  expect_numbers(judged.numbers);
  expect_held("intervals", judged.intervals);
}

TEST(LayerEstimatesWithoutTiles, say_what_would_tell_more) {
  std::vector<ResultRow> rows = ours("h200.db");
  std::erase_if(rows, [&](const ResultRow& row) { return row.pass != Pass::forward || !alike(row, rows.front()); });
  LayerMixRequest layer = layer_of(rows.front());
  layer.windows = {384, 32};
  const LayerAnswer answer = simplicial_time(rows, layer, Pass::forward, {});
  ASSERT_FALSE(answer.time) << "triples tell little of a kernel that computes whole tiles";
  EXPECT_THAT(answer.reason, testing::HasSubstr("would be off by up to"));
  EXPECT_THAT(answer.reason, testing::HasSubstr("this build does not know its tiles: one with CUDA does"));
}

}  // namespace
}  // namespace triscope
