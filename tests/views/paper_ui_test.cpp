// What the paper's pages ask for and where a step leads, without drawing.
#include "views/model/paper_ui.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/paper/listing_tiles.hpp"
#include "kernels/paper/run_algorithm.hpp"
#include "profiler/paper/errata.hpp"
#include "tests/views/sweep_fixture.hpp"

namespace triscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(PaperUi, asks_only_about_tiles_that_can_be_drawn) {
  TilesUi ui;
  ASSERT_TRUE(tiles_question(ui));
  EXPECT_EQ(tiles_question(ui)->query, 20'000);
  ui.seq_len = 1000;
  EXPECT_EQ(tiles_question(ui)->query, 999) << "the query stays in the sequence";
  ui.kv_heads = 7;
  EXPECT_FALSE(tiles_question(ui));
  EXPECT_NE(tiles_problem(ui), "");
  ui.kv_heads = 1;
  ui.window1 = 5000;
  EXPECT_THAT(tiles_problem(ui), HasSubstr("4096"));
  ui.window1 = 0;
  EXPECT_FALSE(tiles_question(ui));
  ui.window1 = 16;
  ui.seq_len = 2'000'000;
  EXPECT_THAT(tiles_problem(ui), HasSubstr("1048576"));
}

TEST(PaperUi, shows_the_chosen_kernel_or_the_first_with_tiles) {
  TilesUi ui;
  const TileQuestion question = *tiles_question(ui);
  std::vector<TileUse> uses = listing_tile_uses(question.problem, question.query);
  ui.use = "paper two-stage";
  EXPECT_EQ(shown_use(ui, uses)->kernel, "paper two-stage");
  ui.use = "gone";
  EXPECT_EQ(shown_use(ui, uses), &uses[0]);
  uses[0].query_tiles.blocks.clear();
  EXPECT_EQ(shown_use(ui, uses), &uses[1]);
  EXPECT_EQ(shown_use(ui, {}), nullptr);
  for (const TileUse& use : uses) EXPECT_EQ(use_key(use), use.kernel);
}

TEST(PaperUi, copies_every_kernel_with_its_share) {
  TilesUi ui;
  const TileQuestion question = *tiles_question(ui);
  const TextTable table = tiles_text({question, listing_tile_uses(question.problem, question.query), {}});
  ASSERT_EQ(table.rows.size(), 4U);
  for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.header.size());
  EXPECT_EQ(table.rows[0][0], "paper forward");
  EXPECT_EQ(table.rows[0][4], "0.2963");
}

// 512 x 32 takes n / 1000 ms and FlashAttention-3 n^2 / 41e6, so they meet at 41,000 tokens; 256 x 32 at half of that.
TEST(PaperUi, says_where_windows_cross_by_the_clock_in_each_pass_and_in_a_step) {
  const LengthChart chart = make_length_chart(*fixture::length_sweep(), {});
  const std::vector<std::string> wide = measured_crossings(chart, {512, 32});
  ASSERT_EQ(wide.size(), 3U) << "forward, backward, and both";
  EXPECT_THAT(wide, ElementsAre(StartsWith("Forward: "), StartsWith("Backward: "), StartsWith("Training step: ")));
  for (const std::string& one : wide)
    EXPECT_THAT(one, HasSubstr("512 × 32 costs as much as FlashAttention-3 64/1 at 41,000 tokens"));
  const std::vector<std::string> narrow = measured_crossings(chart, {256, 32});
  ASSERT_EQ(narrow.size(), 3U);
  for (const std::string& one : narrow)
    EXPECT_THAT(one, HasSubstr("256 × 32 costs as much as FlashAttention-3 64/1 at 20,500 tokens"));
  EXPECT_TRUE(measured_crossings(chart, {32, 512}).empty()) << "the axes differ";
  EXPECT_TRUE(measured_crossings(chart, {512, 64}).empty());
}

TEST(PaperUi, has_no_crossing_by_the_clock_without_rows_of_both_kinds) {
  auto alone = fixture::length_sweep();
  std::erase_if(alone->rows, [](const ResultRow& one) { return one.problem.form == Form::dot_product; });
  EXPECT_TRUE(measured_crossings(make_length_chart(*alone, {}), {512, 32}).empty());
  auto forward = fixture::length_sweep();
  std::erase_if(forward->rows, [](const ResultRow& one) { return one.pass == Pass::backward; });
  EXPECT_EQ(measured_crossings(make_length_chart(*forward, {}), {512, 32}).size(), 1U);
}

TEST(PaperUi, plays_a_step_when_one_is_due_and_stops_at_the_last) {
  StepsUi ui;
  ui.speed = 4;
  EXPECT_FALSE(play_on(ui, 4, 100)) << "nobody pressed Play";
  toggle_play(ui, 4, 100);
  EXPECT_FALSE(play_on(ui, 4, 100.2));
  EXPECT_TRUE(play_on(ui, 4, 100.25));
  EXPECT_EQ(ui.step, 1);
  EXPECT_FALSE(play_on(ui, 4, 100.3));
  EXPECT_TRUE(play_on(ui, 4, 200)) << "one step, however late";
  EXPECT_FALSE(play_on(ui, 4, 200.1));
  EXPECT_TRUE(play_on(ui, 4, 200.25));
  EXPECT_EQ(ui.step, 3);
  EXPECT_FALSE(ui.playing);
  toggle_play(ui, 4, 300);
  EXPECT_EQ(ui.step, 0) << "from the beginning again";
  toggle_play(ui, 4, 300.1);
  EXPECT_FALSE(play_on(ui, 4, 400)) << "stopped";
}

TEST(PaperUi, copies_the_errata_of_the_chosen_kind) {
  const TextTable all = errata_text(""), formulas = errata_text("formula");
  EXPECT_EQ(all.rows.size(), errata().size());
  EXPECT_GT(formulas.rows.size(), 0U);
  EXPECT_LT(formulas.rows.size(), all.rows.size());
  for (const auto& row : formulas.rows) {
    ASSERT_EQ(row.size(), all.header.size());
    EXPECT_EQ(row[2], "formula");
    EXPECT_NE(row[5], "") << "a reason";
  }
}

TEST(PaperUi, goes_from_program_to_program) {
  const AlgorithmSteps run = run_algorithm(Algorithm::paper_two_stage, {});
  std::int64_t at = 0;
  for (std::int64_t program = 1; program < run.programs; ++program) {
    const std::int64_t before = at;
    at = next_program(run, at, true);
    EXPECT_EQ(run.steps[static_cast<std::size_t>(at)].program, program);
    EXPECT_EQ(run.steps[static_cast<std::size_t>(at) - 1].program, program - 1);
    EXPECT_EQ(next_program(run, at, false), before);
    EXPECT_EQ(next_program(run, at + 1, false), at) << "first to the beginning of its own";
  }
  const auto last = static_cast<std::int64_t>(run.steps.size()) - 1;
  EXPECT_EQ(next_program(run, at, true), last);
  EXPECT_EQ(next_program(run, last, true), last);
  EXPECT_EQ(next_program(run, 0, false), 0);
}

}  // namespace
}  // namespace triscope
