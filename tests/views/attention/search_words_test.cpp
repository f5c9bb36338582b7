// What the attention panel says while something else is shown than before: proposals, means that wait, and its axes.
#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>

#include "kernels/inspect/triple_search.hpp"
#include "tests/views/attention/attention_fixture.hpp"
#include "views/attention/attention_axes.hpp"
#include "views/model/attention/attention_model.hpp"
#include "views/model/attention/mean_words.hpp"
#include "views/model/attention/triple_hits.hpp"

namespace triscope {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

using Back = std::array<std::int64_t, 2>;

class SearchWords : public fixture::AttentionMeans {};

TEST_F(SearchWords, proposed_distances_are_those_of_the_query_and_head_that_are_shown) {
  ui().search.open = true;
  ui().search.by = TripleSearchBy::distances;
  ui().search.back_proposed = true;
  answer(3, 1);
  EXPECT_THAT(text(), HasSubstr("Proposed: the strongest pair of the shown query."));
  EXPECT_EQ(ui().search.back, (Back{3, 1}));
  ui().query = 60;
  answer(5, 4);
  text();
  EXPECT_EQ(ui().search.back, (Back{5, 4}));
  ui().head = 1;
  answer(2, 6);
  text();
  EXPECT_EQ(ui().search.back, (Back{2, 6}));
  ui().search.back_proposed = false;  // as when a number is typed
  ui().query = 70;
  answer(1, 1);
  EXPECT_THAT(text(), Not(HasSubstr("Proposed:")));
  EXPECT_EQ(ui().search.back, (Back{2, 6}));
}

TEST_F(SearchWords, a_dot_product_has_one_key_and_no_distances_between_two) {
  ui().search.open = true;
  ui().search.apart = 3;
  ui().search.away = 2;
  EXPECT_THAT(text(), HasSubstr("keys at least"));
  EXPECT_TRUE(wanted_search(ui(), data.attention)->search.has_least_distances());
  choose_form(ui(), 0, Form::dot_product);
  EXPECT_THAT(text(), Not(HasSubstr("keys at least")));
  EXPECT_FALSE(wanted_search(ui(), data.attention)->search.has_least_distances());
  choose_form(ui(), 0, Form::trilinear);
  EXPECT_TRUE(wanted_search(ui(), data.attention)->search.has_least_distances()) << "what was typed is kept";
}

TEST_F(SearchWords, a_dot_product_has_no_figures_of_a_second_key) {
  choose_form(ui(), 0, Form::dot_product);
  ui().figure = OverviewFigure::distance2;
  for (int which = 0; which < 2; ++which) {
    side(which).slice_of = *wanted_slice(ui(), data.attention, which);
    side(which).slice = fixture::even_slice(50, 16, 1);
  }
  AttentionData& attention = data.attention;
  attention.overview.of = *wanted_overview(ui(), attention);
  attention.means.of = attention.overview.of;
  MeanMapsMaker maker(attention.overview.of.query.problem, 100, 2, 3);
  for (const std::int64_t head : {0, 1}) {
    for (const std::int64_t query : averaged_queries(attention.overview.of.query.problem, 100, 3)) {
      const auto slice = fixture::even_slice(query, 16, 1);
      slice->log_p[10] = std::log(0.6F);  // 5 back
      maker.add(head, query, *slice);
    }
  }
  attention.means.answer = std::make_shared<MeanMaps>(maker.finish());
  for (const bool mean : {false, true}) {
    ui().mean_of_queries = mean;
    for (const char* words : {"k-even", "distance k", "pair of distances", "-5, 0", "apart"})
      EXPECT_THAT(text(), Not(HasSubstr(words))) << words;
  }
  EXPECT_THAT(canvas.text, HasSubstr("Heads 0 and 1 look at one distance over many queries."));
  EXPECT_THAT(canvas.text, HasSubstr("p at each distance"));
  EXPECT_THAT(mean_cell_text(*attention.means.answer, 0, 5, 0), testing::StartsWith("j 5 back: p 0.6"));
  EXPECT_THAT(peaks_text(*attention.means.answer).header, Not(testing::Contains("k")));
  EXPECT_EQ(mean_axis_name(*attention.means.answer, 1), "j: key, tokens from the query");
  EXPECT_EQ(mean_axis_name(*attention.means.answer, 2), "");
}

TEST_F(SearchWords, no_kernel_that_would_refuse_a_dot_product_is_offered) {
  auto catalog = std::make_shared<Catalog>();
  catalog->kernels.emplace_back();
  catalog->kernels.back().id = "cpu.ours";
  catalog->kernels.back().device = DeviceKind::cpu;
  data.machine.catalog = catalog;
  ui().device = "cpu";
  answer(3, 1);
  EXPECT_THAT(text(), HasSubstr("Run a kernel on this query"));
  ui().kernel = "cpu.ours";
  EXPECT_TRUE(wanted_kernel_row(ui(), data.attention));
  choose_form(ui(), 0, Form::dot_product);
  answer(3, 0);
  EXPECT_THAT(text(), Not(HasSubstr("Run a kernel on this query")));
  EXPECT_FALSE(wanted_kernel_row(ui(), data.attention)) << "which was chosen before";
}

TEST_F(SearchWords, a_search_of_a_dot_product_has_one_key) {
  choose_form(ui(), 0, Form::dot_product);
  ui().search.open = true;
  ui().search.by = TripleSearchBy::distances;
  ui().search.back = {4, 2};
  ui().search.back_proposed = false;
  EXPECT_THAT(text(), HasSubstr("exactly back"));
  EXPECT_THAT(canvas.text, Not(HasSubstr("Keys 2 tokens apart")));
  TripleSearchData& search = data.attention.search;
  search.of = *wanted_search(ui(), data.attention);
  EXPECT_EQ(search.of->search.back, (Back{4, 0})) << "the second is no key";
  search.found = {{1, 30, {.j = 26, .k = 30, .logit = 3.5, .p = 0.25}}};
  EXPECT_THAT(text(), HasSubstr("Largest p with a key 4 tokens back"));
  EXPECT_THAT(canvas.text, Not(HasSubstr("apart")));
  EXPECT_THAT(hits_text(search, *side().source).header, testing::ElementsAre("head", "query", "j", "logit", "p"));
  // What stands in place of the second key, the query itself, is none.
  TripleCollector collector({.most = 5, .token = 30}, true);
  Slice slice = *fixture::even_slice(30, 16, 1);
  collector.take({0, 30}, slice);
  ASSERT_EQ(collector.found().size(), 1U);
  EXPECT_EQ(collector.found().front().triple.j, 30);
}

TEST_F(SearchWords, a_mean_that_waits_for_its_overview_is_not_called_too_large) {
  ui().mean_of_queries = true;
  data.attention.means.answer.reset();
  ui().window1 = 12;  // of which no overview is there yet
  ASSERT_FALSE(wanted_means(ui(), data.attention));
  EXPECT_THAT(text(), Not(HasSubstr("too many pairs for a mean")));
  for (int which = 0; which < 2; ++which) side(which).source = fixture::opened(100'000);
  ui().window1 = 65'536;
  ui().window2 = 64;
  data.attention.overview.of = *wanted_overview(ui(), data.attention);
  EXPECT_THAT(text(), HasSubstr("too many pairs for a mean"));
}

TEST_F(SearchWords, where_a_query_sees_all_keys_nothing_offers_their_distance) {
  EXPECT_THAT(text(), ContainsRegex("distance[^a-z]*position"));
  open_match3();
  EXPECT_THAT(text(), Not(ContainsRegex("distance[^a-z]*position")));
}

TEST(KeyNames, a_key_has_its_word_and_its_place_where_there_is_room_for_both) {
  const auto room_for = [](std::size_t letters) {
    return [letters](const std::string& text) { return text.size() <= letters; };
  };
  EXPECT_EQ(named_key("cat", "-12", room_for(7)), "cat -12");
  EXPECT_EQ(named_key("cat", "-12", room_for(6)), "cat");
}

}  // namespace
}  // namespace triscope
