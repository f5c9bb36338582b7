// Which lines of Explore have a colour and a name, and which.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <initializer_list>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/views/sweep_fixture.hpp"
#include "views/model/charts/explore_chart.hpp"

namespace triscope {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

ExploreChart chart_in_colours(const std::vector<ResultRow>& rows, const ExploreQuery& query) {
  const std::string name = "one.db";
  const ExploreSource source{name, rows};
  return explore_chart(explore({&source, 1}, query), query, {&source, 1});
}

std::vector<std::string> names_of(const ExploreChart& chart) {
  std::vector<std::string> names;
  for (const ExploreLine& line : chart.plots.at(0).lines) names.push_back(line.name);
  return names;
}

TEST(ExploreColours, go_to_what_was_measured_most_often_in_the_order_of_the_names) {
  std::vector<ResultRow> rows;
  for (int w1 = 16; w1 <= 16 << 11; w1 *= 2) {  // twelve windows: the larger, the more lengths
    for (int length = 0; length <= w1; length = 2 * length + 16) {
      rows.push_back(fixture::row(std::ssize(rows) + 1, w1, 16, Pass::forward, 1 + length, 0.2));
      rows.back().problem.seq_len = 65536 + length;
    }
  }
  EXPECT_THAT(names_of(chart_in_colours(rows, {"seq", "ms", "window", "", "", false})),
              ElementsAre("256 × 16", "512 × 16", "1024 × 16", "2048 × 16", "4096 × 16", "8192 × 16", "16384 × 16",
                          "32768 × 16", "4 others"));
}

TEST(ExploreColours, go_to_what_was_measured_again_at_one_length) {
  std::vector<ResultRow> rows;
  for (int w1 = 16; w1 <= 16 << 11; w1 *= 2)
    rows.push_back(fixture::row(std::ssize(rows) + 1, w1, 16, Pass::forward, 1, 0.2));
  for (int sweep = 2; sweep < 5; ++sweep) {  // of the last window
    rows.push_back(rows[11]);
    rows.back().measurement = std::ssize(rows);
    rows.back().sweep = sweep;
  }
  EXPECT_THAT(names_of(chart_in_colours(rows, {"seq", "ms", "window", "", "", false})),
              testing::Contains("32768 × 16"));
}

TEST(ExploreColours, baselines_differ_in_colour) {
  std::vector<ResultRow> rows;
  for (const char* kernel : {"baseline.fa3", "baseline.cudnn"}) {
    rows.push_back(fixture::row(static_cast<std::int64_t>(rows.size()) + 1, 512, 1, Pass::forward, 3, 0.2, kernel));
    rows.back().problem.form = Form::dot_product;
    rows.back().card.rank = static_cast<std::int64_t>(rows.size());
    rows.back().card.kind = KernelKind::dot_product;
  }
  const ExploreChart chart = chart_in_colours(rows, {"seq", "ms", "kernel", "", "", false});
  ASSERT_THAT(chart.plots.at(0).lines, SizeIs(2));
  const auto& lines = chart.plots[0].lines;
  EXPECT_TRUE(lines[0].baseline && lines[1].baseline);
  EXPECT_TRUE(lines[0].quiet && lines[1].quiet);
  EXPECT_NE(lines[0].style, lines[1].style);
}

TEST(ExploreColours, no_two_named_lines_have_one_colour) {
  for (const char* colour : {"kernel", "instance"}) {
    std::vector<ResultRow> rows;
    for (int n = 0; n < 20; ++n) {
      rows.push_back(fixture::row(n + 1, 512, 32, Pass::forward, 1 + n, 0.2, n < 6 ? "baseline.a" : "cpu.a"));
      rows.back().kernel += std::to_string(n);
      rows.back().card.label = "Kernel " + std::to_string(n);
      rows.back().instance = "tile " + std::to_string(n);
      if (n >= 6) continue;
      rows.back().card.rank = n + 1;
      rows.back().card.kind = KernelKind::dot_product;
      rows.back().problem.form = Form::dot_product;
    }
    const ExploreChart chart = chart_in_colours(rows, {"seq", "ms", colour, "", "", false});
    const bool by_kernel = chart.query.color == "kernel";
    std::set<std::pair<bool, int>> colours;
    std::size_t named = 0;
    for (const ExploreLine& line : chart.plots.at(0).lines) {
      if (line.style == kOtherLines) continue;
      ++named;
      colours.insert({line.quiet, line.style % (line.quiet ? 4 : 8)});
    }
    EXPECT_EQ(named, by_kernel ? 12U : 8U) << colour << ": as many as there are colours";
    EXPECT_EQ(colours.size(), named) << colour;
    EXPECT_EQ(chart.plots[0].lines.back().name, fmt::format("{} others", 20 - named));
    EXPECT_EQ(chart.drawn, 20U);
  }
}

TEST(ExploreColours, a_kernel_has_its_colour_whatever_stands_beside_it) {
  const auto style_of = [](std::initializer_list<const char*> kernels, const std::string& label) {
    std::vector<ResultRow> rows;
    for (const char* kernel : kernels)
      rows.push_back(fixture::row(static_cast<std::int64_t>(rows.size()) + 1, 512, 32, Pass::forward, 3, 0.2, kernel));
    const ExploreChart chart = chart_in_colours(rows, {"seq", "ms", "kernel", "", "", false});
    const auto& lines = chart.plots.at(0).lines;
    const auto line = std::ranges::find(lines, label, &ExploreLine::name);
    return line == lines.end() ? -2 : line->style;
  };
  EXPECT_EQ(style_of({"cuda.portable"}, "Portable"), style_of({"cuda.hopper", "cuda.portable"}, "Portable"));
  EXPECT_EQ(style_of({"cuda.hopper"}, "Hopper"), style_of({"baseline.fa3", "cuda.portable", "cuda.hopper"}, "Hopper"));
  // These two never run on one device, and wish for one colour.
  EXPECT_NE(style_of({"cpu.fast", "cuda.hopper"}, "CPU"), style_of({"cpu.fast", "cuda.hopper"}, "Hopper"));
}

}  // namespace
}  // namespace triscope
