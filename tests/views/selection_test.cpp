// What is selected, and two of it side by side, without a window.
#include "views/model/selection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/views/sweep_fixture.hpp"
#include "views/model/tables/beside_model.hpp"

namespace triscope {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Counter counter(const char* name, double value, const char* unit = "") { return {name, unit, value}; }

TEST(Selected, others_stand_beside_a_first_one_only) {
  SelectedMeasurements selected;
  selected.toggle(7);
  EXPECT_EQ(selected.pinned(), 7);
  EXPECT_EQ(selected.beside(), 0) << "one alone";
  selected.toggle(8);
  selected.toggle(9);
  EXPECT_EQ(selected.beside(), 9) << "the last";
  EXPECT_THAT(selected.others(), ElementsAre(8, 9));
  selected.toggle(7);
  EXPECT_EQ(selected.pinned(), 8) << "the next takes its place";
  selected.select(8);
  EXPECT_THAT(selected.all(), ElementsAre(8));
  EXPECT_FALSE(selected.contains(9));
  selected.select(0);
  EXPECT_THAT(selected.all(), IsEmpty());
  EXPECT_EQ(selected.pinned(), 0);
}

TEST(Selected, a_row_in_work_is_selected_alone) {
  SelectedMeasurements selected;
  selected.select(-3);
  EXPECT_EQ(selected.pinned(), -3);
  selected.toggle(5);
  EXPECT_THAT(selected.all(), ElementsAre(5));
  selected.select_all({4, -3, 4, 6, 0});
  EXPECT_THAT(selected.all(), ElementsAre(4, 6)) << "once each";
}

std::vector<std::string> labels(const std::vector<BesideLine>& lines) {
  std::vector<std::string> all;
  for (const BesideLine& line : lines) all.push_back(line.label);
  return all;
}

TEST(Beside, counters_that_only_one_has_are_shown_last) {
  Measurement a, b;
  a.counters = {counter("alike", 100), counter("only_a", 1), counter("twice", 2), counter("none", 0), counter("0", 0)};
  b.counters = {counter("only_b", 5), counter("twice", 1), counter("alike", 101), counter("none", 3), counter("0", 0)};
  const std::vector<BesideLine> lines = beside_lines(a, b);
  ASSERT_THAT(labels(lines), ElementsAre("none", "twice", "alike", "only_a", "only_b")) << "0 in both is not listed";
  EXPECT_EQ(lines[0].factor, "") << "0 and 3 differ by no factor, and by more than any";
  EXPECT_EQ(lines[1].factor, "2.00×");
  EXPECT_FALSE(lines[1].alike);
  EXPECT_TRUE(lines[2].alike);
  EXPECT_EQ(lines[3].b, "–");
  EXPECT_EQ(lines[4].a, "–");
  EXPECT_EQ(lines[4].b, "5.00");
}

TEST(Beside, what_the_kernels_did_stands_before_what_came_of_it_and_by_its_weight) {
  const std::string conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
                    passes = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
                    busy = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
                    overall = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed";
  Measurement a, b;
  a.counters = {counter(busy.c_str(), 76, "%"), counter(overall.c_str(), 75, "%"), counter(conflicts.c_str(), 42e6),
                counter(passes.c_str(), 710e6), counter("sm__inst_executed.sum", 129)};
  b.counters = {counter(busy.c_str(), 88, "%"), counter(overall.c_str(), 87, "%"), counter(conflicts.c_str(), 17e6),
                counter(passes.c_str(), 600e6), counter("sm__inst_executed.sum", 100)};
  const std::vector<BesideLine> lines = beside_lines(a, b);
  ASSERT_THAT(labels(lines),
              ElementsAre("instructions", "shared memory passes", "shared memory conflicts", "tensor cores busy"))
      << "2.47 times the conflicts are few of the passes; the other share of tensor cycles says the same";
  EXPECT_EQ(lines[3].factor, "") << "of shares";
  EXPECT_EQ(beside_in_words(a, b), "1.29× the instructions. Tensor cores 76 % busy in A and 88 % in B.");
  EXPECT_EQ(beside_in_words(a, Measurement()), "");
}

TEST(Beside, what_was_asked_for_stands_before_the_machine) {
  SelectedMeasurement a, b;
  a.row = fixture::row(1, 512, 32, Pass::forward, 2, 0.2);
  b.row = fixture::row(2, 256, 64, Pass::forward, 4, 0.2);
  b.row.source_hash = "def456";
  b.environment.driver_version = "550";
  std::vector<std::string> what;
  for (const BesideFact& fact : differing_facts(a, b)) what.push_back(fact.what);
  EXPECT_THAT(what, ElementsAre("windows", "driver", "sources"));
  EXPECT_THAT(differing_facts(a, a), IsEmpty());
}

TEST(Beside, copied_figures_have_the_ratio_to_the_first) {
  SelectionFigures figures;
  figures.rows.push_back({fixture::row(1, 512, 32, Pass::forward, 2, 0.2), {}});
  Comparison time;
  time.verdict = Verdict::slower;
  time.ratio = 2;
  time.interval = {1.9, 2.1};
  figures.rows.push_back({fixture::row(2, 256, 64, Pass::forward, 4, 0.2), time});
  const TextTable table = figures_text(figures);
  ASSERT_EQ(table.rows.size(), 2U);
  for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.header.size());
  EXPECT_THAT(table.rows[1], testing::IsSupersetOf({"256 × 64", "4", "2", "1.9", "2.1", "slower"}));
}

}  // namespace
}  // namespace triscope
