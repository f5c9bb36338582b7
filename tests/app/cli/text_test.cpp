// Text for people: numbers, tables that fit a terminal, progress lines, and the objects of --json.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "app/cli/text/number_text.hpp"
#include "app/cli/text/result_table.hpp"
#include "app/cli/text/sweep_display.hpp"
#include "app/cli/text/terminal.hpp"
#include "app/cli/text/terminal_table.hpp"
#include "profiler/plan/progress.hpp"
#include "profiler/record/columns.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(NumberText, milliseconds_have_four_digits) { EXPECT_EQ(milliseconds_text(12.3456), "12.35"); }

TEST(NumberText, writes_times_and_sizes) {
  EXPECT_EQ(clock_text(0), "0:00");
  EXPECT_EQ(clock_text(42.4), "0:42");
  EXPECT_EQ(clock_text(725), "12:05");
  EXPECT_EQ(clock_text(3723), "1:02:03");
  EXPECT_EQ(bytes_text(512), "512 B");
  EXPECT_EQ(bytes_text(1536.0 * 1024 * 1024), "1.5 GiB");
}

TerminalTable wide_table() {
  TerminalTable table;
  table.columns = {{"id", Align::right, 10, false},
                   {"kernel", Align::left, 90, false},
                   {"ms", Align::right, 100, false},
                   {"command", Align::left, 50, true}};
  table.rows = {{"m1", "cpu.fast", "12.35", "triscope sweep --windows table1 --seq 1024"},
                {"m2", "baseline.cpu", "1.2", "x"}};
  return table;
}

TEST(TerminalTable, shows_everything_without_a_limit) {
  const std::string text = render(wide_table(), kUnlimitedWidth);
  EXPECT_THAT(text, HasSubstr("--seq 1024"));
  EXPECT_THAT(text, StartsWith("id  kernel           ms  command\n"));
}

TEST(TerminalTable, never_exceeds_the_width_and_cuts_text_before_columns) {
  for (std::size_t width = 20; width < 80; ++width) {
    const auto lines = lines_of(render(wide_table(), width));
    for (const std::string& line : lines) EXPECT_LE(display_width(line), width) << line;
    EXPECT_THAT(lines.front(), HasSubstr("ms")) << "the most important column went at width " << width;
  }
  EXPECT_THAT(render(wide_table(), 40), HasSubstr("..."));
  EXPECT_THAT(render(wide_table(), 40), Not(HasSubstr("not shown")));
}

TEST(TerminalTable, names_the_columns_that_did_not_fit) {
  EXPECT_THAT(render(wide_table(), 24), HasSubstr("(not shown"));
}

TEST(TerminalTable, leaves_out_columns_without_content) {
  TerminalTable table;
  table.columns = {{"a", Align::left, 1, false}, {"b", Align::left, 1, false}};
  table.rows = {{"x", ""}, {"y", ""}};
  EXPECT_EQ(render(table, 80), "a\nx\ny\n");
}

TEST(TerminalTable, numbers_stand_on_their_points) {
  const TerminalTable table{{{"factor", Align::point, 1, false}, {"end", Align::left, 1, false}},
                            {{"1.18", "."}, {"0.996 *", "."}, {"12.3x longer", "."}, {"same", "."}, {"7", "."}}};
  EXPECT_EQ(render(table, 80),
            "      factor  end\n"
            " 1.18         .\n"
            " 0.996 *      .\n"
            "12.3x longer  .\n"
            "        same  .\n"
            " 7            .\n");
}

TEST(TerminalTable, a_list_is_wrapped_between_its_words) {
  EXPECT_THAT(wrapped_list({"avx512", "avx2", "portable"}, 14), testing::ElementsAre("avx512, avx2,", "portable"));
  EXPECT_THAT(wrapped_list({"avx512", "avx2", "portable"}, 60), testing::ElementsAre("avx512, avx2, portable"));
  EXPECT_THAT(wrapped_list({"far_too_long", "b"}, 4), testing::ElementsAre("far_too_long,", "b"));
  EXPECT_THAT(wrapped_list({}, 4), testing::ElementsAre(""));
}

TEST(TerminalTable, counts_two_columns_for_wide_characters) {
  const std::string wide = "\xe6\xbc\xa2\xe5\xad\x97";
  EXPECT_EQ(display_width(wide), 4u);
  EXPECT_EQ(first_columns(wide + "x", 3), "\xe6\xbc\xa2");
  EXPECT_EQ(first_columns(wide, 4), wide);
}

