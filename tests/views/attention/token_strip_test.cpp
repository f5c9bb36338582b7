// The strip of tokens below the map of attention.
#include "views/model/attention/beside/token_strip.hpp"

#include <cmath>
#include <cstdint>
#include <string>

#include "tests/views/attention/attention_fixture.hpp"
#include "tests/views/journeys/attention_journey.hpp"

namespace triscope {
namespace {

TEST(TokenStrip, shows_tokens_around_the_query_and_stands_still_at_either_end) {
  const TokenStrip middle = token_strip(100, 50, 8);
  EXPECT_EQ(middle.first, 45);
  EXPECT_EQ(middle.count, 8);
  EXPECT_EQ(token_strip(100, 51, 8).first, 46);
  EXPECT_EQ(token_strip(100, 2, 8).first, 0);
  EXPECT_EQ(token_strip(100, 99, 8).first, 92);
  EXPECT_EQ(token_strip(3, 1, 8).count, 3);
  EXPECT_EQ(token_strip(100, 50, 0).count, 0);
}

class TokenStripWords : public fixture::AttentionPanel {
 protected:
  std::string said(std::int64_t position) {
    const Problem& problem = side().slice_of.query.problem;
    return strip_text(*side().source, problem, token_role(ui(), problem, 50, position), 50, position);
  }
};

TEST_F(TokenStripWords, a_token_says_where_it_is_and_what_it_is_to_the_query) {
  ui().pinned = AttentionCell{36, 48};
  EXPECT_EQ(said(50), "Position 50, the query.");
  EXPECT_EQ(said(49), "Position 49, 1 back. Inside both windows. A click makes it the query.");
  EXPECT_EQ(said(48),
            "Position 48, 2 back. Second key (k) of the framed pair. Inside both windows. A click makes it the query.");
  EXPECT_EQ(said(43), "Position 43, 7 back. Inside both windows. A click makes it the query.");
  EXPECT_EQ(said(42), "Position 42, 8 back. Inside the first window alone: it can be j. A click makes it the query.");
  EXPECT_EQ(said(36),
            "Position 36, 14 back. First key (j) of the framed pair. Inside the first window alone: it can be "
            "j. A click makes it the query.");
  EXPECT_EQ(said(34), "Position 34, 16 back. The query does not see it. A click makes it the query.");
  EXPECT_EQ(said(51), "Position 51, 1 ahead. The query does not see it. A click makes it the query.");
}

TEST_F(TokenStripWords, a_token_has_the_word_of_the_source_or_its_position) {
  auto source = fixture::opened(2000);
  EXPECT_EQ(token_word(*source, 1005), "1,005");
  source->labels.assign(2000, "jumps");
  EXPECT_EQ(token_word(*source, 1005), "jumps");
}

using fixture::AttentionJourney;

TEST_F(AttentionJourney, the_strip_of_tokens_walks_by_click_drag_and_wheel) {
  travel([](ImGuiTestContext* c) {
    open(c);
    const auto query = [] { return attention().query; };
    const std::int64_t before = query();
    const ImRect strip = c->ItemInfo("//**/##tokens").RectFull;
    const float cell = strip.GetWidth() / std::floor(strip.GetWidth() / (72 * app().look().scale));
    c->MouseMoveToPos({strip.Min.x + cell / 2, strip.GetCenter().y});
    c->MouseClick();
    wait(c);
    const std::int64_t clicked = query();
    IM_CHECK_LT(clicked, before);
    IM_CHECK_GT(clicked, before - 16);
    IM_CHECK_EQ(side().slice_of.query.query, clicked);
    c->MouseMoveToPos(strip.GetCenter());
    c->MouseDown();
    c->MouseMoveToPos({strip.GetCenter().x + 3 * cell, strip.GetCenter().y});
    c->MouseUp();
    wait(c);
    IM_CHECK_EQ(query(), clicked - 3);
    c->MouseWheelY(-1);
    wait(c);
    IM_CHECK_EQ(query(), clicked - 2);
    c->MouseWheelY(2);
    wait(c);
    IM_CHECK_EQ(query(), clicked - 4);
    for (int n = 0; n < 9; ++n) c->MouseWheelY(-0.25F);  // a touchpad
    wait(c);
    IM_CHECK_EQ(query(), clicked - 2);
    c->MouseWheelY(-0.75F);
    wait(c);
    IM_CHECK_EQ(query(), clicked - 1);
    c->MouseWheelY(0.25F);  // the other way: what was left of a step does not count
    wait(c);
    IM_CHECK_EQ(query(), clicked - 1);
    IM_CHECK(!attention().part.has_value());  // the map is not zoomed
  });
}

TEST_F(AttentionJourney, a_low_window_leaves_the_strip_of_tokens_out) {
  travel([](ImGuiTestContext* c) {
    open(c);
    IM_CHECK(c->ItemExists("//**/##tokens"));
    ui().settings.scale = 2;
    c->Yield(4);
    IM_CHECK(c->ItemExists("//**/##cells"));
    IM_CHECK(!c->ItemExists("//**/##tokens"));
    ui().settings.scale = 1;
    c->Yield(4);
  });
}

}  // namespace
}  // namespace triscope
