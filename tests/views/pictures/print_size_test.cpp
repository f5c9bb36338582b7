// Pictures for print: lines that lie on each other, their size on paper, that of their words, their colours, and what
// is left out.
#include <gmock/gmock.h>

#include <algorithm>
#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "kernels/base/error.hpp"
#include "tests/views/sweep_fixture.hpp"
#include "tests/views/window_fixture.hpp"
#include "views/print/canvas/pdf_font.hpp"
#include "views/print/canvas/svg_canvas.hpp"
#include "views/print/chart_picture.hpp"
#include "views/print/plot_frame.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

BarChart two_bars() {
  const auto results =
      fixture::sweep({fixture::row(1, 512, 32, Pass::forward, 20, 700),
                      fixture::row(2, 256, 64, Pass::forward, 24, 600), fixture::baseline(3, Pass::forward, 26, 650)});
  const LatencyModel model = make_latency_model(*results, nullptr);
  return make_bar_chart(model, chart_settings(model).front());
}

/// The number behind `name="` in the picture's first element.
double first_number(const std::string& svg, const std::string& name) {
  const std::size_t at = svg.find(name + "=\"");
  return at == std::string::npos ? -1 : std::stod(svg.substr(at + name.size() + 2));
}

TEST(Print, the_last_name_of_an_axis_stands_on_the_page_and_windows_on_one_line) {
  const LengthChart lengths = make_length_chart(*fixture::length_sweep(), {});
  std::string caption;
  for (int n = 0; n < 40; ++n) caption += std::string(static_cast<std::size_t>(n % 7), 'a') + " 512 × 32, ";
  const std::string svg =
      lengths_picture(lengths.of(Pass::forward), {}, "Latency", caption, {VectorFormat::svg, {8.5, {}, 10}});
  const std::regex last("x=\"([0-9.]+)\"[^>]*>128k<");
  std::smatch found;
  ASSERT_TRUE(std::regex_search(svg, found, last));
  const double page = std::stod(svg.substr(svg.find("viewBox=\"0 0 ") + 13));
  EXPECT_LE(std::stod(found[1]) + static_cast<double>(text_width("128k", 10)) / 2, page - 3) << "not at its very edge";
  EXPECT_THAT(svg, HasSubstr("512 × 32,"));
  EXPECT_THAT(svg, Not(HasSubstr("×<")));
  EXPECT_THAT(svg, Not(HasSubstr(">×")));
}

TEST(Print, curves_that_lie_on_each_other_are_as_wide_as_others_and_alternate) {
  auto results = fixture::length_sweep();
  for (ResultRow& row : results->rows) {
    if (row.problem.window1 == 256 && row.problem.window2 == 32) row.median_ms = 2.02 * *row.median_ms;
  }
  const LengthChart lengths = make_length_chart(*results, {});
  const std::string svg = lengths_picture(lengths.of(Pass::forward), {}, "Latency", "caption");
  EXPECT_GT(times(svg, "stroke-width=\"1.75\""), 2U * 2U + 10) << "one is whole, the other in strokes";
  EXPECT_EQ(times(svg, "stroke-width=\"4\""), 0U);
  EXPECT_EQ(times(svg, "stroke-dasharray"), 5U) << "baselines, and in the legend the curve that lies on another";
}

TEST(Print, work_by_length_is_a_line_for_each_pair_of_windows_and_for_each_mask) {
  const LengthPass pass = make_length_chart(*fixture::length_sweep(), {}).of(Pass::forward);
  const std::string svg = work_picture(pass, Pass::forward, "Work", "caption");
  EXPECT_EQ(times(svg, "<image"), 0U);
  EXPECT_EQ(times(svg, "stroke-width=\"1.75\""), 2U) << "two curves of ours";
  EXPECT_EQ(times(svg, "stroke-dasharray"), 2U + 2U)
      << "causal attention of any kernel, a sliding window, and our two in the legend";
  for (const char* word : {">512 × 32<", ">causal attention<", ">sliding 1024<", ">TFLOP a launch<"})
    EXPECT_THAT(svg, HasSubstr(word));
  EXPECT_NE(svg, work_picture(pass, std::nullopt, "Work", "caption")) << "of both passes it is more";
}

