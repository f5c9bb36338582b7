// One thing has one colour and one mark in every chart.
#include "views/model/styles/series_style.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/views/sweep_fixture.hpp"
#include "views/model/charts/chart_model.hpp"
#include "views/model/charts/explore_chart.hpp"
#include "views/model/charts/length_model.hpp"
#include "views/parts/chart_tools.hpp"

namespace triscope {
namespace {

using testing::ElementsAre;
using testing::Optional;

/// By name: the style, and whether it is one of baselines.
using Styles = std::map<std::string, std::pair<int, bool>>;

Styles explored(const std::vector<ResultRow>& rows, const std::string& colour) {
  const std::string name = "one.db";
  const ExploreSource source{name, rows};
  const ExploreQuery query{"seq", "ms", colour, "pass", "", false};
  Styles styles;
  for (const ExplorePlot& plot : explore_chart(explore({&source, 1}, query), query, {&source, 1}).plots) {
    for (const ExploreLine& line : plot.lines) styles[line.name] = {line.style, line.quiet};
  }
  return styles;
}

/// Of windows and FlashAttention-3 over two lengths.
std::vector<ResultRow> rows_of(const std::vector<std::pair<int, int>>& windows) {
  std::vector<ResultRow> rows;
  const auto add = [&](int w1, int w2, const char* kernel) {
    for (const std::int64_t tokens : {8192, 16384}) {
      rows.push_back(fixture::row(std::ssize(rows) + 1, w1, w2, Pass::forward, 5, 100, kernel));
      rows.back().problem.seq_len = tokens;
      if (rows.back().card.kind != KernelKind::dot_product) continue;
      rows.back().problem.form = Form::dot_product;
      rows.back().problem.window1 = tokens;
    }
  };
  for (const auto& [w1, w2] : windows) add(w1, w2, "cuda.hopper");
  add(1, 1, "baseline.cudnn");
  add(1, 1, "baseline.fa3");
  return rows;
}

TEST(SeriesStyle, of_windows_is_one_in_lengths_and_explore_whatever_stands_beside_them) {
  const std::vector<std::pair<int, int>> some{{512, 32}, {256, 32}, {1024, 16}},
      paper{{1024, 32}, {512, 64}, {1024, 16}, {512, 32}, {256, 64}, {128, 128}, {256, 32}};
  std::set<int> met;
  for (const auto& windows : {some, paper}) {
    const std::vector<ResultRow> rows = rows_of(windows);
    const Styles of_explore = explored(rows, "window");
    const LengthChart lengths = make_length_chart(*fixture::sweep(rows), {});
    for (const LengthCurve& curve : lengths.passes[0].curves) {
      if (curve.baseline) continue;
      EXPECT_EQ(curve.style, style_of_windows(curve.problem.window1, curve.problem.window2)) << curve.label;
      EXPECT_EQ(of_explore.at(curve.label).first, curve.style) << curve.label;
      met.insert(curve.style);
    }
  }
  EXPECT_EQ(met.size(), paper.size()) << "all of the paper's are told apart";
}

TEST(SeriesStyle, of_a_kernel_is_that_of_its_forward_in_every_chart) {
  std::vector<ResultRow> rows = rows_of({{512, 32}});
  for (const char* kernel : {"paper.triton", "cuda.portable"}) {
    rows.push_back(fixture::row(std::ssize(rows) + 1, 256, 32, Pass::forward, 9, 50, kernel));
    rows.back().problem.seq_len = 16384;
  }
  const Styles of_explore = explored(rows, "kernel");
  const LatencyModel model = make_latency_model(*fixture::sweep(rows), nullptr);
  const BarChart bars = make_bar_chart(model, chart_settings(model).front());
  ASSERT_EQ(bars.series.size(), 3U);
  for (const SeriesPoints& one : bars.series)
    EXPECT_EQ(of_explore.at(one.series.kernel_label).first, one.series.colour) << one.series.label;
  for (const SeriesPoints& one : bars.levels)
    EXPECT_EQ(of_explore.at(one.series.kernel_label), std::pair(one.series.colour, true)) << one.series.label;
}

/// The styles of the bars of these kernels, of which none but Hopper has a colour: by kernel, forward and backward.
std::map<std::string, std::pair<int, int>> bar_styles(const std::vector<ResultRow>& rows) {
  const LatencyModel model = make_latency_model(*fixture::sweep(rows), nullptr);
  std::map<std::string, std::pair<int, int>> styles;
  for (const SeriesPoints& one : make_bar_chart(model, chart_settings(model).front()).series)
    (one.series.pass == Pass::forward ? styles[one.series.kernel].first : styles[one.series.kernel].second) =
        one.series.colour;
  return styles;
}
std::vector<ResultRow> rows_of_kernels(const std::vector<std::string>& kernels) {
  std::vector<ResultRow> rows;
  for (const std::string& kernel : kernels) {
    for (const Pass pass : {Pass::forward, Pass::backward})
      rows.push_back(fixture::row(std::ssize(rows) + 1, 256, 32, pass, 9, 50, kernel));
  }
  return rows;
}

TEST(SeriesStyle, two_kernels_without_a_colour_of_their_own_never_have_each_other_s) {
  for (const auto& order : {std::vector<std::string>{"one", "two"}, {"two", "one"}}) {
    const std::vector<ResultRow> rows = rows_of_kernels(order);
    const auto bars = bar_styles(rows);
    const Styles of_explore = explored(rows, "kernel");
    for (const std::string& kernel : order)
      EXPECT_EQ(of_explore.at(kernel).first, bars.at(kernel).first) << kernel << ": that of its forward";
  }
}

TEST(SeriesStyle, a_colour_comes_again_only_when_all_are_taken) {
  std::set<int> colours;
  for (const auto& [kernel, styles] : bar_styles(rows_of_kernels({"cuda.hopper", "one", "two", "three"})))
    colours.insert({styles.first % kStyleColours, styles.second % kStyleColours});
  EXPECT_EQ(colours.size(), 8U);
}

TEST(SeriesStyle, of_a_baseline_is_one_in_lengths_and_explore) {
  const std::vector<ResultRow> rows = rows_of({{512, 32}});
  const Styles of_explore = explored(rows, "kernel");
  const LengthChart lengths = make_length_chart(*fixture::sweep(rows), {});
  std::set<int> marks;
  for (const LengthCurve& curve : lengths.passes[0].curves) {
    if (!curve.baseline) continue;
    EXPECT_EQ(of_explore.at(curve.card.label), std::pair(curve.style, true));
    marks.insert(mark_of_style(curve.style, true));
  }
  EXPECT_EQ(marks.size(), 2U);
}

TEST(SeriesStyle, of_two_pairs_of_windows_that_wish_for_one_the_one_measured_more_often_has_it) {
  ASSERT_EQ(style_of_windows(16, 16), style_of_windows(512, 32));
  const std::vector<ResultRow> rows = rows_of({{16, 16}, {512, 32}, {512, 32}, {512, 32}});
  const Styles of_explore = explored(rows, "window");
  EXPECT_EQ(of_explore.at("512 × 32").first, style_of_windows(512, 32));
  EXPECT_NE(of_explore.at("16 × 16").first, style_of_windows(512, 32));
}

TEST(SeriesStyle, of_two_that_wish_for_one_colour_the_first_has_it) {
  const std::vector<std::optional<int>> wishes{2, 2, std::nullopt, 3};
  EXPECT_THAT(share_styles(wishes), ElementsAre(Optional(2), Optional(4), Optional(0), Optional(3)));
  const std::vector<std::optional<int>> many(kStyleColours + 1, 5);
  std::set<std::optional<int>> styles;
  for (const auto& style : share_styles(many)) styles.insert(style);
  EXPECT_EQ(styles.size(), many.size()) << "each colour once, and the last has none";
}

}  // namespace
}  // namespace triscope
