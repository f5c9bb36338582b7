// The grid of queries x heads and the search's hits, without Dear ImGui: what is asked for, zoomed and listed.
#include "views/model/attention/attention_grid.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "views/model/attention/attention_zoom.hpp"
#include "views/model/attention/grid_plan.hpp"
#include "views/model/attention/triple_hits.hpp"

namespace triscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// An open source of 1,024 tokens and 20 heads.
AttentionData source_of_20_heads(std::int64_t tokens = 1024) {
  AttentionData data;
  auto reply = std::make_shared<SourceReply>();
  reply->batch = 1;
  reply->seq_len = tokens;
  reply->q_heads = 20;
  reply->kv_heads = 1;
  reply->head_dim = 64;
  data.sides[0].asked = AttentionUi().sides[0].source;
  data.sides[0].source = reply;
  return data;
}

TEST(AttentionGrid, numbers_are_typed_one_by_one_or_as_ranges_with_steps) {
  const auto typed = [](const char* text) { return typed_numbers(text, "queries", 1000, 12); };
  EXPECT_THAT(typed("3, 0 7").values, ElementsAre(3, 0, 7));
  EXPECT_THAT(typed("100-900/200").values, ElementsAre(100, 300, 500, 700, 900));
  EXPECT_THAT(typed("5-7,6").values, ElementsAre(5, 6, 7)) << "each once";
  EXPECT_THAT(typed("0-999/9223372036854775807").values, ElementsAre(0));
  for (const char* bad : {"x", "3-", "-3", "9-3", "1-5/0", "1-5/", "1.5", "3-4-5", "99999999999999999999"}) {
    EXPECT_THAT(typed(bad).values, IsEmpty()) << bad;
    EXPECT_THAT(typed(bad).problem, HasSubstr("write them as 0-7, 12 or 100-900/200")) << bad;
  }
  EXPECT_THAT(typed("1000").problem, HasSubstr("from 0 to 999"));
  EXPECT_THAT(typed("0-20").problem, HasSubstr("at most 12 queries"));
  EXPECT_THAT(typed(" , ").problem, HasSubstr("no queries are named"));
}

TEST(AttentionGrid, without_a_choice_it_shows_whole_windows_and_the_heads_around_the_shown_one) {
  AttentionUi ui;
  ui.head = 13;
  const GridPlan plan = planned_grid(ui, source_of_20_heads());
  ASSERT_TRUE(plan.request) << plan.problem;
  EXPECT_THAT(plan.request->queries, ElementsAre(511, 639, 767, 895, 1023));
  EXPECT_THAT(plan.request->heads, ElementsAre(8, 9, 10, 11, 12, 13, 14, 15));
  EXPECT_EQ(plan.request->query.head, 0) << "the shown slice is no part of the request: it walks on";
  EXPECT_EQ(plan.request->query.query, 0);
  ui.head = 19;
  EXPECT_THAT(planned_grid(ui, source_of_20_heads()).request->heads, ElementsAre(16, 17, 18, 19));
  ui.mask = Mask::full;
  EXPECT_THAT(planned_grid(ui, source_of_20_heads(3)).request->queries, ElementsAre(0, 1, 2)) << "as many as there are";
  EXPECT_FALSE(planned_grid(ui, {}).request) << "no source is open";
}

TEST(AttentionGrid, refuses_more_pairs_than_fit_and_says_what_to_do) {
  AttentionUi ui;
  ui.window1 = ui.window2 = 1024;
  const GridPlan plan = planned_grid(ui, source_of_20_heads());
  EXPECT_FALSE(plan.request);
  EXPECT_THAT(plan.problem, HasSubstr("choose fewer queries or heads, or smaller windows"));
  ui.grid = {"1023", "0-1"};
  EXPECT_TRUE(planned_grid(ui, source_of_20_heads()).request);
  ui.grid.heads = "20";
  EXPECT_THAT(planned_grid(ui, source_of_20_heads()).problem, HasSubstr("heads are from 0 to 19"));
}

std::shared_ptr<const Slice> slice_of(std::vector<float> log_p) {
  auto slice = std::make_shared<Slice>();
  slice->count1 = std::ssize(log_p);
  slice->count2 = 1;
  slice->largest_p = std::exp(*std::ranges::max_element(log_p));
  slice->log_p = std::move(log_p);
  return slice;
}

TEST(AttentionGrid, one_range_of_colours_holds_all_of_its_maps) {
  AttentionUi ui;
  ui.show = AttentionShow::grid;
  AttentionData data = source_of_20_heads();
  data.sides[0].slice = slice_of({-3, -2});
  data.grid.cells[{511, 0}] = slice_of({-1, -4});
  data.grid.cells[{511, 1}] = slice_of({-9, -2});
  AttentionModel model;
  model.grid.update(data.grid, false);
  HeatmapStyle style = model.style(ui, data, 0);
  EXPECT_NEAR(style.high, -1, 1e-6);
  EXPECT_NEAR(style.low, -9, 1e-6);
  ASSERT_NE(model.grid.pyramid(511, 1), nullptr);
  EXPECT_EQ(model.grid.pyramid(511, 1)->base().at(0, 0), -9);
  EXPECT_EQ(model.grid.pyramid(512, 1), nullptr);
  data.grid.cells.erase({511, 1});
  model.grid.update(data.grid, false);
  EXPECT_NEAR(model.style(ui, data, 0).low, -4, 1e-6) << "what is gone has no part in the range";
  ui.show = AttentionShow::one;
  EXPECT_NEAR(model.style(ui, data, 0).high, -2, 1e-6) << "of the shown slice alone";
}

