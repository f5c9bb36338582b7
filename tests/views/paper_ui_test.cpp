// What the paper's pages ask for and where a step leads, without drawing.
#include "views/model/paper/paper_ui.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/base/text/plus_minus.hpp"
#include "kernels/paper/listing_tiles.hpp"
#include "kernels/paper/run_algorithm.hpp"
#include "profiler/paper/errata.hpp"
#include "profiler/paper/layers/layer_mix.hpp"
#include "profiler/paper/part_names.hpp"
#include "profiler/paper/tile_question.hpp"
#include "tests/views/sweep_fixture.hpp"
#include "views/data/number_text.hpp"

namespace triscope {
namespace {

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
  ui.window1 = 0;
  EXPECT_FALSE(tiles_question(ui));
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
  EXPECT_THAT(tiles_in_words(listing_tile_uses(question.problem, question.query)[0], question.problem, 20'000),
              testing::HasSubstr("Query 20,000 sees 16,384 pairs"));
}

TEST(Numbers, reads_numbers_within_bounds_and_says_what_is_wrong_with_others) {
  const NumberBounds window{.most = 4096};
  EXPECT_EQ(read_number(" 512 ", window), 512);
  EXPECT_EQ(read_number("4096", window), 4096);
  EXPECT_EQ(read_number("2k", window), 2048) << "as in the sweep setup";
  EXPECT_EQ(read_number("4K", window), 4096);
  EXPECT_EQ(read_number("1e3", window), 1000);
  EXPECT_EQ(read_number("4,096", window), 4096);
  EXPECT_EQ(read_number("32,768", {}), 32'768);
  for (const char* wrong : {"", "8192", "0", "-5", "12.5", "12x", "nan", "1e9", "0x10", "1 2", "k", "5k", "2kk",
                            "2.5k ", "4,09", "4,0960", ",096", "1e-400", "99999999999999999999"})
    EXPECT_EQ(read_number(wrong, window), std::nullopt) << wrong;
  EXPECT_EQ(number_problem("8192", window), "'8192' is no whole number from 1 to 4,096");
  const NumberBounds size{.least = 0.01, .most = 1000, .whole = false};
  EXPECT_EQ(read_number("3.5", size), 3.5);
  for (const char* wrong : {"-5", "0", "1001", "inf", "3,5", "1,000", "1k", "1e-400"})
    EXPECT_EQ(read_number(wrong, size), std::nullopt) << wrong;
  EXPECT_EQ(number_problem("-5", size), "'-5' is no number from 0.01 to 1000");
}

TEST(PaperUi, finds_each_page_by_its_id) {
  for (int n = 0; n < static_cast<int>(PaperPage::count); ++n) {
    const auto page = static_cast<PaperPage>(n);
    EXPECT_EQ(find_paper_page(paper_page_id(page)), page);
  }
  EXPECT_EQ(find_paper_page("match3"), PaperPage::match3);
  EXPECT_EQ(find_paper_page("tiling"), PaperPage::tiling) << "as the command line calls it";
  EXPECT_EQ(find_paper_page("scaling"), PaperPage::laws);
  EXPECT_EQ(find_paper_page("algorithm2"), PaperPage::steps);
  for (const PartName& one : kPartNames) EXPECT_TRUE(find_paper_page(one.name)) << one.name;
  EXPECT_EQ(find_paper_page(""), std::nullopt);
  EXPECT_EQ(find_paper_page("table5"), std::nullopt);
}

TEST(PaperUi, says_what_the_paper_calls_a_page) {
  EXPECT_EQ(page_numbers(PaperPage::table1), "Table 1 of the paper");
  EXPECT_EQ(page_numbers(PaperPage::lengths), "Figure 3 of the paper");
  EXPECT_EQ(page_numbers(PaperPage::the_operator), "Figure 1 of the paper");
  EXPECT_EQ(page_numbers(PaperPage::tiling), "Figure 2 of the paper");
  EXPECT_EQ(page_numbers(PaperPage::steps), "Algorithms 1 and 2, Listings 1 to 3 of the paper");
  EXPECT_EQ(page_numbers(PaperPage::laws), "Tables 3 and 4 of the paper");
  EXPECT_EQ(page_numbers(PaperPage::errata), "");
  EXPECT_EQ(find_paper_page("figure3"), PaperPage::lengths);
}

TEST(PaperUi, begins_the_steps_with_the_forward) {
  EXPECT_EQ(StepsUi{}.algorithm, Algorithm::paper_forward) << "the backward follows from it";
}

/// The backward of `portable` is two kernels, and each has its tiles.
TEST(PaperUi, names_both_kernels_of_an_instance) {
  TileUse use;
  use.kernel = "cuda.hopper";
  EXPECT_EQ(use_name(use), "cuda.hopper");
  use.instance = "portable";
  EXPECT_EQ(use_name(use), "portable");
  use.note = "long axis";
  EXPECT_EQ(use_name(use), "portable: long axis");
  use.chosen = true;
  EXPECT_EQ(tiles_text({{}, {use}, {}}).rows[0].back(), "chosen; long axis");
}

TEST(PaperUi, says_at_which_modulus_match3_was_tried) {
  Match3Trial trial{.modulus = 53, .tokens = 480, .wrong = 3};
  EXPECT_EQ(tried_text(trial, 14), "at modulus 53, beyond that: of 480 tried 3 wrong");
  EXPECT_EQ(tried_text(trial, 53), "at modulus 53: of 480 tried 3 wrong");
}

TEST(PaperUi, pages_name_one_layer_by_their_fields) {
  TilesUi tiles;
  RecipeUi model;
  tiles.window1 = model.window1 = 284, tiles.q_heads = model.q_heads = 32, tiles.seq_len = model.seq_len = 4096;
  EXPECT_EQ(layer_request(tiles), layer_request(model));
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

/// What the tiling page says of its windows is what the layer calculator says, with its interval.
TEST(PaperUi, the_cost_of_windows_is_that_of_the_layer_calculator) {
  const std::vector<ResultRow> rows = fixture::length_sweep()->rows;
  TilesUi ui;
  const WindowsCost measured = windows_cost(rows, ui);
  EXPECT_TRUE(measured.to_count.empty());
  EXPECT_THAT(windows_cost_text(rows, layer_request(ui)),
              testing::HasSubstr("512x32 takes 32.8 ms forward (cuda.hopper, measured, +-"));
  const std::string label = std::ranges::find(rows, "cuda.hopper", &ResultRow::kernel)->card.label;
  ASSERT_NE(label, "cuda.hopper");
  EXPECT_THAT(measured.text, testing::StartsWith("512 × 32 takes 32.8 ms forward (" + label + ", measured, ±"));
  EXPECT_THAT(measured.text, testing::Not(testing::HasSubstr("cuda.hopper")));
  ui.window1 = 384;
  const WindowsCost waiting = windows_cost(rows, ui);
  EXPECT_FALSE(waiting.to_count.empty());
  EXPECT_EQ(waiting.text, "");
  EXPECT_EQ(windows_cost({}, ui).text, "") << "no database";
  ui.kv_heads = 7;
  EXPECT_TRUE(windows_cost(rows, ui).to_count.empty()) << "64 heads do not share 7";
}

}  // namespace
}  // namespace triscope
