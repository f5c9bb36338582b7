// What the paper's pages ask for and where a step leads, without drawing.
#include "views/model/paper_ui.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/paper/listing_tiles.hpp"
#include "kernels/paper/run_algorithm.hpp"

namespace triscope {
namespace {

using ::testing::HasSubstr;

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
