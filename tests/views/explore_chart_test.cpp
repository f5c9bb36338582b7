// What the Explore panel draws, made of invented rows.
#include "views/model/charts/explore_chart.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/views/sweep_fixture.hpp"
#include "views/data/format.hpp"

namespace triscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

ExploreChart chart_of(const std::vector<ResultRow>& rows, const ExploreQuery& query) {
  const std::string name = "one.db";
  const ExploreSource source{name, rows};
  return explore_chart(explore({&source, 1}, query), query, {&source, 1});
}

/// One of 128 tokens more than the one before.
std::vector<ResultRow> many_rows(std::int64_t count, const char* kernel = "cpu.fast") {
  std::vector<ResultRow> rows;
  for (std::int64_t n = 0; n < count; ++n) {
    ResultRow row = fixture::row(n + 1, 16, 16, Pass::forward, 1.0 + static_cast<double>(n % 97), 0.2, kernel);
    row.problem.seq_len = 128 * (n + 1);
    rows.push_back(std::move(row));
  }
  return rows;
}

TEST(ExploreChart, has_a_panel_for_each_pass_and_a_mark_for_each_configuration) {
  const std::vector<ResultRow> rows = fixture::length_sweep()->rows;
  const ExploreChart chart = chart_of(rows, {"seq", "ms", "kernel", "pass", "kernel=cuda.hopper window=512x32", false});
  ASSERT_THAT(chart.plots, SizeIs(2));
  EXPECT_EQ(chart.plots[0].name, "forward");
  ASSERT_THAT(chart.plots[0].lines, SizeIs(1));
  const ExploreLine& line = chart.plots[0].lines[0];
  EXPECT_EQ(line.name, "Hopper") << "its name as everywhere in the window";
  EXPECT_TRUE(line.joined);
  EXPECT_THAT(line.marks, SizeIs(8));
  EXPECT_EQ(line.marks[0].x, 1024);
  EXPECT_TRUE(chart.x.logarithmic);
  EXPECT_THAT(chart.x.ticks, SizeIs(8));
  EXPECT_EQ(chart.rows, rows.size());
  EXPECT_EQ(chart.matched, 16U);
  EXPECT_THAT(explore_text(chart).rows, SizeIs(16));
}

TEST(ExploreChart, sweeps_of_one_number_in_several_databases_are_as_many) {
  const std::vector<ResultRow> rows = many_rows(3);
  std::vector<ResultRow> others = many_rows(3), fast = many_rows(2, "cpu.oracle");
  others.insert(others.end(), fast.begin(), fast.end());
  for (ResultRow& row : others) row.started = "2030-01-01T00:00:00Z";
  const std::vector<ExploreSource> sources{{"open.db", rows}, {"other.db", others}};
  const ExploreQuery query{"seq", "ms", "kernel", "", "", false};
  const ExploreChart chart = explore_chart(explore(sources, query), query, sources, {"open.db", "other.db"});
  EXPECT_EQ(chart.conditions.sweeps.size(), 2U);
  const std::string caption = explore_caption(chart);
  EXPECT_THAT(caption, HasSubstr("8 measurements of 2 sweeps in 2 databases"));
  EXPECT_THAT(caption, HasSubstr(" of sweep 1 of other.db: "));
  EXPECT_THAT(caption, Not(HasSubstr("of sweep 1: ")));
}

TEST(ExploreChart, no_line_joins_points_that_differ_in_more_than_x_which_is_said) {
  std::vector<ResultRow> rows = many_rows(3);
  EXPECT_TRUE(chart_of(rows, {}).plots.at(0).lines.at(0).joined);
  rows[2].problem.window1 = 32;
  const ExploreChart chart = chart_of(rows, {});
  EXPECT_FALSE(chart.plots.at(0).lines.at(0).joined);
  EXPECT_THAT(explore_caption(chart), HasSubstr("No line joins points that differ in windows."));
  std::vector<ResultRow> repeats(2, rows.front());
  repeats[1].measurement = 2;
  *repeats[1].median_ms *= 2;
  const ExploreChart over_time = chart_of(repeats, {"ms", "tflops", "kernel", "pass", ""});
  ASSERT_THAT(over_time.plots.at(0).lines.at(0).marks, SizeIs(2));
  EXPECT_FALSE(over_time.plots[0].lines[0].joined) << "one configuration twice";
}

