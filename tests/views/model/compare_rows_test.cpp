// The rows of the Compare panel: how many there are of which verdict, those that failed, and their order by windows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/views/sweep_fixture.hpp"
#include "views/model/tables/compare_model.hpp"

namespace triscope {
namespace {

using fixture::failed;
using fixture::row;
using fixture::small_sweep;
using fixture::sweep;

TEST(Compare, counts_verdicts_and_lists_differences_in_order_of_importance) {
  auto first = small_sweep(), second = small_sweep();
  second->info.environment.driver_version = "580";
  second->info.environment.compiler = "g++ 13";
  second->rows.pop_back();
  ComparedSweep a{first, {}}, b{second, {}};
  b.against_first[1] = {1, {Verdict::faster, 1.3, {1.2, 1.4}, {}, false, 0, ""}};
  b.against_first[2] = {2, {Verdict::slower, 0.8, {0.7, 0.9}, {}, false, 0, ""}};
  const CompareModel model = make_compare_model({a, b}, 0);
  EXPECT_EQ(model.lines.size(), 6U);
  EXPECT_EQ(model.missing, 1);
  EXPECT_EQ(compare_summary(model), "1 longer, 1 shorter, 1 not in every sweep.");
  ASSERT_EQ(model.differences.size(), 2U);
  EXPECT_EQ(model.differences[0].what, "driver");
  EXPECT_EQ(model.differences[1].what, "compiler");
  EXPECT_EQ(compare_text(model).rows[0][5], "1.300");
}

TEST(Compare, a_row_that_failed_is_counted_and_says_why) {
  auto first = small_sweep(), second = small_sweep();
  second->rows[0] = failed(second->rows[0], "the worker died of signal 11");
  second->rows.pop_back();
  ComparedSweep a{first, {}}, b{second, {}};
  b.against_first[2] = {2, {Verdict::faster, 0.9, {0.8, 0.95}, {}, false, 0.02, ""}};
  const CompareModel model = make_compare_model({a, b}, 0);
  EXPECT_EQ(compare_summary(model), "0 longer, 1 shorter, 1 failed, 1 not in every sweep.");
  const auto line = std::ranges::find_if(
      model.lines, [](const CompareLine& one) { return one.cells[1] && one.cells[1]->status == Status::failed; });
  ASSERT_NE(line, model.lines.end());
  EXPECT_EQ(line->cells[1]->reason, "the worker died of signal 11");
  EXPECT_EQ(line->cells[0]->reason, "") << "that one has a time";
}

TEST(Compare, sweeps_of_the_same_windows_are_not_said_to_differ_where_all_failed) {
  auto first = small_sweep(), second = small_sweep();
  for (ResultRow& one : second->rows) one = failed(one, "the worker died of signal 11");
  EXPECT_EQ(compare_summary(make_compare_model({{first, {}}, {second, {}}}, 0)),
            "No times can be compared: 6 of 6 shared measurements failed.");
  for (ResultRow& one : second->rows) one.status = Status::skipped;
  EXPECT_EQ(compare_summary(make_compare_model({{first, {}}, {second, {}}}, 0)),
            "No times can be compared: of 6 shared measurements none has a time in every sweep.");
  for (ResultRow& one : second->rows) one.problem.seq_len = 4096, one.status = Status::ok, one.median_ms = 1;
  EXPECT_EQ(compare_summary(make_compare_model({{first, {}}, {second, {}}}, 0)),
            "The sweeps have no measurement in common: windows, shapes or kernels differ.");
  second->rows.clear();
  ComparedSweep a{first, {}}, b{second, {}};
  a.name = "10:00", b.name = "11:00";
  EXPECT_EQ(compare_summary(make_compare_model({a, b}, 0)),
            "A 11:00 holds no measurement: there is nothing to compare.");
}

TEST(Compare, baselines_of_one_name_are_told_apart_by_what_they_differ_in) {
  auto results = small_sweep();
  results->rows.push_back(results->rows[4]);
  results->rows.back().measurement = 7;
  results->rows.back().problem.batch = 3;
  const CompareModel model = make_compare_model({{results, {}}, {results, {}}}, 0);
  const auto has = [&](const char* setting) {
    return std::ranges::count_if(model.lines, [&](const CompareLine& line) {
      return line.window == "2k causal" && line.pass == "forward" && line.unusual == setting;
    });
  };
  EXPECT_EQ(has("batch 3"), 1);
  EXPECT_EQ(has(""), 1) << "batch 1, as all others";
}

TEST(Compare, windows_are_sorted_as_numbers) {
  auto results = sweep({row(1, 1024, 32, Pass::forward, 10, 1), row(2, 64, 32, Pass::forward, 20, 1),
                        row(3, 256, 64, Pass::forward, 20, 1)});
  const CompareModel model = make_compare_model({{results, {}}, {results, {}}}, 0);
  std::vector<std::string> windows;
  for (const std::size_t line : sorted_lines(model, CompareSort{CompareField::window, 0, false}))
    windows.push_back(model.lines[line].window);
  EXPECT_THAT(windows, testing::ElementsAre("64 × 32", "256 × 64", "1024 × 32"));
}

}  // namespace
}  // namespace triscope