TEST(Print, same_cost_is_a_dot_with_its_range_for_each_answer) {
  LengthPass pass = make_length_chart(*fixture::length_sweep(), {}).of(Pass::forward);
  const std::string dot = "fill=\"" + css_colour(light_theme().accent) + "\"";
  const std::string ink = "stroke=\"" + css_colour(light_theme().text) + "\"";
  const std::string svg = budget_picture(pass, "Same cost", "caption");
  const auto answers =
      std::ranges::count_if(pass.budgets, [](const SameBudget& one) { return one.windows.has_value(); });
  ASSERT_GE(answers, 3);
  EXPECT_EQ(times(svg, "<image"), 0U);
  const auto between = std::ranges::count_if(
      pass.budgets, [](const SameBudget& one) { return one.windows && !one.windows->extrapolated(); });
  EXPECT_EQ(times(svg, dot), static_cast<std::size_t>(between) + 1) << "the others are hollow; the legend has one";
  for (const char* word : {">exact count, n/2<", "s count, n/3<", ">area w1 × w2<"}) EXPECT_THAT(svg, HasSubstr(word));
  EXPECT_EQ(times(svg, ">36k<"), 0U);
  const auto answer = std::ranges::find_if(pass.budgets, [](const SameBudget& one) { return one.windows.has_value(); });
  LengthPass odd = pass;
  odd.budgets[static_cast<std::size_t>(answer - pass.budgets.begin())].seq_len = 36864;
  EXPECT_EQ(times(budget_picture(odd, "Same cost", "caption"), ">36k<"), 1U) << "it has no tick of its own";
  const std::size_t with_ranges = times(svg, ink);
  for (SameBudget& budget : pass.budgets) {
    if (budget.windows) budget.windows->low = 0;
  }
  EXPECT_GE(with_ranges, times(budget_picture(pass, "Same cost", "caption"), ink) + static_cast<std::size_t>(answers));
}

TEST(Print, a_map_has_a_scale_of_its_colours) {
  const LatencyModel model = make_latency_model(*fixture::sweep({fixture::row(1, 512, 32, Pass::forward, 20, 700),
                                                                 fixture::row(2, 256, 64, Pass::forward, 24, 600)}),
                                                nullptr);
  const auto svg = [&](MapMetric metric) {
    return map_picture(make_window_map(model, chart_settings(model).front(), map_series(model).front(), metric), metric,
                       "Map", "");
  };
  EXPECT_EQ(times(svg(MapMetric::tflops), ">525<"), 1U) << "where the colours begin: a quarter below the best";
  EXPECT_EQ(times(svg(MapMetric::tflops), ">700  TFLOP/s<"), 1U);
  EXPECT_EQ(times(svg(MapMetric::latency), ">20.0  ms<"), 1U) << "the brightest is the shortest";
}

TEST(Print, a_curve_of_a_baseline_has_a_mark_at_each_measurement) {
  const LengthChart lengths = make_length_chart(*fixture::length_sweep(), {});
  LengthPass pass = lengths.of(Pass::forward);
  const auto paths = [&] { return times(lengths_picture(pass, {}, "Latency", ""), "<path"); };
  const std::size_t before = paths();
  const auto baseline = std::ranges::find(pass.curves, true, &LengthCurve::baseline);
  ASSERT_GT(baseline->points.size(), 2U);
  LengthPoint& last = baseline->points.back();
  last.low_ms = last.high_ms = last.ms;  // no bar
  const std::size_t with_last = paths();
  EXPECT_LE(with_last, before);
  baseline->points.pop_back();
  EXPECT_EQ(with_last - paths(), 1U) << "its mark";
}