TEST(ExploreChart, a_point_of_several_databases_says_whose_it_is) {
  const std::vector<ResultRow> rows = many_rows(3);
  std::vector<ResultRow> others = many_rows(4);
  for (ResultRow& row : others) row.started = "2030-01-01T00:00:00Z", row.device = "NVIDIA Other";
  const std::vector<ExploreSource> sources{{"open.db", rows}, {"other.db", others}};
  ExploreQuery query{"seq", "ms", "", "", "", false};
  const ExploreChart chart = explore_chart(explore(sources, query), query, sources, {"open.db", "other.db"});
  EXPECT_THAT(chart.databases, ElementsAre("open.db", "other.db"));
  EXPECT_THAT(chart.devices, testing::Contains("NVIDIA Other"));
  query.color = "database";
  const ExploreChart apart = explore_chart(explore(sources, query), query, sources, {"open.db", "other.db"});
  ASSERT_THAT(apart.plots.at(0).lines, SizeIs(2));
  const ExploreLine &own = apart.plots[0].lines[0], &foreign = apart.plots[0].lines[1];
  EXPECT_EQ(own.name, "open.db");
  EXPECT_THAT(own.marks, SizeIs(3));
  ASSERT_THAT(foreign.marks, SizeIs(4));
  EXPECT_FALSE(own.marks[0].elsewhere);
  EXPECT_TRUE(foreign.marks[0].elsewhere);
  EXPECT_THAT(foreign.marks[0].measurements, testing::IsEmpty())
      << "its number is that of another measurement in the open database";
  EXPECT_EQ(foreign.marks[0].measurement, 1);
  EXPECT_THAT(foreign.marks[0].text, HasSubstr("in other.db: open it to select this"));
  EXPECT_THAT(own.marks[0].text, HasSubstr("in open.db"));
  EXPECT_THAT(chart_of(rows, query).plots[0].lines[0].marks[0].text, Not(HasSubstr("one.db"))) << "there is only one";
  const TextTable text = explore_text(apart);
  ASSERT_THAT(text.rows, SizeIs(7));
  for (const auto& line : text.rows) ASSERT_THAT(line, SizeIs(text.header.size()));
  const auto column = [&](const char* name) {
    return static_cast<std::size_t>(std::ranges::find(text.header, name) - text.header.begin());
  };
  EXPECT_EQ(text.rows[3][column("database")], "other.db");
  EXPECT_EQ(text.rows[3][column("measurement")], "1");
  EXPECT_EQ(text.rows[3][column("seq")], "128");
}

TEST(ExploreChart, a_point_of_repeats_in_two_databases_selects_those_of_the_open_one) {
  std::vector<ResultRow> rows = many_rows(1), others = rows;
  rows[0].started = "2026-01-01T00:00:00Z";
  others[0].started = "2026-02-01T00:00:00Z";
  others[0].measurement = 70;
  *others[0].median_ms *= 1.5;
  const std::vector<ExploreSource> sources{{"open.db", rows}, {"other.db", others}};
  const ExploreQuery query{"seq", "ms", "", "", "", false};
  const ExploreChart chart = explore_chart(explore(sources, query), query, sources, {"open.db", "other.db"});
  const ExploreMark& mark = chart.plots.at(0).lines.at(0).marks.at(0);
  EXPECT_EQ(mark.repeats, 2U);
  EXPECT_THAT(mark.measurements, ElementsAre(rows[0].measurement)) << "though the other is newer";
  EXPECT_EQ(mark.measurement, rows[0].measurement);
  EXPECT_EQ(mark.database, "open.db");
  EXPECT_FALSE(mark.elsewhere);
  EXPECT_THAT(mark.text, HasSubstr("median of 2 measurements"));
}

