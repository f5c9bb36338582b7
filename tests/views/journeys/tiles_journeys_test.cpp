// What the tiles of the selected rows compute, in Details: each problem is counted once, by a build
// that knows its tiles.
#include <algorithm>
#include <atomic>

#include "profiler/plan/request.hpp"
#include "tests/paths.hpp"
#include "tests/views/journeys/journey.hpp"
#include "tests/views/pictures/drawn_text.hpp"
#include "views/model/tables/computed_words.hpp"

namespace triscope {
namespace {

using fixture::drawn_text;
using fixture::Journey;
using fixture::says;

class TilesJourney : public Journey {
 protected:
  /// Of 128 x 128 tiles compute 1.227 times the useful work, of all others 1.121 times.
  TilesJourney() {
    window->sweep.work = [](const std::vector<Problem>& problems) {
      WorkTable table;
      for (const Problem& problem : problems) {
        TileUse use;
        use.kernel = "cuda.hopper";
        use.instance = "virtual_keys";
        use.pass = Pass::backward;
        use.useful = 1000;
        use.computed = problem.window1 == 128 ? 1227 : 1121;
        table.push_back({problem, {use}});
      }
      return table;
    };
    window->start(recorded_file());
  }
  /// Of the shown sweep; 0: it has none.
  static std::int64_t backward_of(std::int64_t window1, std::int64_t window2) {
    const auto found = std::ranges::find_if(data().shown->rows, [&](const ResultRow& row) {
      return row.instance == "virtual_keys" && row.problem.window1 == window1 && row.problem.window2 == window2;
    });
    return found == data().shown->rows.end() ? 0 : found->measurement;
  }
};

TEST_F(TilesJourney, details_say_what_the_tiles_of_one_row_and_of_two_compute) {
  travel([](ImGuiTestContext* c) {
    app().carry_out(ask::ShowSweep{2});
    wait(c);
    const std::int64_t square = backward_of(128, 128), wide = backward_of(256, 64);
    IM_CHECK(square != 0 && wide != 0);
    app().carry_out(ask::SelectMeasurements{{square}});
    front(c, Panel::details);
    wait(c);
    IM_CHECK(says(drawn_text(c), "Its tiles compute 1.227× the useful work"));
    app().carry_out(ask::SelectMeasurements{{square, wide}});
    wait(c);
    const std::string both = drawn_text(c);
    IM_CHECK(says(both, "A's tiles compute 1.227× the useful work, B's 1.121×: all in all A computes 1.1"));
  });
}

TEST_F(TilesJourney, are_asked_for_only_while_details_is_in_view) {
  static std::atomic<int> asked;
  asked = 0;
  const auto count = window->sweep.work;
  window->sweep.work = [count](const std::vector<Problem>& problems) {
    ++asked;
    return count(problems);
  };
  window->start(recorded_file(), 800, 560);  // so small that Details is one of several tabs
  travel([](ImGuiTestContext* c) {
    app().carry_out(ask::ShowSweep{2});
    front(c, Panel::setup);
    wait(c);
    const int before = asked.load();  // of what is selected first, while the layout comes to rest
    app().carry_out(ask::SelectMeasurements{{backward_of(256, 64)}});
    front(c, Panel::setup);
    wait(c);
    IM_CHECK(!says(drawn_text(c), "Work of the tiles"));
    IM_CHECK_EQ(asked.load(), before);
    front(c, Panel::details);
    wait(c);
    IM_CHECK(says(drawn_text(c), "Its tiles compute 1.121× the useful work"));
    IM_CHECK_EQ(asked.load(), before + 1);
  });
}

/// A report has no workers to ask.
TEST(TilesInReports, are_not_counted_and_nothing_is_said_of_them) {
  ApplicationOptions options;
  options.database = recorded_file();
  options.ask_machine = false;
  fixture::Stage stage(std::move(options), 1440, 900);
  stage.settle();
  const std::vector<ResultRow>& rows = stage.application().data().shown->rows;
  const auto ours = std::ranges::find(rows, "cuda.hopper", &ResultRow::kernel);
  ASSERT_NE(ours, rows.end());
  stage.application().carry_out(ask::SelectMeasurements{{ours->measurement}});
  stage.settle();
  ASSERT_NE(stage.application().data().selected, nullptr);
  EXPECT_EQ(stage.application().data().work.problem, "");
  EXPECT_EQ(computed_words(stage.application().data()), ComputedWords());
}

}  // namespace
}  // namespace triscope
