// Pairs that are framed in the map of the attention panel: by their distances, and the strongest of a query.
#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <memory>

#include "kernels/inspect/mean_maps.hpp"
#include "tests/views/attention/attention_fixture.hpp"
#include "views/model/attention/attention_model.hpp"
#include "views/model/attention/mean_words.hpp"
#include "views/model/attention/triple_hits.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;
using testing::Not;

class FramedPairs : public fixture::AttentionMeans {
 protected:
  const MeanMaps& maps() const { return *data.attention.means.answer; }
  const MeanPeak& peak() const { return maps().peaks.at(0).at(0); }  // 5 and 2 back
};

TEST_F(FramedPairs, a_pair_of_distances_goes_with_the_query) {
  frame_peak(ui(), data.attention, maps(), peak());
  EXPECT_THAT(text(), HasSubstr("Framed by distance, at query 50: j = 45 (5 back), k = 48 (2 back)"));
  ui().query = 80;
  text();
  EXPECT_EQ(ui().pinned, (AttentionCell{45, 48})) << "the map is still of query 50";
  answer(1, 1);
  EXPECT_THAT(text(), HasSubstr("Framed by distance, at query 80: j = 75 (5 back), k = 78 (2 back)"));
  EXPECT_EQ(ui().pinned, (AttentionCell{75, 78}));
  EXPECT_TRUE(is_framed(ui(), peak()));
  EXPECT_FALSE(is_framed(ui(), maps().peaks.at(0).at(1))) << "another peak of the same head";
  ui().query = 4;
  answer(1, 1);
  EXPECT_THAT(text(), HasSubstr("Framed by distance, at query 4: j 5 back: before the first token"));
  ui().query = 80;
  answer(1, 1);
  EXPECT_THAT(text(), HasSubstr("j = 75 (5 back)")) << "it was not given up";
}

TEST_F(FramedPairs, a_pair_of_tokens_stays_when_the_query_changes) {
  frame_peak(ui(), data.attention, maps(), peak());
  text();
  ui().pinned = AttentionCell{44, 47};  // as a click in the map does
  text();
  ui().query = 52;
  answer(1, 1);
  EXPECT_THAT(text(), HasSubstr("Framed by position: j = 44 (8 back), k = 47 (5 back)"));
  EXPECT_FALSE(is_framed(ui(), peak()));
  frame_peak(ui(), data.attention, maps(), peak());
  text();
  ui().pinned.reset();  // as Esc does
  text();
  EXPECT_FALSE(ui().pinned.has_value());
}

TEST_F(FramedPairs, the_user_chooses_what_a_framed_pair_keeps_wherever_it_was_framed) {
  frame_cell(ui(), 50, {45, 48});  // as a click in the map does
  EXPECT_THAT(text(), HasSubstr("Framed by position: j = 45 (5 back)"));
  EXPECT_THAT(canvas.text, HasSubstr("positions"));
  choose_framed_keeps(ui(), data.attention, FramedKeeps::distances);
  ui().query = 80;
  answer(1, 1);
  EXPECT_THAT(text(), HasSubstr("Framed by distance, at query 80: j = 75 (5 back), k = 78 (2 back)"));
  go_to(ui(), data.attention, {0, 70, {.j = 60, .k = 69}});  // the map is still of query 80
  text();
  answer(1, 1);
  EXPECT_THAT(text(), HasSubstr("Framed by distance, at query 70: j = 60 (10 back), k = 69 (1 back)"));
  ui().query = 4;
  answer(1, 1);
  text();
  choose_framed_keeps(ui(), data.attention, FramedKeeps::positions);
  EXPECT_EQ(ui().framed_keeps, FramedKeeps::distances) << "a pair before the first token has no positions";
  ui().query = 50;
  answer(1, 1);
  text();
  choose_framed_keeps(ui(), data.attention, FramedKeeps::positions);
  frame_peak(ui(), data.attention, maps(), peak());
  EXPECT_TRUE(is_framed(ui(), peak()));
  ui().query = 51;
  answer(1, 1);
  EXPECT_THAT(text(), HasSubstr("Framed by position: j = 45 (6 back), k = 48 (3 back)"));
  EXPECT_FALSE(is_framed(ui(), peak())) << "it is at other distances now";
}

TEST_F(FramedPairs, the_strongest_pair_is_framed_once_its_slice_is_there) {
  ui().mean_of_queries = true;
  go_to_strongest(ui(), {1, 90});
  EXPECT_THAT(text(), HasSubstr("Strongest triples for query"));
  EXPECT_FALSE(ui().pinned.has_value());
  answer(7, 3);
  text();
  EXPECT_EQ(ui().pinned, (AttentionCell{83, 87}));
  ui().search.open = true;
  go_to_strongest(ui(), {1, 70});
  text();
  ui().query = 71;  // gone on before it came
  answer(7, 3);
  text();
  EXPECT_FALSE(ui().pinned.has_value());
  EXPECT_FALSE(ui().search.open);
}

TEST_F(FramedPairs, a_small_p_of_the_search_has_room_and_new_tensors_have_no_list) {
  ui().search.open = true;
  data.attention.search.of = *wanted_search(ui(), data.attention);
  auto source = fixture::opened(100);
  source->labels.assign(100, "jumps");
  side().source = source;
  data.attention.search.found = {{1, 90, {80, 88, 0.5, 0.000857, 0}}};
  EXPECT_THAT(text(), HasSubstr("0.00086"));
  ui().query = 51;
  ui().window1 = 12;
  EXPECT_THAT(text(), HasSubstr("The list is of other settings: search again."));
  data.attention.search.of->source.seed += 1;  // other tensors were opened since
  EXPECT_THAT(text(), testing::Not(HasSubstr("The list is of other settings")));
}

TEST_F(FramedPairs, a_peak_says_at_which_query_it_is_framed_and_where_it_is_largest) {
  ui().mean_of_queries = true;
  EXPECT_THAT(text(), HasSubstr("A click on a peak frames it in the map of query 50."));
  EXPECT_EQ(peak().best_query, 18) << "the first of those with 0.4";
  EXPECT_NEAR(peak().best_p, 0.4, 1e-6);
  frame_peak(ui(), data.attention, maps(), peak());
  EXPECT_THAT(text(), HasSubstr("-5, -2: p is 0.0078 at the shown query 50, and largest at query 18: 0.40."));
  EXPECT_THAT(canvas.text, HasSubstr("Show query 18"));
  frame_peak(ui(), data.attention, peak(), 18);
  answer(5, 2);
  EXPECT_THAT(text(), HasSubstr("-5, -2: p is 0.0078 at the shown query 18, where it is largest."));
  EXPECT_THAT(canvas.text, Not(HasSubstr("Show query")));
  EXPECT_TRUE(is_framed(ui(), peak()));
}

}  // namespace
}  // namespace triscope