TEST(ExploreChart, stands_in_rows_and_columns_also_where_nothing_was_measured) {
  std::vector<ResultRow> rows = fixture::small_sweep()->rows;
  std::erase_if(rows, [](const ResultRow& row) { return row.measurement == 4; });  // 256 x 64, backward
  const ExploreChart chart = chart_of(rows, {"seq", "ms", "kernel", "window", "kernel=cpu.fast", false, "pass"});
  EXPECT_EQ(chart.columns, 2U);
  ASSERT_THAT(chart.plots, SizeIs(4));
  EXPECT_EQ(chart.plots[0].row, "forward");
  EXPECT_EQ(chart.plots[2].row, "backward");
  EXPECT_EQ(chart.plots[0].name, chart.plots[2].name);
  std::size_t empty = 0;
  for (const ExplorePlot& plot : chart.plots) empty += plot.lines.empty() ? 1 : 0;
  EXPECT_EQ(empty, 1U);
  EXPECT_EQ(chart.plots_left_out, 0U);
}

TEST(ExploreChart, a_mark_names_its_row_and_its_interval) {
  ResultRow unknown = fixture::row(2, 256, 64, Pass::forward, 30, 0.2);
  unknown.ci_low_ms.reset();
  unknown.ci_high_ms.reset();
  const std::vector<ResultRow> rows{fixture::row(1, 512, 32, Pass::forward, 24, 0.2), unknown};
  const ExploreChart chart = chart_of(rows, {"window", "ms", "", "", "", false});
  ASSERT_THAT(chart.plots.at(0).lines.at(0).marks, SizeIs(2));
  const auto& marks = chart.plots[0].lines[0].marks;
  const ExploreMark& known = marks[0].known ? marks[0] : marks[1];
  const ExploreMark& hollow = marks[0].known ? marks[1] : marks[0];
  EXPECT_THAT(known.text, HasSubstr("512 × 32"));
  EXPECT_THAT(chart.x.names, ElementsAre("256 × 64", "512 × 32"));
  EXPECT_EQ(explore_text(chart).rows[0][3], "256x64") << "data as a filter writes it";
  EXPECT_THAT(known.text, HasSubstr("95 %: 23.76 to 24.48"));
  EXPECT_THAT(known.text, HasSubstr("sweep 1, m1"));
  EXPECT_EQ(known.low, 24 * 0.99);
  EXPECT_THAT(known.measurements, ElementsAre(1));
  EXPECT_FALSE(hollow.known);
  EXPECT_THAT(hollow.text, HasSubstr("interval unknown"));
}

TEST(ExploreChart, repeats_of_one_configuration_are_one_mark_that_spans_them) {
  std::vector<ResultRow> rows;
  for (std::int64_t n = 0; n < 3; ++n) {
    rows.push_back(fixture::row(n + 1, 512, 32, Pass::forward, 20.0 + static_cast<double>(n), 0.2));
    rows.back().sweep = n + 1;
    rows.back().started = "2026-11-2" + std::to_string(n + 1) + "T14:02:31Z";
  }
  const ExploreChart chart = chart_of(rows, {});
  const ExploreMark& mark = chart.plots.at(0).lines.at(0).marks.at(0);
  EXPECT_EQ(mark.y, 21);
  EXPECT_EQ(mark.low, 20);
  EXPECT_EQ(mark.high, 22);
  EXPECT_THAT(mark.measurements, ElementsAre(1, 2, 3));
  EXPECT_EQ(mark.sweep, 3);  // of the newest, which a click selects
  EXPECT_THAT(mark.text, HasSubstr("time: 21.00 ms, median of 3 measurements, 20.00 to 22.00; selected by a click: the "
                                   "newest, 22.00"));
  EXPECT_FALSE(mark.hollow());
  for (ResultRow& row : rows) row.reason = "not converged: +-2.1 % over 2 restarts, 1.0 % was asked for";
  EXPECT_TRUE(chart_of(rows, {}).plots.at(0).lines.at(0).marks.at(0).hollow()) << "none of them converged";
}

