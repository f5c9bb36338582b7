// The answers under Lengths as tables, and the order of its curves.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/views/sweep_fixture.hpp"
#include "views/model/charts/length_budget.hpp"
#include "views/model/charts/length_model.hpp"
#include "views/model/charts/length_words.hpp"

namespace triscope {
namespace {

using fixture::length_sweep;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(LengthChart, curves_stand_in_the_order_of_their_batches) {
  auto results = length_sweep();
  const std::vector<ResultRow> rows = results->rows;
  for (const std::int64_t batch : {3, 5, 2, 4}) {
    for (ResultRow row : rows) {
      if (row.problem.window1 == 512 && row.kernel == "cuda.hopper") continue;
      row.measurement += 1000 * batch;
      row.problem.batch = batch;
      results->rows.push_back(std::move(row));
    }
  }
  const LengthChart made = make_length_chart(*results, {});
  std::vector<std::string> of_fa3;
  for (const LengthCurve& curve : made.passes[0].curves) {
    if (curve.label.starts_with("FlashAttention-3 64/1 batch"))
      of_fa3.push_back(curve.label.substr(curve.label.size() - 1));
  }
  EXPECT_THAT(of_fa3, ElementsAre("1", "2", "3", "4", "5"));
}

TEST(LengthChart, what_it_concludes_is_a_table) {
  const LengthChart chart = make_length_chart(*length_sweep(), {});
  const LengthPass& forward = chart.passes[0];
  const TextTable crossings = crossing_table(forward);
  ASSERT_EQ(crossings.rows.size(), forward.crossings.size());
  for (std::size_t n = 0; n < crossings.rows.size(); ++n) {
    const std::vector<std::string>& row = crossings.rows[n];
    ASSERT_EQ(row.size(), crossings.header.size());
    EXPECT_EQ(row[0], forward.curves[forward.crossings[n].windows].label);
    EXPECT_EQ(row[1], short_name(forward.curves[forward.crossings[n].baseline]));
    if (row[2] != "–") {
      EXPECT_THAT(forward.crossings[n].sentence, HasSubstr("at " + row[2] + " tokens"));
    }
    EXPECT_THAT(forward.crossings[n].sentence, HasSubstr("exact count at " + row[5]));
  }
  const TextTable budgets = budget_table(forward);
  ASSERT_EQ(budgets.rows.size(), forward.budgets.size());
  ASSERT_FALSE(budgets.rows.empty());
  EXPECT_EQ(budgets.header[2], "its time / FA3 64/1");
  const std::vector<const SameBudget*> order = answers_first(forward.budgets);
  for (std::size_t n = 0; n < budgets.rows.size(); ++n) {
    const std::vector<std::string>& row = budgets.rows[n];
    ASSERT_EQ(row.size(), budgets.header.size());
    EXPECT_TRUE(order[n]->headline.starts_with(row[0] + ", ")) << order[n]->headline;
    if (order[n]->headline.find("Measured: ") != std::string::npos) {
      EXPECT_THAT(row[4], testing::AnyOf("same", "may cost the same"));
    }
    if (order[n]->windows) {
      EXPECT_NE(row[5], "–");
    }
    EXPECT_THAT(order[n]->sentence, HasSubstr(row[2].substr(0, 5) + " times as long"));
  }
}

}  // namespace
}  // namespace triscope
