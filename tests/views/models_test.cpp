#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "kernels/attention/paper.hpp"
#include "tests/views/sweep_fixture.hpp"
#include "views/model/chart_model.hpp"
#include "views/model/compare_model.hpp"
#include "views/model/latency_columns.hpp"
#include "views/model/paper_model.hpp"

namespace triscope {
namespace {

using fixture::baseline;
using fixture::failed;
using fixture::length_sweep;
using fixture::row;
using fixture::small_sweep;
using fixture::sweep;
using testing::ElementsAre;
using testing::HasSubstr;

const LatencyColumn& column(const std::vector<LatencyColumn>& columns, const std::string& id) {
  for (const LatencyColumn& one : columns) {
    if (one.id == id) return one;
  }
  throw std::runtime_error("no column " + id);
}

BarChart bar_chart(const LatencyModel& model) { return make_bar_chart(model, chart_settings(model).front()); }
ScalingChart scaling_chart(const LatencyModel& model) {
  return make_scaling_chart(model, chart_settings(model).front());
}

TEST(LatencyModel, one_line_per_problem_and_kernel_with_a_group_per_pass_and_baselines_last) {
  auto results = small_sweep();
  std::rotate(results->rows.begin(), results->rows.begin() + 4, results->rows.end());  // baselines measured first
  const LatencyModel model = make_latency_model(*results, nullptr);
  ASSERT_EQ(model.lines.size(), 3U);
  ASSERT_EQ(model.groups.size(), 2U);
  EXPECT_EQ(model.groups[0].title, "forward");
  EXPECT_EQ(model.lines[0].label, "512 × 32");
  EXPECT_EQ(model.lines[0].cells[0]->row.measurement, 1);
  EXPECT_EQ(model.lines[0].cells[1]->row.measurement, 2);
  EXPECT_TRUE(model.lines[2].baseline);
  EXPECT_EQ(model.reference, "baseline.cpu");
}

TEST(LatencyModel, rate_relative_to_the_reference_is_of_the_same_pass) {
  const LatencyModel model = make_latency_model(*small_sweep(), nullptr);
  EXPECT_DOUBLE_EQ(*model.lines[0].cells[0]->of_reference, 0.5);    // 0.2 of 0.4
  EXPECT_DOUBLE_EQ(*model.lines[0].cells[1]->of_reference, 0.5);    // 0.15 of 0.3
  EXPECT_FALSE(model.lines[2].cells[0]->of_reference.has_value());  // not of itself
}

TEST(LatencyModel, columns_of_a_setting_appear_only_when_lines_differ_in_it) {
  EXPECT_THAT(make_latency_model(*small_sweep(), nullptr).fact_names, ElementsAre("kernel"));
  auto results = sweep({row(1, 512, 32, Pass::forward, 1, 1), row(2, 512, 32, Pass::forward, 1, 1)});
  results->rows[1].problem.seq_len = 4096;
  const LatencyModel model = make_latency_model(*results, nullptr);
  EXPECT_THAT(model.fact_names, ElementsAre("tokens"));
  EXPECT_EQ(model.lines.size(), 2U);
  EXPECT_EQ(model.lines[1].facts[0], "4,096");
}

TEST(LatencyModel, every_setting_that_rows_differ_in_has_a_column) {
  const auto with = [](auto change) {
    auto results = sweep({row(1, 512, 32, Pass::forward, 1, 1), row(2, 512, 32, Pass::forward, 1, 1)});
    change(results->rows[1].problem);
    return make_latency_model(*results, nullptr);
  };
  const LatencyModel plain = with([](Problem&) {});
  EXPECT_THAT(plain.conditions, HasSubstr("trilinear, fp32, 2,048 tokens"));
  EXPECT_EQ(plain.lines.size(), 1U);
  const std::vector<LatencyModel> others{
      with([](Problem& p) { p.deterministic = true; }), with([](Problem& p) { p.k2_bias = 0.5; }),
      with([](Problem& p) { p.v2_bias = 0.5; }),        with([](Problem& p) { p.sink = 1; }),
      with([](Problem& p) { p.sink = -1e30; }),         with([](Problem& p) { p.scale = 2; }),
      with([](Problem& p) { p.scale = -1; }),           with([](Problem& p) { p.form = Form::determinant; })};
  for (const LatencyModel& model : others) {
    EXPECT_EQ(model.lines.size(), 2U);
    ASSERT_EQ(model.fact_names.size(), 1U);
    EXPECT_NE(model.lines[0].facts[0], model.lines[1].facts[0]) << model.fact_names[0];
  }
}

TEST(LatencyModel, failed_rows_say_so_and_keep_their_reason_searchable) {
  const auto results = sweep(
      {row(1, 512, 32, Pass::forward, 1, 1), failed(row(2, 256, 64, Pass::forward, 1, 1), "worker crashed: SIGSEGV")});
  const LatencyModel model = make_latency_model(*results, nullptr);
  const auto columns = latency_columns(model);
  EXPECT_EQ(cell_text(model, model.lines[1], column(columns, "median/forward")), "failed");
  EXPECT_EQ(model.failed, 1);
  EXPECT_THAT(arrange(model, "sigsegv", std::nullopt), ElementsAre(1U));
}

TEST(LatencyModel, samples_of_a_failed_measurement_are_not_shown_as_a_result) {
  auto results = sweep({row(1, 512, 32, Pass::forward, 10, 1), row(2, 256, 64, Pass::forward, 0.001, 900)});
  results->rows[1].status = Status::failed;
  const LatencyModel model = make_latency_model(*results, nullptr);
  const auto columns = latency_columns(model);
  EXPECT_EQ(cell_text(model, model.lines[1], column(columns, "tflops/forward")), "");
  EXPECT_EQ(cell_text(model, model.lines[1], column(columns, "interval/forward")), "");
  EXPECT_FALSE(cell_value(model.lines[1], column(columns, "median/forward")));
  EXPECT_EQ(cell_text(model, model.lines[0], column(columns, "median/forward")), "10.0");
  EXPECT_EQ(model.groups[0].max_tflops, 1);
}

TEST(LatencyModel, sorting_puts_absent_values_last_in_both_directions) {
  const auto results = sweep({row(1, 512, 32, Pass::forward, 30, 1), failed(row(2, 256, 64, Pass::forward, 1, 1), ""),
                              row(3, 128, 128, Pass::forward, 10, 1),
                              row(4, 64, 64, Pass::forward, std::numeric_limits<double>::quiet_NaN(), 1)});
  const LatencyModel model = make_latency_model(*results, nullptr);
  const auto columns = latency_columns(model);
  const LatencyColumn& median = column(columns, "median/forward");
  EXPECT_THAT(arrange(model, "", LatencySort{median, false}), ElementsAre(2U, 0U, 1U, 3U));
  EXPECT_THAT(arrange(model, "", LatencySort{median, true}), ElementsAre(0U, 2U, 1U, 3U));
}

TEST(LatencyModel, an_interval_down_to_zero_is_unknown) {
  auto results = sweep({row(1, 512, 32, Pass::forward, 10, 1), row(2, 256, 64, Pass::forward, 10, 1)});
  results->rows[0].ci_low_ms = 0;
  results->rows[0].ci_high_ms = 46;
  const LatencyModel model = make_latency_model(*results, nullptr);
  const auto columns = latency_columns(model);
  EXPECT_EQ(cell_text(model, model.lines[0], column(columns, "interval/forward")), "unknown");
  EXPECT_FALSE(cell_value(model.lines[0], column(columns, "interval/forward")));
  EXPECT_TRUE(cell_value(model.lines[1], column(columns, "interval/forward")));
}

TEST(LatencyModel, the_filter_wants_every_word_in_any_column) {
  const LatencyModel model = make_latency_model(*small_sweep(), nullptr);
  EXPECT_THAT(arrange(model, "512", std::nullopt), ElementsAre(0U));
  EXPECT_THAT(arrange(model, "512x32 CPU", std::nullopt), ElementsAre(0U));
  EXPECT_THAT(arrange(model, "dot", std::nullopt), ElementsAre(2U));
  EXPECT_THAT(arrange(model, "512 nonsense", std::nullopt), testing::IsEmpty());
}

TEST(LatencyModel, decimals_are_those_of_the_smallest_value_so_that_the_column_lines_up) {
  const auto results = sweep({row(1, 512, 32, Pass::forward, 124.4, 1), row(2, 16, 16, Pass::forward, 0.5, 1)});
  const LatencyModel model = make_latency_model(*results, nullptr);
  const auto columns = latency_columns(model);
  EXPECT_EQ(cell_text(model, model.lines[0], column(columns, "median/forward")), "124.400");
  EXPECT_EQ(cell_text(model, model.lines[1], column(columns, "median/forward")), "0.500");
}

TEST(LatencyModel, the_papers_latency_stands_only_at_the_shape_that_reproduces_its_rate) {
  EXPECT_FALSE(make_latency_model(*small_sweep(), nullptr).has_paper);
  const auto at_papers_shape = [](ResultRow one) {
    one.problem.seq_len = 32768;
    one.problem.q_heads = 64;
    one.problem.kv_heads = 1;
    one.problem.head_dim = 128;
    return one;
  };
  const auto results = sweep(
      {at_papers_shape(row(1, 512, 32, Pass::forward, 20, 1)), at_papers_shape(row(2, 17, 3, Pass::forward, 20, 1))});
  const LatencyModel model = make_latency_model(*results, nullptr);
  ASSERT_TRUE(model.has_paper);
  EXPECT_EQ(model.lines[0].paper_ms, 55.1);
  EXPECT_EQ(*cell_value(model.lines[0], {LatencyField::paper_ratio, 0, "paper_ratio", "of paper"}), 55.1 / 20);
  EXPECT_FALSE(model.lines[1].paper_ms);
  const auto backward = sweep({at_papers_shape(row(1, 512, 32, Pass::backward, 20, 1))});
  EXPECT_FALSE(make_latency_model(*backward, nullptr).has_paper) << "the paper's times are those of the forward pass";
}

TEST(LatencyModel, verdicts_come_with_word_and_sign) {
  Comparison comparison;
  comparison.ratio = 1.31;
  comparison.verdict = Verdict::faster;
  EXPECT_EQ(verdict_text(comparison), "▲ 1.31× faster");
  comparison.verdict = Verdict::slower;
  comparison.ratio = 0.5;
  EXPECT_EQ(verdict_text(comparison), "▼ 2.00× slower");
}

TEST(LatencyModel, text_holds_the_given_columns_and_names_the_pass) {
  const LatencyModel model = make_latency_model(*small_sweep(), nullptr);
  const auto columns = latency_columns(model);
  const TextTable table =
      latency_text(model, {1, 0},
                   {column(columns, "window"), column(columns, "median/backward"), column(columns, "tflops/backward")});
  EXPECT_THAT(table.header, ElementsAre("window", "backward, ms", "backward TFLOP/s"));
  EXPECT_THAT(table.rows[0], ElementsAre("256 × 64", "89.9", "0.140"));
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

TEST(LatencyModel, a_row_is_compared_with_a_baseline_of_its_own_shape) {
  ResultRow ours = row(1, 512, 32, Pass::forward, 1, 700),
            theirs = row(2, 1024, 1, Pass::forward, 1, 400, "baseline.fa3");
  ours.problem.seq_len = 4096;
  theirs.problem.seq_len = 1024;
  ResultRow longer = theirs;
  longer.problem.seq_len = 4096;
  EXPECT_EQ(reference_row({ours, theirs}, "baseline.fa3", ours), nullptr);
  const std::vector<ResultRow> rows{ours, theirs, longer};
  EXPECT_EQ(reference_row(rows, "baseline.fa3", ours), &rows[2]);
  EXPECT_EQ(reference_row(rows, "baseline.fa3", theirs), nullptr) << "not to itself";
}

TEST(Charts, an_interval_that_reaches_down_to_zero_has_no_whiskers) {
  auto sweep = std::make_shared<SweepResults>(*small_sweep());
  sweep->rows[0].ci_low_ms = 0;
  const BarChart bars = bar_chart(make_latency_model(*sweep, nullptr));
  EXPECT_EQ(bars.series[0].points[0].below, 0);
  EXPECT_EQ(bars.series[0].points[0].above, 0);
  EXPECT_GT(bars.series[1].points[1].below, 0);
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

TEST(Charts, a_matrix_product_is_no_level_of_the_latency_chart) {
  ResultRow product = row(2, 1, 1, Pass::forward, 1.6, 670, "baseline.cublas");
  product.problem.form = Form::gemm;
  const auto results = sweep({row(1, 512, 32, Pass::forward, 30, 700), product});
  const LatencyModel model = make_latency_model(*results, nullptr);
  EXPECT_EQ(scaling_chart(model).levels.size(), 0U);
  EXPECT_EQ(bar_chart(model).levels.size(), 1U);
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

TEST(Charts, their_text_has_every_length_in_a_column) {
  const LatencyModel model = make_latency_model(*length_sweep(), nullptr);
  const TextTable map = map_text(model, map_series(model).front(), MapMetric::latency);
  EXPECT_THAT(map.header, ElementsAre("w1", "w2", "tokens", "ms"));
  EXPECT_EQ(map.rows.size(), 16U);  // two pairs of windows at eight lengths
  EXPECT_THAT(map.rows[0], ElementsAre("512", "32", "1024", "1.024"));
  EXPECT_THAT(scaling_text(model).header, ElementsAre("series", "tokens", "w1 x w2", "ms", "below", "above"));
  EXPECT_THAT(bars_text(model).header, ElementsAre("series", "tokens", "window", "TFLOP/s", "below", "above"));
  EXPECT_EQ(bars_text(model).rows.size(),
            length_sweep()->rows.size() - 2);  // sliding over all 1,024 is causal: one line
}

TEST(LatencyModel, the_filter_finds_a_length_however_it_is_written) {
  const LatencyModel model = make_latency_model(*length_sweep(), nullptr);
  const std::size_t at_32k = arrange(model, "32,768", std::nullopt).size();
  EXPECT_GT(at_32k, 0U);
  EXPECT_EQ(arrange(model, "32k", std::nullopt).size(), at_32k);
  EXPECT_EQ(arrange(model, "32768", std::nullopt).size(), at_32k);
  for (const std::size_t line : arrange(model, "8k", std::nullopt)) EXPECT_EQ(model.lines[line].problem.seq_len, 8192);
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

TEST(Compare, counts_verdicts_and_lists_differences_in_order_of_importance) {
  auto first = small_sweep(), second = small_sweep();
  second->info.environment.driver_version = "580";
  second->info.environment.compiler = "g++ 13";
  second->rows.pop_back();
  ComparedSweep a{first, {}}, b{second, {}};
  b.against_first[1] = {1, {Verdict::faster, 1.3, {1.2, 1.4}, {}, false, ""}};
  b.against_first[2] = {2, {Verdict::slower, 0.8, {0.7, 0.9}, {}, false, ""}};
  const CompareModel model = make_compare_model({a, b}, 0);
  EXPECT_EQ(model.lines.size(), 6U);
  EXPECT_EQ(model.missing, 1);
  EXPECT_EQ(compare_summary(model), "1 faster, 1 slower, 1 not in every sweep.");
  ASSERT_EQ(model.differences.size(), 2U);
  EXPECT_EQ(model.differences[0].what, "driver");
  EXPECT_EQ(model.differences[1].what, "compiler");
  EXPECT_EQ(compare_text(model).rows[0][5], "1.300");
}

TEST(Compare, lines_that_differ_in_length_say_their_length) {
  auto results = sweep({row(1, 512, 32, Pass::forward, 10, 1), row(2, 512, 32, Pass::forward, 20, 1)});
  results->rows[1].problem.seq_len = 4096;
  const CompareModel model = make_compare_model({{results, {}}, {results, {}}}, 0);
  ASSERT_EQ(model.lines.size(), 2U);
  EXPECT_EQ(model.lines[0].setting, "2,048 tokens");
  EXPECT_EQ(model.lines[1].setting, "4,096 tokens");
  EXPECT_EQ(compare_text(model).rows[1][3], "4,096 tokens");
  EXPECT_FALSE(make_compare_model({{small_sweep(), {}}, {small_sweep(), {}}}, 0).has_settings);
}

TEST(Compare, sweeps_of_one_name_have_their_numbers_in_it) {
  const auto results = [](std::int64_t id, const char* started) {
    auto made = small_sweep();
    made->info.id = id;
    made->info.started = started;
    return ComparedSweep{made, {}};
  };
  const CompareModel model = make_compare_model(
      {results(3, "2026-11-21T14:02:05Z"), results(7, "2026-11-21T14:02:50Z"), results(8, "2026-11-24T15:00:00Z")}, 0);
  EXPECT_THAT(model.sweeps[0], HasSubstr("(sweep 3)"));
  EXPECT_THAT(model.sweeps[1], HasSubstr("(sweep 7)"));
  EXPECT_THAT(model.sweeps[2], testing::Not(HasSubstr("sweep")));
}

TEST(Paper, takes_the_fastest_of_our_kernels_and_says_when_the_shape_is_another) {
  auto results = sweep({row(1, 512, 32, Pass::forward, 30, 1), row(2, 512, 32, Pass::forward, 20, 1, "cuda.portable"),
                        row(3, 512, 32, Pass::backward, 1, 1)});
  const PaperModel model = make_paper_model(*results);
  EXPECT_EQ(model.lines.size(), paper_table1().size());
  EXPECT_EQ(model.measured, 1U);
  EXPECT_FALSE(model.same_shape);
  for (const PaperLine& line : model.lines) {
    if (line.windows == Windows{512, 32}) {
      EXPECT_EQ(line.measurement, 2);
    }
  }
  for (ResultRow& one : results->rows) {
    one.problem.seq_len = 32768;
    one.problem.q_heads = 64;
    one.problem.head_dim = 128;
  }
  EXPECT_TRUE(make_paper_model(*results).same_shape);
  const auto ratio_of = [](const PaperModel& one) {
    const TextTable table = paper_text(one);
    const auto line = std::find_if(table.rows.begin(), table.rows.end(),
                                   [](const auto& cells) { return cells[0] == "512" && cells[1] == "32"; });
    return line == table.rows.end() ? std::string("no row") : line->back();
  };
  EXPECT_EQ(ratio_of(model), "") << "of another shape";
  EXPECT_NE(ratio_of(make_paper_model(*results)), "");
}

}  // namespace
}  // namespace triscope
