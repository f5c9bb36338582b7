// What the line above the Explore panel's plots says of them.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/views/pictures/canvas.hpp"
#include "tests/views/sweep_fixture.hpp"
#include "views/model/charts/explore_axis.hpp"
#include "views/model/charts/explore_chart.hpp"
#include "views/print/chart_picture.hpp"
#include "views/print/svg_canvas.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;
using testing::Not;

float content_width = 0;  ///< of the panel that `explored_words` drew last
std::string corners;      ///< of its shapes, with their colours

/// The words of the panel with these rows over their lengths.
std::string explored_words(const std::vector<ResultRow>& rows, float width = 1280, const char* y = "ms",
                           float height = 800) {
  const std::string name = "one.db";
  const ExploreSource source{name, rows};
  const ExploreQuery query{"seq", y, "kernel", "", "", false};
  WindowData data;
  data.database = "/data/one.db";
  data.sweeps.push_back(fixture::small_sweep()->info);
  data.shown = fixture::small_sweep();
  data.explore.chart =
      std::make_shared<const ExploreChart>(explore_chart(explore({&source, 1}, query), query, {&source, 1}));
  fixture::Canvas canvas;
  canvas.ui.explore.query = query;
  ImGui::GetIO().DisplaySize = ImVec2(width, height);
  canvas.draw(Panel::explore, data);
  content_width = ImGui::FindWindowByName("test")->ContentSize.x;
  corners.clear();
  for (const ImDrawList* list : ImGui::GetDrawData()->CmdLists)
    corners.append(reinterpret_cast<const char*>(list->VtxBuffer.Data),
                   static_cast<std::size_t>(list->VtxBuffer.size_in_bytes()));
  return canvas.text;
}

std::vector<ResultRow> of_four_lengths() {
  std::vector<ResultRow> rows;
  for (std::int64_t n = 0; n < 4; ++n) {
    ResultRow row = fixture::row(n + 1, 512, 32, Pass::forward, 10 + static_cast<double>(n), 0.2);
    row.problem.seq_len = 1024 << n;
    rows.push_back(std::move(row));
  }
  return rows;
}

TEST(ExplorePanel, how_many_intervals_the_marks_hide_is_said) {
  std::vector<ResultRow> rows = of_four_lengths();
  for (ResultRow& row : rows) row.ci_low_ms = *row.median_ms - 0.5, row.ci_high_ms = *row.median_ms + 0.5;
  EXPECT_THAT(explored_words(rows), Not(HasSubstr("no longer than the marks")));
  for (const std::size_t n : {1U, 3U}) rows[n].ci_low_ms = rows[n].ci_high_ms = rows[n].median_ms;
  EXPECT_THAT(explored_words(rows), HasSubstr("2 of 4 intervals are no longer than the marks"));
  for (ResultRow& row : rows) row.ci_low_ms = row.ci_high_ms = row.median_ms;
  EXPECT_THAT(explored_words(rows), HasSubstr("; intervals are no longer than the marks"));
}

TEST(ExplorePanel, how_many_points_stand_for_the_measurements_is_said) {
  std::vector<ResultRow> rows = of_four_lengths();
  EXPECT_THAT(explored_words(rows), Not(HasSubstr("point")));
  rows[2] = fixture::failed(rows[2], "it crashed");
  const std::string words = explored_words(rows);
  EXPECT_THAT(words, HasSubstr("4 measurements; 3 of them in 3 points of sweep 1"));
  EXPECT_THAT(words, HasSubstr("Not drawn of these 4 measurements: 1 failed or skipped."));
}

TEST(ExplorePanel, its_heading_is_shortened_by_clauses_or_words) {
  std::vector<ResultRow> rows = of_four_lengths();
  for (ResultRow& row : rows) row.ci_low_ms = row.ci_high_ms = row.median_ms;
  EXPECT_THAT(explored_words(rows, 1280),
              HasSubstr("4 measurements of sweep 1; intervals are no longer than the marks"));
  const std::string narrow = explored_words(rows, 500);
  EXPECT_THAT(narrow, HasSubstr("4 measurements of sweep 1 …"));
  EXPECT_THAT(narrow, Not(HasSubstr("intervals"))) << "which would be cut";
}

TEST(ExplorePanel, what_is_not_drawn_is_said_within_the_panel) {
  std::vector<ResultRow> rows = of_four_lengths();
  rows[2] = fixture::failed(rows[2], "it crashed");
  EXPECT_THAT(explored_words(rows, 250), HasSubstr("Not drawn of these"));
  EXPECT_LE(content_width, 250);
}

TEST(ExplorePanel, why_a_point_is_not_drawn_is_said) {
  std::vector<ResultRow> rows;
  for (std::int64_t n = 0; n < 6000; ++n) {
    rows.push_back(fixture::row(n + 1, 512, 32, Pass::forward, 10 + static_cast<double>(n % 7), 0.2));
    rows.back().problem.seq_len = 1024 + 8 * n;
  }
  EXPECT_THAT(explored_words(of_four_lengths()), Not(HasSubstr("stand for")));
  EXPECT_THAT(explored_words(rows),
              HasSubstr("of 6,000 points are drawn: the others lie on these, which stand for them"));
}

