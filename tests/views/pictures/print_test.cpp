// Vector pictures: text is text, lines are paths, nothing is raster.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <regex>
#include <sstream>

#include "kernels/base/error.hpp"
#include "kernels/paper/listing_tiles.hpp"
#include "profiler/statistics/statistics.hpp"
#include "tests/profiler/store/synthetic_database.hpp"
#include "tests/views/pictures/canvas.hpp"
#include "tests/views/sweep_fixture.hpp"
#include "tests/views/window_fixture.hpp"
#include "views/parts/chart_tools.hpp"
#include "views/parts/widgets.hpp"
#include "views/print/canvas/svg_canvas.hpp"
#include "views/print/chart_picture.hpp"
#include "views/print/plot_frame.hpp"

namespace triscope {
namespace {

using fixture::length_sweep;
using fixture::row;
using fixture::sweep;
using testing::HasSubstr;
using testing::Not;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

std::shared_ptr<SweepResults> two_windows() {
  return sweep({row(1, 512, 32, Pass::forward, 20, 700), row(2, 256, 64, Pass::forward, 24, 600),
                fixture::baseline(3, Pass::forward, 26, 650)});
}

TEST(Print, bars_have_a_path_each_and_every_word_is_text) {
  const LatencyModel model = make_latency_model(*two_windows(), nullptr);
  const BarChart chart = make_bar_chart(model, chart_settings(model).front());
  const std::string svg = bars_picture(chart, "TFLOP/s by window", "of <invented> samples & more");
  EXPECT_EQ(count(svg, "<image"), 0U);
  EXPECT_EQ(count(svg, "</svg>"), 1U);
  EXPECT_EQ(count(svg, "<text"), count(svg, "</text>"));
  const std::string bar = "fill=\"" + css_colour(series_colour(light_theme(), chart.series.front().series)) + "\"";
  EXPECT_EQ(count(svg, bar), 2U + 1U) << "two bars and the mark of the legend";
  for (const char* word : {">TFLOP/s by window<", ">512 × 32<", ">256 × 64<", ">TFLOP/s<", ">windows<"})
    EXPECT_THAT(svg, HasSubstr(word));
  EXPECT_THAT(svg, HasSubstr("of &lt;invented&gt; samples &amp; more"));
  EXPECT_THAT(svg, HasSubstr("stroke-dasharray")) << "the baseline";
  const SeriesPoints& series = chart.series.front();
  EXPECT_GT(series.points[0].below, 0);
  // Of each bar's interval a stem and two ends.
  const std::string ink = "stroke=\"" + css_colour(light_theme().text) + "\"";
  EXPECT_EQ(count(svg, ink), 3 * series.points.size());
}

/// What stands in `pdf` as text: the glyphs of each `Tj`, read back by the fonts' own tables of what they mean.
std::vector<std::string> words_of(const std::string& pdf) {
  std::vector<std::map<std::string, std::string>> fonts;  // F0, F1: from glyph to letter
  for (std::size_t at = pdf.find("begincmap"); at != std::string::npos; at = pdf.find("begincmap", at + 1)) {
    auto& font = fonts.emplace_back();
    const std::string table = pdf.substr(at, pdf.find("endcmap", at) - at);
    static const std::regex glyph("<([0-9A-F]{4})> <([0-9A-F]+)>\n");
    for (std::sregex_iterator line(table.begin(), table.end(), glyph), end; line != end; ++line)
      font[(*line)[1]] = (*line)[2];
  }
  std::vector<std::string> words;
  static const std::regex shown("/F([01]) [0-9.]+ Tf [^<]*<([0-9A-F]*)> Tj");
  for (std::sregex_iterator text(pdf.begin(), pdf.end(), shown), end; text != end; ++text) {
    const std::string digits = (*text)[2];
    std::string& word = words.emplace_back();
    for (std::size_t n = 0; n + 4 <= digits.size(); n += 4) {
      const std::string letter = fonts.at(static_cast<std::size_t>((*text)[1].str()[0] - '0')).at(digits.substr(n, 4));
      const auto code = std::stoul(letter, nullptr, 16);
      if (code < 0x80) {
        word += static_cast<char>(code);
      } else {
        word += static_cast<char>(0xC0 | code >> 6);
        word += static_cast<char>(0x80 | (code & 0x3F));
      }
    }
  }
  return words;
}

TEST(Print, a_pdf_has_the_words_and_the_paths_of_the_svg) {
  const LatencyModel model = make_latency_model(*two_windows(), nullptr);
  const BarChart chart = make_bar_chart(model, chart_settings(model).front());
  const std::string svg = bars_picture(chart, "TFLOP/s by window", "a caption");
  const std::string pdf = bars_picture(chart, "TFLOP/s by window", "a caption", VectorFormat::pdf);
  EXPECT_EQ(count(pdf, " Tj ET\n"), count(svg, "<text"));
  EXPECT_EQ(count(pdf, " f\n") + count(pdf, " b\n") + count(pdf, " S\n"), count(svg, "<path"));
  EXPECT_EQ(count(pdf, "/Subtype /Image"), 0U);
  EXPECT_EQ(count(pdf, "/FontFile3") + count(pdf, "/FontFile2"), 2U) << "both fonts are inside";
  const std::vector<std::string> words = words_of(pdf);
  EXPECT_THAT(words, testing::IsSupersetOf({"TFLOP/s by window", "512 × 32", "256 × 64", "windows", "a caption"}));
}

TEST(Print, a_pdf_says_where_its_objects_and_their_ends_are) {
  const LatencyModel model = make_latency_model(*two_windows(), nullptr);
  const std::string pdf =
      bars_picture(make_bar_chart(model, chart_settings(model).front()), "Bars", "", VectorFormat::pdf);
  ASSERT_THAT(pdf, testing::StartsWith("%PDF-1.6"));
  ASSERT_THAT(pdf, testing::EndsWith("%%EOF\n"));
  const std::size_t table = std::stoul(pdf.substr(pdf.rfind("startxref") + 10));
  ASSERT_EQ(pdf.substr(table, 4), "xref");
  std::size_t number = 0, line = pdf.find("\n0000000000 65535 f", table) + 21;  // behind the entry of what is free
  for (; pdf[line] != 't'; line += 20) {
    const std::size_t place = std::stoul(pdf.substr(line, 10));
    EXPECT_EQ(pdf.substr(place, 9).find(std::to_string(++number) + " 0 obj"), 0U) << number;
  }
  EXPECT_EQ(number, 15U) << "five of the picture, five of each font";
  static const std::regex length("/Length ([0-9]+)[^>]*>>\nstream\n");
  std::size_t streams = 0;
  for (std::sregex_iterator one(pdf.begin(), pdf.end(), length), end; one != end; ++one, ++streams) {
    const std::size_t begin = static_cast<std::size_t>(one->position() + one->length());
    EXPECT_EQ(pdf.substr(begin + std::stoul((*one)[1]), 10), "\nendstream") << streams;
  }
  EXPECT_EQ(streams, 5U) << "the content, and of each font its program and its table";
}

TEST(Print, lines_by_length_and_by_area_are_paths_with_marks) {
  const LengthChart lengths = make_length_chart(*length_sweep(), {});
  const std::string svg = lengths_picture(lengths.of(Pass::forward), {}, "Latency", "caption");
  EXPECT_EQ(count(svg, "<image"), 0U);
  EXPECT_EQ(count(svg, "stroke-width=\"1.75\""), 2U * 2U) << "two curves of ours, each in the legend too";
  EXPECT_EQ(count(svg, "stroke-dasharray"), 4U) << "baselines";
  for (const char* word : {">512 × 32<", ">1k<", ">128k<", ">latency, ms<", ">sequence length, tokens<"})
    EXPECT_THAT(svg, HasSubstr(word));
  const LatencyModel model = make_latency_model(*two_windows(), nullptr);
  const ScalingChart scaling = make_scaling_chart(model, chart_settings(model).front());
  EXPECT_THAT(scaling_picture(scaling, "Scaling", "caption"), Not(HasSubstr("<image")));
}

TEST(Print, a_map_has_a_box_and_a_number_for_each_pair_of_windows) {
  const LatencyModel model = make_latency_model(*two_windows(), nullptr);
  const WindowMap map =
      make_window_map(model, chart_settings(model).front(), map_series(model).front(), MapMetric::tflops);
  const std::string svg = map_picture(map, MapMetric::tflops, "Map", "caption");
  EXPECT_THAT(svg, HasSubstr(">700<"));
  EXPECT_THAT(svg, HasSubstr(">600<"));
  EXPECT_EQ(count(svg, "<path") - count(svg, "stroke="), 1U + 2U + 48U)
      << "the ground, two cells and the scale of their colours";
}

TEST(Print, what_has_no_known_interval_is_hollow_as_in_the_window) {
  auto results = two_windows();
  results->rows[0].ci_low_ms = results->rows[0].ci_high_ms = std::nullopt;
  const LatencyModel model = make_latency_model(*results, nullptr);
  const std::string hollow = "fill=\"" + css_colour(light_theme().panel) + "\" stroke=";
  const ChartSetting setting = chart_settings(model).front();
  EXPECT_EQ(count(bars_picture(make_bar_chart(model, setting), "Bars", ""), hollow), 1U);
  EXPECT_EQ(count(scaling_picture(make_scaling_chart(model, setting), "Scaling", ""), hollow), 1U);
  const WindowMap map = make_window_map(model, setting, map_series(model).front(), MapMetric::tflops);
  const std::string svg = map_picture(map, MapMetric::tflops, "Map", "");
  EXPECT_EQ(count(svg, hollow), 1U);
  EXPECT_THAT(svg, HasSubstr(">700 ?<"));
  auto lengths = length_sweep();
  lengths->rows[0].ci_low_ms = lengths->rows[0].ci_high_ms = std::nullopt;
  EXPECT_EQ(count(lengths_picture(make_length_chart(*lengths, {}).of(Pass::forward), {}, "Lengths", ""), hollow), 1U);
}

TEST(Print, a_very_wide_interval_is_cut_off_at_the_frame) {
  const LatencyModel model = make_latency_model(*two_windows(), nullptr);
  BarChart chart = make_bar_chart(model, chart_settings(model).front());
  const std::string ink = "stroke=\"" + css_colour(light_theme().text) + "\"";
  const std::size_t whole = count(bars_picture(chart, "Bars", ""), ink);
  chart.series.front().points.front().above = 1e6;
  const std::string svg = bars_picture(chart, "Bars", "");
  EXPECT_THAT(svg, Not(HasSubstr("e+06<"))) << "the axis is that of the bars";
  EXPECT_EQ(count(svg, ink), whole - 1) << "its upper end is not seen";
}

TEST(Print, a_training_step_is_drawn_where_it_is_chosen) {
  fixture::Canvas canvas;
  WindowData data;
  data.database = "/data/results.db";
  data.shown = length_sweep();
  data.revision = 1;
  canvas.ui.length_step = true;
  Context context{canvas.look, data, canvas.ui, canvas.models, canvas.requests, 0};
  EXPECT_THAT(panel_picture(context, Panel::lengths), HasSubstr("Latency by sequence length, training step"));
}

/// Each page of the paper with a chart has it as vectors; the others say why not.
TEST(Print, the_paper_s_pages_are_drawn_as_they_are_set) {
  fixture::Canvas canvas;
  WindowData data;
  data.database = "/data/results.db";
  data.shown = length_sweep();
  data.revision = 1;
  PaperUi& ui = canvas.ui.paper;
  const TileQuestion question = *tiles_question(ui.tiles);
  data.tiles.answer =
      std::make_shared<const TileAnswer>(TileAnswer{question, listing_tile_uses(question.problem, question.query), {}});
  Context context{canvas.look, data, canvas.ui, canvas.models, canvas.requests, 0};
  ui.the_operator.window1 = 256;
  ui.rotation.i = 33;
  const std::map<PaperPage, std::string> titles{{PaperPage::table1, "Table 1 of the paper beside this device"},
                                                {PaperPage::lengths, "Latency by sequence length, forward"},
                                                {PaperPage::the_operator, "FLOPs of one head and dimension, 256"},
                                                {PaperPage::tiling, "Tiles of query 20,000, paper forward"},
                                                {PaperPage::rotation, "from positions 33, 37 and 12"},
                                                {PaperPage::match3, "and may be, for 8 numbers"},
                                                {PaperPage::laws, ">MMLU-pro<"},
                                                {PaperPage::recipe, "Attention in a training step of 32 layers"}};
  for (int n = 0; n < static_cast<int>(PaperPage::count); ++n) {
    ui.page = static_cast<PaperPage>(n);
    const auto title = titles.find(ui.page);
    if (title == titles.end()) {
      EXPECT_THROW(panel_picture(context, Panel::paper), Error) << paper_page_id(ui.page);
      continue;
    }
    const std::string svg = panel_picture(context, Panel::paper);
    EXPECT_THAT(svg, HasSubstr(title->second)) << paper_page_id(ui.page);
    if (const char* folder = std::getenv("TRISCOPE_PICTURES"))  // to be looked at
      std::ofstream(fmt::format("{}/print_{}.svg", folder, paper_page_id(ui.page))) << svg;
    EXPECT_THAT(svg, Not(testing::ContainsRegex("[ \"]-?(nan|inf)[ \"<]"))) << paper_page_id(ui.page);
    EXPECT_THAT(panel_picture(context, Panel::paper, VectorFormat::pdf), testing::StartsWith("%PDF-"));
  }
  ui.page = PaperPage::laws;
  for (const char* tick : {">0.3<", ">0.55<", ">0.8<", ">0.18<"})  // one at least of each benchmark
    EXPECT_THAT(panel_picture(context, Panel::paper), HasSubstr(tick));
}

TEST(Print, a_name_that_ends_in_svg_or_pdf_saves_the_chart_in_front_as_vectors) {
  fixture::WindowOnDatabase window;
  window.stage->settle();
  for (const auto& [ending, begin] : {std::pair(".svg", "<?xml"), std::pair(".pdf", "%PDF-1.6")}) {
    for (const Panel panel : {Panel::latency, Panel::tflops, Panel::map, Panel::scaling}) {
      const std::filesystem::path file = window.folder / (panel_info(panel).id + std::string(ending));
      window.application().carry_out(ask::SaveChart{panel, file.string()});
      window.stage->settle();
      std::ifstream stream(file);
      std::stringstream text;
      text << stream.rdbuf();
      EXPECT_THAT(text.str(), testing::StartsWith(begin)) << panel_info(panel).id;
      EXPECT_THAT(text.str(), Not(HasSubstr(" nan"))) << panel_info(panel).id;
    }
    for (const Panel panel : {Panel::samples, Panel::details, Panel::attention, Panel::compare, Panel::log})
      EXPECT_THROW(window.application().carry_out(ask::SaveChart{panel, (window.folder / "s").string() + ending}),
                   std::exception)
          << "nothing is selected or compared, and a log is no chart";
  }
}

/// Words, strokes and areas of a picture, which its PDF has too; nothing is raster.
void check_both(const std::function<std::string(VectorFormat)>& picture) {
  const std::string svg = picture(VectorFormat::svg), pdf = picture(VectorFormat::pdf);
  EXPECT_EQ(count(svg, "<image"), 0U);
  EXPECT_EQ(count(pdf, "/Subtype /Image"), 0U);
  EXPECT_THAT(svg.substr(svg.find("</style>")), Not(HasSubstr("nan")));
  EXPECT_EQ(count(pdf, " Tj ET\n"), count(svg, "<text"));
  EXPECT_GT(count(svg, "<text"), 5U);
}

TEST(Print, samples_have_a_mark_each_and_a_lane_for_each_reading) {
  std::vector<Sample> samples = synthetic_measurement(1, 12).samples;
  for (std::size_t n = 0; n < samples.size(); ++n) {
    samples[n].flag = n < 3 ? "throttled: sw_power_cap" : "";
    samples[n].sm_clock_mhz = 1700 + static_cast<double>(n);
    samples[n].power_w = 650;
    samples[n].temperature_c = std::nullopt;
  }
  const SampleChart chart = make_sample_chart(samples);
  const Summary summary = summarize(samples, StoppingRule{});
  const auto picture = [&](VectorFormat format) {
    return samples_picture(chart, summary, "Samples", "a caption", format);
  };
  check_both(picture);
  const std::string svg = picture(VectorFormat::svg);
  const auto bars = static_cast<std::size_t>(
      std::ranges::count_if(chart.histogram.counts, [](double samples_of_it) { return samples_of_it > 0; }));
  EXPECT_EQ(count(svg, "fill=\"" + css_colour(light_theme().series[0]) + "\""), 12 + 1 + bars)
      << "each sample, the legend and the bars";
  for (const char* word : {">MHz<", ">W<", ">limit<", ">seconds<", ">flagged<", ">95 % interval<"})
    EXPECT_THAT(svg, HasSubstr(word));
  EXPECT_THAT(svg, Not(HasSubstr("°C"))) << "was not read";
  std::vector<Sample> many = synthetic_measurement(1, 20'000).samples;
  const SampleChart thinned = make_sample_chart(many);
  const std::string large = samples_picture(thinned, summarize(many, StoppingRule{}), "Samples", "");
  EXPECT_LT(count(large, "<path"), thinned.flagged_ms.size() + thinned.limits.size() + 250)
      << "three curves stand for 20,000 samples";
}

TEST(Print, a_lane_has_a_line_for_each_restart_and_a_mark_where_that_has_one_reading) {
  std::vector<Sample> samples = synthetic_measurement(1, 12).samples;
  for (std::size_t n = 0; n < samples.size(); ++n) {
    samples[n].flag.clear();
    samples[n].sm_clock_mhz = 1700 + static_cast<double>(n);
    samples[n].power_w = samples[n].temperature_c = std::nullopt;
    samples[n].throttle_bits = std::nullopt;
  }
  const std::string colour = css_colour(light_theme().muted);
  const auto lines_and_marks = [&] {
    const std::string svg = samples_picture(make_sample_chart(samples), summarize(samples, StoppingRule{}), "", "");
    return std::pair(count(svg, "stroke=\"" + colour + "\""), count(svg, "<path") + count(svg, "<circle"));
  };
  for (Sample& sample : samples) sample.restart = 0;
  const auto [lines, paths] = lines_and_marks();
  for (std::size_t n = 5; n < samples.size(); ++n) samples[n].restart = n < 11 ? 1 : 2;
  const auto [broken_lines, broken_paths] = lines_and_marks();
  EXPECT_EQ(broken_lines, lines + 1) << "of five and of six readings";
  EXPECT_EQ(broken_paths, paths + 2) << "one line more, and a mark for the last reading";
}

TEST(Print, an_exploration_has_its_panels_marks_and_named_axes) {
  fixture::WindowOnDatabase window;
  window.stage->settle();
  window.application().ui().explore.query = {"w1", "tflops", "kernel", "pass", "", false};
  window.application().carry_out(ask::ShowPanel{Panel::explore});
  window.stage->settle();
  const ExploreChart& chart = *window.application().data().explore.chart;
  ASSERT_GT(chart.plots.size(), 1U);
  const auto picture = [&](VectorFormat format) { return explore_picture(chart, "Explore", "a caption", format); };
  check_both(picture);
  const std::string svg = picture(VectorFormat::svg);
  for (const ExplorePlot& plot : chart.plots) {
    EXPECT_THAT(svg, HasSubstr(">" + plot.name + "<"));
    for (const ExploreLine& line : plot.lines)
      EXPECT_THAT(svg, HasSubstr(">" + line.name + "<")) << "as the window calls it";
  }
  EXPECT_THAT(svg, HasSubstr(">" + chart.x.label + "<"));
  for (const char* ending : {".svg", ".pdf"}) {
    const std::filesystem::path file = window.folder / (std::string("explore") + ending);
    window.application().carry_out(ask::SaveChart{Panel::explore, file.string()});
    window.stage->settle();
    EXPECT_GT(std::filesystem::file_size(file), 1000U);
  }
}

TEST(Print, an_exploration_has_caps_a_wrapped_title_and_its_panel_apart_from_the_legend) {
  std::vector<ResultRow> rows;
  for (std::int64_t n = 0; n < 3; ++n) {
    rows.push_back(row(n + 1, 512, 32, Pass::forward, 20 + 4 * static_cast<double>(n), 0.2, "cuda.hopper"));
    rows.back().problem.seq_len = 1024 << n;
  }
  const std::string name = "one.db";
  const ExploreSource source{name, rows};
  const ExploreQuery query{"seq", "ms", "kernel", "pass", "", false};
  const ExploreChart chart = explore_chart(explore({&source, 1}, query), query, {&source, 1});
  const std::string title =
      "A title that is so long that it needs a second line of the picture, as one that names all settings for a paper "
      "does";
  const std::string svg = explore_picture(chart, title, "a caption");
  EXPECT_EQ(count(svg, ">" + title + "<"), 1U) << "in one line for who hears it, in two for who sees it";
  // The line through the points, and of each point the whisker and two caps; the legend has one more.
  const std::string stroke = "stroke=\"" + css_colour(explore_colour(light_theme(), chart.plots[0].lines[0])) + "\"";
  EXPECT_EQ(count(svg, stroke), 1U + 3 * rows.size() + 1U);
  const auto height = [&](const std::string& words) {
    std::smatch found;
    const std::regex text("<text x=\"[^\"]*\" y=\"([^\"]*)\"[^>]*>" + words + "<");
    return std::regex_search(svg, found, text) ? std::stof(found[1]) : -1.0F;
  };
  EXPECT_GT(height("Hopper"), 0) << "its name in the window; the caption says which kernel that is";
  EXPECT_GT(height("forward"), height("Hopper") + 10) << "below the legend";
}

TEST(Print, a_mark_lies_whole_over_its_interval) {
  std::vector<ResultRow> rows;
  for (std::int64_t n = 0; n < 3; ++n) {
    rows.push_back(row(n + 1, 512, 32, Pass::forward, 20 + 4 * static_cast<double>(n), 0.2, "cuda.hopper"));
    rows.back().problem.seq_len = 1024 << n;
  }
  const auto drawn = [&](double half) {
    for (ResultRow& one : rows) one.ci_low_ms = *one.median_ms - half, one.ci_high_ms = *one.median_ms + half;
    const std::string name = "one.db";
    const ExploreSource source{name, rows};
    const ExploreQuery query{"seq", "ms", "kernel", "", "", false};
    const ExploreChart chart = explore_chart(explore({&source, 1}, query), query, {&source, 1});
    return std::pair(explore_picture(chart, "", ""), explore_caption(chart));
  };
  const auto [high, of_high] = drawn(0.5);
  EXPECT_EQ(count(high, "stroke=\"" + css_colour(light_theme().panel) + "\""), 0U) << "nothing light cuts into a mark";
  const std::size_t mark = high.rfind(" 0 1 0 ");  // half of a circle
  ASSERT_NE(mark, std::string::npos);
  EXPECT_GT(mark, high.rfind("fill=\"none\" stroke="));
  EXPECT_THAT(of_high, Not(HasSubstr("smaller than its mark")));
  const auto [low, of_low] = drawn(0.005);
  EXPECT_THAT(of_low, HasSubstr("; one smaller than its mark has no bar"));
  const std::string stroke = "fill=\"none\" stroke=";
  EXPECT_EQ(count(high, stroke), count(low, stroke) + 3 * 3) << "of each point a bar with two ends";
}

TEST(Print, an_axis_that_does_not_begin_at_zero_has_a_mark) {
  const auto strokes = [](double low) {
    const PlotText text{"t", "c", {}, 0};
    const PrintPage page = make_page({}, text);
    const PlotFrame frame(page, linear_axis(4, "x"), range_axis(low, 10, "y"), text);
    return count(page.canvas->finish(), "stroke=\"" + css_colour(light_theme().muted) + "\"");
  };
  EXPECT_EQ(strokes(5), strokes(0) + 2);
}

TEST(Print, an_axis_has_a_stroke_at_each_size_and_a_number_at_each_line) {
  const PlotText text{"", "", {}, 0};
  const PrintPage page = make_page({VectorFormat::svg, {8.5, {}, 8}}, text, 60);
  PlotAxis x = power_axis(1024, 65536, "tokens");
  x.ticks.insert(x.ticks.end() - 1, {36864, ""});  // beside 32k there is no room for its name
  const std::size_t sizes = x.ticks.size();
  const PlotFrame frame(page, std::move(x), range_axis(560, 748, "TFLOP/s", 10), text);
  const std::string svg = page.canvas->finish();
  EXPECT_EQ(count(svg, "stroke=\"" + css_colour(light_theme().muted) + "\""), sizes + 2 + 2)
      << "both axes, and two strokes where the upright one is cut";
  for (const char* size : {"1k", "2k", "4k", "8k", "16k", "32k", "64k"})
    EXPECT_EQ(count(svg, fmt::format(">{}<", size)), 1U) << size << ": a stroke without a name takes none away";
  std::size_t numbers = 0;
  for (int tick = 560; tick <= 740; tick += 10) numbers += count(svg, fmt::format(">{}<", tick));
  EXPECT_GT(numbers, 1U);
  EXPECT_LE(static_cast<float>(numbers - 1) * 10, frame.high().y - frame.low().y) << "which are 10 high";
  EXPECT_EQ(count(svg, "stroke=\"" + css_colour(light_theme().line) + "\""), numbers);
}

TEST(Print, an_exploration_begins_at_zero_where_that_is_asked_for) {
  std::vector<ResultRow> rows;
  for (std::int64_t n = 0; n < 3; ++n) {
    rows.push_back(row(n + 1, 512, 32, Pass::forward, 20, 600 + 10 * static_cast<double>(n), "cuda.hopper"));
    rows.back().problem.seq_len = 1024 << n;
  }
  const std::string name = "one.db";
  const ExploreSource source{name, rows};
  const ExploreQuery query{"seq", "tflops", "kernel", "", "", false};
  const ExploreChart chart = explore_chart(explore({&source, 1}, query), query, {&source, 1});
  PrintStyle style;
  EXPECT_EQ(count(explore_picture(chart, "", "", style), ">0<"), 0U);
  style.size.from_zero = true;
  EXPECT_EQ(count(explore_picture(chart, "", "", style), ">0<"), 1U);
}

TEST(Print, a_title_that_was_typed_takes_the_place_of_the_charts_own) {
  fixture::WindowOnDatabase window;
  window.stage->settle();
  const std::filesystem::path file = window.folder / "titled.svg";
  window.application().carry_out(ask::SaveChart{Panel::tflops, file.string(), "Figure 3"});
  window.stage->settle();
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  EXPECT_THAT(text.str(), HasSubstr(">Figure 3<"));
  EXPECT_THAT(text.str(), Not(HasSubstr(">TFLOP/s by window")));
}

TEST(Print, a_comparison_has_a_line_for_each_row_with_its_verdict) {
  CompareModel model;
  model.sweeps = {"10:00", "11:00"};
  const auto line = [&](const char* window, double ratio, Verdict verdict, bool known) {
    CompareLine& one = model.lines.emplace_back();
    one.window = window;
    one.kernel = "Hopper";
    one.cells = {CompareCell{1, 1, 20.0, 2, Status::ok, {}},
                 CompareCell{2, 1, 20.0 / ratio, 2, Status::ok, Comparison{}}};
    one.cells[1]->comparison->ratio = ratio;
    one.cells[1]->comparison->verdict = verdict;
    if (known) one.cells[1]->comparison->interval = {ratio * 0.98, ratio * 1.02};
  };
  line("512 × 32", 1.21, Verdict::faster, true);
  line("256 × 64", 0.9, Verdict::unclear, false);
  line("128 × 128", 1.0, Verdict::same, true);
  model.lines.emplace_back().cells = {CompareCell{}, std::nullopt};
  const auto picture = [&](VectorFormat format) { return compare_picture(model, "Compared", "a caption", format); };
  check_both(picture);
  const std::string svg = picture(VectorFormat::svg);
  EXPECT_THAT(svg, HasSubstr(">512 × 32 Hopper<"));
  EXPECT_THAT(svg, HasSubstr(">1.210 shorter<")) << "as many digits as the interval bears";
  EXPECT_THAT(svg, HasSubstr("time here / time of 10:00; below 1 is shorter"));
  EXPECT_EQ(count(svg, "fill=\"" + css_colour(light_theme().faster) + "\""), 2U) << "the mark and the words";
  EXPECT_EQ(count(svg, "stroke-width=\"1.5\""), 3U) << "the intervals that are known, and the mark without one";
  for (const auto& [verdict, words] : {std::pair{Verdict::same, "same"}, std::pair{Verdict::unclear, "unclear"}}) {
    const std::string before = svg.substr(0, svg.find(fmt::format(" {}<", words)));
    const std::string tag = before.substr(before.rfind("<text"));
    EXPECT_THAT(tag, HasSubstr(css_colour(verdict_colour(light_theme(), verdict)))) << "as in the panel";
  }
  EXPECT_EQ(count(svg, ">Hopper<"), 0U) << "a row without a ratio has no line";
}

TEST(Print, axes_hold_their_range_and_name_round_values) {
  const PlotAxis linear = linear_axis(748, "TFLOP/s");
  EXPECT_EQ(linear.ticks.front().second, "0");
  EXPECT_EQ(linear.ticks[1].second, "200");
  EXPECT_EQ(linear.share(748), 1);
  const PlotAxis tokens = power_axis(900, 140'000, "tokens");
  EXPECT_EQ(tokens.ticks.front().second, "1k");
  EXPECT_EQ(tokens.ticks.back().second, "128k");
  EXPECT_NEAR(decade_axis(0.1, 10, "ms").share(1), 0.5, 1e-12);
}

}  // namespace
}  // namespace triscope