TEST(Print, a_picture_has_the_width_and_the_size_of_words_that_were_asked_for) {
  const BarChart chart = two_bars();
  for (const auto& [width, font] :
       {std::pair(8.5, 8.0), std::pair(8.5, 6.0), std::pair(17.0, 8.0), std::pair(17.0, 10.0)}) {
    const PrintSize size{width, {}, font};
    const std::string svg = bars_picture(chart, "Bars", "a caption of some words", {VectorFormat::svg, size});
    EXPECT_NEAR(first_number(svg, "svg xmlns=\"http://www.w3.org/2000/svg\" width"), 10 * width, 0.01);
    const double units = std::stod(svg.substr(svg.find("viewBox=\"0 0 ") + 13));
    const double points_of_unit = width / 2.54 * 72 / units;
    EXPECT_NEAR(11 * points_of_unit, font, 0.01) << "words of the legend have 11 units";
    EXPECT_THAT(svg, HasSubstr("font-size=\"11\""));
    const std::string pdf = bars_picture(chart, "Bars", "a caption of some words", {VectorFormat::pdf, size});
    EXPECT_NEAR(std::stod(pdf.substr(pdf.find("/MediaBox [0 0 ") + 15)), width / 2.54 * 72, 0.01);
    EXPECT_NEAR(std::stod(pdf.substr(pdf.find("stream\n") + 7)), points_of_unit, 1e-3);
  }
  const std::string high = bars_picture(chart, "Bars", "", {VectorFormat::svg, {8.5, 12.0, 8}});
  EXPECT_NEAR(first_number(high, " height"), 120, 0.01);
}

TEST(Print, a_narrow_picture_has_its_baselines_in_the_legend_with_their_marks) {
  const LengthChart lengths = make_length_chart(*fixture::length_sweep(), {});
  LengthPass pass = lengths.of(Pass::forward);
  const auto baseline = std::ranges::find(pass.curves, true, &LengthCurve::baseline);
  ASSERT_NE(baseline, pass.curves.end());
  const std::string label = ">" + baseline->label + "<";
  const PrintStyle narrow{VectorFormat::svg, {8.5, {}, 10}};
  const auto paths = [&] { return times(lengths_picture(pass, {}, "Latency", "", narrow), "<path"); };
  EXPECT_EQ(times(lengths_picture(pass, {}, "Latency", "", narrow), label), 1U);
  const std::size_t with_it = paths();
  const std::size_t points = baseline->points.size();
  for (LengthPoint& point : baseline->points) point.low_ms = point.high_ms = point.ms;  // no bars
  const std::size_t without_bars = paths();
  EXPECT_LE(without_bars, with_it);
  pass.curves.erase(baseline);
  EXPECT_EQ(without_bars - paths(), points + 1 + 2) << "a mark at each point and one in the legend, two lines";
}

TEST(Print, words_of_a_narrow_picture_stay_within_it_and_apart) {
  BarChart chart = two_bars();
  for (int n = 0; n < 5; ++n) chart.categories.emplace_back("1,024 × 1,024");
  const std::string wide = bars_picture(chart, "Bars", "", {VectorFormat::svg, {30, {}, 8}}),
                    narrow = bars_picture(chart, "Bars", "", {VectorFormat::svg, {8.5, {}, 8}});
  EXPECT_EQ(times(wide, "rotate(-90"), 1U) << "the title of the axis";
  EXPECT_EQ(times(narrow, "rotate(-90"), 1U + chart.categories.size()) << "its windows stand upright";
  const PlotText text{"t", ""};
  const PrintPage page = make_page({VectorFormat::svg, {4, {}, 8}}, text);
  const PlotFrame frame(page, power_axis(1024, 131072, "tokens"), linear_axis(800, "TFLOP/s"), text);
  const std::string few = page.canvas->finish();
  EXPECT_THAT(few, HasSubstr(">1k<"));
  EXPECT_THAT(few, Not(HasSubstr(">2k<"))) << "there is no room for each";
}

TEST(Print, a_size_without_room_for_the_plot_is_refused) {
  const BarChart chart = two_bars();
  EXPECT_THROW(bars_picture(chart, "Bars", "", {VectorFormat::svg, {3, {}, 20}}), Error);
  EXPECT_THROW(bars_picture(chart, "Bars", "", {VectorFormat::svg, {8.5, 3.0, 14}}), Error);
}

