// The layer-mix calculator of the Recipe page.
#include "views/model/paper/recipe_model.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "kernels/attention/flops.hpp"
#include "profiler/paper/layers/measured_layer.hpp"
#include "tests/views/sweep_fixture.hpp"

namespace triscope {
namespace {

using fixture::length_sweep;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> texts(const std::vector<MeasuredShape>& shapes) {
  std::vector<std::string> result;
  for (const MeasuredShape& one : shapes) result.push_back(one.text);
  return result;
}

/// Three pairs of windows in proportion to their triples, so that others can be estimated.
std::vector<ResultRow> rows_of_three_windows() {
  std::vector<ResultRow> rows = length_sweep()->rows;
  std::erase_if(rows, [](const ResultRow& row) { return row.kernel == "cuda.portable"; });
  const std::size_t measured = rows.size();
  for (std::size_t n = 0; n < measured; ++n) {
    if (rows[n].kernel != "cuda.hopper" || rows[n].problem.window1 != 256) continue;
    rows.push_back(rows[n]);
    rows.back().problem.window1 = 512, rows.back().problem.window2 = 16;
  }
  for (ResultRow& row : rows) {
    if (row.kernel != "cuda.hopper") continue;
    row.median_ms = triple_count(row.problem) / 16'384e3 * (row.pass == Pass::forward ? 1 : 2.5);
    row.ci_low_ms = *row.median_ms * 0.99, row.ci_high_ms = *row.median_ms * 1.01;
  }
  return rows;
}

// 512 x 32 takes n / 1000 ms and FlashAttention-3 n^2 / 41e6; the backward 2.5 times as long.
TEST(RecipeModel, adds_up_every_mix_of_measured_layers) {
  RecipeUi ui;
  ui.sequences = 2;
  const RecipeAnswer answer = make_recipe_answer(length_sweep()->rows, ui);
  ASSERT_TRUE(answer.costs) << answer.problem;
  const double ours = 3.5 * 32.768, global = 3.5 * 32'768.0 * 32'768.0 / 41e6;
  ASSERT_EQ(answer.steps.size(), 33U);
  // The rows' intervals: 1 % below and 2 % above.
  EXPECT_NEAR(answer.steps[0].low, 0.99 * 2 * 32 * global, 1e-9);
  EXPECT_NEAR(answer.steps[8].low, 0.99 * 2 * (8 * ours + 24 * global), 1e-9);
  EXPECT_NEAR(answer.steps[8].high, 1.02 * 2 * (8 * ours + 24 * global), 1e-9);
  EXPECT_NEAR(answer.steps[32].low, 0.99 * 2 * 32 * ours, 1e-9);
  EXPECT_EQ(answer.costs->simplicial.forward.kernel, "cuda.hopper") << "the faster one";
  EXPECT_FALSE(answer.fits) << "without a budget";
  ui.dot_kernel = "baseline.cudnn";
  EXPECT_NEAR(make_recipe_answer(length_sweep()->rows, ui).steps[0].low, 0.99 * 64 * global * 41 / 37, 1e-9);
}

TEST(RecipeModel, says_which_mixes_fit_a_budget) {
  const std::vector<ResultRow> rows = length_sweep()->rows;
  RecipeUi ui;
  const std::vector<MsRange> steps = make_recipe_answer(rows, ui).steps;
  ui.budget_ms = static_cast<float>((steps[8].high + steps[9].high) / 2);
  const RecipeAnswer answer = make_recipe_answer(rows, ui);
  ASSERT_TRUE(answer.fits);
  EXPECT_EQ(answer.fits->fewest, 0);
  EXPECT_EQ(answer.fits->most, 8);
  const TextTable table = recipe_text(ui, answer);
  ASSERT_EQ(table.rows.size(), 33U);
  EXPECT_THAT(table.rows[8],
              ElementsAre("8", "24", fmt::format("{:.6g}", steps[8].low), fmt::format("{:.6g}", steps[8].high), "yes"));
  EXPECT_EQ(table.rows[9][4], "no");
  ui.budget_ms = 1;
  EXPECT_TRUE(make_recipe_answer(rows, ui).fits->none());
}

TEST(RecipeModel, names_what_was_not_measured_and_how_to_measure_it) {
  RecipeUi ui;
  ui.kv_heads = 2;
  const RecipeAnswer answer = make_recipe_answer(length_sweep()->rows, ui);
  EXPECT_FALSE(answer.costs);
  EXPECT_TRUE(answer.steps.empty());
  EXPECT_THAT(answer.problem, HasSubstr("64/2 heads of 128"));
  EXPECT_THAT(answer.next, HasSubstr("--kv-heads 2"));
  EXPECT_TRUE(recipe_text(ui, answer).rows.empty());
}

// 512 x 32 and FlashAttention-3 meet at 41,000 tokens.
TEST(RecipeModel, crossings_are_measured_or_wait_for_tiles_or_are_refused) {
  const std::vector<ResultRow> rows = length_sweep()->rows;
  const OperatorCrossings measured = operator_crossings(rows, {512, 32});
  EXPECT_EQ(measured.beside, "64/1 heads of 128, beside FlashAttention-3");
  for (const std::string& text : {measured.forward, measured.backward, measured.both})
    EXPECT_THAT(text, testing::StartsWith("41,000 (39,8"));
  const std::vector<ResultRow> three = rows_of_three_windows();
  const OperatorCrossings waiting = operator_crossings(three, {384, 32});
  ASSERT_FALSE(waiting.to_count.empty());
  EXPECT_EQ(waiting.forward, "");
  WorkTable counted;
  for (const Problem& problem : waiting.to_count) counted.push_back({problem, {}});
  const OperatorCrossings other = operator_crossings(three, {384, 32}, counted);
  EXPECT_TRUE(other.to_count.empty());
  EXPECT_THAT(other.forward, HasSubstr("Hopper, estimate by triples"));
  EXPECT_THAT(operator_crossings(rows, {384, 32}, counted).forward,
              HasSubstr("Hopper has rows of 2 pairs of windows here, which tell too little of others"));
  OperatorCrossings beyond = operator_crossings(three, {1024, 32}, counted);
  for (const Problem& problem : beyond.to_count) counted.push_back({problem, {}});
  beyond = operator_crossings(three, {1024, 32}, counted);
  EXPECT_THAT(beyond.forward, HasSubstr("the longer window is 1024 where 256 to 512 was measured"));
  EXPECT_EQ(operator_crossings({}, {512, 32}).forward, "not measured");
}

/// Other heads than the paper's, in the forward only: the page goes by them, as the command line and the report do.
TEST(RecipeModel, the_layer_is_that_of_the_database_until_one_is_typed) {
  std::vector<ResultRow> rows = length_sweep()->rows;
  std::erase_if(rows, [](const ResultRow& row) { return row.pass == Pass::backward; });
  for (ResultRow& row : rows) row.problem.q_heads = 8;
  const LayerMixRequest layer = measured_layer(rows);
  EXPECT_EQ(layer.q_heads, 8);
  const OperatorCrossings found = operator_crossings(rows, {512, 32});
  EXPECT_EQ(found.beside, "8/1 heads of 128, beside FlashAttention-3");
  EXPECT_THAT(found.forward, testing::StartsWith("41,000"));
  RecipeUi ui;
  EXPECT_EQ(with_measured(ui, layer).q_heads, 8);
  LayerMixRequest here = layer;
  here.device.clear();  // the window's rows are of one
  EXPECT_EQ(layer_request(with_measured(ui, layer)), here);
  ui.typed = true;
  EXPECT_EQ(with_measured(ui, layer), ui);
}

TEST(RecipeModel, waits_until_the_tiles_of_other_windows_are_counted) {
  const std::vector<ResultRow> rows = rows_of_three_windows();
  RecipeUi ui;
  ui.window1 = 384;
  const RecipeAnswer waiting = make_recipe_answer(rows, ui);
  EXPECT_FALSE(waiting.costs);
  EXPECT_EQ(waiting.problem, "");
  ASSERT_FALSE(waiting.to_count.empty());
  EXPECT_EQ(waiting.to_count.back().window1, 384);
  WorkTable counted;
  for (const Problem& problem : waiting.to_count) counted.push_back({problem, {}});
  const RecipeAnswer answer = make_recipe_answer(rows, ui, counted);
  EXPECT_TRUE(answer.to_count.empty());
  ASSERT_TRUE(answer.costs) << answer.problem;
  EXPECT_EQ(answer.costs->simplicial.forward.kind, LayerBasis::estimated);
}

TEST(RecipeModel, refuses_numbers_that_are_no_model) {
  const auto problem = [](auto change) {
    RecipeUi ui;
    change(ui);
    return recipe_problem(ui);
  };
  EXPECT_EQ(problem([](RecipeUi&) {}), "");
  EXPECT_THAT(problem([](RecipeUi& ui) { ui.layers = 0; }), HasSubstr("1 to 1000 layers"));
  EXPECT_THAT(problem([](RecipeUi& ui) { ui.layers = 1'000'000'000; }), HasSubstr("layers"));
  EXPECT_THAT(problem([](RecipeUi& ui) { ui.sequences = 0; }), HasSubstr("sequences"));
  EXPECT_THAT(problem([](RecipeUi& ui) { ui.seq_len = 1 << 30; }), HasSubstr("tokens"));
  EXPECT_THAT(problem([](RecipeUi& ui) { ui.budget_ms = -1; }), HasSubstr("budget"));
  EXPECT_THAT(problem([](RecipeUi& ui) { ui.layers = 4; }), HasSubstr("8 of 4 layers"));
  EXPECT_NE(problem([](RecipeUi& ui) { ui.seq_len = 0; }), "");
  EXPECT_NE(problem([](RecipeUi& ui) { ui.kv_heads = 7; }), "");
  EXPECT_NE(problem([](RecipeUi& ui) { ui.window2 = 0; }), "");
}

TEST(RecipeModel, offers_the_shapes_that_it_can_add_up) {
  std::vector<ResultRow> rows = length_sweep()->rows;
  EXPECT_THAT(texts(measured_shapes(rows)),
              ElementsAre("256 × 32, 64/1 heads of 128, cuDNN", "256 × 32, 64/1 heads of 128, FlashAttention-3",
                          "512 × 32, 64/1 heads of 128, cuDNN", "512 × 32, 64/1 heads of 128, FlashAttention-3"))
      << "nothing beside the 8 kv heads that only the baseline has";
  for (const MeasuredShape& one : measured_shapes(rows))
    EXPECT_TRUE(make_recipe_answer(rows, with_shape({}, one)).costs) << one.text;
  std::erase_if(rows, [](const ResultRow& one) {
    return one.pass == Pass::backward && (one.problem.window1 == 256 || one.kernel == "baseline.cudnn");
  });
  EXPECT_THAT(texts(measured_shapes(rows)), ElementsAre("512 × 32, 64/1 heads of 128, FlashAttention-3"));
}

TEST(RecipeModel, a_shape_keeps_the_model_but_not_a_length_beyond_its_own) {
  MeasuredShape measured;
  measured.shape.seq_len = 2048;
  measured.shape.q_heads = 8;
  RecipeUi ui;
  ui.layers = 48;
  ui.budget_ms = 100;
  const RecipeUi taken = with_shape(ui, measured);
  EXPECT_EQ(taken.layers, 48);
  EXPECT_EQ(taken.budget_ms, 100);
  EXPECT_EQ(taken.q_heads, 8);
  EXPECT_EQ(taken.seq_len, 2048);
  ui.seq_len = 1024;
  EXPECT_EQ(with_shape(ui, measured).seq_len, 1024);
}

TEST(RecipeModel, goes_by_all_sweeps_of_the_device) {
  DatabaseData data;
  EXPECT_TRUE(rows_on_device(data).empty());
  data.shown = fixture::small_sweep();
  data.same_device = {length_sweep()};
  EXPECT_EQ(rows_on_device(data).size(), data.shown->rows.size() + data.same_device[0]->rows.size());
}

}  // namespace
}  // namespace triscope
