// What of a chart stands in its picture for print: hollow marks, and the part that is shown.
#include <gmock/gmock.h>
#include <implot.h>
#include <implot_internal.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/views/pictures/canvas.hpp"
#include "tests/views/sweep_fixture.hpp"
#include "views/model/charts/chart_model.hpp"
#include "views/model/charts/explore_chart.hpp"
#include "views/model/charts/length_model.hpp"
#include "views/parts/chart_tools.hpp"
#include "views/print/canvas/svg_canvas.hpp"
#include "views/print/chart_picture.hpp"
#include "views/print/plot_frame.hpp"

namespace triscope {
namespace {

using fixture::length_sweep;
using testing::HasSubstr;
using testing::Not;

std::size_t times_in_picture(const std::string& svg, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = svg.find(part); at != std::string::npos; at = svg.find(part, at + 1)) ++found;
  return found;
}

std::shared_ptr<SweepResults> of_two_windows() {
  return fixture::sweep(
      {fixture::row(1, 512, 32, Pass::forward, 20, 700), fixture::row(2, 256, 64, Pass::forward, 24, 600)});
}

TEST(PrintedPart, what_did_not_converge_is_hollow_too) {
  constexpr const char* kReason = "not converged: +-2.1 % over 2 restarts, 1.0 % was asked for";
  auto results = of_two_windows();
  results->rows[0].reason = "query_k2 instead of half_k2: the inputs are beyond the range of fp16; ";  // said first
  results->rows[0].reason += kReason;
  const LatencyModel model = make_latency_model(*results, nullptr);
  const std::string hollow = "fill=\"" + css_colour(light_theme().panel) + "\" stroke=";
  const ChartSetting setting = chart_settings(model).front();
  EXPECT_EQ(times_in_picture(bars_picture(make_bar_chart(model, setting), "Bars", ""), hollow), 1U);
  EXPECT_EQ(times_in_picture(scaling_picture(make_scaling_chart(model, setting), "Scaling", ""), hollow), 1U);
  auto lengths = length_sweep();
  lengths->rows[0].reason = kReason;
  const LengthChart chart = make_length_chart(*lengths, {});
  EXPECT_EQ(times_in_picture(lengths_picture(chart.of(Pass::forward), {}, "Lengths", ""), hollow), 1U);
  EXPECT_EQ(times_in_picture(lengths_picture(chart.of(Pass::backward), {}, "Lengths", ""), hollow), 0U);
  EXPECT_EQ(times_in_picture(lengths_picture(chart.step, {}, "Lengths", ""), hollow), 1U)
      << "one of its passes did not";
}

TEST(PrintedPart, what_did_not_converge_is_hollow_on_the_screen) {
  // Hollow is drawn with other corners than full, in the colours of the series and of the panel.
  const auto corners = [](Panel panel, bool converged) {
    WindowData data;
    const auto results = panel == Panel::lengths ? length_sweep() : of_two_windows();
    for (ResultRow& row : results->rows) {
      row.ci_low_ms = 0.99 * *row.median_ms, row.ci_high_ms = 1.01 * *row.median_ms;
      row.reason = converged ? "" : "not converged: +-2.1 % over 2 restarts, 1.0 % was asked for";
    }
    data.shown = results;
    fixture::Canvas canvas;
    canvas.draw(panel, data);
    std::map<ImU32, std::size_t> of_colour;
    for (const ImDrawList* list : ImGui::GetDrawData()->CmdLists) {
      for (const ImDrawVert& corner : list->VtxBuffer) ++of_colour[corner.col];
    }
    EXPECT_EQ(canvas.text.find("hollow: not converged") == std::string::npos, converged) << panel_info(panel).title;
    const ImU32 own = series_colour(canvas.look.theme, Series{}), panel_colour = canvas.look.theme.panel;
    return std::pair(of_colour[own], of_colour[panel_colour]);
  };
  for (const Panel panel : {Panel::lengths, Panel::scaling, Panel::tflops}) {
    const auto hollow = corners(panel, false), full = corners(panel, true);
    EXPECT_NE(hollow, full) << panel_info(panel).title;
  }
}

/// The pictures of TFLOP/s with these rows, as the panel has them, and the caption.
struct BarsInPrint {
  std::string svg, pdf, caption;
  explicit BarsInPrint(std::vector<ResultRow> rows) {
    WindowData data;
    data.shown = fixture::sweep(std::move(rows));
    data.revision = 1;
    fixture::Canvas canvas;
    Context context{canvas.look, data, canvas.ui, canvas.models, canvas.requests, 0};
    svg = panel_picture(context, Panel::tflops);
    pdf = panel_picture(context, Panel::tflops, VectorFormat::pdf);
    caption = panel_words(context, Panel::tflops).caption.value_or("");
  }
  std::size_t hatched() const { return times_in_picture(svg, "fill=\"" + css_colour(light_theme().missing) + "\""); }
  std::size_t edges(ImU32 colour) const {
    return times_in_picture(svg, "stroke=\"" + css_colour(colour) + "\" stroke-width=\"1.25\"");
  }
};

TEST(PrintedPart, what_failed_or_was_skipped_is_hatched_and_named) {
  std::vector<ResultRow> rows = fixture::small_sweep()->rows;
  const BarsInPrint all(rows);
  EXPECT_EQ(all.hatched(), 0U);
  EXPECT_THAT(all.caption, Not(HasSubstr("atched")));
  rows[1] = fixture::failed(rows[1], "it crashed");
  rows[2] = fixture::failed(rows[2], "it was skipped");
  rows[2].status = Status::skipped;
  rows[3] = fixture::failed(rows[3], "it crashed too");  // nothing is left of the backward
  const BarsInPrint some(rows);
  EXPECT_EQ(some.hatched(), 3U);
  EXPECT_EQ(some.edges(light_theme().slower), 2U);
  EXPECT_EQ(some.edges(light_theme().muted), 1U);
  const std::string stroke = "stroke=\"" + css_colour(light_theme().muted) + "\" stroke-width=\"0.5\"";
  EXPECT_GT(times_in_picture(some.svg, stroke), 3 * 3U) << "each has several strokes";
  EXPECT_THAT(some.svg, HasSubstr(">backward<")) << "in the legend, though it has no bar";
  EXPECT_THAT(some.caption, HasSubstr("Hatched bars have no rate. Failed (red edge): backward at 512 × 32, backward at "
                                      "256 × 64. Skipped: forward at 256 × 64. "));
  EXPECT_EQ(
      times_in_picture(some.pdf, " f\n") + times_in_picture(some.pdf, " b\n") + times_in_picture(some.pdf, " S\n"),
      times_in_picture(some.svg, "<path"));
  std::erase_if(rows, [](const ResultRow& row) { return row.status == Status::ok; });
  const BarsInPrint none(rows);
  EXPECT_EQ(none.hatched(), 3U);
  EXPECT_THAT(none.caption, testing::StartsWith("Hatched bars have no rate. Failed")) << "without any measurement";
}

TEST(PrintedPart, of_many_that_failed_the_caption_has_the_number) {
  std::vector<ResultRow> rows{fixture::row(1, 512, 32, Pass::forward, 20, 700)};
  for (int n = 0; n < 7; ++n)
    rows.push_back(fixture::failed(fixture::row(n + 2, 16 << n, 16, Pass::forward, 20, 700), "it crashed"));
  EXPECT_THAT(BarsInPrint(rows).caption, HasSubstr("Hatched bars have no rate. Failed (red edge): 7. "));
}

TEST(PrintedPart, of_a_chart_that_is_zoomed_the_part_that_is_shown_is_printed) {
  const LengthChart lengths = make_length_chart(*length_sweep(), {});
  const auto part = [](const ChartLimits& limits) { return PrintStyle{VectorFormat::svg, {}, limits}; };
  const auto check = [](const std::string& svg, const std::string& whole, const char* within, const char* beyond) {
    EXPECT_THAT(svg, AllOf(HasSubstr(within), Not(HasSubstr(beyond))));
    EXPECT_EQ(times_in_picture(svg, "<svg "), 2U) << "what lies outside is cut off at the frame";
    EXPECT_THAT(whole, HasSubstr(beyond));
    EXPECT_EQ(times_in_picture(whole, "<svg "), 1U);
  };
  const LengthPass& forward = lengths.of(Pass::forward);
  const LengthUnit rates{true, Pass::forward};
  check(lengths_picture(forward, rates, "", "", part({8192, 32768, 350, 600})), lengths_picture(forward, rates, "", ""),
        ">400<", ">0<");
  check(lengths_picture(forward, {}, "", "", part({8192, 32768, 2, 40})), lengths_picture(forward, {}, "", ""), ">16k<",
        ">128k<");
  const LatencyModel model = make_latency_model(*of_two_windows(), nullptr);
  const ChartSetting setting = chart_settings(model).front();
  const BarChart bars = make_bar_chart(model, setting);
  check(bars_picture(bars, "", "", part({0.5, 1.5, 0, 650})), bars_picture(bars, "", ""), ">256 × 64<", ">512 × 32<");
  const ScalingChart scaling = make_scaling_chart(model, setting);
  check(scaling_picture(scaling, "", "", part({16000, 17000, 18, 22})), scaling_picture(scaling, "", ""), ">16,200<",
        ">16k<");
}

/// Where the first words that begin with `words` stand, or -1.
double height_of(const std::string& svg, const std::string& words) {
  const std::size_t at = svg.find(">" + words);
  if (at == std::string::npos) return -1;
  const std::string name = " y=\"";
  return std::stod(svg.substr(svg.rfind(name, at) + name.size()));
}

TEST(PrintedPart, the_name_of_a_baseline_stands_where_what_is_shown_of_it_ends) {
  const LengthPass forward = make_length_chart(*length_sweep(), {}).of(Pass::forward);
  const auto part = [&](const ChartLimits& limits) {
    return lengths_picture(forward, {}, "", "", PrintStyle{VectorFormat::svg, {}, limits});
  };
  const std::string shown = part({8192, 32768, 2, 40});
  const double ten = height_of(shown, "10<"), twenty = height_of(shown, "20<"), ms = 32768.0 * 32768 / 37e6;
  ASSERT_GT(twenty, 0);
  EXPECT_NEAR(height_of(shown, "cuDNN"), ten + (twenty - ten) * std::log2(ms / 10), 3);
  EXPECT_LT(height_of(part({8192, 131072, 2, 40}), "cuDNN"), twenty - 15) << "at the top, where it leaves the chart";
  EXPECT_EQ(height_of(part({8192, 32768, 100, 200}), "cuDNN"), -1) << "nothing of it is shown";
}

TEST(PrintedPart, an_axis_of_powers_keeps_its_only_one_until_it_is_zoomed_and_names_no_two_values_alike) {
  const auto names = [](double low, double high, bool zoomed) {
    std::vector<std::string> all;
    for (const auto& [value, name] : power_axis(low, high, "", zoomed).ticks) all.push_back(name);
    return all;
  };
  EXPECT_THAT(names(16384 / 1.4, 16384 * 1.4, false), testing::ElementsAre("16k")) << "where the points are";
  EXPECT_THAT(names(16000, 17000, true), testing::AllOf(testing::Contains("16,200"), Not(testing::Contains("16k"))));
  EXPECT_THAT(names(16383.2, 16385.6, true), testing::ElementsAre("16,384", "16,385"));
  EXPECT_THAT(names(4200, 8100, false), testing::Contains("5,000")) << "no power is in the range";
  EXPECT_THAT(names(1024, 131072, true), testing::Contains("32k"));
}

WindowData explored_lengths(const ExploreQuery& query) {
  WindowData data;
  data.database = "/data/one.db";
  data.shown = length_sweep();
  data.sweeps.push_back(data.shown->info);
  data.revision = 1;
  const std::string name = "one.db";
  const ExploreSource source{name, data.shown->rows};
  data.explore.chart =
      std::make_shared<const ExploreChart>(explore_chart(explore({&source, 1}, query), query, {&source, 1}));
  return data;
}

TEST(PrintedPart, the_caption_of_a_part_says_what_it_lacks) {
  const ExploreQuery query{"seq", "tflops", "kernel", "pass", "", false};
  const WindowData data = explored_lengths(query);
  struct Zoom {
    Panel panel;
    ChartLimits whole;
    double right, top;  ///< of every point lies left or above
  };
  for (const auto& [panel, whole, right, top] :
       {Zoom{Panel::lengths, {512, 262144, 0.001, 10000}, 200000, 0.01},
        Zoom{Panel::tflops, {-0.5, 20, 0, 5000}, 18, 1}, Zoom{Panel::scaling, {100, 1e6, 0.001, 10000}, 5e5, 0.01},
        Zoom{Panel::explore, {512, 262144, 1, 5000}, 200000, 2}}) {
    fixture::Canvas canvas;
    canvas.ui.explore.query = query;
    Context context{canvas.look, data, canvas.ui, canvas.models, canvas.requests, 0};
    canvas.draw(panel, data);
    const std::string all = panel_words(context, panel).caption.value_or("");
    const auto said = [&, panel = panel](const ChartLimits& limits) {
      canvas.ui.zoomed[panel] = limits;
      const std::string caption = panel_words(context, panel).caption.value_or("");
      EXPECT_THAT(caption, testing::StartsWith(all)) << panel_info(panel).title;
      return caption.substr(std::min(all.size(), caption.size()));
    };
    const auto& [x_low, x_high, y_low, y_high] = whole;
    EXPECT_EQ(said(whole), "") << panel_info(panel).title << ": every point is shown";
    EXPECT_EQ(said({x_low, x_high, y_low, top}),
              " Some values lie beyond the figure's axis; the caption is of all of them.")
        << panel_info(panel).title;
    EXPECT_EQ(said({right, x_high, y_low, y_high}),
              " The figure shows a part of the chart; the caption is of all of it.")
        << panel_info(panel).title;
  }
}

TEST(PrintedPart, the_wheel_over_a_chart_decides_what_its_picture_shows_unless_all_is_asked_for) {
  const ExploreQuery query{"seq", "tflops", "kernel", "pass", "", false};
  const WindowData data = explored_lengths(query);
  for (const Panel panel : {Panel::lengths, Panel::tflops, Panel::scaling, Panel::explore}) {
    fixture::Canvas canvas;
    canvas.ui.explore.query = query;
    Context context{canvas.look, data, canvas.ui, canvas.models, canvas.requests, 0};
    canvas.draw(panel, data);
    const std::string whole = panel_picture(context, panel);
    const std::optional<std::string> caption = panel_words(context, panel).caption;
    auto& plots = ImPlot::GetCurrentContext()->Plots;
    const ImVec2 middle = plots.GetByIndex(0)->PlotRect.GetCenter();
    ImGui::GetIO().AddMousePosEvent(middle.x, middle.y);
    canvas.draw(panel, data);
    for (int n = 0; n < 8; ++n) {  // until points lie outside
      ImGui::GetIO().AddMouseWheelEvent(0, 3);
      canvas.draw(panel, data);
    }
    EXPECT_NE(panel_picture(context, panel), whole) << panel_info(panel).title;
    const bool across = panel == Panel::lengths || panel == Panel::explore;  // else all windows are still there
    EXPECT_EQ(
        panel_words(context, panel).caption,
        caption.value_or("") + (across ? " The figure shows a part of the chart; the caption is of all of it."
                                       : " Some values lie beyond the figure's axis; the caption is of all of them."));
    EXPECT_EQ(panel_words(context, panel, true).caption, caption);
    PrintChoice all;
    all.size.whole = true;
    EXPECT_EQ(panel_picture(context, panel, VectorFormat::svg, all), whole) << panel_info(panel).title;
    for (int n = 1; n < plots.GetBufSize(); ++n)
      EXPECT_EQ(plots.GetByIndex(n)->Axes[ImAxis_Y1].Range.Max, plots.GetByIndex(0)->Axes[ImAxis_Y1].Range.Max);
    canvas.ui.fit_charts = true;
    canvas.draw(panel, data);
    EXPECT_EQ(panel_picture(context, panel), whole) << panel_info(panel).title;
  }
}

}  // namespace
}  // namespace triscope
