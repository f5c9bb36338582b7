// What tells the series of a chart apart, and that its legend shows it.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/views/pictures/canvas.hpp"
#include "tests/views/sweep_fixture.hpp"
#include "views/charts/length_plot.hpp"
#include "views/curves/counted_curves.hpp"
#include "views/curves/drawn_curves.hpp"
#include "views/curves/series_lines.hpp"
#include "views/model/charts/chart_model.hpp"
#include "views/model/charts/length_model.hpp"
#include "views/parts/chart_tools.hpp"
#include "views/print/canvas/svg_canvas.hpp"
#include "views/print/chart_picture.hpp"

namespace triscope {
namespace {

using fixture::length_sweep;
using fixture::row;
using fixture::small_sweep;
using fixture::sweep;

TEST(Legends, no_two_series_have_one_colour_and_one_mark) {
  const Theme theme = light_theme();
  std::set<std::pair<ImU32, int>> drawn;
  std::set<std::pair<ImU32, std::vector<std::pair<float, float>>>> bars;
  for (int style = 0; style < 32; ++style) {
    const ImU32 colour = colour_of_style(theme, style);
    EXPECT_TRUE(drawn.emplace(colour, mark_of_style(style)).second) << style;
    EXPECT_TRUE(bars.emplace(colour, gaps_of_style(style, 0, 10, 1)).second) << style << ": in a legend";
  }
}

TEST(Legends, gaps_of_a_bar_lie_within_it_and_its_foot_is_drawn) {
  for (const float height : {0.0F, 2.0F, 10.0F, 200.0F}) {
    for (const int style : {0, 8, 16, 24}) {
      const auto gaps = gaps_of_style(style, 100, 100 + height, 1);
      EXPECT_EQ(gaps.empty(), style == 0 || height <= 2) << style << ' ' << height;
      for (const auto& [top, bottom] : gaps) {
        EXPECT_GE(top, 100);
        EXPECT_LT(top, bottom);
        EXPECT_LT(bottom, 100 + height);
      }
    }
  }
}

std::shared_ptr<SweepResults> sweep_of_kernels(int count) {
  std::vector<ResultRow> rows;
  for (int n = 0; n < count; ++n)
    rows.push_back(row(n + 1, 512, 32, Pass::forward, 20 + n, 0.2, fmt::format("k{}", n)));
  return sweep(std::move(rows));
}

/// A model of `count` kernels at one window.
BarChart chart_of_kernels(int count) {
  const LatencyModel made = make_latency_model(*sweep_of_kernels(count), nullptr);
  return make_bar_chart(made, chart_settings(made).front());
}

TEST(Legends, bars_for_print_that_share_a_colour_have_stripes_as_have_their_names) {
  const std::string ground = "fill=\"" + css_colour(light_theme().panel) + "\"";
  const auto gaps_in = [&](int series) {
    const std::string svg = bars_picture(chart_of_kernels(series), "TFLOP/s", "");
    std::size_t count = 0;
    for (std::size_t at = svg.find(ground); at != std::string::npos; at = svg.find(ground, at + 1)) ++count;
    return count;
  };
  const std::size_t plain = gaps_in(2);
  EXPECT_GT(gaps_in(9), plain + 10);
}

TEST(Legends, bars_on_the_screen_that_share_a_colour_have_stripes) {
  const auto stripes = [](int count) {  // corners of the ground that they lie on
    WindowData data;
    data.shown = sweep_of_kernels(count);
    fixture::Canvas canvas;
    canvas.draw(Panel::tflops, data);
    std::size_t corners = 0;
    for (const ImDrawList* list : ImGui::GetDrawData()->CmdLists) {
      for (const ImDrawVert& corner : list->VtxBuffer) corners += corner.col == canvas.look.theme.panel ? 1 : 0;
    }
    return corners;
  };
  EXPECT_GT(stripes(9), stripes(8) + 4 * 10);
}

TEST(Legends, each_legend_has_the_marks_of_its_curves) {
  using Mark = LegendName::Mark;
  const Theme theme = light_theme();
  const LatencyModel made = make_latency_model(*small_sweep(), nullptr);
  const ScalingChart areas = make_scaling_chart(made, chart_settings(made).front());
  const std::vector<LegendName> of_areas = legend_of(theme, areas.series, Mark::joined);
  ASSERT_EQ(of_areas.size(), areas.series.size());
  for (std::size_t n = 0; n < of_areas.size(); ++n) {
    EXPECT_EQ(of_areas[n].style, areas.series[n].series.colour);
    EXPECT_EQ(of_areas[n].mark, Mark::joined);
  }
  fixture::Canvas canvas;
  WindowData data;
  const Context context{canvas.look, data, canvas.ui, canvas.models, canvas.requests, 0};
  const LengthChart lengths = make_length_chart(*length_sweep(), {});
  const std::vector<LengthCurve>& curves = lengths.passes[0].curves;
  const std::vector<LegendName> of_lengths = legend_of(context, lengths.passes[0]);
  ASSERT_EQ(of_lengths.size(), curves.size());
  for (std::size_t n = 0; n < curves.size(); ++n) {
    EXPECT_EQ(of_lengths[n].style, curves[n].style);
    EXPECT_EQ(of_lengths[n].mark, Mark::joined) << curves[n].label;
    EXPECT_EQ(of_lengths[n].dashes.drawn > 0, curves[n].baseline) << curves[n].label;
  }
  canvas.ui.length_view = LengthView::counted;
  EXPECT_EQ(legend_of(context, lengths.passes[0]).front().mark, Mark::line);
}

// It draws none of the curves: their names would be a legend of what is not there.
TEST(Legends, of_same_cost_has_only_the_names_that_a_click_brings_back) {
  const LengthChart chart = make_length_chart(*length_sweep(), {});
  fixture::Canvas canvas;
  WindowData data;
  const Context context{canvas.look, data, canvas.ui, canvas.models, canvas.requests, 0};
  EXPECT_FALSE(legend_of(context, chart.passes[0]).empty());
  canvas.ui.length_view = LengthView::budget;
  EXPECT_TRUE(legend_of(context, chart.passes[0]).empty());
  canvas.ui.lengths_left_out = {"512 × 32"};
  const std::vector<LegendName> names = legend_of(context, chart.passes[0]);
  ASSERT_EQ(names.size(), 1U);
  EXPECT_EQ(names[0].name, " 512 × 32");
  EXPECT_FALSE(names[0].shown);
}

TEST(Legends, of_counted_work_names_of_one_line_have_one_mark) {
  const LengthChart chart = make_length_chart(*length_sweep(), {});
  fixture::Canvas canvas;
  WindowData data;
  const Context context{canvas.look, data, canvas.ui, canvas.models, canvas.requests, 0};
  const auto marks = [&] {
    std::vector<std::pair<ImU32, float>> all;  // of baselines
    const std::vector<LegendName> names = legend_of(context, chart.passes[0]);
    for (std::size_t n = 0; n < names.size(); ++n) {
      if (chart.passes[0].curves[n].baseline) all.emplace_back(names[n].colour, names[n].dashes.drawn);
    }
    return all;
  };
  const auto measured = marks();
  ASSERT_EQ(measured.size(), 4U);
  canvas.ui.length_view = LengthView::counted;
  const auto counted = marks();
  EXPECT_EQ(std::set(counted.begin(), counted.end()).size(), 2U) << "causal, and sliding";
  for (const auto& [colour, drawn] : counted) EXPECT_EQ(colour, canvas.look.theme.baseline) << "not a kernel's";
  EXPECT_EQ(std::set(measured.begin(), measured.end()).size(), 4U) << "of what is measured each has its own";
}

/// Lines of this colour in a picture.
std::size_t strokes_in(const std::string& svg, ImU32 colour) {
  const std::string line = "stroke=\"" + css_colour(colour) + "\" stroke-width=\"1.75\"";
  std::size_t found = 0;
  for (std::size_t at = svg.find(line); at != std::string::npos; at = svg.find(line, at + 1)) ++found;
  return found;
}

TEST(Legends, of_three_curves_that_lie_on_each_other_each_has_a_line_of_its_own) {
  auto results = length_sweep();
  std::erase_if(results->rows,
                [](const ResultRow& one) { return is_baseline(one.card.kind) || one.kernel != "cuda.hopper"; });
  std::vector<ResultRow> rows = results->rows;
  for (ResultRow& one : results->rows) {
    if (one.problem.window1 == 256) one.median_ms = 2.02 * *one.median_ms;
  }
  for (ResultRow one : rows) {
    if (one.problem.window1 == 256) continue;
    one.problem.window1 = 128;
    one.measurement += 1000;
    *one.median_ms *= 1.01;
    results->rows.push_back(one);
  }
  const LengthChart chart = make_length_chart(*results, {});
  ASSERT_EQ(chart.of(Pass::forward).curves.size(), 3U);
  const std::string svg = lengths_picture(chart.of(Pass::forward), {}, "", "");
  const std::vector<DrawnCurve> drawn = drawn_curves(light_theme(), chart.of(Pass::forward));
  EXPECT_EQ(drawn[0].dashes.drawn, 0) << "the lowest is whole";
  for (const std::size_t n : {1U, 2U}) {
    EXPECT_LE(drawn[n].dashes.drawn, drawn[n].dashes.gap) << n;
    for (int style = 0; style < 4; ++style) EXPECT_NE(drawn[n].dashes.drawn, dashes_of(style).drawn) << "a baseline's";
  }
  EXPECT_EQ(drawn[2].dashes.from, drawn[1].dashes.from + drawn[1].dashes.drawn) << "the third begins where it ends";
  for (const std::size_t n : {1U, 2U}) EXPECT_GT(strokes_in(svg, drawn[n].colour), 10U) << n;
  fixture::Canvas canvas;
  WindowData data;
  const Context context{canvas.look, data, canvas.ui, canvas.models, canvas.requests, 0};
  const std::vector<LegendName> names = legend_of(context, chart.of(Pass::forward));
  for (const std::size_t n : {0U, 1U, 2U}) EXPECT_EQ(names[n].dashes.drawn, drawn[n].dashes.drawn) << n;
  canvas.ui.lengths_left_out = {names[1].seen().substr(1)};
  EXPECT_EQ(legend_of(context, chart.of(Pass::forward))[2].dashes.drawn, 10) << "of two each has half";
}

TEST(Legends, of_seven_curves_that_lie_on_each_other_each_is_seen) {
  auto results = length_sweep();
  std::erase_if(results->rows, [](const ResultRow& one) {
    return one.problem.window2 == 1 || one.kernel != "cuda.hopper" || one.problem.window1 != 512;
  });
  const std::vector<ResultRow> rows = results->rows;
  for (int n = 1; n < 7; ++n) {
    for (ResultRow one : rows) {
      one.problem.window1 += n;
      one.measurement += 1000 * n;
      results->rows.push_back(one);
    }
  }
  const LengthChart chart = make_length_chart(*results, {});
  const std::vector<DrawnCurve> drawn = drawn_curves(light_theme(), chart.of(Pass::forward));
  ASSERT_EQ(drawn.size(), 7U);
  std::vector<int> seen(drawn.size());
  for (int at = 0; at < 1050; ++at) {  // tenths of a design pixel, three periods
    std::size_t top = 0;
    for (std::size_t n = 0; n < drawn.size(); ++n) {
      const DashPattern& dashes = drawn[n].dashes;
      const float from = dashes.from, period = dashes.drawn + dashes.gap;
      const float along = std::fmod(static_cast<float>(at) / 10 - from + 10 * period, period);
      if (dashes.drawn <= 0 || along < dashes.drawn) top = n;
    }
    ++seen[top];
  }
  for (std::size_t n = 0; n < drawn.size(); ++n) EXPECT_EQ(seen[n], 150) << n << ": a seventh of it";
}

TEST(Legends, lines_over_areas_that_lie_on_each_other_take_turns_as_those_over_lengths) {
  std::vector<ResultRow> rows;
  std::int64_t id = 0;
  for (const char* kernel : {"cuda.hopper", "cuda.portable"}) {
    for (const std::int64_t w1 : {128, 256, 512})
      rows.push_back(fixture::row(++id, w1, 32, Pass::forward, static_cast<double>(w1) / 50, 500, kernel));
  }
  const auto drawn = [&] {
    const LatencyModel model = make_latency_model(*fixture::sweep(rows), nullptr);
    const ScalingChart chart = make_scaling_chart(model, chart_settings(model).front());
    std::size_t strokes = 0;
    for (const SeriesLine& line : series_lines(chart)) strokes += line.dashes.drawn > 0;
    const std::string svg = scaling_picture(chart, "", "");
    for (const SeriesPoints& one : chart.series)
      strokes += strokes_in(svg, series_colour(light_theme(), one.series)) > 5 ? 10 : 0;
    return strokes;
  };
  EXPECT_EQ(drawn(), 11U) << "one of two, and its strokes in print";
  for (ResultRow& row : rows) *row.median_ms *= row.kernel == "cuda.hopper" ? 1 : 3;
  EXPECT_EQ(drawn(), 0U);
}

TEST(Legends, counts_that_lie_on_each_other_take_turns) {
  auto results = length_sweep();
  for (ResultRow& row : results->rows) {  // of one area, but for the shortest lengths of one count
    if (row.problem.window1 == 256 && row.problem.window2 == 32) row.problem.window2 = 64;
  }
  const LengthPass pass = make_length_chart(*results, {}).of(Pass::forward);
  ASSERT_FALSE(pass.curves[1].baseline);
  const std::vector<DrawnLine> lines = counted_lines(light_theme(), pass, Pass::forward);
  EXPECT_EQ((lines[0].dashes.drawn > 0) + (lines[1].dashes.drawn > 0), 1);
  const std::vector<DrawnCurve> names = curves_of_counts(light_theme(), pass);
  for (const std::size_t n : {0U, 1U}) EXPECT_EQ(names[n].dashes.drawn, lines[n].dashes.drawn) << "in the legend too";
  const std::size_t stroked = lines[0].dashes.drawn > 0 ? 0 : 1;
  EXPECT_GT(strokes_in(work_picture(pass, Pass::forward, "", ""), lines[stroked].colour), 5U);
}

TEST(Legends, of_curves_that_lie_on_each_other_the_longest_is_whole) {
  auto results = length_sweep();
  std::erase_if(results->rows, [](const ResultRow& one) {
    return one.problem.window2 == 1 || one.kernel != "cuda.hopper" || one.problem.window1 != 512;
  });
  for (ResultRow one : std::vector<ResultRow>(results->rows)) {  // at all lengths what 512 x 32 is at a few
    one.problem.window1 = 500;
    one.measurement += 1000;
    results->rows.push_back(one);
  }
  std::erase_if(results->rows,
                [](const ResultRow& one) { return one.problem.window1 == 512 && one.problem.seq_len > 8192; });
  const LengthChart chart = make_length_chart(*results, {});
  const std::vector<DrawnCurve> drawn = drawn_curves(light_theme(), chart.of(Pass::forward));
  ASSERT_EQ(drawn.size(), 2U);
  ASSERT_EQ(drawn[0].curve->problem.window1, 512);
  EXPECT_GT(drawn[0].dashes.drawn, 0) << "it is seen over the other one";
  EXPECT_EQ(drawn[1].dashes.drawn, 0);
  const std::string svg = lengths_picture(chart.of(Pass::forward), {}, "", "");
  const auto line = [](ImU32 colour) { return "stroke=\"" + css_colour(colour) + "\" stroke-width=\"1.75\""; };
  EXPECT_GT(svg.rfind(line(drawn[0].colour)), svg.rfind(line(drawn[1].colour))) << "which is drawn first";
}

TEST(Legends, strokes_keep_their_turns_where_a_line_begins_elsewhere_and_go_on_over_its_corners) {
  const DashPattern dashes{5, 15, 5};  // from 5 to 10, from 25 to 30, ...
  const auto strokes = strokes_of({{12, 0}, {27, 15}, {41, 1}}, dashes, 1, {0, 0}, {100, 100});
  ASSERT_EQ(strokes.size(), 1U);
  ASSERT_EQ(strokes[0].size(), 3U);
  EXPECT_FLOAT_EQ(strokes[0][0].x, 25);
  EXPECT_FLOAT_EQ(strokes[0][0].y, 13);
  EXPECT_FLOAT_EQ(strokes[0][1].x, 27);
  EXPECT_FLOAT_EQ(strokes[0][2].x, 30);
  EXPECT_FLOAT_EQ(strokes[0][2].y, 12);
}

TEST(Legends, a_line_that_is_far_longer_than_the_plot_keeps_its_strokes) {
  const auto strokes = strokes_of({{-2e6F, 50}, {3e6F, 50}}, {5, 15, 0}, 1, {10, 0}, {90, 100});
  ASSERT_EQ(strokes.size(), 4U);  // from 20, 40, 60 and 80
  for (std::size_t n = 0; n < strokes.size(); ++n) {
    ASSERT_EQ(strokes[n].size(), 2U);
    EXPECT_NEAR(strokes[n][0].x, 20 + 20 * static_cast<float>(n), 0.01);
    EXPECT_NEAR(strokes[n][1].x, 25 + 20 * static_cast<float>(n), 0.01);
    EXPECT_NEAR(strokes[n][0].y, 50, 0.01);
  }
  EXPECT_TRUE(strokes_of({{-2e6F, 500}, {3e6F, 500}}, {5, 15, 0}, 1, {10, 0}, {90, 100}).empty()) << "below the plot";
}

TEST(Legends, marks_at_one_x_that_would_hide_each_other_stand_side_by_side) {
  using testing::ElementsAre;
  EXPECT_THAT(moved_aside({{10, 5}, {60, 5}, {10, 7}, {10, 40}}, 8), ElementsAre(-4, 0, 4, 0));
  EXPECT_THAT(moved_aside({{10, 5}, {20, 5}, {10, 6}, {10, 7}, {10, 8}}, 8), ElementsAre(-1, 0, 1, -3, 3))
      << "within the way to the next x, and in no order that looks like a slope";
  EXPECT_THAT(moved_aside({}, 8), testing::IsEmpty());
  EXPECT_THAT(moved_aside({{10, 0}, {10, 5}, {10, 10}, {10, 15}}, 8), ElementsAre(-4, 4, -4, 4)) << "no more than hide";
}

TEST(Legends, of_very_many_marks_at_one_place_some_share_a_place_aside) {
  const std::vector<float> aside = moved_aside(std::vector<ImVec2>(4000, ImVec2(10, 5)), 8);
  const std::set<float> places(aside.begin(), aside.end());
  EXPECT_GT(places.size(), 8U);
  EXPECT_LE(places.size(), 64U) << "each further place costs all marks a look at it, and none is seen";
  EXPECT_LE(*places.rbegin(), kFarthestAside * 8);
  EXPECT_GE(*places.begin(), -kFarthestAside * 8);
}

TEST(Legends, strokes_are_drawn_over_whole_lines) {
  std::vector<DrawnCurve> curves(3);
  curves[0].dashes = curves[2].dashes = {5, 15, 0};
  curves[1].colour = 1;
  std::vector<const DrawnCurve*> order;
  draw_strokes_last(curves, [&](const DrawnCurve& drawn) { order.push_back(&drawn); });
  EXPECT_THAT(order, testing::ElementsAre(&curves[1], &curves[0], &curves[2]));
}

TEST(Legends, the_legend_of_explore_has_the_marks_of_its_lines) {
  using Mark = LegendName::Mark;
  ExploreChart chart;
  const auto line = [](const char* name, int style, bool joined) {
    return ExploreLine{name, style, false, false, joined, {}};
  };
  chart.plots = {{"forward", "", {line("one", 2, false), line("others", kOtherLines, false)}},
                 {"backward", "", {line("two", 5, true)}}};
  const std::vector<LegendName> names = legend_of(light_theme(), chart);
  ASSERT_EQ(names.size(), 3U);
  EXPECT_EQ(names[0].style, 2);
  EXPECT_EQ(names[0].mark, Mark::points);
  EXPECT_EQ(names[1].style, 5);
  EXPECT_EQ(names[1].mark, Mark::joined);
  EXPECT_EQ(names[2].style, 0);
  EXPECT_EQ(names[2].colour, light_theme().muted) << "the others come last, whatever the first plot has";
}

}  // namespace
}  // namespace triscope