TEST(Print, a_title_and_a_caption_can_be_left_out) {
  const BarChart chart = two_bars();
  const std::string whole = bars_picture(chart, "Bars", "some caption"), bare = bars_picture(chart, "", "");
  EXPECT_EQ(times(whole, "<text"), times(bare, "<text") + 2);
  EXPECT_LT(first_number(bare, " height"), first_number(whole, " height"));
}

TEST(Print, a_caption_fills_the_width_of_the_picture_and_stays_within_it) {
  const BarChart chart = two_bars();
  const PdfFont font(FontFile::text);
  std::string caption = "Points are medians, bars 95 % intervals; cuda.hopper: trilinear, bf16, 64/1 heads;";
  for (int n = 0; n < 3; ++n) caption += " n = 2 to 18 samples, 1,658 to 1,748 MHz, at the power limit.";
  for (const double width : {8.5, 17.0}) {
    const PrintStyle style{VectorFormat::svg, {width, {}, 8}};
    const std::string svg = bars_picture(chart, "", caption, style);
    const float room = page_width(style) - 12, indented = page_width(style) - 32;
    float widest = 0;
    for (std::size_t end = svg.find("</text>"); end != std::string::npos; end = svg.find("</text>", end + 1)) {
      const std::size_t begin = svg.rfind('>', end) + 1;
      const std::string words = svg.substr(begin, end - begin);
      if (caption.find(words) != std::string::npos)
        widest = std::max(widest, 10 * static_cast<float>(font.width(words)));
    }
    EXPECT_GT(widest, 0.92F * indented) << width;
    EXPECT_LE(widest, room) << width;
  }
  const std::string long_word(400, 'W');
  const auto lines = times(bars_picture(chart, "", long_word, {VectorFormat::svg, {8.5, {}, 8}}), "WWW<");
  EXPECT_LE(lines, 16U);
  EXPECT_GE(lines, 12U) << "as many letters as have room";
}

TEST(Print, a_pdf_holds_of_its_fonts_what_it_shows) {
  const std::string pdf = bars_picture(two_bars(), "Bars", "", VectorFormat::pdf);
  EXPECT_LT(pdf.size(), 110'000U) << "both fonts whole are 230 kB";
  EXPECT_THAT(pdf, testing::ContainsRegex("/BaseFont /[A-Z][A-Z][A-Z][A-Z][A-Z][A-Z]\\+Inter-Regular"));
}

TEST(Print, a_dark_picture_has_none_of_the_light_inks) {
  fixture::WindowOnDatabase window;
  window.stage->settle();
  window.application().carry_out(ask::ShowPanel{Panel::explore});
  window.stage->settle();
  window.application().select_first();
  window.stage->settle();
  std::vector<std::pair<Panel, PaperPage>> all;
  for (const Panel panel : {Panel::tflops, Panel::map, Panel::scaling, Panel::samples, Panel::explore})
    all.emplace_back(panel, PaperPage::table1);
  for (const PaperPage page : {PaperPage::the_operator, PaperPage::rotation, PaperPage::match3, PaperPage::laws})
    all.emplace_back(Panel::paper, page);
  for (const auto& [panel, page] : all) {
    window.application().ui().paper.page = page;
    window.stage->settle();
    PrintChoice choice;
    const std::string light = window.application().vectors_of(panel, VectorFormat::svg, choice);
    choice.size.dark = true;
    const std::string dark = window.application().vectors_of(panel, VectorFormat::svg, choice);
    EXPECT_EQ(times(light, "<text"), times(dark, "<text"));
    for (const ImU32 Theme::*ink : {&Theme::text, &Theme::muted, &Theme::line}) {
      const std::string of_light = "\"" + css_colour(light_theme().*ink) + "\"";
      EXPECT_EQ(times(dark, of_light), 0U) << panel_info(panel).id << paper_page_id(page) << of_light;
    }
    EXPECT_THAT(dark, HasSubstr(css_colour(dark_theme().panel))) << panel_info(panel).id;
  }
}

}  // namespace
}  // namespace triscope