TEST(AttentionZoom, keeps_the_place_under_the_pointer_and_stays_inside) {
  const AttentionFrame frame{100, 40, 0, 0};
  const std::optional<HeatmapPart> half = zoomed(whole_part(frame), frame, {0.25, 1}, {0.5, 0.5});
  ASSERT_TRUE(half);
  EXPECT_DOUBLE_EQ(half->left, 12.5) << "cell 25 stays at a quarter";
  EXPECT_DOUBLE_EQ(half->right, 62.5);
  EXPECT_DOUBLE_EQ(half->bottom, 40);
  const std::optional<HeatmapPart> across = zoomed(*half, frame, {0, 0}, {0.5, 1});
  EXPECT_DOUBLE_EQ(across->right - across->left, 25);
  EXPECT_DOUBLE_EQ(across->bottom - across->top, half->bottom - half->top) << "one axis alone";
  EXPECT_FALSE(zoomed(*half, frame, {0.5, 0.5}, {4, 4})) << "all of it";
  EXPECT_DOUBLE_EQ(panned(*half, frame, {1, 0}).right, 100) << "not beyond the edge";
  EXPECT_DOUBLE_EQ(panned(*half, frame, {0.1, -0.5}).left, 17.5);
  EXPECT_DOUBLE_EQ(panned(*half, frame, {0.1, -0.5}).top, 10);
}

TEST(TripleHits, a_hit_is_shown_with_its_cell_pinned_and_inside_the_zoom) {
  AttentionUi ui;
  const AttentionData data = source_of_20_heads();
  ui.show = AttentionShow::grid;
  ui.playing = true;
  ui.part = HeatmapPart{0, 0, 10, 10};
  const FoundTriple far{7, 1000, {.j = 600, .k = 990, .logit = 3, .p = 0.2}};
  go_to(ui, data, far);
  EXPECT_EQ(ui.head, 7);
  EXPECT_EQ(ui.query, 1000);
  EXPECT_EQ(ui.pinned, (AttentionCell{600, 990}));
  EXPECT_EQ(ui.show, AttentionShow::one);
  EXPECT_FALSE(ui.playing);
  EXPECT_FALSE(ui.part) << "the cell lay outside";
  ui.part = HeatmapPart{100, 15, 120, 30};  // its cell is 111, 21
  go_to(ui, data, far);
  EXPECT_TRUE(ui.part) << "the cell lies inside";
  TripleSearchData search;
  search.found = {{1, 2, {}}, far};
  EXPECT_EQ(shown_hit(ui, search), 1);
  ui.query = 999;
  EXPECT_EQ(shown_hit(ui, search), -1);
}

TEST(TripleHits, what_is_searched_for_is_what_the_panel_is_set_to) {
  AttentionUi ui;
  ui.query = 900;
  ui.head = 3;
  ui.search.token = 77;
  ui.search.back = {4, 2};
  const TripleSearchRequest largest = *wanted_search(ui, source_of_20_heads());
  EXPECT_EQ(largest.search, (TripleSearch{kListedTriples, {}, {}}));
  EXPECT_EQ(largest.query.query, 0) << "walking on asks for no other search";
  ui.search.by = TripleSearchBy::token;
  EXPECT_EQ(wanted_search(ui, source_of_20_heads())->search.token, 77);
  EXPECT_FALSE(wanted_search(ui, source_of_20_heads())->search.back);
  ui.search.by = TripleSearchBy::distances;
  EXPECT_EQ(wanted_search(ui, source_of_20_heads())->search.back, (std::array<std::int64_t, 2>{4, 2}));
  ui.search.apart = 9;
  ui.search.away = 2;
  EXPECT_EQ(wanted_search(ui, source_of_20_heads())->search.apart, 0) << "the distances are exact";
  ui.search.by = TripleSearchBy::largest;
  const TripleSearch least = wanted_search(ui, source_of_20_heads())->search;
  EXPECT_EQ(least.apart, 9);
  EXPECT_EQ(least.away, 2);
  EXPECT_EQ(search_title(least), "Largest p of all queries and heads, keys at least 9 apart and at least 2 back");
  EXPECT_FALSE(wanted_search(ui, {})) << "no source is open";
}

TEST(TripleHits, are_copied_with_their_words) {
  TripleSearchData search;
  search.found = {{7, 2, {.j = 0, .k = 1, .logit = 3.5, .p = 0.25}}};
  SourceReply source;
  EXPECT_THAT(hits_text(search, source).rows.at(0), ElementsAre("7", "2", "0", "1", "1", "3.5", "0.25"));
  source.labels = {"a", "b", "c"};
  const TextTable words = hits_text(search, source);
  EXPECT_THAT(words.rows.at(0), ElementsAre("7", "2", "0", "1", "1", "3.5", "0.25", "c", "a", "b"));
  EXPECT_THAT(words.header, SizeIs(10));
}

}  // namespace
}  // namespace triscope