TEST(ExploreChart, of_100000_measurements_draws_few_marks_that_stand_for_all) {
  const std::vector<ResultRow> rows = many_rows(100'000);
  const ExploreChart chart = chart_of(rows, {"seq", "ms", "", "", "", false});
  EXPECT_EQ(chart.matched, 100'000U);
  EXPECT_EQ(chart.points, 100'000U);
  EXPECT_LE(chart.drawn, kMostMarks);
  EXPECT_GT(chart.drawn, 100U);
  std::size_t stood_for = 0;
  for (const ExploreMark& mark : chart.plots.at(0).lines.at(0).marks) {
    stood_for += 1 + mark.others;
    if (mark.others == 0) {
      EXPECT_THAT(mark.text, Not(HasSubstr("stands for")));
    } else {
      EXPECT_THAT(mark.text, HasSubstr(fmt::format("stands for {} near it", counted(mark.others, "more point"))));
    }
  }
  EXPECT_EQ(stood_for, 100'000U);
  EXPECT_FALSE(chart.plots[0].lines[0].joined);
  EXPECT_THAT(chart.x.ticks, IsEmpty());  // too many sizes to name each
}

TEST(ExploreChart, joins_the_series_that_are_too_many_and_says_which_panels_are_left_out) {
  std::vector<ResultRow> rows = many_rows(60);
  for (ResultRow& row : rows) row.instance = "tile " + std::to_string(row.measurement);
  const ExploreChart chart = chart_of(rows, {"seq", "ms", "instance", "", "", false});
  ASSERT_THAT(chart.plots.at(0).lines, SizeIs(kMostLines));
  EXPECT_EQ(chart.plots[0].lines.back().name, fmt::format("{} others", 60 - (kMostLines - 1)));
  EXPECT_EQ(chart.plots[0].lines.back().style, kOtherLines);
  EXPECT_EQ(chart.drawn, 60U);
  const ExploreChart panels = chart_of(rows, {"seq", "ms", "", "instance", "", false});
  EXPECT_THAT(panels.plots, SizeIs(kMostPlots));
  EXPECT_EQ(panels.plots_left_out, 60 - kMostPlots);
}

TEST(ExploreChart, tells_what_is_wrong_with_a_filter) {
  EXPECT_THAT(filter_problem("kernel~hopper seq>=8k"), IsEmpty());
  EXPECT_THAT(filter_problem("colour=red"), Not(IsEmpty()));
  EXPECT_EQ(explore_title({"seq", "ms", "", "", "form=trilinear", true}),
            "Time by tokens, best of each, form=trilinear");
}

TEST(ExploreChart, an_axis_holds_the_intervals_but_for_what_is_very_wide) {
  std::vector<ResultRow> rows = many_rows(2);
  rows[0].median_ms = 10, rows[0].ci_low_ms = 9, rows[0].ci_high_ms = 12;
  rows[1].median_ms = 11, rows[1].ci_low_ms = 10, rows[1].ci_high_ms = 18;
  const ExploreChart chart = chart_of(rows, {"seq", "ms", "", "", "", false});
  EXPECT_EQ(chart.y.low, 9);
  EXPECT_EQ(chart.y.high, 11 * 1.5);
}

TEST(ExploreChart, the_caption_of_a_picture_says_how_what_is_drawn_was_measured) {
  std::vector<ResultRow> rows;
  for (std::int64_t n = 0; n < 3; ++n) {
    rows.push_back(fixture::row(n + 1, 512, 3, Pass::forward, 20.0 + static_cast<double>(n), 0.2, "cuda.hopper"));
    rows.back().problem.seq_len = 1024 << n;
    rows.back().sm_clock_mhz = 1700 + static_cast<double>(n);
    rows.back().samples = 4 + 7 * n;
    rows.back().timing_source = TimingSource::cupti;
  }
  const ExploreQuery query{"seq", "tflops", "kernel", "", "window=512x3", false};
  const std::string caption = explore_caption(chart_of(rows, query));
  EXPECT_THAT(caption,
              testing::StartsWith(
                  "2-simplicial attention, 512 × 3, forward. Test CPU, sustained, timed by CUPTI. Points are medians, "
                  "bars 95 % intervals. "))
      << "of rows whose restarts are not known nothing is said";
  EXPECT_THAT(caption, HasSubstr("n = 4, 11, 18 samples, 1,700 to 1,702 MHz. "));
  EXPECT_THAT(caption, Not(HasSubstr("sweep"))) << "a word of the program's";
  EXPECT_THAT(caption, Not(HasSubstr("3 measurements"))) << "as many as points";
  EXPECT_THAT(caption, Not(HasSubstr("window=512x3"))) << "a filter is no sentence";
  EXPECT_THAT(caption, HasSubstr("Hopper: cuda.hopper@abc123, trilinear, "));
  EXPECT_THAT(caption, HasSubstr("Operations: 4 d per attended triple (in the paper 6 d or more), d the head size."));
  EXPECT_THAT(caption, HasSubstr("8/1 heads, head size 64"));
  EXPECT_THAT(caption, Not(HasSubstr("hollow")));
  EXPECT_THAT(caption, Not(HasSubstr("the range of")));
  EXPECT_EQ(explore_picture_title(chart_of(rows, query)), "TFLOP/s by tokens, 512 × 3, forward");
  rows.push_back(rows.front());
  rows.back().started = "2026-11-25T14:02:31Z";
  rows[1].ci_low_ms.reset();
  const std::string merged = explore_caption(chart_of(rows, query));
  EXPECT_THAT(merged, HasSubstr("bars 95 % intervals; one smaller than its mark has no bar; hollow where the interval "
                                "is unknown; a bar without ends is the "
                                "range of 2 measurements, each a stroke right of it, its point their median. "));
  EXPECT_THAT(merged, HasSubstr("n = 4 to 18 samples")) << "four measurements are not those of three points";
  EXPECT_THAT(merged, HasSubstr("4 measurements in 3 points"));
}

/// Hopper beside FlashAttention-3, whose clocks differ; the longest did not converge.
std::vector<ResultRow> beside_fa3() {
  std::vector<ResultRow> rows;
  for (std::int64_t n = 0; n < 2; ++n) {
    for (const char* kernel : {"cuda.hopper", "baseline.fa3"}) {
      ResultRow row = fixture::row(2 * n + (rows.size() % 2 == 0 ? 1 : 2), 512, 32, Pass::forward, 20, 700, kernel);
      row.problem.seq_len = 32768 << n;
      row.sm_clock_mhz = (rows.size() % 2 == 0 ? 1700 : 1500) + static_cast<double>(10 * n);
      row.samples = 18 - 14 * n;
      row.limiter = "sw_power_cap";
      row.power_limit_w = 700;
      row.restarts = 2;
      if (rows.size() % 2 == 1) {
        row.problem.form = Form::dot_product;
        row.problem.window1 = row.problem.seq_len, row.problem.window2 = 1;
        row.card = {"FlashAttention-3", "FA3", KernelKind::dot_product, {}, 0};
        row.instance = "0.3.6";
        if (n == 1) row.reason = "not converged: +-2.1 % over 2 restarts, 1.0 % was asked for";
      }
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

TEST(ExploreChart, the_caption_tells_of_each_series_its_clock_its_samples_and_what_it_is) {
  const std::vector<ResultRow> rows = beside_fa3();
  const std::map<std::int64_t, double> precisions{{1, 0.01}};
  const std::string name = "one.db";
  const ExploreSource source{name, rows, nullptr, nullptr, nullptr, &precisions};
  const ExploreQuery query{"seq", "tflops", "kernel", "", "", false};
  const ExploreChart chart = explore_chart(explore({&source, 1}, query), query, {&source, 1});
  const std::string caption = explore_caption(chart);
  EXPECT_THAT(caption, testing::StartsWith(
                           "2-simplicial and dot-product attention, 512 × 32, forward. Test CPU at its 700 W power "));
  EXPECT_THAT(caption, HasSubstr("Points are medians of n = 4 to 18 samples in 2 runs, bars 95 % intervals from the "
                                 "spread between runs of a sweep; "))
      << "each series has as many samples: that is said once";
  EXPECT_THAT(caption, HasSubstr(" Hopper: cuda.hopper@abc123, trilinear, fp32, 8/1 heads, head size 64; 1,700 to "
                                 "1,710 MHz. "));
  EXPECT_THAT(caption,
              HasSubstr("FlashAttention-3 0.3.6: causal dot-product attention, 8/1 heads; 1,500 to 1,510 MHz. "));
  EXPECT_LT(caption.size(), 660U) << "some ten lines of a column";
  EXPECT_THAT(caption,
              HasSubstr("; hollow, 1 of 4 points: interval wider than 1.25 times the 1.0\u00A0% asked for, or too few "
                        "samples. "));
  EXPECT_THAT(caption, Not(HasSubstr("was not reached"))) << "the marks say where";
  for (const char* word : {"restart", "block", "converged", "pooled"})
    EXPECT_THAT(caption, Not(HasSubstr(word))) << "a word of the program's";
  EXPECT_TRUE(chart.plots.at(0).lines.at(1).marks.at(1).hollow());
  EXPECT_FALSE(chart.plots.at(0).lines.at(1).marks.at(0).hollow());
  EXPECT_FALSE(chart.plots.at(0).lines.at(0).marks.at(1).hollow());
  EXPECT_THAT(caption, HasSubstr("4 d per attended triple (in the paper 6 d or more) or pair, d the head size."));
  const TextTable table = explore_text(chart);
  for (const auto& line : table.rows) ASSERT_THAT(line, SizeIs(table.header.size()));
  EXPECT_THAT(table.header, testing::IsSupersetOf({"samples", "clock MHz", "held down by", "heads", "remark"}));
  EXPECT_THAT(table.rows.back(),
              testing::IsSupersetOf(std::vector<std::string>{"4", "1510", "power limit", "8/1", rows.back().reason}));
}

TEST(ExploreChart, the_caption_names_sweeps_of_a_series_only_where_they_are_not_those_of_the_others) {
  std::vector<ResultRow> rows = beside_fa3();
  rows[2].sweep = rows[3].sweep = 4;
  const ExploreQuery query{"seq", "tflops", "kernel", "", "", false};
  const std::string same = explore_caption(chart_of(rows, query));
  EXPECT_THAT(same, HasSubstr(" 4 measurements of sweeps 1 and 4. "));
  EXPECT_THAT(same, HasSubstr(" Hopper: cuda.hopper@abc123, "));
  rows[3].sweep = 5;
  const std::string apart = explore_caption(chart_of(rows, query));
  EXPECT_THAT(apart, HasSubstr(" Hopper of sweeps 1 and 4: cuda.hopper@abc123, "));
  EXPECT_THAT(apart, HasSubstr(" FlashAttention-3 0.3.6 of sweeps 1 and 5: "));
}

TEST(ExploreChart, the_caption_says_which_variants_of_a_kernel_one_line_joins) {
  std::vector<ResultRow> rows = beside_fa3();
  for (ResultRow& row : rows) {
    if (row.kernel == "cuda.hopper")
      row.instance = row.problem.seq_len == 32768 ? "d128_split64_keys128" : "d128_pair64_keys128";
  }
  const ExploreQuery query{"seq", "tflops", "kernel", "", "", false};
  EXPECT_THAT(explore_caption(chart_of(rows, query)),
              HasSubstr(" Hopper: cuda.hopper@abc123 (pair64 at 64k, split64 elsewhere), trilinear, "));
  rows = many_rows(20, "cuda.hopper");
  for (ResultRow& row : rows) row.instance = "tile" + std::to_string(row.measurement % 5);
  EXPECT_THAT(explore_caption(chart_of(rows, query)), HasSubstr(" (5 variants)"));
  rows = many_rows(4, "cuda.hopper");
  for (ResultRow& row : rows) row.instance = row.measurement == rows.front().measurement ? "split" : "pair";
  EXPECT_THAT(explore_caption(chart_of(rows, query)), testing::ContainsRegex(" \\(split at [^,]*, pair elsewhere\\)"));
}

TEST(ExploreChart, windows_a_form_or_a_version_that_leaves_references_out_says_so) {
  std::vector<ResultRow> rows = beside_fa3();
  const ExploreQuery query{"seq", "tflops", "kernel", "", "window=512x32,none", false};
  const ExploreChart chart = chart_of(rows, query);
  ASSERT_THAT(chart.hints, SizeIs(2));
  EXPECT_EQ(chart.hints[0].sentence, "No measurement has window=none.");
  EXPECT_THAT(chart.hints[1].sentence, testing::StartsWith("FlashAttention-3 has no pair of windows"));
  EXPECT_EQ(chart.hints[1].filter, "window=512x32,none,causal");
  std::vector<ResultRow> of_oracle = rows;  // which computes both
  for (ResultRow& row : of_oracle) row.card.kind = KernelKind::oracle;
  EXPECT_EQ(chart_of(of_oracle, chart.query).hints.back().filter, chart.hints[1].filter);
  EXPECT_THAT(chart_of(rows, {"seq", "tflops", "kernel", "", "window=512x32,causal", false}).hints, IsEmpty());
  const auto of_form = chart_of(rows, {"seq", "tflops", "kernel", "", "form=trilinear seq>=1k", false}).hints;
  ASSERT_THAT(of_form, SizeIs(1));
  EXPECT_EQ(of_form[0].sentence, "FlashAttention-3 has no such form: form=trilinear leaves it out.");
  EXPECT_EQ(of_form[0].filter, "seq>=1k form=trilinear,dot_product");
  EXPECT_THAT(chart_of(rows, {"seq", "tflops", "kernel", "", of_form[0].filter, false}).plots.at(0).lines, SizeIs(2));
  for (ResultRow& row : rows) row.source_hash = row.instance == "0.3.6" ? "83443aa3a2aa01" : "c47666be";
  const auto of_version = chart_of(rows, {"seq", "tflops", "kernel", "", "version~c47666be", false}).hints;
  ASSERT_THAT(of_version, SizeIs(1));
  EXPECT_EQ(of_version[0].sentence, "FlashAttention-3 has another version: version~c47666be leaves it out.");
  EXPECT_EQ(of_version[0].filter, "version~c47666be,83443aa3a2aa");
}

TEST(ExploreChart, names_of_sweeps_and_of_libraries_say_of_what_they_are) {
  std::vector<ResultRow> rows = beside_fa3();
  rows[2].sweep = rows[3].sweep = 12;
  const ExploreChart sweeps = chart_of(rows, {"seq", "tflops", "sweep", "", "kernel=baseline.fa3", false});
  ASSERT_THAT(sweeps.plots.at(0).lines, SizeIs(2));
  EXPECT_EQ(sweeps.plots[0].lines[0].name, "sweep 1");
  EXPECT_EQ(sweeps.plots[0].lines[1].name, "sweep 12");
  EXPECT_EQ(explore_text(sweeps).rows[1][2], "12");
  const ExploreChart instances = chart_of(rows, {"seq", "tflops", "", "instance", "", false});
  ASSERT_THAT(instances.plots, SizeIs(2));
  EXPECT_EQ(instances.plots[0].name, "FlashAttention-3 0.3.6");
  EXPECT_EQ(instances.plots[1].name, "default");
  for (ResultRow& row : rows) {
    if (row.kernel == "baseline.fa3" && row.problem.seq_len == rows.back().problem.seq_len) row.card.label = "Other";
  }
  const ExploreChart shared = chart_of(rows, {"seq", "tflops", "", "instance", "", false});
  EXPECT_EQ(shared.plots.at(0).name, "0.3.6") << "of two libraries it is the number";
}

TEST(ExploreChart, a_filter_of_one_sweep_keeps_its_other_terms) {
  EXPECT_EQ(sweep_term("seq>=8k sweep=4,12 pass=forward"), "sweep=4,12");
  EXPECT_EQ(sweep_term("seq>=8k"), "");
  EXPECT_EQ(sweep_term("sweep=4 colour=red"), "") << "it is wrong";
  EXPECT_EQ(filter_of_sweep("seq>=8k device=\"NVIDIA H200\"", 12), "seq>=8k device=\"NVIDIA H200\" sweep=12");
  EXPECT_EQ(filter_of_sweep("sweep=4 seq>=8k sweep!=5", 12), "seq>=8k sweep=12");
  EXPECT_EQ(filter_of_sweep("sweep=4 seq>=8k", 0), "seq>=8k");
  EXPECT_EQ(filter_of_sweep("", 3), "sweep=3");
}

TEST(ExploreChart, the_best_of_each_says_over_what_and_from_how_many) {
  const std::vector<ResultRow> rows{fixture::row(1, 512, 32, Pass::forward, 24, 0.2),
                                    fixture::row(2, 256, 32, Pass::forward, 12, 0.2)};
  const ExploreChart chart = chart_of(rows, {"seq", "ms", "kernel", "", "", true});
  EXPECT_EQ(chart.chosen_over, "2 windows");
  const ExploreMark& mark = chart.plots.at(0).lines.at(0).marks.at(0);
  EXPECT_THAT(mark.text, HasSubstr("the shortest time of 2 configurations, which differ in windows"));
  EXPECT_THAT(explore_caption(chart), HasSubstr("Each mark is of the shortest time over 2 windows; drawn: "));
  const TextTable text = explore_text(chart);
  ASSERT_THAT(text.rows, SizeIs(1));
  ASSERT_THAT(text.rows[0], SizeIs(text.header.size()));
  EXPECT_THAT(text.header, testing::IsSupersetOf({"best of", "window"}));
  EXPECT_EQ(text.rows[0].back(), "256x32");
  EXPECT_EQ(text.rows[0][text.rows[0].size() - 2], "2");
}

TEST(ExploreChart, the_best_of_each_says_what_stays_apart) {
  std::vector<ResultRow> rows{fixture::row(1, 512, 32, Pass::forward, 24, 0.2),
                              fixture::row(2, 256, 32, Pass::forward, 12, 0.2),
                              fixture::row(3, 256, 32, Pass::forward, 11, 0.2)};
  rows[2].regime = Regime::burst;
  rows[2].device = "Other CPU";
  EXPECT_EQ(chart_of(rows, {"seq", "ms", "kernel", "", "", true}).chosen_over,
            "2 windows; burst and sustained, 2 devices apart");
  EXPECT_EQ(chart_of(rows, {"seq", "ms", "regime", "device", "", true}).chosen_over, "2 windows") << "it is seen";
}

TEST(ExploreChart, a_line_of_one_mark_is_none) {
  const std::vector<ResultRow> rows = many_rows(1);
  EXPECT_FALSE(chart_of(rows, {"seq", "ms", "kernel", "", "", false}).plots.at(0).lines.at(0).joined);
}

TEST(ExploreChart, forms_are_words_and_in_data_as_filters_write_them) {
  const ExploreChart chart = chart_of(beside_fa3(), {"seq", "tflops", "form", "", "", false});
  ASSERT_THAT(chart.plots.at(0).lines, SizeIs(2));
  EXPECT_EQ(chart.plots[0].lines[0].name, "dot product");
  EXPECT_EQ(explore_text(chart).rows[0][2], "dot_product");
}

TEST(ExploreChart, what_is_not_drawn_and_the_panel_that_is_missing_are_told_of) {
  std::vector<ResultRow> rows = fixture::small_sweep()->rows;  // two windows and a baseline, in both passes
  for (ResultRow& row : rows) {
    if (row.pass == Pass::backward) row.tflops.reset();
  }
  rows[0] = fixture::failed(rows[0], "it crashed");
  const ExploreChart chart = chart_of(rows, {"window", "tflops", "kernel", "pass", "", false});
  ASSERT_THAT(chart.hints, SizeIs(1));
  EXPECT_EQ(
      chart.hints[0].sentence,
      "Not drawn of these 6 measurements: 3 without TFLOP/s, 1 failed or skipped; so there is no panel backward.");
  EXPECT_EQ(chart.points, 2U);
  EXPECT_THAT(chart_of(rows, {"window", "tflops", "kernel", "pass", "pass=forward kernel~baseline", false}).hints,
              IsEmpty());
}

TEST(ExploreChart, every_usual_view_can_be_asked_and_its_filter_is_what_was_meant) {
  for (const ExploreView& view : usual_views()) {
    const ExploreChart chart = chart_of(fixture::length_sweep()->rows, view.query);  // with references, of one form
    EXPECT_GT(chart.matched, 0U) << view.name;
    for (const ExploreHint& hint : chart.hints)
      EXPECT_THAT(hint.sentence, testing::StartsWith("Not drawn of these ")) << view.name;
  }
}

}  // namespace
}  // namespace triscope
