// Layers that were not measured, estimated from what the kernels compute: every row of the recorded databases from rows
// that were measured otherwise.
#include "profiler/paper/layers/layer_estimate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include "kernels/attention/flops.hpp"
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
using Asked = std::function<bool(const ResultRow& question)>;

bool same_windows(const ResultRow& a, const ResultRow& b) {
  return a.problem.window1 == b.problem.window1 && a.problem.window2 == b.problem.window2;
}
bool same_length(const ResultRow& a, const ResultRow& b) { return a.problem.seq_len == b.problem.seq_len; }
bool same_heads(const ResultRow& a, const ResultRow& b) { return a.problem.q_heads == b.problem.q_heads; }

/// Rows that one question about a layer can be answered from: code of another version tells nothing.
bool alike(const ResultRow& a, const ResultRow& b) {
  return a.kernel == b.kernel && a.source_hash == b.source_hash && a.pass == b.pass && a.device == b.device &&
         a.problem.form == b.problem.form && a.problem.kv_heads == b.problem.kv_heads &&
         a.problem.head_dim == b.problem.head_dim;
}

std::vector<ResultRow> rows_of(const char* database, const std::function<bool(const ResultRow&)>& wanted) {
  std::vector<ResultRow> rows = Snapshot(recorded_file(database)).results();
  std::erase_if(rows, [&](const ResultRow& row) {
    const bool other_work = row.pass == Pass::backward && row.problem.deterministic;  // no layer is told from these
    return row.status != Status::ok || !row.median_ms || row.regime != Regime::sustained || other_work || !wanted(row);
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
Judged judge(
    const std::vector<ResultRow>& rows, const WorkTable& table, const LeftOut& left_out,
    const Asked& asked = [](const ResultRow&) { return true; }) {
  Judged judged;
  for (const ResultRow* one : rows_that_count(addresses_of(rows))) {
    const ResultRow& question = *one;
    if (!asked(question)) continue;
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
  testing::Test::RecordProperty("refused", judged.refused);
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

std::vector<ResultRow> our_forwards() {
  std::vector<ResultRow> rows = ours("h200.db");
  std::erase_if(rows, [](const ResultRow& row) { return row.pass != Pass::forward; });
  return rows;
}

/// Of a few windows most lie at the edge of those measured, where nothing is told; of a grid of 36 most do not.
TEST_F(LayerEstimates, of_the_windows_of_a_grid_tell_most) {
  const std::vector<ResultRow> rows = our_forwards();
  const Judged judged = judge(rows, counted(rows), same_windows);
  EXPECT_GT(judged.numbers.all + judged.intervals.all, judged.refused);
}

/// Our kernel's rows in h200.db are of 2026-11-29. They shaped nothing of the rules that are judged by them here and
/// below, but where it is said.
TEST_F(LayerEstimates, of_windows_that_were_left_out_hold_what_was_measured) {
  const std::vector<ResultRow> rows = ours("h200.db");
  const Judged judged = judge(rows, counted(rows), same_windows);
  expect_numbers(judged.numbers);
  EXPECT_GT(judged.intervals.all, 0);
  expect_held("intervals", judged.intervals);
}

/// That half of these is `kLeastHalfBetween` at least was decided with these rows in view; how much that is, by others.
TEST_F(LayerEstimates, of_lengths_that_were_left_out_hold_what_was_measured) {
  const std::vector<ResultRow> rows = ours("h200.db");
  const Judged judged = judge(rows, counted(rows), same_length);
  expect_numbers(judged.numbers);
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

/// From lengths at most a quarter as long (at least four times as long): as far as an estimate may reach.
bool much_shorter(const ResultRow& row, const ResultRow& question) {
  return row.problem.seq_len * kMostReach <= question.problem.seq_len;
}
bool much_longer(const ResultRow& row, const ResultRow& question) {
  return row.problem.seq_len >= question.problem.seq_len * kMostReach;
}

void expect_reach(const std::vector<ResultRow>& rows, const WorkTable& table,
                  const std::vector<bool (*)(const ResultRow&, const ResultRow&)>& ways) {
  for (const auto& far : ways) {
    const Judged judged =
        judge(rows, table, [&](const ResultRow& row, const ResultRow& question) { return !far(row, question); });
    EXPECT_GT(judged.intervals.all, 0);
    EXPECT_EQ(judged.numbers.all, 0) << "half of each is 10 % at least";
    EXPECT_LE(judged.intervals.worst, kLeastHalfBeyond) << "the least half alone would hold them";
    expect_held(far == much_shorter ? "intervals from shorter" : "intervals from longer", judged.intervals);
  }
}

TEST_F(LayerEstimates, of_lengths_as_far_as_they_reach_hold_what_was_measured) {
  const std::vector<ResultRow> rows = ours("h200.db");
  expect_reach(rows, counted(rows), {much_shorter, much_longer});
}

std::vector<ResultRow> attention(const char* database) {
  return rows_of(database, [](const ResultRow& row) {
    return row.card.kind == KernelKind::dot_product && row.problem.window1 >= row.problem.seq_len;
  });
}

TEST(LayerEstimatesWithoutTiles, of_attention_as_far_as_they_reach_hold_what_was_measured) {
  expect_reach(attention("h200.db"), {}, {much_shorter});
}

/// The H200's recording of the morning of 2026-11-28 shaped where `kLeastHalfBeyond` holds: numbers by tiles from
/// longer lengths missed, and of 512x32 with 8 and 16 heads. The H100's of that day shaped neither it nor `kMostReach`:
/// seven lengths, both passes.
TEST_F(LayerEstimates, of_the_h100_s_lengths_judge_the_reach) {
  const std::vector<ResultRow> rows = ours("h100.db");
  expect_reach(rows, counted(rows), {much_shorter, much_longer});
}

/// Every length from all shorter ones, by triples alone for our kernel too.
TEST(LayerEstimatesWithoutTiles, of_the_h100_beyond_the_longest_length_judge_the_least_half) {
  const LeftOut as_long = [](const ResultRow& row, const ResultRow& question) {
    return row.problem.seq_len >= question.problem.seq_len;
  };
  for (const auto& [what, rows] : {std::pair{"attention", attention("h100.db")}, {"ours", ours("h100.db")}}) {
    const Judged judged = judge(rows, {}, as_long);
    EXPECT_GE(judged.intervals.all, 2) << what;
    EXPECT_EQ(judged.numbers.all, 0) << what << ": half of each is 10 % at least";
    EXPECT_LE(judged.intervals.worst, kLeastHalfBeyond) << what << ": the least half alone would hold them";
    expect_held(what, judged.intervals);
  }
}

/// What an H200 took on 2026-11-22: another device, and other sweeps, than those that `kMostReach` was chosen by. Our
/// kernel had the same tiles then. The forward and both passes of dot-product attention; the backward came later.
std::vector<ResultRow> rows_of_2026_11_22(bool ours) {
  std::vector<ResultRow> rows;
  std::ifstream file(source_file("tests/profiler/paper/h200_2026-11-22.csv"));
  std::string line;
  for (std::getline(file, line); std::getline(file, line);) {
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
    cells.resize(14);  // without an interval two are empty
    ResultRow row;
    row.kernel = cells.at(0), row.instance = cells.at(1), row.device = "NVIDIA H200";
    row.pass = cells.at(2) == "forward" ? Pass::forward : Pass::backward;
    row.status = Status::ok, row.regime = Regime::sustained;
    Problem& p = row.problem;
    const auto number = [&](std::size_t at) { return std::stoll(cells.at(at)); };
    p.element = Element::bf16;
    p.seq_len = number(3), p.q_heads = number(4), p.kv_heads = number(5), p.head_dim = number(6);
    p.window1 = number(7), p.window2 = number(8), row.sweep = number(9), row.measurement = number(10);
    row.median_ms = std::stod(cells.at(11));
    if (!cells.at(13).empty()) row.ci_low_ms = std::stod(cells.at(12)), row.ci_high_ms = std::stod(cells.at(13));
    const bool is_ours = row.kernel == "cuda.hopper";
    row.card.kind = is_ours ? KernelKind::simplicial : KernelKind::dot_product;
    if (!is_ours) p.form = Form::dot_product;
    if (is_ours == ours) rows.push_back(std::move(row));
  }
  return rows;
}

/// Its rows of our kernel shaped nothing of the estimates by tiles.
TEST_F(LayerEstimates, of_2026_11_22_judge_the_reach) {
  const std::vector<ResultRow> rows = rows_of_2026_11_22(true);
  ASSERT_GT(rows.size(), 80U);
  expect_reach(rows, counted(rows), {much_shorter, much_longer});
}

TEST_F(LayerEstimates, of_2026_11_22_judge_windows_and_heads) {
  const std::vector<ResultRow> rows = rows_of_2026_11_22(true);
  const WorkTable table = counted(rows);
  const Judged windows = judge(rows, table, same_windows);
  expect_numbers(windows.numbers);
  expect_held("intervals of windows", windows.intervals);
  const Judged heads = judge(rows, table, same_heads);
  EXPECT_GT(heads.intervals.all, 0);
  EXPECT_EQ(heads.numbers.all, 0) << "half of each is 10 % at least";
  EXPECT_LE(heads.intervals.worst, kLeastHalfBeyond) << listed(heads.intervals.not_held);
  expect_held("intervals of heads", heads.intervals);
}

/// Each length of both, from shorter and longer ones: neither set the 5 % of `kLeastHalfBetween`.
TEST_F(LayerEstimates, of_2026_11_22_and_the_h100_judge_the_least_half_between) {
  for (const auto& [what, rows] : {std::pair{"H200", rows_of_2026_11_22(true)}, {"H100", ours("h100.db")}}) {
    const Judged judged = judge(rows, counted(rows), same_length);
    EXPECT_GT(judged.intervals.all, 0) << what;
    EXPECT_EQ(judged.numbers.all, 0) << what << ": so few rows tell none of another length";
    EXPECT_LE(judged.intervals.worst, kLeastHalfBetween) << what << ": the least half alone would hold them";
    expect_held(what, judged.intervals);
  }
}

/// Its rows of dot products shaped `kLeastHalfBeyond`, so this keeps the constant and judges only the reach.
TEST(LayerEstimatesWithoutTiles, of_2026_11_22_that_shaped_the_least_half_judge_the_reach) {
  const std::vector<ResultRow> rows = rows_of_2026_11_22(false);
  ASSERT_GT(rows.size(), 80U);
  expect_reach(rows, {}, {much_shorter});
}

/// Invented rows that a fit goes through exactly, so that nothing but the reach refuses a length.
TEST(LayerEstimatesWithoutTiles, do_not_reach_far_beyond_measured_lengths) {
  std::vector<ResultRow> rows;
  for (const std::int64_t length : {1024, 2048, 4096, 8192}) {
    for (const Windows windows : {Windows{256, 16}, Windows{512, 32}, Windows{1024, 16}}) {
      ResultRow row;
      row.kernel = "k";
      row.status = Status::ok;
      row.problem.seq_len = length;
      row.problem.window1 = windows.window1, row.problem.window2 = windows.window2;
      row.median_ms = 1e-9 * triple_count(row.problem) + 1e-5 * static_cast<double>(length);
      for (row.sweep = 1; row.sweep <= 3; ++row.sweep) rows.push_back(row);
    }
  }
  std::vector<const ResultRow*> all;
  for (const ResultRow& row : rows) all.push_back(&row);
  Problem wanted = rows.front().problem;
  const auto reason_at = [&](std::int64_t length) {
    wanted.seq_len = length;
    return estimate_layer(all, wanted, {}).reason;
  };
  for (const std::int64_t fine : {1024, 8192, 32'768}) EXPECT_EQ(reason_at(fine), "") << fine;
  EXPECT_EQ(reason_at(32'769),
            "of k, the length is 32,769 where 1,024 to 8,192 was measured (an estimate reaches 4 times as far)");
  EXPECT_EQ(reason_at(1023), "of k, the length is 1,023 where 1,024 to 8,192 was measured");
  EXPECT_THAT(reason_at(10'000'000), testing::HasSubstr("the length is 10,000,000"));
  wanted.window1 = 1024, wanted.window2 = 32;
  EXPECT_EQ(reason_at(8192), "of k, pairs of keys are 32768 where 4096 to 16384 was measured")
      << "each window was, but not so many pairs";
}

/// Rows that a fit by two parts goes through exactly, and the tiles of what is asked of them.
class LayerEstimatesOfUnseen : public testing::Test {
 protected:
  void measure(std::int64_t seq_len, std::int64_t heads, const Windows& windows) {
    ResultRow row;
    row.kernel = "cuda.hopper", row.instance = "tiles";
    row.status = Status::ok;
    row.problem = problem_of(seq_len, heads, windows);
    count(row.problem);
    row.median_ms = 1e-9 * triple_count(row.problem) * static_cast<double>(heads) + 1e-6 * static_cast<double>(seq_len);
    for (row.sweep = 1; row.sweep <= 3; ++row.sweep) rows_.push_back(row);
  }

  /// Half of the interval of what is estimated for this problem.
  double half_at(std::int64_t seq_len, std::int64_t heads, const Windows& windows) {
    const Problem wanted = problem_of(seq_len, heads, windows);
    count(wanted);
    std::vector<const ResultRow*> all;
    for (const ResultRow& row : rows_) all.push_back(&row);
    const LayerEstimate estimate = estimate_layer(all, wanted, table_);
    EXPECT_TRUE(estimate.time) << estimate.reason;
    return estimate.time ? estimate.time->half : 0;
  }

 private:
  static Problem problem_of(std::int64_t seq_len, std::int64_t heads, const Windows& windows) {
    Problem problem;
    problem.seq_len = seq_len, problem.q_heads = heads;
    problem.window1 = windows.window1, problem.window2 = windows.window2;
    return problem;
  }
  void count(const Problem& problem) {
    TileUse use;
    use.kernel = "cuda.hopper", use.instance = "tiles", use.chosen = true;
    use.work = {triple_count(problem) * static_cast<double>(problem.q_heads), static_cast<double>(problem.seq_len)};
    if (find_counted(table_, problem) == nullptr) table_.push_back({problem, {use}});
  }

  std::vector<ResultRow> rows_;
  WorkTable table_;
};

TEST_F(LayerEstimatesOfUnseen, lengths_are_no_numbers_on_either_side) {
  for (const std::int64_t length : {8192, 16'384, 65'536}) {
    for (const Windows windows : {Windows{256, 16}, Windows{256, 32}, Windows{512, 32}, Windows{1024, 16}})
      measure(length, 64, windows);
  }
  for (const std::int64_t within : {8192, 32'768, 65'536}) EXPECT_LE(half_at(within, 64, {512, 32}), 0.05) << within;
  for (const std::int64_t beyond : {2048, 8191, 65'537, 131'072})
    EXPECT_EQ(half_at(beyond, 64, {512, 32}), kLeastHalfBeyond) << beyond;
}

TEST_F(LayerEstimatesOfUnseen, heads_are_no_numbers_but_of_measured_windows_or_between_two_others) {
  for (const Windows windows : {Windows{256, 16}, Windows{256, 32}, Windows{1024, 16}, Windows{1024, 32}})
    measure(8192, 64, windows);
  measure(8192, 8, {1024, 16});
  EXPECT_LE(half_at(8192, 64, {512, 32}), 0.05) << "several pairs of windows have these heads";
  EXPECT_LE(half_at(8192, 8, {1024, 16}), 0.05) << "measured";
  EXPECT_EQ(half_at(8192, 8, {512, 32}), kLeastHalfBeyond) << "one other pair of windows has so few heads";
  EXPECT_EQ(half_at(8192, 16, {1024, 16}), kLeastHalfBeyond) << "no row has these heads";
  measure(8192, 8, {256, 16});
  EXPECT_LE(half_at(8192, 8, {512, 32}), 0.05) << "two have";
}

/// Baselines have a version where others have an instance, and no tiles in any build: another build would tell no more.
TEST(LayerEstimatesWithoutTiles, do_not_blame_the_build_where_it_is_not_the_reason) {
  const auto hint = [](const char* kernel, const WorkTable& table) {
    ResultRow row;
    row.kernel = kernel;
    row.instance = "an instance";
    row.median_ms = 1;
    const ResultRow* rows[] = {&row};
    return estimate_layer(rows, row.problem, table).hint;
  };
  EXPECT_EQ(hint("baseline.fa3", {}), "");
  EXPECT_EQ(hint("cuda.portable", {}), "");
  EXPECT_EQ(hint("cuda.hopper", {}), "by triples alone, since this build does not know its tiles: one with CUDA does");
  TileUse other;
  other.kernel = "cuda.hopper";
  Problem another;
  another.seq_len = 2048;
  EXPECT_EQ(hint("cuda.hopper", {{another, {other}}}), "") << "this build knows tiles, but none of this problem";
}

TEST(LayerEstimatesWithoutTiles, say_what_would_tell_more) {
  std::vector<ResultRow> rows = our_forwards();
  const auto smallest = std::ranges::find(rows, 16, [](const ResultRow& row) { return row.problem.window1; });
  ASSERT_NE(smallest, rows.end());
  std::erase_if(rows, [first = *smallest](const ResultRow& row) { return !alike(row, first); });
  LayerMixRequest layer = layer_of(rows.front());
  layer.windows = {384, 32};
  const LayerAnswer answer = simplicial_time(rows, layer, Pass::forward, {});
  ASSERT_FALSE(answer.time) << "triples tell little of a kernel that computes whole tiles";
  EXPECT_THAT(answer.reason, testing::HasSubstr("would be off by up to"));
  EXPECT_THAT(answer.reason, testing::HasSubstr("this build does not know its tiles: one with CUDA does"));
}

}  // namespace
}  // namespace triscope
