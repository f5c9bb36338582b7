// Charts of a sweep as Explore draws them, and how it draws what was measured several times.
#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/views/sweep_fixture.hpp"
#include "views/model/charts/chart_model.hpp"
#include "views/model/charts/explore_chart.hpp"
#include "views/print/chart_picture.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

ExploreChart explored(const std::vector<ResultRow>& rows, const ExploreQuery& query) {
  const std::string name = "one.db";
  const ExploreSource source{name, rows};
  return explore_chart(explore({&source, 1}, query), query, {&source, 1});
}

using Measurements = std::set<std::int64_t>;
Measurements measurements_of(const ExploreChart& chart) {
  Measurements all;
  for (const ExplorePlot& plot : chart.plots) {
    for (const ExploreLine& line : plot.lines) {
      for (const ExploreMark& mark : line.marks) all.insert(mark.measurements.begin(), mark.measurements.end());
    }
  }
  return all;
}
void add(Measurements& all, const std::vector<SeriesPoints>& series) {
  for (const SeriesPoints& one : series) {
    for (const ChartPoint& point : one.points) all.insert(point.measurement);
  }
}

TEST(ExploreViews, a_chart_of_a_sweep_is_asked_with_its_own_rows) {
  for (const bool several : {false, true}) {
    const auto sweep = several ? fixture::length_sweep() : fixture::small_sweep();
    const LatencyModel model = make_latency_model(*sweep, nullptr);
    const ChartSetting setting = chart_settings(model).front();
    ASSERT_EQ(chart_settings(model).size() > 1, several);
    const auto asked = [&](Panel panel) {
      const std::optional<ExploreQuery> query = explore_of(panel, sweep->rows.front().sweep, setting.problem, several);
      return query ? measurements_of(explored(sweep->rows, *query)) : Measurements();
    };
    const BarChart bars = make_bar_chart(model, setting);
    Measurements ours, levels, times;
    add(ours, bars.series);
    add(levels, bars.levels);
    Measurements rest = asked(Panel::tflops);
    EXPECT_THAT(ours, testing::IsSubsetOf(rest));
    EXPECT_THAT(levels, testing::IsSubsetOf(rest));
    for (const std::int64_t one : ours) rest.erase(one);
    for (const ResultRow& row : sweep->rows) {
      if (row.problem.form == Form::dot_product) rest.erase(row.measurement);
    }
    EXPECT_THAT(rest, IsEmpty()) << "a chart has one dot product of each kernel as a level, Explore all of this size";
    add(times, make_scaling_chart(model, setting).series);
    EXPECT_EQ(asked(Panel::scaling), times);
    EXPECT_FALSE(times.empty());
    EXPECT_THAT(asked(Panel::map), testing::Not(IsEmpty()));
    EXPECT_THAT(asked(Panel::lengths), testing::Not(IsEmpty()));
    EXPECT_THAT(asked(Panel::samples), IsEmpty()) << "of one measurement there is nothing to explore";
  }
}

/// One configuration, measured `count` times.
ExploreChart repeated(std::size_t count) {
  std::vector<ResultRow> rows;
  for (std::size_t n = 0; n < count; ++n) {
    rows.push_back(fixture::row(static_cast<std::int64_t>(n) + 1, 512, 32, Pass::forward,
                                10 + static_cast<double>(count - n), 100));
  }
  return explored(rows, {"seq", "ms", "kernel", "", "", false});
}

TEST(ExploreViews, few_repeats_are_strokes_and_many_a_box) {
  const auto mark_of = [](const ExploreChart& chart) { return chart.plots.at(0).lines.at(0).marks.at(0); };
  const DrawnRepeats alone = drawn_repeats(mark_of(repeated(1)));
  EXPECT_THAT(alone.strokes, IsEmpty());
  EXPECT_FALSE(alone.quartiles);
  const DrawnRepeats few = drawn_repeats(mark_of(repeated(5)));
  EXPECT_THAT(few.strokes, testing::ElementsAre(11, 12, 13, 14, 15));
  EXPECT_FALSE(few.quartiles);
  const DrawnRepeats many = drawn_repeats(mark_of(repeated(13)));
  EXPECT_THAT(many.strokes, IsEmpty());
  ASSERT_TRUE(many.quartiles);
  EXPECT_EQ(many.quartiles->low, 14);
  EXPECT_EQ(many.quartiles->high, 20);
  EXPECT_THAT(explore_caption(repeated(5)), HasSubstr("the range of 5 measurements, each a stroke right of it, its"));
  EXPECT_THAT(explore_caption(repeated(13)),
              HasSubstr("the range of 13 measurements, the box on it their middle half"));
}

TEST(ExploreViews, a_picture_has_each_repeat_that_its_mark_leaves_in_view) {
  const auto strokes = [](std::size_t repeats) {  // 4 pixels long, from left to right
    const std::string svg = explore_picture(repeated(repeats), "", "", {});
    const std::regex level("\"M([0-9.]+) ([0-9.]+) L([0-9.]+) ([0-9.]+)\"");
    int count = 0;
    for (std::sregex_iterator found(svg.begin(), svg.end(), level), end; found != end; ++found) {
      const std::smatch& at = *found;
      count += at[2] == at[4] && std::abs(std::stod(at[3]) - std::stod(at[1]) - 4) < 0.05 ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(strokes(1), 0);
  EXPECT_EQ(strokes(3), 2) << "the median is the mark";
  EXPECT_EQ(strokes(5), 4);
  EXPECT_EQ(strokes(13), 0);
  const std::string box = explore_picture(repeated(13), "", "", {}), none = explore_picture(repeated(12), "", "", {});
  const std::regex closed("\"M([0-9. ]+) L([0-9. ]+) L([0-9. ]+) L([0-9. ]+) L\\1\"");
  EXPECT_TRUE(std::regex_search(box, closed));
  EXPECT_FALSE(std::regex_search(none, closed));
}

}  // namespace
}  // namespace triscope
