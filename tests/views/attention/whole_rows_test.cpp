// Each row of each table has as many cells as the table has headers.
#include <algorithm>
#include <sstream>
#include <string>

#include "tests/views/journeys/attention_journey.hpp"
#include "tests/views/pictures/drawn_text.hpp"

namespace triscope {
namespace {

class WholeRows : public fixture::AttentionJourney {
 protected:
  /// Each row is drawn on one line, its cells between strokes. With a cell too many the last one is drawn in a row of
  /// its own, and the others stand under the wrong headers. Returns how many rows there are.
  static int expect_whole_rows(ImGuiTestContext* c, const std::string& where) {
    std::istringstream drawn(fixture::drawn_text(c));
    std::ptrdiff_t before = 0;
    int rows = 0;
    for (std::string line; std::getline(drawn, line);) {
      const std::ptrdiff_t strokes = line.starts_with("|") ? std::ranges::count(line, '|') : 0;
      rows += strokes > 2 ? 1 : 0;
      EXPECT_FALSE(strokes == 2 && before > 2) << where << ": " << line;
      before = strokes;
    }
    return rows;
  }
};

TEST_F(WholeRows, in_every_panel) {
  travel([](ImGuiTestContext* c) {
    int rows = 0;
    for (const PanelInfo& one : panels()) {
      if (one.workspace == Workspace::attention) continue;
      front(c, one.panel);
      wait(c);
      c->Yield(2);
      rows += expect_whole_rows(c, one.id);
    }
    for (int page = 0; page < static_cast<int>(PaperPage::count); ++page) {
      ui().paper.page = static_cast<PaperPage>(page);
      front(c, Panel::paper);
      wait(c);
      c->Yield(2);
      rows += expect_whole_rows(c, std::string(paper_page_id(ui().paper.page)));
    }
    IM_CHECK(rows > 50);
  });
}

TEST_F(WholeRows, in_attention) {
  travel([](ImGuiTestContext* c) {
    for (AttentionSide& one : attention().sides) one.source.seq_len = 160;
    attention().window1 = 32;
    attention().window2 = 16;
    open(c);
    until(c, [] { return data().attention.means.answer != nullptr; });
    c->Yield(2);
    IM_CHECK(expect_whole_rows(c, "this query") > 10);
    attention().mean_of_queries = true;
    c->Yield(2);
    IM_CHECK(expect_whole_rows(c, "the mean") > 10);
    attention().search.open = true;
    app().carry_out(ask::FindTriples{});
    wait(c);
    c->Yield(2);
    IM_CHECK(!data().attention.search.found.empty());
    IM_CHECK(expect_whole_rows(c, "all queries") > 10);
  });
}

}  // namespace
}  // namespace triscope