TEST(TerminalTable, what_follows_a_broken_line_does_not_look_like_a_line) {
  const std::string fake = "m9  cpu.fast  0.001 ms";
  const std::string wide = "\xe6\xbc\xa2";
  std::string wide_padding;
  for (int n = 0; n < 13; ++n) wide_padding += wide;
  for (const std::string& padding : {std::string(26, ' '), std::string(26, 'a'), std::string("\t\t\t"), wide_padding}) {
    std::string beginnings;
    for (const std::string& line : lines_of(wrapped_lines("m1: " + padding + fake + "\nm2: short\n", 30))) {
      EXPECT_LE(display_width(line), 30u) << line;
      if (!line.starts_with("    ")) beginnings += line.substr(0, 3);
    }
    EXPECT_EQ(beginnings, "m1:m2:") << padding;
  }
  EXPECT_EQ(wrapped_lines("a\tb " + fake, kUnlimitedWidth), "a\tb " + fake + "\n");
  EXPECT_EQ(wrapped_lines("", 30), "");
}

TEST(TerminalTable, a_name_longer_than_any_of_ours_is_cut_too) {
  const TerminalTable table{{{"id", Align::right, 60, false}, {"kernel", Align::left, 90, false}},
                            {{"m1", std::string(200, ' ') + "m9  cpu.fast  0.001 ms"}, {"m2", "cpu.fast"}}};
  const std::vector<std::string> lines = lines_of(render(table, 80));
  ASSERT_EQ(lines.size(), 3u);
  for (const std::string& line : lines) EXPECT_LE(display_width(line), 80u) << line;
}

TEST(TerminalTable, counts_characters_not_bytes) {
  EXPECT_EQ(display_width("\xC2\xB1\xC2\xB5s"), 3u);
  TerminalTable table;
  table.columns = {{"a", Align::left, 1, true}, {"b", Align::left, 1, false}};
  table.rows = {{"\xC2\xB5\xC2\xB5\xC2\xB5\xC2\xB5\xC2\xB5\xC2\xB5\xC2\xB5\xC2\xB5\xC2\xB5\xC2\xB5", "1"}};
  EXPECT_THAT(render(table, 11), HasSubstr("\xC2\xB5\xC2\xB5\xC2\xB5\xC2\xB5\xC2\xB5...  1"));
}

Measurement measured() {
  Measurement measurement;
  measurement.key.kernel = "cpu.fast";
  measurement.key.instance = "tiled";
  measurement.key.device_id = "cpu";
  measurement.summary.median_ms = 10;
  measurement.summary.ci_low_ms = 9.9;
  measurement.summary.ci_high_ms = 10.1;
  measurement.summary.samples = 12;
  return measurement;
}

TEST(SweepDisplay, the_bar_fits_the_width_and_says_how_long_it_takes) {
  Progress progress;
  progress.done = 5;
  progress.total = 14;
  progress.seconds_left = 42;
  progress.current = "cpu.fast forward 512x32, block 9";
  const std::string bar = progress_bar(progress, 200);
  EXPECT_THAT(bar, HasSubstr("5/14, 0:42 left, cpu.fast forward"));
  EXPECT_THAT(bar, StartsWith("[########................]"));
  for (std::size_t width = 0; width < 100; ++width) EXPECT_LE(progress_bar(progress, width).size(), width);
  EXPECT_THAT(progress_bar(Progress{}, 200), StartsWith("[........................] 0/0"));
}

TEST(SweepDisplay, a_result_says_latency_interval_and_speed) {
  const std::string line = result_line(measured());
  EXPECT_THAT(line, HasSubstr("cpu.fast tiled forward"));
  EXPECT_THAT(line, HasSubstr("10.00 ms, +-1.0 %"));
  EXPECT_THAT(line, HasSubstr("TFLOP/s"));
  Measurement wide = measured();
  wide.summary.samples = 2;
  wide.summary.ci_low_ms = 0;
  EXPECT_THAT(result_line(wide), HasSubstr("10.00 ms, interval unknown (2 samples), "));
  Measurement failed = measured();
  failed.status = Status::failed;
  failed.reason = "the worker was killed by signal 9";
  EXPECT_THAT(result_line(failed), HasSubstr("failed: the worker was killed by signal 9"));
}

TEST(SweepDisplay, lines_of_two_instances_differ) {
  Measurement one = measured(), other = measured();
  one.key.instance = "avx2";
  other.key.instance = "avx512";
  EXPECT_NE(result_line(one), result_line(other));
  EXPECT_THAT(result_line(one), HasSubstr("cpu.fast avx2 forward"));
}