TEST(ExplorePanel, a_range_of_repeats_is_explained_on_a_line_that_is_not_cut) {
  std::vector<ResultRow> rows = of_four_lengths();
  rows.push_back(rows.front());
  rows.back().measurement = 5;
  rows.back().sweep = 2;
  EXPECT_THAT(explored_words(rows, 400),
              HasSubstr("A bar without ends is the range of several measurements, its point their median"));
  EXPECT_LE(content_width, 400);
}

/// Of two kernels that take as long at each length.
std::vector<ResultRow> of_two_kernels() {
  std::vector<ResultRow> rows = of_four_lengths();
  for (ResultRow row : of_four_lengths()) {
    row.kernel = "cuda.portable";
    row.card = card_of(row.kernel);
    row.measurement += 10;
    rows.push_back(row);
  }
  for (ResultRow& row : rows) row.ci_low_ms = row.ci_high_ms = row.median_ms;
  return rows;
}

ExploreChart chart_of(const std::vector<ResultRow>& rows) {
  const std::string name = "one.db";
  const ExploreSource source{name, rows};
  const ExploreQuery query{"seq", "ms", "kernel", "", "", false};
  return explore_chart(explore({&source, 1}, query), query, {&source, 1});
}
std::string picture_of(const std::vector<ResultRow>& rows) { return explore_picture(chart_of(rows), "", "", {}); }

/// Where the circles of a picture stand along x.
std::set<std::string> circles_of(const std::string& svg) {
  std::set<std::string> places;
  for (std::size_t at = svg.find("<circle"); at != std::string::npos; at = svg.find("<circle", at + 1)) {
    const std::size_t x = svg.find("cx=\"", at) + 4;
    places.insert(svg.substr(x, svg.find('"', x) - x));
  }
  return places;
}

TEST(ExplorePanel, marks_of_two_series_stand_beside_each_other_and_within_the_plot) {
  EXPECT_THAT(explored_words(of_four_lengths()), Not(HasSubstr("side by side")));
  const std::vector<ResultRow> rows = of_two_kernels();
  EXPECT_THAT(explored_words(rows), HasSubstr("Marks at one x that would hide each other stand side by side"));
  const std::set<std::string> alone = circles_of(picture_of(of_four_lengths())), beside = circles_of(picture_of(rows));
  EXPECT_EQ(alone.size(), beside.size());
  std::vector<std::string> both;
  std::ranges::set_intersection(alone, beside, std::back_inserter(both));
  EXPECT_LE(both.size(), 1U) << "of the legend: every mark of the plot has moved";
  const ExploreChart chart = chart_of(rows);
  for (const double margin : {0.06, 0.1}) {
    const auto [low, high] = explore_limits(chart.x, false, false, margin);
    EXPECT_NEAR(share_of_axis(chart.x, {low, high}, chart.x.low), margin, 1e-6);
    EXPECT_NEAR(share_of_axis(chart.x, {low, high}, chart.x.high), 1 - margin, 1e-6);
  }
}

TEST(ExplorePanel, a_small_one_has_its_axes_in_a_list) {
  const std::vector<ResultRow> rows = of_four_lengths();
  EXPECT_THAT(explored_words(rows), testing::AllOf(HasSubstr("y: time"), Not(HasSubstr("Axes"))));
  EXPECT_THAT(explored_words(rows, 400, "ms", 330), testing::AllOf(HasSubstr("Axes"), Not(HasSubstr("y: time"))));
}

TEST(ExplorePanel, values_that_never_have_an_interval_are_not_hollow) {
  std::vector<ResultRow> rows = of_four_lengths();
  for (ResultRow& row : rows) row.power_w = 650, row.ci_low_ms = row.ci_high_ms = std::nullopt;
  rows[1].reason = "not converged: +-2.1 % over 2 restarts, 1.0 % was asked for";  // its time
  rows.push_back(rows[1]);
  rows.back().measurement = 5;
  EXPECT_THAT(explored_words(rows), HasSubstr("Hollow: not converged. Hollow without a bar: interval unknown."));
  const std::string words = explored_words(rows, 1280, "watts");
  EXPECT_THAT(words, Not(HasSubstr("Hollow")));
  EXPECT_THAT(words, HasSubstr("A bar without ends is the range of several measurements"));
  const std::string of_unknown = corners;
  std::vector<ResultRow> known = rows;
  for (ResultRow& row : known)
    row.ci_low_ms = *row.median_ms - 0.5, row.ci_high_ms = *row.median_ms + 0.5, row.reason = "";
  EXPECT_EQ(explored_words(known, 1280, "watts"), words);
  EXPECT_TRUE(corners == of_unknown) << "the panel draws them as marks whose time has an interval";
  const std::string name = "one.db", hollow = "fill=\"" + css_colour(light_theme().panel) + "\" stroke=";
  const ExploreSource source{name, rows};
  for (const char* y : {"ms", "watts"}) {
    const ExploreQuery query{"seq", y, "kernel", "", "", false};
    const ExploreChart chart = explore_chart(explore({&source, 1}, query), query, {&source, 1});
    const bool time = query.y == "ms";
    EXPECT_EQ(explore_caption(chart).find("hollow") != std::string::npos, time);
    EXPECT_EQ(explore_picture(chart, "", "", {}).find(hollow) != std::string::npos, time);
    const std::vector<ExploreMark>& marks = chart.plots.at(0).lines.at(0).marks;
    EXPECT_EQ(marks[0].text.find("interval unknown") != std::string::npos, time);
    EXPECT_EQ(marks[1].text.find("not converged") != std::string::npos, time);
  }
}

}  // namespace
}  // namespace triscope
