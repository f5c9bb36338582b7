#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>

#include "kernels/attention/paper.hpp"
#include "profiler/plan/request.hpp"
#include "tests/views/sweep_fixture.hpp"
#include "views/data/format.hpp"
#include "views/model/charts/chart_model.hpp"
#include "views/model/latency_columns.hpp"
#include "views/model/paper/paper_model.hpp"
#include "views/model/setup_model.hpp"
#include "views/model/tables/judged_table.hpp"

namespace triscope {
namespace {

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
  EXPECT_EQ(model.reference, "") << "nothing was compared";
}

/// All that a table says.
std::string whole(const LatencyModel& table) {
  return write_table(latency_text(table, {0, 1, 2}, latency_columns(table)), TableFormat::tsv);
}

TEST(LatencyModel, verdicts_that_come_after_the_rows_make_the_table_that_they_would_have_made_with_them) {
  Verdicts verdicts{"baseline.cpu", "CPU dot-product", "CPU dot"};
  verdicts.by_measurement[1].verdict = Verdict::slower;
  verdicts.by_measurement[1].ratio = 1.84;
  verdicts.by_measurement[1].interval = {1.82, 1.86};
  verdicts.rates[1] = 1.092;
  Verdicts others{"cpu.fast", "CPU fast", "fast"};
  others.by_measurement[2] = verdicts.by_measurement[1];
  others.by_measurement[2].paired = true;
  Comparisons against;
  against[1].comparison.verdict = Verdict::faster;
  against[1].comparison.ratio = 0.9;
  const auto sweep = small_sweep();
  LatencyModel table = make_latency_model(*sweep, nullptr);
  const std::string bare = whole(table);
  judge(table, &against, &verdicts);
  EXPECT_EQ(whole(table), whole(make_latency_model(*sweep, &against, &verdicts)));
  EXPECT_NE(whole(table), bare);
  EXPECT_TRUE(table.apart);
  const LatencyModel as_it_was = table;
  const std::string judged = whole(table);
  judge(table, nullptr, &others);  // another reference was chosen, and the baseline left
  EXPECT_EQ(whole(table), whole(make_latency_model(*sweep, nullptr, &others)));
  EXPECT_EQ(table.reference, "cpu.fast");
  EXPECT_FALSE(table.apart);
  EXPECT_FALSE(table.has_baseline);
  EXPECT_EQ(table.reference_label, "fast");
  EXPECT_EQ(whole(as_it_was), judged) << "a copy shares cells, not verdicts";
  judge(table, &against, &verdicts);  // and then there is none at once
  judge(table, nullptr, nullptr);
  EXPECT_EQ(whole(table), bare);
  for (const LatencyLine& line : table.lines) {
    for (const std::shared_ptr<const LatencyCell>& cell : line.cells)
      EXPECT_FALSE(cell && (cell->against_baseline || cell->beside || cell->of_reference)) << line.label;
  }
}

TEST(LatencyModel, only_a_pass_that_has_a_verdict_against_the_baseline_has_a_column_of_them) {
  const auto verdicts_of = [](const LatencyModel& model) {
    std::vector<std::string> ids;
    for (const LatencyColumn& one : latency_columns(model)) {
      if (one.field == LatencyField::verdict) ids.push_back(one.id);
    }
    return ids;
  };
  Comparisons against;
  EXPECT_THAT(verdicts_of(make_latency_model(*small_sweep(), &against)), testing::IsEmpty());
  against[1].comparison.verdict = Verdict::faster;
  EXPECT_THAT(verdicts_of(make_latency_model(*small_sweep(), &against)), ElementsAre("verdict/forward"));
}

TEST(LatencyModel, a_heading_says_in_turns_where_some_time_of_its_column_is) {
  const auto both = sweep({row(1, 512, 32, Pass::forward, 10, 1), row(2, 512, 32, Pass::backward, 20, 1)});
  Verdicts verdicts{"baseline.cpu", "CPU dot-product", "CPU dot"};
  for (const std::int64_t id : {1, 2}) verdicts.by_measurement[id].verdict = Verdict::slower;
  verdicts.by_measurement[1].paired = true;
  const auto columns = latency_columns(make_latency_model(*both, nullptr, &verdicts));
  EXPECT_EQ(column(columns, "beside/forward").title, "vs CPU dot, in turns");
  EXPECT_EQ(column(columns, "beside/backward").title, "time vs CPU dot") << "below it stand stars alone";
}

TEST(LatencyModel, a_row_stands_beside_the_reference_in_time_first_and_then_in_rate) {
  Comparison slower;
  slower.verdict = Verdict::slower;
  slower.ratio = 1.84;
  slower.interval = {1.82, 1.86};
  Verdicts verdicts{"baseline.cpu", "CPU dot-product", "CPU dot"};
  verdicts.by_measurement[1] = slower;
  verdicts.rates[1] = 1.092;
  const LatencyModel model = make_latency_model(*small_sweep(), nullptr, &verdicts);
  EXPECT_EQ(model.reference, "baseline.cpu");
  const auto columns = latency_columns(model);
  EXPECT_EQ(column(columns, "beside/forward").title, "time vs CPU dot");
  EXPECT_EQ(cell_text(model.lines[0], column(columns, "beside/forward")), "▼ 1.84× longer *");
  EXPECT_EQ(cell_text(model.lines[0], column(columns, "between/forward")), "1.82 to 1.86");
  EXPECT_EQ(column(columns, "between/forward").title, "its interval");
  EXPECT_EQ(column(columns, "of/forward").title, "rate vs CPU dot");
  verdicts.by_measurement[1].paired = true;
  const LatencyModel in_turns = make_latency_model(*small_sweep(), nullptr, &verdicts);
  EXPECT_EQ(column(latency_columns(in_turns), "beside/forward").title, "vs CPU dot, in turns");
  verdicts.by_measurement[1].paired = false;
  EXPECT_EQ(cell_text(model.lines[0], column(columns, "of/forward")), "1.09×");
  EXPECT_EQ(cell_text(model.lines[0], column(columns, "beside/backward")), "") << "that pass has no partner";
  EXPECT_EQ(time_sentence(slower, "FA3"), "1.84x longer than FA3, 1.82 to 1.86 *");
  Comparison faster;
  faster.verdict = Verdict::faster;
  faster.paired = true;
  faster.ratio = 1 / 4.47;
  faster.interval = {1 / 4.53, 1 / 4.41};
  EXPECT_EQ(time_sentence(faster, "FA3"), "4.47x shorter than FA3, 4.41 to 4.53");
  slower.paired = true;
  slower.verdict = Verdict::unclear;
  EXPECT_EQ(time_sentence(slower, "FA3"), "unclear, 1.84x the time of FA3, 1.82 to 1.86");
  slower.verdict = Verdict::same;
  EXPECT_EQ(time_sentence(slower, "FA3"), "the same time as FA3, 1.82 to 1.86");
  slower.interval = {1.1302, 1.1308};
  EXPECT_EQ(time_interval_text(slower), "1.130 to 1.131") << "as many digits as tell the ends apart";
  slower.verdict = Verdict::not_comparable;
  EXPECT_EQ(time_sentence(slower, "FA3"), "not comparable with FA3");
  EXPECT_EQ(time_interval_text(slower), "");
  verdicts.by_measurement[1].verdict = Verdict::not_comparable;
  verdicts.by_measurement[1].ratio = 0;  // not computed
  const LatencyModel without = make_latency_model(*small_sweep(), nullptr, &verdicts);
  EXPECT_EQ(cell_value(without.lines[0], column(columns, "beside/forward")), std::nullopt) << "it sorts last";
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

/// Two baselines of one kernel and one label in which only the batch differs.
TEST(LatencyModel, baselines_of_one_name_are_told_apart_by_what_they_differ_in) {
  auto results = small_sweep();
  EXPECT_THAT(make_latency_model(*results, nullptr).fact_names, ElementsAre("kernel"));
  ResultRow other = results->rows[4];
  ASSERT_TRUE(is_baseline(other));
  other.measurement = 7;
  other.problem.batch = 3;
  results->rows.push_back(other);
  const LatencyModel model = make_latency_model(*results, nullptr);
  EXPECT_THAT(model.fact_names, ElementsAre("kernel", "batch"));
  EXPECT_EQ(model.lines.back().facts.at(1), "3");
}

TEST(LatencyModel, failed_rows_say_so_and_keep_their_reason_searchable) {
  const auto results = sweep(
      {row(1, 512, 32, Pass::forward, 1, 1), failed(row(2, 256, 64, Pass::forward, 1, 1), "worker crashed: SIGSEGV")});
  const LatencyModel model = make_latency_model(*results, nullptr);
  const auto columns = latency_columns(model);
  EXPECT_EQ(cell_text(model.lines[1], column(columns, "median/forward")), "failed");
  EXPECT_EQ(model.failed, 1);
  EXPECT_THAT(arrange(model, "sigsegv", std::nullopt), ElementsAre(1U));
}

TEST(LatencyModel, samples_of_a_failed_measurement_are_not_shown_as_a_result) {
  auto results = sweep({row(1, 512, 32, Pass::forward, 10, 1), row(2, 256, 64, Pass::forward, 0.001, 900)});
  results->rows[1].status = Status::failed;
  const LatencyModel model = make_latency_model(*results, nullptr);
  const auto columns = latency_columns(model);
  EXPECT_EQ(cell_text(model.lines[1], column(columns, "tflops/forward")), "");
  EXPECT_EQ(cell_text(model.lines[1], column(columns, "interval/forward")), "");
  EXPECT_FALSE(cell_value(model.lines[1], column(columns, "median/forward")));
  EXPECT_EQ(cell_text(model.lines[0], column(columns, "median/forward")), "10.00");
  EXPECT_EQ(model.groups[0].max_tflops, 1);
}

TEST(LatencyModel, a_pass_without_a_time_of_ours_stands_behind_those_that_have_one) {
  ResultRow reference = row(3, 512, 512, Pass::forward, 5, 1, "baseline.fa3");
  reference.problem.form = Form::dot_product;
  const ResultRow backward = row(2, 512, 32, Pass::backward, 30, 1);
  const auto first_time = [](std::vector<ResultRow> rows) {
    const auto columns = latency_columns(make_latency_model(*sweep(std::move(rows)), nullptr));
    return std::ranges::find(columns, LatencyField::median, &LatencyColumn::field)->id;
  };
  EXPECT_EQ(first_time({row(1, 512, 32, Pass::forward, 10, 1), backward, reference}), "median/forward");
  EXPECT_EQ(first_time({failed(row(1, 512, 32, Pass::forward, 10, 1), "stopped"), backward, reference}),
            "median/backward");
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
  EXPECT_EQ(cell_text(model.lines[0], column(columns, "interval/forward")), "unknown");
  EXPECT_FALSE(cell_value(model.lines[0], column(columns, "interval/forward")));
  EXPECT_TRUE(cell_value(model.lines[1], column(columns, "interval/forward")));
}

TEST(LatencyModel, a_very_narrow_interval_is_not_called_zero) {
  const auto results = sweep({row(1, 512, 32, Pass::forward, 0.5, 1)});
  results->rows[0].ci_low_ms = 0.49998;
  results->rows[0].ci_high_ms = 0.50002;
  const LatencyModel model = make_latency_model(*results, nullptr);
  EXPECT_EQ(cell_text(model.lines[0], column(latency_columns(model), "interval/forward")), "0.00002");
}

TEST(LatencyModel, the_filter_wants_every_word_in_any_column) {
  const LatencyModel model = make_latency_model(*small_sweep(), nullptr);
  EXPECT_THAT(arrange(model, "512", std::nullopt), ElementsAre(0U));
  EXPECT_THAT(arrange(model, "512x32 CPU", std::nullopt), ElementsAre(0U));
  EXPECT_THAT(arrange(model, "dot", std::nullopt), ElementsAre(2U));
  EXPECT_THAT(arrange(model, "512 nonsense", std::nullopt), testing::IsEmpty());
  const LatencyModel rates = make_latency_model(*sweep({row(1, 32, 16, Pass::forward, 10, 128.3)}), nullptr);
  EXPECT_THAT(arrange(rates, "128", std::nullopt), testing::IsEmpty()) << "a rate is no name";
}

TEST(LatencyModel, digits_follow_the_interval_of_each_row) {
  const auto results = sweep({row(1, 512, 32, Pass::forward, 124.4, 1), row(2, 16, 16, Pass::forward, 0.5, 1)});
  const LatencyModel model = make_latency_model(*results, nullptr);
  const auto columns = latency_columns(model);
  EXPECT_EQ(cell_text(model.lines[0], column(columns, "median/forward")), "124.4");
  EXPECT_EQ(cell_text(model.lines[0], column(columns, "interval/forward")), "1.9");
  EXPECT_EQ(cell_text(model.lines[1], column(columns, "median/forward")), "0.5000");
  EXPECT_EQ(cell_text(model.lines[1], column(columns, "interval/forward")), "0.0075");
  EXPECT_EQ(model.groups[0].decimals, 4);
  EXPECT_EQ(point_padding(1, 4), "   ");  // "124.4" then stands with its point above that of "0.5000"
  EXPECT_EQ(point_padding(0, 4), "     ");
}

TEST(LatencyModel, rates_have_three_digits_where_the_interval_bears_them) {
  auto results = sweep({row(1, 512, 32, Pass::forward, 20, 742.3), row(2, 16, 16, Pass::forward, 20, 29.14),
                        row(3, 32, 16, Pass::forward, 20, 0.3456)});
  results->rows[1].ci_low_ms = 5;  // half of the time, and of the rate, is the interval
  results->rows[1].ci_high_ms = 25;
  const LatencyModel model = make_latency_model(*results, nullptr);
  const auto columns = latency_columns(model);
  const LatencyColumn& rate = column(columns, "tflops/forward");
  EXPECT_EQ(cell_text(model.lines[0], rate), "742");
  EXPECT_EQ(cell_text(model.lines[1], rate), "29");
  EXPECT_EQ(cell_text(model.lines[2], rate), "0.346");
  EXPECT_EQ(model.groups[0].rate_decimals, 3) << "all line up on the point of the last";
  const WindowMap map =
      make_window_map(model, chart_settings(model).front(), map_series(model).front(), MapMetric::tflops);
  EXPECT_EQ(map.at(0, 0).decimals, 0) << "29";
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
  comparison.ratio = 1 / 1.31;
  comparison.verdict = Verdict::faster;
  EXPECT_EQ(marked(comparison, time_text(comparison)), "▲ 1.31× shorter");
  comparison.verdict = Verdict::slower;
  comparison.ratio = 2;
  EXPECT_EQ(marked(comparison, time_text(comparison)), "▼ 2.00× longer");
  comparison.ratio = 1.004;
  EXPECT_EQ(marked(comparison, time_text(comparison)), "▼ 1.004× longer") << "not 1.00×";
  comparison.interval = {1.003, 1.0049};
  EXPECT_EQ(time_interval_text(comparison), "1.003 to 1.005");
}

TEST(LatencyModel, a_rate_beside_the_reference_shows_on_which_side_of_1_it_lies) {
  LatencyModel model = make_latency_model(*small_sweep(), nullptr);
  const auto with_cell = std::ranges::find_if(model.lines, [](const LatencyLine& line) {
    return !line.cells.empty() && line.cells[0] && line.cells[0]->row.status == Status::ok;
  });
  ASSERT_NE(with_cell, model.lines.end());
  LatencyCell cell = *with_cell->cells[0];
  LatencyLine line = *with_cell;
  for (const auto& [rate, text] : std::map<double, std::string>{{0.996, "0.996×"}, {1, "1.00×"}, {1.23456, "1.23×"}}) {
    cell.of_reference = rate;
    line.cells[0] = std::make_shared<LatencyCell>(cell);
    EXPECT_EQ(cell_text(line, {LatencyField::of_reference, 0, "of", "rate"}), text);
  }
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

TEST(SetupForm, a_sweep_of_many_hours_or_most_of_the_memory_is_warned_of) {
  Catalog catalog;
  catalog.devices.emplace_back();
  catalog.devices[0].id = "cpu";
  catalog.devices[0].memory_bytes = 24'000'000'000;
  PlanPreview preview;
  preview.seconds = 3000;
  preview.bytes = 4'000'000'000;
  EXPECT_EQ(plan_warning(preview, default_form(false), &catalog), "");
  preview.seconds = 59 * 3600;
  preview.bytes = 22'000'000'000;
  EXPECT_EQ(plan_warning(preview, default_form(false), &catalog), "about 59 h 0 min, 22 GB of the device's 24 GB");
}

TEST(SetupForm, a_plan_for_another_machine_says_what_it_needs_and_chooses_nothing_else) {
  Catalog catalog;
  Device cpu;
  cpu.id = "cpu", cpu.name = "Test CPU";
  catalog.devices = {cpu};
  for (const char* id : {"cpu.fast", "cuda.hopper", "baseline.fa3"}) {
    KernelInfo kernel;
    kernel.id = id;
    kernel.card = card_of(id);
    if (kernel.id != "cpu.fast") kernel.device = DeviceKind::cuda;
    catalog.kernels.push_back(kernel);
  }
  Problem like;
  like.seq_len = 16384;
  like.q_heads = 64;
  const PlannedOn on{"NVIDIA H200", {"cuda.hopper", "baseline.fa3"}};
  SetupForm form = default_form(false);
  plan_windows(form, like, {{256, 32}}, {Pass::forward}, on, &catalog);
  const FormReading elsewhere = read_form(form, &catalog);
  ASSERT_TRUE(elsewhere.problems.contains("device"));
  EXPECT_THAT(elsewhere.problems.at("device"), HasSubstr("needs NVIDIA H200 with cuda.hopper and baseline.fa3"));
  EXPECT_THAT(elsewhere.request.kernels, ElementsAre("cuda.hopper", "baseline.fa3"));
  EXPECT_THAT(to_command_line(elsewhere.request), HasSubstr("--windows 256x32 --seq 16384"));
  Device gpu;
  gpu.id = "0", gpu.name = "NVIDIA H200", gpu.kind = DeviceKind::cuda;
  catalog.devices.push_back(gpu);
  plan_windows(form, like, {{256, 32}}, {Pass::forward}, on, &catalog);
  const FormReading here = read_form(form, &catalog);
  EXPECT_TRUE(here.problems.empty());
  EXPECT_EQ(here.request.device, "0");
  EXPECT_THAT(here.request.kernels, ElementsAre("cuda.hopper", "baseline.fa3"));
}

TEST(LatencyModel, the_filter_finds_a_length_however_it_is_written) {
  const LatencyModel model = make_latency_model(*length_sweep(), nullptr);
  const std::size_t at_32k = arrange(model, "32,768", std::nullopt).size();
  EXPECT_GT(at_32k, 0U);
  EXPECT_EQ(arrange(model, "32k", std::nullopt).size(), at_32k);
  EXPECT_EQ(arrange(model, "32768", std::nullopt).size(), at_32k);
  for (const std::size_t line : arrange(model, "8k", std::nullopt)) EXPECT_EQ(model.lines[line].problem.seq_len, 8192);
}

TEST(Paper, takes_the_fastest_of_our_kernels_and_says_when_the_shape_is_another) {
  auto results = sweep({row(1, 512, 32, Pass::forward, 30, 1), row(2, 512, 32, Pass::forward, 20, 1, "cuda.portable"),
                        row(3, 512, 32, Pass::backward, 1, 1)});
  const PaperModel model = make_paper_model(results->rows, "Test CPU");
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
  EXPECT_TRUE(make_paper_model(results->rows, "Test CPU").same_shape);
  const auto ratio_of = [](const PaperModel& one) {
    const TextTable table = paper_text(one);
    const auto line = std::find_if(table.rows.begin(), table.rows.end(),
                                   [](const auto& cells) { return cells[0] == "512" && cells[1] == "32"; });
    return line == table.rows.end() ? std::string("no row") : line->back();
  };
  EXPECT_THAT(paper_text(model).header[6], HasSubstr("H100"));
  EXPECT_EQ(paper_text(model).rows[0][4], "507") << "TFLOP/s, by the paper's count";
  EXPECT_EQ(paper_text(model).rows[0][5], "333") << "by two products";
  EXPECT_EQ(paper_text(model).rows[0][6], "47.1") << "1024x32, as recorded in assets/recorded/h100.db";
  EXPECT_EQ(ratio_of(model), "other shape");
  EXPECT_EQ(model.decimals, 2) << "20 ms, known to 0.30";
  EXPECT_NE(ratio_of(make_paper_model(results->rows, "Test CPU")), "other shape");
}

TEST(Paper, the_papers_own_kernels_stand_beside_what_took_turns_with_them) {
  const auto results = sweep({row(1, 512, 32, Pass::forward, 6, 1)});
  EXPECT_TRUE(make_paper_model(results->rows, "Test CPU").kernels.empty());
  std::vector<ResultRow> rows = results->rows;
  rows.push_back(row(2, 512, 32, Pass::forward, 78, 1, "paper.triton"));
  const PaperModel model = make_paper_model(rows, "Test CPU");
  ASSERT_EQ(model.kernels.size(), 1U);
  const PaperKernelLine& line = model.kernels[0];
  EXPECT_EQ(line.paper_ms, "78.0");
  EXPECT_EQ(line.ours_ms, "6.000");
  EXPECT_EQ(line.ratio, "13.0 (12.6 to 13.4)");
  EXPECT_EQ(line.dot_ms, "") << "nothing of the kind took turns";
}

TEST(Paper, each_line_says_itself_whether_its_shape_is_the_papers) {
  auto results = sweep({row(1, 512, 32, Pass::forward, 30, 1), row(2, 256, 64, Pass::forward, 0.05, 1)});
  Problem& p = results->rows[0].problem;
  p.seq_len = 32768;
  p.q_heads = 64;
  p.head_dim = 128;
  results->rows[1].ci_low_ms.reset();
  const PaperModel model = make_paper_model(results->rows, "Test CPU");
  EXPECT_FALSE(model.same_shape);
  for (const PaperLine& line : model.lines) {
    if (line.windows == Windows{512, 32}) {
      EXPECT_THAT(ratio_text(line), HasSubstr("1.8"));
      EXPECT_TRUE(line.known);
    }
    if (line.windows == Windows{256, 64}) {
      EXPECT_EQ(ratio_text(line), "other shape");
      EXPECT_FALSE(line.known);
    }
  }
}

}  // namespace
}  // namespace triscope