TEST(SweepDisplay, json_is_one_object_a_line_even_with_rubbish_in_it) {
  Measurement measurement = measured();
  measurement.reason = "line\nbreak and \xFF";
  const std::string text = result_json(measurement, 7);
  EXPECT_THAT(text, Not(HasSubstr("\n")));
  const auto object = nlohmann::json::parse(text);
  EXPECT_EQ(object.at("type"), "result");
  EXPECT_EQ(object.at("measurement"), 7);
  EXPECT_EQ(object.at("median_ms"), 10);
  EXPECT_EQ(object.at("joules"), nullptr) << "of a CPU's power nothing is known";
  measurement.summary.power_w = 700;
  measurement.summary.limiter = "sw_power_cap";
  const auto powered = nlohmann::json::parse(result_json(measurement, 7));
  EXPECT_EQ(powered.at("joules"), 7) << "700 W for 10 ms";
  Measurement burst = measurement;
  burst.key.regime = Regime::burst;
  const auto of_burst = nlohmann::json::parse(result_json(burst, 7));
  EXPECT_EQ(of_burst.at("power_w"), 700);
  for (const char* energy : {"joules", "joules_per_tflop"})
    EXPECT_EQ(of_burst.at(energy), nullptr) << "its power has the pauses in it";
  EXPECT_EQ(powered.at("limiter"), "sw_power_cap");
  EXPECT_EQ(nlohmann::json::parse(progress_json(Progress{})).at("seconds_left"), nullptr);
  EXPECT_EQ(nlohmann::json::parse(summary_json(SweepOutcome{}, "x.db")).at("database"), "x.db");
  EXPECT_EQ(nlohmann::json::parse(log_json("\xFE")).at("type"), "log");
  measurement.summary = {};
  EXPECT_EQ(nlohmann::json::parse(result_json(measurement, 7)).at("median_ms"), nullptr);
}

TEST(SweepDisplay, json_has_no_ends_of_an_interval_that_is_unknown) {
  const auto known = nlohmann::json::parse(result_json(measured(), 7));
  EXPECT_EQ(known.at("ci_low_ms"), measured().summary.ci_low_ms);
  EXPECT_EQ(known.at("ci_high_ms"), measured().summary.ci_high_ms);
  Measurement wide = measured();
  wide.summary.ci_low_ms = 1;
  wide.summary.ci_high_ms = 30;  // 10 +-145 %, as `show` does not print it either
  const auto unknown = nlohmann::json::parse(result_json(wide, 7));
  EXPECT_EQ(unknown.at("median_ms"), 10);
  EXPECT_EQ(unknown.at("ci_low_ms"), nullptr);
  EXPECT_EQ(unknown.at("ci_high_ms"), nullptr);
}

TEST(ResultTable, a_cross_check_beyond_the_interval_is_named) {
  ResultRow row;
  row.measurement = 7;
  row.kernel = "cuda.hopper";
  row.median_ms = 10;
  row.ci_low_ms = 9.7;
  row.ci_high_ms = 10.3;
  const auto beyond = [&](double events_ms) {
    row.events_ms = events_ms;
    return cross_check_beyond(row);
  };
  EXPECT_EQ(beyond(10.25), std::nullopt) << "inside";
  EXPECT_NEAR(beyond(10.5).value_or(0), 5, 1e-9);
  EXPECT_THAT(remarks({row}, {}), HasSubstr("more than 1 % off (docs/method.md): m7 +5.0 %\n"));
  EXPECT_NEAR(beyond(9.5).value_or(0), -5, 1e-9);
  row.ci_low_ms = 9.99;
  row.ci_high_ms = 10.01;
  EXPECT_EQ(beyond(10.05), std::nullopt) << "too near to be told";
  EXPECT_EQ(remarks({row}, {}), "");
  row.events_ms.reset();
  EXPECT_EQ(cross_check_beyond(row), std::nullopt);
}

TEST(ResultTable, a_flag_that_every_row_has_is_said_once) {
  ResultRow row;
  row.samples = row.flagged = 12;
  row.limiter = "sw_power_cap";
  const std::string once = render(result_table({row, row}, {}), kUnlimitedWidth);
  EXPECT_THAT(once, Not(HasSubstr("flagged")));
  EXPECT_THAT(remarks({row, row}, {}), HasSubstr("every sample of every row was power-capped: sw_power_cap\n"));
  ResultRow partly = row;
  partly.flagged = 3;
  EXPECT_THAT(render(result_table({row, partly}, {}), kUnlimitedWidth), HasSubstr("3/12"));
  EXPECT_EQ(remarks({row, partly}, {}), "");
}

