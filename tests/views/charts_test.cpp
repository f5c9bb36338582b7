#include <gmock/gmock.h>
#include <implot.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "tests/views/pictures/canvas.hpp"
#include "tests/views/sweep_fixture.hpp"
#include "views/data/axis_ticks.hpp"
#include "views/model/charts/chart_model.hpp"
#include "views/model/charts/length_model.hpp"
#include "views/model/charts/sample_chart.hpp"
#include "views/model/styles/series_style.hpp"
#include "views/parts/chart_tools.hpp"
#include "views/parts/readout.hpp"

namespace triscope {
namespace {

using fixture::failed;
using fixture::length_sweep;
using fixture::row;
using fixture::small_sweep;
using fixture::sweep;
using testing::ElementsAre;
using testing::HasSubstr;

BarChart bar_chart(const LatencyModel& model) { return make_bar_chart(model, chart_settings(model).front()); }
ScalingChart scaling_chart(const LatencyModel& model) {
  return make_scaling_chart(model, chart_settings(model).front());
}

TEST(Charts, bars_stand_at_their_windows_and_their_interval_is_the_inverse_of_the_times) {
  const BarChart chart = bar_chart(make_latency_model(*small_sweep(), nullptr));
  EXPECT_THAT(chart.categories, ElementsAre("512 × 32", "256 × 64"));
  ASSERT_EQ(chart.series.size(), 2U);
  ASSERT_EQ(chart.levels.size(), 2U);
  const ChartPoint& point = chart.series[0].points[0];
  // work = 0.2 * 24.4; at the upper bound of the time the rate is 0.2 / 1.02.
  EXPECT_NEAR(point.y - point.below, 0.2 / 1.02, 1e-12);
  EXPECT_NEAR(point.y + point.above, 0.2 / 0.99, 1e-12);
  EXPECT_EQ(chart.series[1].points[1].measurement, 4);
}

TEST(Charts, an_interval_that_reaches_down_to_zero_has_no_whiskers) {
  auto sweep = std::make_shared<SweepResults>(*small_sweep());
  sweep->rows[0].ci_low_ms = 0;
  const BarChart bars = bar_chart(make_latency_model(*sweep, nullptr));
  EXPECT_EQ(bars.series[0].points[0].below, 0);
  EXPECT_EQ(bars.series[0].points[0].above, 0);
  EXPECT_GT(bars.series[1].points[1].below, 0);
}

TEST(Charts, the_histogram_says_which_samples_its_end_bars_hold) {
  std::vector<Sample> samples(2000);
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i].duration_ns = 1'000'000 + static_cast<std::int64_t>(i);
  EXPECT_EQ(make_sample_chart(samples).histogram.folded_low, 1U);
  for (std::size_t i = 0; i < 2; ++i) samples[i].duration_ns = 31'200'000;
  const Histogram histogram = make_sample_chart(samples).histogram;
  EXPECT_GE(histogram.folded_high, 2U);
  EXPECT_NE(folded_text(histogram).find("up to 31.20 ms are counted in the last bar."), std::string::npos)
      << folded_text(histogram);
  EXPECT_EQ(folded_text(make_sample_chart({samples[5], samples[6]}).histogram), "");
}

TEST(Charts, one_sample_has_axes_that_few_digits_name) {
  Sample one;
  one.duration_ns = 1'006'211'648;
  for (const std::size_t count : {1U, 5U}) {
    const SampleChart chart = make_sample_chart(std::vector<Sample>(count, one));
    EXPECT_GE(seconds_shown(chart), 1.006) << "it takes a second";
    const Histogram& bars = chart.histogram;
    const double last = bars.first + bars.width * static_cast<double>(bars.counts.size());
    EXPECT_LT(bars.first, 1006.2) << "its ticks have two decimals";
    EXPECT_GT(last, 1006.22);
    EXPECT_LT(last - bars.first, 1);
    EXPECT_EQ(bars.folded_low + bars.folded_high, 0U);
    EXPECT_EQ(*std::ranges::max_element(bars.counts), static_cast<double>(count));
  }
}

/// The small sweep; of its first row the interval is unknown in one of three ways.
std::shared_ptr<SweepResults> with_unknown(int how) {
  auto results = std::make_shared<SweepResults>(*small_sweep());
  ResultRow& first = results->rows[0];
  if (how == 0) first.ci_low_ms = 0;
  if (how == 1) first.ci_high_ms = std::numeric_limits<double>::infinity();
  if (how == 2) first.ci_low_ms.reset(), first.ci_high_ms.reset();
  return results;
}

TEST(Charts, samples_have_a_lane_for_each_reading_and_say_what_was_not_read) {
  std::vector<Sample> samples(4);
  for (std::size_t n = 0; n < samples.size(); ++n) {
    samples[n].started_ns = static_cast<std::int64_t>(n) * 1'000'000'000;
    samples[n].duration_ns = 100'000'000;
    samples[n].launches = 5;
  }
  const SampleChart none = make_sample_chart(samples);
  EXPECT_TRUE(none.lanes.empty() && none.limits.empty());
  EXPECT_EQ(none.not_read, "Not read while this was measured: clock, power, temperature, limits.");
  for (Sample& sample : samples) {
    sample.sm_clock_mhz = 1700;
    sample.power_w = 650;
    sample.throttle_bits = 0;
  }
  samples[1].flag = samples[2].flag = "throttled: sw_power_cap";
  samples[3].flag = "preempted";
  const SampleChart chart = make_sample_chart(samples);
  ASSERT_EQ(chart.lanes.size(), 2U);
  EXPECT_STREQ(chart.lanes[1].unit, "W");
  EXPECT_EQ(chart.lanes[1].values, std::vector<double>(4, 650));
  EXPECT_EQ(chart.lanes[1].seconds, (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(chart.not_read, "Not read while this was measured: temperature.");
  ASSERT_EQ(chart.limits.size(), 3U);
  EXPECT_EQ(chart.limits[0].limit, "");
  EXPECT_EQ(chart.limits[1].limit, "throttled: power limit");
  EXPECT_DOUBLE_EQ(chart.limits[1].first, 1);
  EXPECT_DOUBLE_EQ(chart.limits[1].last, 2.5) << "until its five launches have ended";
  EXPECT_EQ(chart.limits[2].limit, "");
}

TEST(Charts, of_many_samples_no_limit_is_lost) {
  std::vector<Sample> samples(10'000);
  for (std::size_t n = 0; n < samples.size(); ++n) {
    samples[n].started_ns = static_cast<std::int64_t>(n) * 1000;
    samples[n].duration_ns = 500;
    samples[n].throttle_bits = 0;
  }
  samples[7777].flag = "throttled: sw_power_cap";
  EXPECT_EQ(make_sample_chart(samples).limits.size(), 3U);
  for (std::size_t n = 0; n < samples.size(); n += 2) samples[n].flag = "throttled: hw_thermal_slowdown";
  for (std::size_t n = 5000; n < samples.size(); ++n) samples[n].flag = n == 7777 ? "throttled: sw_power_cap" : "";
  const SampleChart chart = make_sample_chart(samples, 100);
  EXPECT_LE(chart.limits.size(), 101U);
  EXPECT_TRUE(std::ranges::any_of(chart.limits, [](const LimitSpan& span) {
    return span.limit.find("throttled: power limit") != std::string::npos && span.first < 7777e-6 + 1e-9 &&
           span.last > 7777e-6;
  }));
}

/// Three restarts, a minute apart: of three samples, two and one.
std::vector<Sample> samples_of_three_restarts() {
  std::vector<Sample> samples(6);
  for (std::size_t n = 0; n < samples.size(); ++n) {
    samples[n].restart = n < 3 ? 0 : n < 5 ? 1 : 2;
    samples[n].started_ns = (static_cast<std::int64_t>(n) + 60 * samples[n].restart) * 1'000'000'000;
    samples[n].duration_ns = 500'000'000;
    samples[n].sm_clock_mhz = 1700 + static_cast<double>(n);
    samples[n].flag = "throttled: sw_power_cap";
  }
  return samples;
}

TEST(Charts, nothing_joins_the_samples_of_one_restart_to_those_of_the_next) {
  const SampleChart chart = make_sample_chart(samples_of_three_restarts());
  const std::vector<CurvePart> parts{{0, 3}, {3, 5}, {5, 6}};
  ASSERT_EQ(chart.lanes.size(), 1U);
  EXPECT_EQ(chart.lanes[0].parts, parts);
  EXPECT_EQ(chart.buckets.parts, parts);
  ASSERT_EQ(chart.limits.size(), 3U) << "the device was not slowed down while nothing was measured";
  EXPECT_DOUBLE_EQ(chart.limits[0].last, 2.5);
  EXPECT_DOUBLE_EQ(chart.limits[1].first, 63);
}

TEST(Charts, what_stands_for_many_samples_stands_for_those_of_one_restart) {
  constexpr double kPause = 1000;  // seconds between the first 1,510 samples and the others
  std::vector<Sample> samples(3000);
  for (std::size_t n = 0; n < samples.size(); ++n) {
    samples[n].restart = n < 1510 ? 0 : 1;
    samples[n].started_ns =
        static_cast<std::int64_t>(n) * 1'000'000 + samples[n].restart * static_cast<std::int64_t>(kPause * 1e9);
    samples[n].duration_ns = 500'000;
    samples[n].power_w = 650;
    samples[n].flag = n % 2 == 0 ? "throttled: sw_power_cap" : "";
  }
  const SampleChart chart = make_sample_chart(samples, 100);
  const auto in_pause = [&](double seconds) { return seconds > 1.6 && seconds < kPause; };
  EXPECT_GT(chart.buckets.per_bucket, 1U);
  EXPECT_TRUE(std::ranges::none_of(chart.buckets.seconds, in_pause));
  EXPECT_TRUE(std::ranges::none_of(chart.lanes.at(0).seconds, in_pause));
  EXPECT_TRUE(std::ranges::none_of(chart.limits,
                                   [&](const LimitSpan& span) { return span.first < kPause && span.last > kPause; }));
}

TEST(Charts, an_unknown_interval_is_said_and_moves_no_axis) {
  for (const int how : {0, 1, 2}) {
    const LatencyModel model = make_latency_model(*with_unknown(how), nullptr);
    const BarChart bars = bar_chart(model);
    EXPECT_FALSE(bars.series[0].points[0].known);
    EXPECT_TRUE(bars.series[0].points[1].known);
    EXPECT_TRUE(any_unknown(bars.series));
    EXPECT_THAT(point_text(bars.series[0].points[0], "TFLOP/s"), HasSubstr("TFLOP/s, interval unknown"));
    EXPECT_THAT(point_text(bars.series[0].points[1], "TFLOP/s"), HasSubstr("95 % interval"));
    EXPECT_LT(value_range(bars.series, bars.levels).high, 0.41);
    const ScalingChart scaling = scaling_chart(model);
    EXPECT_TRUE(any_unknown(scaling.series));
    const ValueRange range = value_range(scaling.series, scaling.levels);
    EXPECT_GT(range.low, 3.9);
    EXPECT_LT(range.high, 93);
    const WindowMap map =
        make_window_map(model, chart_settings(model).front(), map_series(model).front(), MapMetric::latency);
    EXPECT_FALSE(map.at(1, 0).known);
    EXPECT_TRUE(map.at(0, 1).known);
    for (const TextTable& text : {bars_text(model), scaling_text(model)}) EXPECT_EQ(text.rows[0].back(), "unknown");
  }
  EXPECT_FALSE(any_unknown(bar_chart(make_latency_model(*small_sweep(), nullptr)).series));
}

TEST(Charts, a_very_wide_interval_does_not_press_the_values_against_the_axis) {
  auto results = std::make_shared<SweepResults>(*small_sweep());
  results->rows[0].ci_low_ms = 0.01;  // a rate up to 2440 times the median's
  results->rows[0].ci_high_ms = 48;   // as wide as an interval may be that is still one
  results->rows[3].ci_high_ms = 170;  // almost twice the slowest
  const LatencyModel model = make_latency_model(*results, nullptr);
  const BarChart bars = bar_chart(model);
  EXPECT_GT(bars.series[0].points[0].above, 100);
  EXPECT_DOUBLE_EQ(value_range(bars.series, bars.levels).high, 0.4 * 1.5);
  const ScalingChart scaling = scaling_chart(model);
  const ValueRange range = value_range(scaling.series, scaling.levels);
  EXPECT_DOUBLE_EQ(range.low, 2) << "half of the fastest, the baseline's 4 ms";
  EXPECT_DOUBLE_EQ(range.high, 89.9 * 1.5);
  EXPECT_EQ(value_range({}, {}).high, 0);
}

TEST(Charts, scaling_is_sorted_by_area_and_leaves_out_what_failed_or_is_no_number) {
  const auto results = sweep({row(1, 512, 32, Pass::forward, 30, 1), row(2, 16, 16, Pass::forward, 1, 1),
                              failed(row(3, 64, 64, Pass::forward, 1, 1), ""),
                              row(4, 64, 32, Pass::forward, std::numeric_limits<double>::quiet_NaN(), 1)});
  const ScalingChart chart = scaling_chart(make_latency_model(*results, nullptr));
  ASSERT_EQ(chart.series.size(), 1U);
  ASSERT_EQ(chart.series[0].points.size(), 2U);
  EXPECT_EQ(chart.series[0].points[0].x, 256);
  EXPECT_EQ(chart.series[0].points[1].x, 512 * 32);
}

TEST(Charts, a_kernel_and_pass_has_one_colour_in_sweeps_of_either_regime) {
  const auto colours = [](std::initializer_list<Regime> regimes) {
    std::vector<ResultRow> rows;
    for (const Regime regime : regimes) {
      for (const Pass pass : {Pass::forward, Pass::backward}) {
        rows.push_back(row(static_cast<std::int64_t>(rows.size()) + 1, 512, 32, pass, 20, 700, "cuda.hopper"));
        rows.back().regime = regime;
      }
    }
    std::vector<int> all;
    for (const Series& series : map_series(make_latency_model(*sweep(rows), nullptr))) all.push_back(series.colour);
    return all;
  };
  EXPECT_EQ(colours({Regime::burst}), colours({Regime::sustained}));
  const std::vector<int> both = colours({Regime::sustained, Regime::burst});
  EXPECT_EQ(std::set<int>(both.begin(), both.end()).size(), 4U) << "told apart where both are in one chart";
}

TEST(Charts, no_line_of_a_grid_is_darker_than_the_others) {
  const fixture::Canvas canvas;
  EXPECT_EQ(ImPlot::GetStyle().MinorAlpha, 1) << "it would look like the base line";
}

TEST(Charts, a_matrix_product_is_no_level_of_the_latency_chart) {
  ResultRow product = row(2, 1, 1, Pass::forward, 1.6, 670, "baseline.cublas");
  product.problem.form = Form::gemm;
  const auto results = sweep({row(1, 512, 32, Pass::forward, 30, 700), product});
  const LatencyModel model = make_latency_model(*results, nullptr);
  EXPECT_EQ(scaling_chart(model).levels.size(), 0U);
  EXPECT_EQ(bar_chart(model).levels.size(), 1U);
}

TEST(Charts, a_baseline_with_the_name_of_one_of_our_kernels_stays_a_level) {
  auto sweep = std::make_shared<SweepResults>(*small_sweep());
  for (ResultRow& row : sweep->rows) row.kernel = "same";
  const ScalingChart chart = scaling_chart(make_latency_model(*sweep, nullptr));
  EXPECT_FALSE(chart.levels.empty());
  ASSERT_FALSE(chart.series.empty());
  for (const SeriesPoints& series : chart.series) {
    for (const ChartPoint& point : series.points) EXPECT_GT(point.x, 0) << "the axis is logarithmic";
  }
}

TEST(Charts, of_several_lengths_one_is_shown_with_the_baselines_of_that_length) {
  const LatencyModel model = make_latency_model(*length_sweep(), nullptr);
  const std::vector<ChartSetting> settings = chart_settings(model);
  ASSERT_EQ(settings.size(), 8U);
  EXPECT_EQ(settings.front().text, "131,072 tokens");
  EXPECT_EQ(settings.back().text, "1,024 tokens");
  for (const ChartSetting& setting : settings) {
    const double n = static_cast<double>(setting.problem.seq_len);
    const ScalingChart scaling = make_scaling_chart(model, setting);
    ASSERT_EQ(scaling.series.size(), 4U);  // two kernels, two passes
    ASSERT_EQ(scaling.series[0].points.size(), 2U);
    EXPECT_DOUBLE_EQ(scaling.series[0].points[1].y, n / 1000);
    ASSERT_EQ(scaling.levels.size(), 4U);
    for (const SeriesPoints& level : scaling.levels) {
      if (level.series.kernel != "baseline.fa3" || level.series.pass != Pass::forward) continue;
      if (n == 1024) continue;  // sliding over 1,024 is causal there
      EXPECT_DOUBLE_EQ(level.points.front().y, n * n / 41e6) << "of one head for keys and values, and not sliding";
    }
    EXPECT_THAT(make_bar_chart(model, setting).categories, ElementsAre("512 × 32", "256 × 32"));
    EXPECT_DOUBLE_EQ(make_window_map(model, setting, map_series(model).front(), MapMetric::latency).at(1, 0).value,
                     n / 1000);
  }
}

TEST(Charts, their_text_has_the_digits_that_the_interval_bears) {
  auto results = std::make_shared<SweepResults>(*small_sweep());
  ResultRow& measured = results->rows[0];
  measured.median_ms = 11.2045;
  measured.tflops = 735.408;
  measured.ci_low_ms = 11.1945;
  measured.ci_high_ms = 11.2145;
  const LatencyModel model = make_latency_model(*results, nullptr);
  const Series series = map_series(model).front();
  EXPECT_EQ(map_text(model, series, MapMetric::latency).rows[0].back(), "11.204");
  EXPECT_EQ(map_text(model, series, MapMetric::tflops).rows[0].back(), "735") << "as the table has it";
  const auto ends = [](const TextTable& text) { return std::vector(text.rows[0].end() - 3, text.rows[0].end()); };
  EXPECT_THAT(ends(scaling_text(model)), ElementsAre("11.204", "0.010", "0.010"));
  EXPECT_THAT(ends(bars_text(model)), ElementsAre("735.41", "0.66", "0.66"));
}

TEST(Charts, the_text_over_lengths_has_these_digits_too) {
  auto results = length_sweep();
  ResultRow& first = results->rows[0];
  first.median_ms = 11.2045;
  first.ci_low_ms = 11.1045;
  first.ci_high_ms = 11.3045;
  const LengthChart chart = make_length_chart(*results, {});
  const std::vector<std::string>& row = chart.text.rows[0];
  EXPECT_THAT(std::vector(row.end() - 3, row.end()), ElementsAre("11.20", "11.10", "11.30"));
}

TEST(Charts, their_text_has_every_length_in_a_column) {
  const LatencyModel model = make_latency_model(*length_sweep(), nullptr);
  const TextTable map = map_text(model, map_series(model).front(), MapMetric::latency);
  EXPECT_THAT(map.header, ElementsAre("w1", "w2", "tokens", "heads", "ms"));  // baselines are of two
  EXPECT_EQ(map.rows.size(), 16U);                                            // two pairs of windows at eight lengths
  EXPECT_THAT(map.rows[0], ElementsAre("512", "32", "1024", "64/1", "1.024"));
  EXPECT_THAT(scaling_text(model).header, ElementsAre("series", "tokens", "heads", "w1 x w2", "ms", "below", "above"));
  EXPECT_THAT(bars_text(model).header, ElementsAre("series", "tokens", "heads", "window", "TFLOP/s", "below", "above"));
  EXPECT_EQ(bars_text(model).rows.size(),
            length_sweep()->rows.size() - 2);  // sliding over all 1,024 is causal: one line
}

TEST(Charts, the_map_tells_absent_failed_and_nan_apart) {
  const auto results = sweep({row(1, 512, 32, Pass::forward, 30, 2), row(2, 256, 64, Pass::forward, 10, 4),
                              failed(row(3, 512, 64, Pass::forward, 1, 1), "out of memory"),
                              row(4, 128, 32, Pass::forward, 1, std::numeric_limits<double>::quiet_NaN())});
  const LatencyModel model = make_latency_model(*results, nullptr);
  const WindowMap map =
      make_window_map(model, chart_settings(model).front(), map_series(model).front(), MapMetric::tflops);
  EXPECT_THAT(map.window1, ElementsAre(128, 256, 512));
  EXPECT_THAT(map.window2, ElementsAre(32, 64));
  EXPECT_EQ(map.at(2, 0).state, MapCell::State::ok);
  EXPECT_EQ(map.at(2, 1).state, MapCell::State::failed);
  EXPECT_EQ(map.at(2, 1).reason, "out of memory");
  EXPECT_EQ(map.at(0, 0).state, MapCell::State::nan);
  EXPECT_EQ(map.at(0, 1).state, MapCell::State::absent);
  EXPECT_EQ(map.low, 2);
  EXPECT_EQ(map.high, 4);
}

TEST(Charts, buckets_of_many_samples_lose_no_spike) {
  std::vector<Sample> samples(100'000);
  for (std::size_t i = 0; i < samples.size(); ++i)
    samples[i] = {static_cast<std::int64_t>(i) * 1000,
                  1'000'000 + static_cast<std::int64_t>(i % 7) * 100,
                  1,
                  0,
                  {},
                  {},
                  {},
                  {},
                  {}};
  samples[61'803].duration_ns = 9'000'000;
  samples[27'182].duration_ns = 10'000;
  samples[5].flag = "throttled: sw_power_cap";
  samples[6].duration_ns = 0;
  const SampleChart chart = make_sample_chart(samples, 1000);
  EXPECT_LE(chart.buckets.seconds.size(), 1000U);
  EXPECT_DOUBLE_EQ(*std::max_element(chart.buckets.maximum.begin(), chart.buckets.maximum.end()), 9.0);
  EXPECT_DOUBLE_EQ(*std::min_element(chart.buckets.minimum.begin(), chart.buckets.minimum.end()), 0.01);
  EXPECT_EQ(chart.invalid, 1U);
  EXPECT_EQ(chart.flagged, 1U);
  EXPECT_THAT(chart.flags, ElementsAre("throttled: power limit (1)"));
  double counted = 0;
  for (double count : chart.histogram.counts) counted += count;
  EXPECT_EQ(counted, 99'999);
}

TEST(SampleChart, a_burst_below_the_power_limit_says_why_it_was_slowed_down_all_the_same) {
  Sample sample;
  sample.duration_ns = 42'000'000;
  sample.power_w = 241;
  sample.flag = "throttled: sw_power_cap";
  const SampleChart chart = make_sample_chart({sample, sample});
  EXPECT_THAT(burst_power_note(chart, Regime::burst), testing::HasSubstr("a mean over the launch and the pauses"));
  EXPECT_EQ(burst_power_note(chart, Regime::sustained), "");
  sample.flag = "preempted";
  EXPECT_EQ(burst_power_note(make_sample_chart({sample}), Regime::burst), "");
}

TEST(Charts, a_short_axis_names_as_many_round_values_as_do_not_touch) {
  const auto room_of = [](const std::string& name) { return 10.0F * static_cast<float>(name.size()); };
  const auto names = [&](double low, double high, bool whole, float length) {
    std::vector<std::string> all;
    for (const NamedTick& tick : ticks_in_room(low, high, whole, length, room_of)) all.push_back(tick.name);
    return all;
  };
  EXPECT_EQ(names(1.0799, 1.0906, false, 210), (std::vector<std::string>{"1.080", "1.085", "1.090"}))
      << "same decimals";
  EXPECT_EQ(names(46.7, 47.5, false, 1000).size(), 9U);
  EXPECT_EQ(names(46.7, 47.6, false, 95), (std::vector<std::string>{"47.0", "47.5"}));
  EXPECT_EQ(names(46.7, 47.6, false, 60), (std::vector<std::string>{"46.8", "47.6"}))
      << "one name says nothing of a scale: the outermost of those that are too near each other";
  EXPECT_EQ(names(46.7, 47.6, false, 30), (std::vector<std::string>{"47"}));
  EXPECT_EQ(names(0, 2.2, true, 400), (std::vector<std::string>{"0", "1", "2"})) << "no halves of samples";
  EXPECT_EQ(names(0, 0.4, true, 400), (std::vector<std::string>{"0"}));
  EXPECT_TRUE(names(1, 1, false, 400).empty());
  EXPECT_TRUE(names(0, 1, false, 0).empty()) << "before a plot was drawn";
}

TEST(AxisTicks, there_are_four_numbers_at_least_on_any_axis) {
  for (const double low : {0.003, 0.9, 1.0, 97.0, 565.0, 2e5}) {
    for (const double factor : {1.02, 1.1, 1.5, 2.0, 3.0, 9.0, 40.0, 700.0, 1e5}) {
      for (const std::vector<double>& ticks :
           {log_ticks(low, low * factor), linear_ticks(low, low * factor, 6), linear_ticks(low, low * factor, 4)}) {
        EXPECT_GE(ticks.size(), kFewestTicks) << low << " " << factor;
        EXPECT_LE(ticks.size(), 30U) << low << " " << factor;
        EXPECT_TRUE(std::ranges::is_sorted(ticks));
        for (const double tick : ticks) EXPECT_TRUE(tick >= low * 0.999999 && tick <= low * factor * 1.000001) << tick;
      }
    }
  }
  EXPECT_THAT(log_ticks(1, 1000), testing::ElementsAre(testing::DoubleEq(1), testing::DoubleEq(10),
                                                       testing::DoubleEq(100), testing::DoubleEq(1000)));
}

TEST(Ticks, fewer_stand_on_an_axis_that_is_short) {
  using testing::ElementsAre;
  const std::vector<double> ticks{1, 2, 5, 10, 20, 50, 100};
  EXPECT_EQ(ticks_apart(ticks, 0), ticks);
  EXPECT_EQ(ticks_apart(ticks, 0.3), ticks);
  EXPECT_THAT(ticks_apart(ticks, 0.35), ElementsAre(1, 10, 100));
  EXPECT_THAT(ticks_apart(ticks, 1), ElementsAre(1, 10, 100));
  EXPECT_THAT(ticks_apart(ticks, 1.5), ElementsAre(1, 100));
  EXPECT_THAT(ticks_apart(ticks, 9), ElementsAre(1));
  EXPECT_THAT(ticks_apart({2, 3, 5, 7}, 0.2), ElementsAre(2, 5));
  EXPECT_TRUE(ticks_apart({}, 1).empty());
}

TEST(Readout, stands_beside_its_point_and_covers_as_little_as_can_be) {
  const ImRect room(0, 0, 1000, 800), point(492, 392, 508, 408);
  const ImVec2 size(200, 60);
  const auto place = [&](const ImRect& what, const std::vector<ImRect>& others) {
    const ImVec2 low = place_beside(what, size, room, others, 10);
    return ImRect(low, ImVec2(low.x + size.x, low.y + size.y));
  };
  const ImRect free = place(point, {});
  EXPECT_GE(free.Min.x, point.Max.x) << "to the right, where nothing is in the way";
  const std::vector<ImRect> neighbours{{600, 300, 610, 310}, {650, 500, 660, 510}};
  for (const ImRect& other : neighbours) EXPECT_FALSE(place(point, neighbours).Overlaps(other));
  for (const ImRect& corner : {ImRect(0, 0, 16, 16), ImRect(984, 784, 1000, 800), ImRect(984, 0, 1000, 16)}) {
    const ImRect said = place(corner, {});
    EXPECT_FALSE(said.Overlaps(corner));
    EXPECT_TRUE(room.Contains(said));
  }
}

TEST(Baselines, are_told_apart_by_colour_and_dashes) {
  std::set<ImU32> dark, light;
  std::set<std::pair<float, float>> dashes;
  for (int style = 0; style < 4; ++style) {
    dark.insert(baseline_colour(dark_theme(), style));
    light.insert(baseline_colour(light_theme(), style));
    dashes.emplace(dashes_of(style).drawn, dashes_of(style).gap);
  }
  EXPECT_EQ(dark.size(), 4U);
  EXPECT_EQ(light.size(), 4U);
  EXPECT_EQ(dashes.size(), 4U);
  std::set<int> styles;
  for (const std::int64_t rank : {1, 2, 3}) styles.insert(baseline_style({.rank = rank}));
  styles.insert(baseline_style({}));
  EXPECT_EQ(styles.size(), 4U);
}

}  // namespace
}  // namespace triscope
