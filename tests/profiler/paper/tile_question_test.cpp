// What is said of tiles, and which questions are refused.
#include "profiler/paper/tile_question.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "profiler/paper/tile_codec.hpp"

namespace triscope {
namespace {

using ::testing::HasSubstr;

Problem windows(std::int64_t window1, std::int64_t window2) {
  Problem problem;
  problem.seq_len = 1000;
  problem.window1 = window1;
  problem.window2 = window2;
  return problem;
}

std::vector<std::int64_t> neighbours(std::int64_t window1, std::int64_t window2) {
  std::vector<std::int64_t> widths;
  for (const Problem& problem : whole_tile_neighbours(windows(window1, window2)))
    widths.push_back(std::max(problem.window1, problem.window2));
  return widths;
}

TEST(TileQuestions, know_the_whole_tiles_beside_a_window) {
  EXPECT_EQ(neighbours(284, 32), (std::vector<std::int64_t>{256, 384}));
  EXPECT_EQ(neighbours(32, 284), (std::vector<std::int64_t>{256, 384}));
  EXPECT_EQ(neighbours(100, 32), (std::vector<std::int64_t>{128}));
  EXPECT_TRUE(neighbours(512, 32).empty());
}

TileUse use_of(double ms, double useful, const char* instance) {
  TileUse use;
  use.kernel = "cuda.hopper";
  use.instance = instance;
  use.planned_us = 1000 * ms;
  use.useful = useful;
  use.computed = 2 * useful;
  use.chosen = true;
  return use;
}

TEST(TileQuestions, say_what_windows_cost_beside_whole_tiles) {
  const std::vector<ChosenTiles> beside{{windows(284, 32), use_of(15, 100, "a")},
                                        {windows(256, 32), use_of(12, 100, "b")},
                                        {windows(384, 32), use_of(20, 100, "b")}};
  const std::string text = cost_in_words(beside);
  EXPECT_THAT(text, HasSubstr("284x32 takes 15 ms forward (a, 50.0 % of its tiles count)."));
  EXPECT_THAT(text, HasSubstr("256x32 takes 12 ms: a pair of keys costs 25 % more at 284x32."));
  EXPECT_THAT(text, HasSubstr("384x32 takes 20 ms: a pair of keys costs 25 % less at 284x32."));
  EXPECT_THAT(cost_in_words({beside[0]}), HasSubstr("whole number of tiles"));
  EXPECT_EQ(cost_in_words({}), "");
  EXPECT_EQ(cost_in_words({{windows(284, 32), use_of(0, 100, "a")}}), "") << "no estimate";
}

TEST(TileQuestions, say_what_shares_a_tile_and_what_counts) {
  TileUse use = use_of(1, 100, "a");
  use.query_tiles = {.folds_axis1 = true, .first_query = 500, .last_query = 503, .heads = 1, .rows = 8};
  // Query 503 sees 4 x 2 pairs: keys 500 to 503 with 502 and 503.
  for (std::int64_t j = 500; j < 504; ++j) use.query_tiles.add(j, 500, 4, 4);
  ASSERT_EQ(use.query_tiles.blocks.size(), 1U);
  EXPECT_EQ(
      tiles_in_words(use, windows(4, 2), 503),
      "4 queries of one head share a tile of 8 rows. Query 503 sees 8 pairs of keys; 16 are computed for it: 50.0 "
      "% count. 4 of the rows stand for nobody. Of the whole launch 50.0 % count.");
  use.query_tiles.last_query = 500;
  use.query_tiles.heads = 64;
  use.query_tiles.rows = 64;
  EXPECT_THAT(tiles_in_words(use, windows(4, 2), 503), HasSubstr("64 heads of one query share a tile of 64 rows."));
  use.query_tiles.blocks.clear();
  EXPECT_EQ(tiles_in_words(use, windows(4, 2), 503), "");
}

TEST(TileQuestions, merge_folds_that_go_on_straight_or_slanted) {
  QueryTiles tiles;
  tiles.add(3, 10, 4, 2), tiles.add(4, 10, 4, 2), tiles.add(5, 11, 4, 2), tiles.add(6, 12, 4, 2);
  tiles.add(8, 13, 4, 2), tiles.add(9, 12, 4, 2);
  EXPECT_EQ(tiles.blocks, (std::vector<TileBlock>{
                              {3, 2, 10, 4, 2, 0}, {5, 2, 11, 4, 2, 1}, {8, 1, 13, 4, 2, 0}, {9, 1, 12, 4, 2, 0}}));
  EXPECT_EQ(computed_pairs(tiles), 24);
}

TEST(TileQuestions, are_refused_with_a_reason) {
  require_answerable({windows(284, 32), 999});
  const auto why = [](const TileQuestion& question) -> std::string {
    try {
      require_answerable(question);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(why({windows(284, 32), 1000}), HasSubstr("query 1000 of 1000 tokens"));
  EXPECT_THAT(why({windows(284, 32), -1}), HasSubstr("no such query"));
  Problem large = windows(70'000, 32);
  EXPECT_THAT(why({large, {}}), HasSubstr("windows of 65536"));
  EXPECT_NE(why({windows(0, 32), {}}), "");
}

TEST(TileQuestions, travel_as_json) {
  TileUse use = use_of(1, 100, "a");
  use.query_tiles.add(3, 10, 4, 2);
  const auto back = nlohmann::json::parse(nlohmann::json(use).dump()).get<TileUse>();
  EXPECT_EQ(back.query_tiles.blocks, use.query_tiles.blocks);
  EXPECT_EQ(back.planned_us, use.planned_us);
  const TileQuestion question{windows(284, 32), 17}, without{windows(284, 32), {}};
  EXPECT_EQ(nlohmann::json(question).get<TileQuestion>(), question);
  EXPECT_EQ(nlohmann::json(without).get<TileQuestion>(), without);
}

}  // namespace
}  // namespace triscope
