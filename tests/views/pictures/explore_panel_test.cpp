// What the line above the Explore panel's plots says of them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <implot.h>
#include <implot_internal.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/views/pictures/canvas.hpp"
#include "tests/views/sweep_fixture.hpp"
#include "views/model/charts/explore_axis.hpp"
#include "views/model/charts/explore_chart.hpp"
#include "views/parts/chart_tools.hpp"
#include "views/print/canvas/svg_canvas.hpp"
#include "views/print/chart_picture.hpp"

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
  EXPECT_THAT(
      explored_words(rows, 400),
      HasSubstr(
          "A bar without ends is the range of 2 measurements, each a stroke right of it, its point their median"));
  EXPECT_LE(content_width, 400);
}

ExploreChart chart_of(const std::vector<ResultRow>& rows) {
  const std::string name = "one.db";
  const ExploreSource source{name, rows};
  const ExploreQuery query{"seq", "ms", "kernel", "", "", false};
  return explore_chart(explore({&source, 1}, query), query, {&source, 1});
}

/// From left to right, and from top to bottom.
struct Extent {
  float left = 1e9F, right = -1e9F, top = 1e9F, bottom = -1e9F;
  void hold(float x, float y) {
    left = std::min(left, x), right = std::max(right, x);
    top = std::min(top, y), bottom = std::max(bottom, y);
  }
};

/// The only plot of a picture: its two axes.
Extent plot_of(const std::string& svg) {
  static const std::regex axis("<path d=\"M([0-9.]+) ([0-9.]+) L([0-9.]+) ([0-9.]+)\" fill=\"none\" stroke=\"" +
                               css_colour(light_theme().muted) + "\" stroke-width=\"1\"");
  Extent plot;
  for (std::sregex_iterator one(svg.begin(), svg.end(), axis), end; one != end; ++one) {
    const float x1 = std::stof((*one)[1]), y1 = std::stof((*one)[2]), x2 = std::stof((*one)[3]),
                y2 = std::stof((*one)[4]);
    if (x1 != x2 && y1 != y2) continue;  // a stroke that says that the axis is cut
    plot.hold(x1, y1);
    plot.hold(x2, y2);
  }
  return plot;
}

/// The marks of a chart's series in its picture, but for those of the legend.
std::vector<Extent> marks_of(const std::string& svg, const ExploreChart& chart) {
  std::set<std::string> colours;
  for (const ExploreLine& line : chart.plots.at(0).lines)
    colours.insert(css_colour(explore_colour(light_theme(), line)));
  static const std::regex filled("<path d=\"([^\"]*)\" fill=\"(#[0-9a-f]*)\"/>"),
      corner("[ML]([0-9.]+) ([0-9.]+)(?: a([0-9.]+))?");
  const Extent plot = plot_of(svg);
  std::vector<Extent> marks;
  for (std::sregex_iterator one(svg.begin(), svg.end(), filled), end; one != end; ++one) {
    if (!colours.contains((*one)[2])) continue;
    const std::string path = (*one)[1];
    Extent mark;
    for (std::sregex_iterator at(path.begin(), path.end(), corner); at != end; ++at) {
      const float x = std::stof((*at)[1]), y = std::stof((*at)[2]);
      mark.hold(x, y);
      if ((*at)[3].matched) mark.hold(x + 2 * std::stof((*at)[3]), y);  // a circle begins at its left
    }
    if (mark.top >= plot.top) marks.push_back(mark);
  }
  return marks;
}