TEST(ResultTable, time_and_rate_beside_a_baseline_have_names_of_their_own) {
  ResultRow row;
  row.measurement = 7;
  Verdicts verdicts;
  verdicts.baseline = "baseline.fa3";
  Comparison& comparison = verdicts.by_measurement[7];
  comparison.verdict = Verdict::slower;
  comparison.ratio = 1.84;
  comparison.paired = true;
  verdicts.rates[7] = 1.094;
  const std::string text = render(result_table({row}, verdicts), kUnlimitedWidth);
  for (const char* part : {"time vs baseline.fa3", "1.84x longer", "rate vs baseline.fa3", "1.09x"})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_THAT(text, Not(HasSubstr("slower")));
}

TEST(ResultTable, medians_that_contradict_the_ratio_in_turns_are_named) {
  ResultRow row;
  row.measurement = 8;
  Verdicts verdicts{"baseline.fa3", "FlashAttention-3", "FA3"};
  Comparison& time = verdicts.by_measurement[8];
  time.paired = true;
  time.ratio = 1.051, time.interval = {1.047, 1.055};
  time.a_ms = 27.13, time.b_ms = 25.49;
  EXPECT_THAT(remarks({row}, verdicts), HasSubstr("m8 27.13 / 25.49 = 1.064 (1.047 .. 1.055)\n"));
  time.b_ms = 25.80;
  EXPECT_EQ(remarks({row}, verdicts), "") << "inside";
  time.b_ms = 25.49;
  time.paired = false;
  EXPECT_THAT(remarks({row}, verdicts), testing::Not(HasSubstr("quotient"))) << "the medians are what is compared";
}

TEST(ResultTable, rows_that_did_not_converge_share_a_line) {
  ResultRow row;
  row.measurement = 7;
  row.median_ms = 10;
  row.ci_low_ms = 9.9;
  row.ci_high_ms = 10.1;
  row.reason = "not converged: +-1.0 % over 3 restarts, 0.5 % was asked for";
  ResultRow other = row;
  other.measurement = 8;
  other.ci_high_ms.reset();
  other.samples = 1;
  other.reason = "not converged: one sample after 1.3 s, 0.5 % was asked for";
  EXPECT_EQ(remarks({row}, {}), "m7: " + row.reason + "\n");
  EXPECT_EQ(remarks({row, other}, {}),
            "2 rows are not converged, not as narrow as 1.25 times the 0.50 % asked for: m7 +-1.0 %, m8 one "
            "sample\n");
  row.reason =
      "not converged: +-1.0 % over 3 restarts is narrow enough, but 3 blocks are too few to trust: at least 8 "
      "are needed";
  ResultRow older = row;
  older.measurement = 9;
  older.reason = "not converged: +-1.0 % over 3 restarts is narrow enough, but its blocks are too few to trust";
  EXPECT_EQ(remarks({row, older}, {}),
            "2 rows are not converged, their blocks are too few to trust: m7 +-1.0 %, m9 +-1.0 %\n");
  other.reason += "; two modes: 1.23 ms and 1.31 ms (40 % of the blocks)";
  EXPECT_THAT(remarks({row, row, other}, {}), HasSubstr("m8: " + other.reason + "\n")) << "it says more";
}

TEST(ResultTable, an_unknown_interval_has_its_reason) {
  ResultRow row;
  row.measurement = 7;
  row.median_ms = 10;
  row.samples = 1;
  ResultRow other = row;
  other.measurement = 8;
  other.samples = 2;
  EXPECT_THAT(render(result_table({row, other}, {}), kUnlimitedWidth), HasSubstr("unknown"));
  EXPECT_EQ(remarks({row, other}, {}),
            "too few samples for an interval: m7 one sample, m8 interval unknown (2 samples)\n");
  row.reason = "not converged: one sample after 1.3 s, 0.5 % was asked for";
  EXPECT_EQ(remarks({row}, {}), "m7: " + row.reason + "\n") << "said once";
}

TEST(ResultTable, a_failed_measurement_does_not_look_like_a_result) {
  ResultRow row;
  row.measurement = 7;
  row.kernel = "cpu.fast";
  row.median_ms = 47.46;
  row.ci_low_ms = 44;
  row.ci_high_ms = 51;
  row.tflops = 123.25;
  row.peak_fraction = 0.25;
  const std::string ok = render(result_table({row}, {}), kUnlimitedWidth);
  for (const char* part : {"47.46", "7.4", "123", "25 %"}) EXPECT_THAT(ok, HasSubstr(part));
  row.status = Status::failed;
  const std::string failed = render(result_table({row}, {}), kUnlimitedWidth);
  EXPECT_THAT(failed, HasSubstr("failed"));
  for (const char* part : {"47.46", "7.4", "123", "25 %"}) EXPECT_THAT(failed, Not(HasSubstr(part)));
}

}  // namespace
}  // namespace triscope