/// Of several kernels that take as long at each length.
std::vector<ResultRow> of_kernels_alike(std::initializer_list<const char*> kernels) {
  std::vector<ResultRow> rows;
  for (const char* kernel : kernels) {
    for (ResultRow row : of_four_lengths()) {
      row.kernel = kernel;
      row.card = card_of(row.kernel);
      row.measurement = std::ssize(rows) + 1;
      row.ci_low_ms = row.ci_high_ms = row.median_ms;
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

TEST(ExplorePanel, marks_of_several_series_stand_beside_each_other_and_within_the_printed_plot) {
  const ExploreChart one = chart_of(of_kernels_alike({"cpu.fast"})),
                     all = chart_of(of_kernels_alike({"cpu.fast", "cuda.portable", "one", "two", "three"}));
  const auto lefts_of = [](const std::vector<Extent>& marks) {
    std::set<float> lefts;
    for (const Extent& mark : marks) lefts.insert(std::round((mark.left + mark.right) / 2));
    return lefts;
  };
  const PrintStyle narrow{VectorFormat::svg, {5, {}, 8}};
  EXPECT_EQ(lefts_of(marks_of(explore_picture(one, "", "", narrow), one)).size(), 4U);
  const std::string svg = explore_picture(all, "", "", narrow);
  const std::vector<Extent> marks = marks_of(svg, all);
  ASSERT_EQ(marks.size(), 4U * 5U);
  EXPECT_EQ(lefts_of(marks).size(), marks.size()) << "none hides another";
  const Extent plot = plot_of(svg);
  for (const Extent& mark : marks) {
    EXPECT_GE(mark.left, plot.left);
    EXPECT_LE(mark.right, plot.right);
  }
}

/// The corners of the marks in the panel's plot, and the plot.
std::pair<std::vector<ImVec2>, ImRect> marks_on_screen(const std::vector<ResultRow>& rows, float width) {
  WindowData data;
  data.database = "/data/one.db";
  data.sweeps.push_back(fixture::small_sweep()->info);
  data.shown = fixture::small_sweep();
  data.explore.chart = std::make_shared<const ExploreChart>(chart_of(rows));
  fixture::Canvas canvas;
  ImGui::GetIO().DisplaySize = ImVec2(width, 600);
  canvas.draw(Panel::explore, data);
  const ImRect plot = ImPlot::GetCurrentContext()->Plots.GetByIndex(0)->PlotRect;
  std::set<ImU32> colours;
  for (const ExploreLine& line : data.explore.chart->plots.at(0).lines)
    colours.insert(explore_colour(canvas.look.theme, line));
  std::vector<ImVec2> corners_of_marks;
  for (const ImDrawList* list : ImGui::GetDrawData()->CmdLists) {
    for (const ImDrawVert& corner : list->VtxBuffer) {
      if (colours.contains(corner.col) && corner.pos.y > plot.Min.y && corner.pos.y < plot.Max.y)
        corners_of_marks.push_back(corner.pos);
    }
  }
  return {corners_of_marks, plot};
}

TEST(ExplorePanel, marks_of_several_series_stand_within_the_plot_of_a_narrow_panel) {
  EXPECT_THAT(explored_words(of_four_lengths()), Not(HasSubstr("side by side")));
  std::vector<ResultRow> rows = of_kernels_alike({"cpu.fast", "cuda.portable", "one", "two", "three"});
  EXPECT_THAT(explored_words(rows), HasSubstr("Marks at one x that would hide each other stand side by side"));
  std::erase_if(rows, [](const ResultRow& row) { return row.problem.seq_len != 1024 && row.problem.seq_len != 8192; });
  const std::size_t all = marks_on_screen(rows, 1280).first.size();
  const auto [marks, plot] = marks_on_screen(rows, 250);
  EXPECT_GT(all, 10 * 3U);
  EXPECT_GE(marks.size(), all) << "one beyond the plot is not drawn at all";
  for (const ImVec2& corner : marks) {
    EXPECT_GE(corner.x, plot.Min.x);
    EXPECT_LE(corner.x, plot.Max.x);
  }
}

/// A word of a picture, and where it begins, ends or has its middle.
struct PrintedWord {
  std::string text;
  float x = 0, y = 0;
  bool upright = false;
};
std::vector<PrintedWord> printed_words(const std::string& svg, const std::vector<std::string>& names) {
  static const std::regex word("<text x=\"([-0-9.]+)\" y=\"([-0-9.]+)\"([^>]*)>([^<]*)<");
  std::vector<PrintedWord> words;
  for (std::sregex_iterator one(svg.begin(), svg.end(), word), end; one != end; ++one) {
    if (std::ranges::find(names, (*one)[4].str()) == names.end()) continue;
    words.push_back(
        {(*one)[4], std::stof((*one)[1]), std::stof((*one)[2]), (*one)[3].str().find("rotate") != std::string::npos});
  }
  return words;
}

/// By kernel along x: `count` of them, in both passes.
ExploreChart chart_of_kernels(std::size_t count, const std::string& panels) {
  std::vector<ResultRow> rows;
  for (std::size_t n = 0; n < count; ++n) {
    for (const Pass pass : {Pass::forward, Pass::backward}) {
      rows.push_back(fixture::row(std::ssize(rows) + 1, 512, 32, pass, 20, 600, fmt::format("kernel.{:03}", n)));
      rows.back().card.label = fmt::format("{}Kernel {:03}", n % 2 == 0 ? "The much longer " : "", n);
    }
  }
  const std::string name = "one.db";
  const ExploreSource source{name, rows};
  const ExploreQuery query{"kernel", "tflops", "pass", panels, "", false};
  return explore_chart(explore({&source, 1}, query), query, {&source, 1});
}

TEST(ExplorePanel, every_category_has_its_name_in_print_and_none_lies_on_another) {
  constexpr float kLetter = 6, kHigh = 10;
  for (const std::size_t count : {2U, 6U, 14U, 70U}) {
    for (const char* panels : {"", "pass"}) {
      const ExploreChart chart = chart_of_kernels(count, panels);
      ASSERT_EQ(chart.x.names.size(), count);
      for (const double width : {17.0, 8.5}) {
        SCOPED_TRACE(fmt::format("{} names, panels {}, {} cm", count, panels, width));
        const std::string svg = explore_picture(chart, "", "", {VectorFormat::svg, {width, {}, 8}});
        const std::vector<PrintedWord> words = printed_words(svg, chart.x.names);
        for (const std::string& name : chart.x.names)
          EXPECT_NE(std::ranges::find(words, name, &PrintedWord::text), words.end()) << name;
        for (std::size_t a = 0; a < words.size(); ++a) {
          for (std::size_t b = 0; b < a; ++b) {
            if (words[a].y != words[b].y) continue;
            const auto letters = static_cast<float>(words[a].text.size() + words[b].text.size());
            EXPECT_GE(std::abs(words[a].x - words[b].x), words[a].upright ? kHigh : letters / 2 * kLetter)
                << words[a].text << " and " << words[b].text;
          }
        }
      }
    }
  }
}

TEST(ExplorePanel, a_picture_that_cannot_name_every_category_says_so) {
  const ExploreChart chart = chart_of_kernels(200, "pass");
  const std::string svg = explore_picture(chart, "", "A caption.", {VectorFormat::svg, {8.5, {}, 8}});
  const std::size_t named = printed_words(svg, chart.x.names).size();
  EXPECT_GT(named, 10U);
  EXPECT_LT(named, 200U);
  EXPECT_THAT(svg, HasSubstr("A caption."));
  std::string words;
  for (std::size_t end = svg.find("</text>"); end != std::string::npos; end = svg.find("</text>", end + 1)) {
    const std::size_t begin = svg.rfind('>', end) + 1;
    words += svg.substr(begin, end - begin) + " ";
  }
  EXPECT_THAT(words, HasSubstr(fmt::format("Of 200 values along the axis {} are named.", named)));
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
  EXPECT_THAT(words, HasSubstr("A bar without ends is the range of 2 measurements"));
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
