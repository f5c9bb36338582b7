// What is selected, and two of it side by side, without a window.
#include "views/model/selection.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernels/attention/flops.hpp"
#include "profiler/statistics/comparison_facts.hpp"
#include "tests/views/sweep_fixture.hpp"
#include "views/model/tables/beside_model.hpp"
#include "views/model/tables/selected_steps.hpp"

namespace triscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Counter counter(const char* name, double value, const char* unit = "") { return {name, unit, value}; }

TEST(Selected, others_stand_beside_a_first_one_only) {
  SelectedMeasurements selected;
  selected.toggle(7);
  EXPECT_EQ(selected.pinned(), 7);
  EXPECT_EQ(selected.beside(), 0) << "one alone";
  selected.toggle(8);
  selected.toggle(9);
  EXPECT_EQ(selected.beside(), 9) << "the last";
  EXPECT_THAT(selected.others(), ElementsAre(8, 9));
  selected.toggle(7);
  EXPECT_EQ(selected.pinned(), 8) << "the next takes its place";
  selected.select(8);
  EXPECT_THAT(selected.all(), ElementsAre(8));
  EXPECT_FALSE(selected.contains(9));
  selected.select(0);
  EXPECT_THAT(selected.all(), IsEmpty());
  EXPECT_EQ(selected.pinned(), 0);
}

TEST(Selected, a_row_in_work_is_selected_alone) {
  SelectedMeasurements selected;
  selected.select(-3);
  EXPECT_EQ(selected.pinned(), -3);
  selected.toggle(5);
  EXPECT_THAT(selected.all(), ElementsAre(5));
  selected.select_all({4, -3, 4, 6, 0});
  EXPECT_THAT(selected.all(), ElementsAre(4, 6)) << "once each";
}

std::vector<std::string> labels(const std::vector<BesideLine>& lines) {
  std::vector<std::string> all;
  for (const BesideLine& line : lines) all.push_back(line.label);
  return all;
}

TEST(Beside, counters_that_only_one_has_are_shown_last) {
  Measurement a, b;
  a.counters = {counter("alike", 100), counter("only_a", 1), counter("twice", 2), counter("none", 0), counter("0", 0)};
  b.counters = {counter("only_b", 5), counter("twice", 1), counter("alike", 101), counter("none", 3), counter("0", 0)};
  const std::vector<BesideLine> lines = beside_lines(a, b);
  ASSERT_THAT(labels(lines), ElementsAre("none", "twice", "alike", "only_a", "only_b")) << "0 in both is not listed";
  EXPECT_EQ(lines[0].factor, "") << "0 and 3 differ by no factor, and by more than any";
  EXPECT_EQ(lines[1].factor, "2.00×");
  EXPECT_FALSE(lines[1].alike);
  EXPECT_TRUE(lines[2].alike);
  EXPECT_EQ(lines[3].b, "–");
  EXPECT_EQ(lines[4].a, "–");
  EXPECT_EQ(lines[4].b, "5.00");
}

TEST(Beside, what_the_kernels_did_stands_before_what_came_of_it_and_by_its_weight) {
  const std::string conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
                    passes = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
                    busy = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
                    overall = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed";
  Measurement a, b;
  a.counters = {counter(busy.c_str(), 76, "%"), counter(overall.c_str(), 75, "%"), counter(conflicts.c_str(), 42e6),
                counter(passes.c_str(), 710e6), counter("sm__inst_executed.sum", 129)};
  b.counters = {counter(busy.c_str(), 88, "%"), counter(overall.c_str(), 87, "%"), counter(conflicts.c_str(), 17e6),
                counter(passes.c_str(), 600e6), counter("sm__inst_executed.sum", 100)};
  const std::vector<BesideLine> lines = beside_lines(a, b);
  ASSERT_THAT(labels(lines),
              ElementsAre("instructions", "shared memory passes", "shared memory conflicts", "tensor cores busy"))
      << "2.47 times the conflicts are few of the passes; the other share of tensor cycles says the same";
  EXPECT_EQ(lines[3].factor, "0.864×") << "of the shares that stand under it";
  EXPECT_EQ(lines[3].busy_cycles, "") << "no cycles were counted";
  EXPECT_EQ(beside_in_words(a, b),
            "A does 1.29× the instructions. Busiest: tensor cores, 76 % busy in A and 88 % in B.");
  EXPECT_EQ(beside_in_words(a, Measurement()), "");
  a.key.problem.seq_len = b.key.problem.seq_len = 32768;
  a.key.problem.window1 = a.key.problem.window2 = 128;
  b.key.problem.window1 = 256, b.key.problem.window2 = 64;
  EXPECT_THAT(beside_in_words(a, b), testing::StartsWith("A does 1.29× the instructions for the same useful work. "));
  b.key.problem.window1 = 512;
  EXPECT_THAT(beside_in_words(a, b), testing::StartsWith("A does 1.29× the instructions for 0.50"));
}

TEST(Beside, what_is_said_to_be_within_five_percent_is) {
  const std::string conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
                    passes = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", cycles = "sm__cycles_active.avg",
                    fma = "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active",
                    hits = "lts__t_sector_hit_rate.pct";
  Measurement a, b;
  a.counters = {counter(conflicts.c_str(), 42.4e6), counter(passes.c_str(), 6'000e6), counter(cycles.c_str(), 43.2e6),
                counter(fma.c_str(), 19, "%"), counter(hits.c_str(), 90, "%")};
  b.counters = {counter(conflicts.c_str(), 17.2e6), counter(passes.c_str(), 6'000e6), counter(cycles.c_str(), 36.7e6),
                counter(fma.c_str(), 17, "%"), counter(hits.c_str(), 91, "%")};
  std::vector<std::string> alike;
  for (const BesideLine& line : beside_lines(a, b)) {
    if (line.alike) alike.push_back(line.label);
    if (line.label == "shared memory conflicts") {
      EXPECT_EQ(line.factor, "2.47×");
      EXPECT_THAT(line.meaning, HasSubstr("A 0.71 %, B 0.29 %"));
    }
    if (line.label == "fp32 (FMA) busy") {
      EXPECT_EQ(line.factor, "1.12×") << "19 % beside 17 %";
      EXPECT_EQ(line.busy_cycles, "1.32×") << "19 % of 1.18 times the cycles";
    }
    if (line.label == "L2 hits") {
      EXPECT_EQ(line.factor, "") << "not of the cycles";
    }
  }
  EXPECT_THAT(alike, ElementsAre("shared memory passes", "L2 hits"));
}

TEST(Beside, a_memory_that_is_hardly_busy_is_no_cause) {
  const char *read = "dram__bytes_read.sum", *share = "dram__throughput.avg.pct_of_peak_sustained_elapsed",
             *issue = "smsp__issue_active.avg.pct_of_peak_sustained_active";
  Measurement a, b;
  a.counters = {counter(read, 152), counter(share, 3, "%"), counter(issue, 40, "%")};
  b.counters = {counter(read, 100), counter(share, 2, "%"), counter(issue, 50, "%")};
  EXPECT_EQ(beside_in_words(a, b), "Busiest: issue slots, 40 % busy in A and 50 % in B.");
  a.counters[1].value = 70;
  EXPECT_EQ(beside_in_words(a, b),
            "A does 1.52× the bytes read from device memory. Busiest: device memory, 70 % busy in A and 2 % in B; "
            "next: issue slots, 40 % busy in A and 50 % in B.");
}

TEST(Beside, the_gap_is_told_once_with_what_the_verdict_is_of) {
  Measurement a, b;
  Comparison time;
  EXPECT_EQ(gap_words(time, a, b), "") << "no ratio";
  time.verdict = Verdict::slower;
  time.ratio = 1.012;
  EXPECT_EQ(gap_words(time, a, b), "The verdict is by the medians: time A / B 1.012.");
  time.paired = true;
  time.cycle_ratio = 1.02;
  a.cross_check.emplace().median_ms = 2.02;
  EXPECT_EQ(gap_words(time, a, b),
            "The verdict is by neighbouring turns: time A / B 1.012. Measured otherwise, which is no verdict: in clock "
            "cycles 1.020.")
      << "events in one alone";
  b.cross_check.emplace().median_ms = 2.0;
  a.counters = {counter("gpu__time_duration.sum", 3.3e6, "ns")};
  b.counters = {counter("gpu__time_duration.sum", 3e6, "ns")};
  EXPECT_THAT(gap_words(time, a, b),
              testing::EndsWith(": in clock cycles 1.020, by CUDA events 1.010, in the launch with counters 1.100."));
  time.verdict = Verdict::not_comparable;
  time.paired = false;
  EXPECT_THAT(gap_words(time, a, b), testing::StartsWith("Time A / B by the medians is 1.012, without a verdict."));
}

LaunchRecord launch(const char* name, std::int64_t ms, std::int64_t grid) {
  LaunchRecord one;
  one.name = name;
  one.end_ns = ms * 1'000'000;
  one.grid[0] = grid, one.grid[1] = one.grid[2] = 1;
  return one;
}

TEST(Beside, grids_are_of_one_kernel_or_say_of_which) {
  const char* const rows =
      "void triscope::portable::(anonymous namespace)::portable_backward_rows<128>(Shape, Tensors)";
  const char* const keys = "void triscope::portable::portable_backward_keys<128>(Shape, Tensors)";
  EXPECT_EQ(plain_kernel_name(rows), "portable_backward_rows");
  EXPECT_EQ(plain_kernel_name("memset"), "memset");
  SelectedMeasurement a, b;
  a.row = b.row = fixture::row(1, 512, 32, Pass::backward, 2, 0.2);
  a.row.timing_source = b.row.timing_source = TimingSource::cupti;
  a.measurement.launches = {launch("memset", 0, 1), launch(rows, 60, 100), launch(keys, 40, 7)};
  b.measurement.launches = {launch("memset", 0, 1), launch(rows, 30, 200), launch(keys, 39, 9)};
  const auto what = [](const SelectedMeasurement& one, const SelectedMeasurement& other) {
    std::vector<std::string> all;
    for (const BesideFact& fact : differing_facts(one, other)) all.push_back(fact.what + ": " + fact.a + ", " + fact.b);
    return all;
  };
  EXPECT_THAT(what(a, b), ElementsAre("longest kernel: portable_backward_rows, portable_backward_keys",
                                      "grid of portable_backward_rows: 100, 200"));
  const std::vector<BesideLine> kernels = beside_kernels(a.measurement, b.measurement);
  ASSERT_THAT(labels(kernels), ElementsAre("portable_backward_rows", "portable_backward_keys", "memset"));
  EXPECT_EQ(kernels[0].factor, "2.00×");
  EXPECT_EQ(kernels[0].b, "30.00 ms");
  a.measurement.launches = {launch("old_one", 10, 1), launch("same", 5, 1), launch("old_two", 20, 1)};
  b.measurement.launches = {launch("new_one", 12, 1), launch("same", 5, 1), launch("new_two", 3, 1)};
  const std::vector<BesideLine> renamed = beside_kernels(a.measurement, b.measurement);
  EXPECT_EQ(renamed.back().label, "all 4 that only one side has");
  EXPECT_EQ(renamed.back().a + ", " + renamed.back().b + ", " + renamed.back().factor, "30.00 ms, 15.00 ms, 2.00×");
  a.measurement.launches = {launch("memset", 0, 1), launch(rows, 60, 100), launch(keys, 40, 7)};
  b.measurement.launches = {launch("memset", 1, 1), launch("cudnn", 30, 200)};
  EXPECT_THAT(what(a, b),
              ElementsAre("longest kernel: portable_backward_rows, cudnn", "grid of the longest: 100, 200"));
  a.measurement.launches.resize(1), b.measurement.launches.resize(1);
  EXPECT_THAT(beside_kernels(a.measurement, b.measurement), IsEmpty());
}

TEST(Beside, times_of_one_kernel_that_disagree_say_what_each_is_of) {
  Measurement a, b;
  a.summary.median_ms = 27.264;
  b.summary.median_ms = 24.111;
  a.launches.resize(2), b.launches.resize(1);
  a.launches[0].end_ns = 25'070'000, a.launches[1].end_ns = 22'800;
  b.launches[0].end_ns = 24'300'000;  // within 2 %
  EXPECT_EQ(first_launch_words(a, b),
            "Of the first launch, before the device is warm: A 25.09 ms, its median 27.26 ms.");
  EXPECT_EQ(first_launch_words(b, b), "");
  EXPECT_EQ(first_launch_words(Measurement(), Measurement()), "") << "none was recorded";
  a.counters = {counter("gpu__time_duration.sum", 24.8e6, "ns"),
                counter("sm__cycles_elapsed.avg.per_second", 1965e6, "Hz")};
  EXPECT_EQ(counted_launch_words(a),
            "Counted in a launch of 24.80 ms at 1965 MHz, with cold caches; the median is 27.26 ms.");
  a.counters[0].value = 27.3e6;
  EXPECT_EQ(counted_launch_words(a), "");
  EXPECT_EQ(counted_launch_words(b), "");
}

TEST(Beside, two_cards_of_one_name_differ) {
  SelectedMeasurement a, b;
  a.row = b.row = fixture::row(1, 512, 32, Pass::forward, 2, 0.2);
  a.environment.device_name = b.environment.device_name = "NVIDIA H200";
  a.environment.device_uuid = "GPU-66bf7b6b-771c-21b8-f286-b99b0675d0b1";
  b.environment.device_uuid = "GPU-7d8c5cc0-c67b-f502-f343-b578a240cc3d";
  const std::vector<BesideFact> facts = differing_facts(a, b);
  ASSERT_EQ(facts.size(), 1U);
  EXPECT_EQ(facts[0].what, "card");
  EXPECT_EQ(facts[0].a, "GPU-66bf7b6b");
  EXPECT_EQ(facts[0].b, "GPU-7d8c5cc0");
}

TEST(Beside, what_was_asked_for_stands_before_the_machine) {
  SelectedMeasurement a, b;
  a.row = fixture::row(1, 512, 32, Pass::forward, 2, 0.2);
  b.row = fixture::row(2, 256, 64, Pass::forward, 4, 0.2);
  b.row.source_hash = "def456";
  b.environment.driver_version = "550";
  std::vector<std::string> what;
  for (const BesideFact& fact : differing_facts(a, b)) what.push_back(fact.what);
  EXPECT_THAT(what, ElementsAre("windows", "driver", "sources"));
  EXPECT_THAT(differing_facts(a, a), IsEmpty());
}

TEST(Beside, copied_figures_have_the_ratio_to_the_first) {
  SelectionFigures figures;
  figures.rows.push_back({fixture::row(1, 512, 32, Pass::forward, 2, 0.2), {}});
  Comparison time;
  time.verdict = Verdict::slower;
  time.ratio = 2;
  time.interval = {1.9, 2.1};
  figures.rows.push_back({fixture::row(2, 256, 64, Pass::forward, 4, 0.2), time});
  const TextTable table = figures_text(figures);
  ASSERT_EQ(table.rows.size(), 2U);
  for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.header.size());
  EXPECT_THAT(table.rows[1], testing::IsSupersetOf({"256 × 64", "4", "2", "1.9", "2.1", "longer"}));
  figures.rows[1].time = Comparison{};
  figures.rows[1].time->verdict = Verdict::not_comparable;
  EXPECT_THAT(figures_text(figures).rows[1], testing::Not(testing::Contains("0"))) << "a ratio that was not computed";
}

TEST(SelectedSteps, are_sums_of_both_passes_beside_that_of_the_first) {
  const auto dot = [](std::int64_t id, Pass pass, double ms) {
    ResultRow r = fixture::row(id, 2048, 1, pass, ms, 1, "baseline.fa3");
    r.problem.form = Form::dot_product;
    return r;
  };
  SelectionFigures figures;
  for (const ResultRow& row :
       {dot(1, Pass::backward, 18), dot(2, Pass::forward, 2), fixture::row(3, 512, 32, Pass::forward, 5, 1),
        fixture::row(4, 256, 32, Pass::forward, 4, 1), fixture::row(5, 256, 32, Pass::backward, 18, 1)})
    figures.rows.push_back({row, {}});
  const std::vector<SelectedStep> steps = selected_steps(figures);
  ASSERT_EQ(steps.size(), 2U) << "of 512 x 32 one pass is missing";
  EXPECT_DOUBLE_EQ(steps[0].ms.value, 20);
  EXPECT_EQ(steps[0].beside.value, 0);
  EXPECT_DOUBLE_EQ(steps[1].ms.value, 22);
  EXPECT_DOUBLE_EQ(steps[1].beside.value, 1.1);
  EXPECT_THAT(steps[1].name, testing::HasSubstr("256 × 32"));
  EXPECT_THAT(step_text(steps[1]), testing::HasSubstr("1.100×"));
  const auto rate = [](const SelectedStep& step) {
    const Problem& problem = step.forward->row.problem;
    return 1e-9 * (useful_flops(problem, Pass::forward) + useful_flops(problem, Pass::backward)) / step.ms.value;
  };
  for (const SelectedStep& step : steps) EXPECT_DOUBLE_EQ(step.tflops, rate(step));
  Comparison time;
  EXPECT_EQ(step_rate_text(steps[0], steps[1], time), "") << "no ratio of their times";
  time.ratio = 1 / 1.12;  // of their turns: the medians say 1 / 1.1
  const double work = rate(steps[0]) / rate(steps[1]) / 1.1;
  const std::string ratio = fmt::format("{:.3f} times the rate of {}", work * 1.12, steps[1].name);
  EXPECT_THAT(step_rate_text(steps[0], steps[1], time), testing::StartsWith(ratio + ": "));
  time.interval = {0.9, 0.92};
  EXPECT_THAT(step_rate_text(steps[0], steps[1], time),
              testing::StartsWith(fmt::format("{}, {:.3f} to {:.3f}: ", ratio, work / 0.92, work / 0.9)));
  EXPECT_FALSE(only_steps(figures, steps)) << "a single pass is selected too";
  SelectionFigures whole = figures;
  whole.rows.erase(whole.rows.begin() + 2);
  EXPECT_TRUE(only_steps(whole, selected_steps(whole)));
  EXPECT_FALSE(only_steps(whole, {}));
  figures.rows.push_back({fixture::row(6, 256, 32, Pass::backward, 19, 1), {}});
  EXPECT_EQ(selected_steps(figures).size(), 1U) << "of two backwards it is not known which one is meant";
}

/// Two steps whose forwards were compared, of time `forward` and `backward` times as long; a mend of them is in
/// `change`.
Comparison beside_longer_step(
    double forward, double backward, const std::function<void(SelectionFigures&)>& change = [](SelectionFigures&) {}) {
  SelectionFigures figures;
  for (const ResultRow& row :
       {fixture::row(1, 512, 32, Pass::forward, 10, 1), fixture::row(2, 512, 32, Pass::backward, 10, 1),
        fixture::row(3, 256, 32, Pass::forward, 10 * forward, 1),
        fixture::row(4, 256, 32, Pass::backward, 10 * backward, 1)}) {
    figures.rows.push_back({row, {}});
    ResultRow& here = figures.rows.back().row;
    here.ci_low_ms = 0.998 * *here.median_ms, here.ci_high_ms = 1.002 * *here.median_ms;
  }
  Comparison& time = figures.rows[2].time.emplace();
  time.verdict = forward > 1 ? Verdict::slower : Verdict::faster;
  time.ratio = forward, time.interval = {0.998 * forward, 1.002 * forward};
  time.same_within = 0.005, time.paired = true;
  change(figures);
  const std::vector<SelectedStep> steps = selected_steps(figures);
  return steps.size() == 2 ? beside_step(steps[0], steps[1], Pass::forward, 0.005) : Comparison();
}

TEST(SelectedSteps, the_first_one_has_a_verdict_beside_another) {
  const Comparison longer = beside_longer_step(1.1, 1.06);
  EXPECT_EQ(longer.verdict, Verdict::faster) << "the other one takes longer";
  EXPECT_NEAR(longer.ratio, 1 / 1.08, 1e-9);
  EXPECT_TRUE(interval_known(longer));
  EXPECT_LT(longer.interval.low, longer.ratio);
  EXPECT_GT(longer.interval.high, longer.ratio);
  EXPECT_FALSE(longer.paired) << "its passes may be of several sweeps";
  EXPECT_EQ(beside_longer_step(0.9, 0.95).verdict, Verdict::slower);
  EXPECT_EQ(beside_longer_step(1.001, 1.001).verdict, Verdict::same);
  EXPECT_EQ(beside_longer_step(1.006, 1.006).verdict, Verdict::same) << "within what separate runs allow";
  const Comparison unknown =
      beside_longer_step(1.2, 1.2, [](SelectionFigures& of) { of.rows[3].row.ci_low_ms = std::nullopt; });
  EXPECT_EQ(unknown.verdict, Verdict::unclear);
  EXPECT_FALSE(interval_known(unknown));
}

TEST(SelectedSteps, stand_beside_each_other_by_their_turns_where_both_passes_took_turns) {
  const auto backward_in_turns = [](SelectionFigures& of) {
    Comparison& time = of.rows[3].time.emplace();
    time.verdict = Verdict::slower;
    time.ratio = 1.04, time.interval = {1.03, 1.05}, time.paired = true;
  };
  const Comparison turns = beside_longer_step(1.1, 1.06, backward_in_turns);
  EXPECT_TRUE(turns.paired);
  EXPECT_NEAR(1 / turns.ratio, 1.07, 0.0005) << "both passes take 10 ms; the medians say 1.08";
  EXPECT_EQ(turns.verdict, Verdict::faster);
  EXPECT_NEAR(std::log(turns.interval.high / turns.interval.low), std::hypot(0.002, 0.0096), 0.0005);
  EXPECT_FALSE(beside_longer_step(1.1, 1.06, [&](SelectionFigures& of) {
                 backward_in_turns(of);
                 of.rows[3].time->paired = false;
               }).paired);
}

TEST(SelectedSteps, have_no_verdict_where_rows_are_refused_one) {
  const auto refused = [](const std::function<void(SelectionFigures&)>& change) {
    const Comparison is = beside_longer_step(1.1, 1.1, change);
    EXPECT_FALSE(interval_known(is)) << is.explanation;
    return fmt::format("{}: {}", to_string(is.verdict), is.explanation);
  };
  const auto both_of_the_other = [](const auto& change) {
    return [change](SelectionFigures& of) { change(of.rows[2].row), change(of.rows[3].row); };
  };
  EXPECT_THAT(refused(both_of_the_other([](ResultRow& row) { row.regime = Regime::burst; })),
              testing::StartsWith("not comparable: A was measured sustained and B burst"));
  EXPECT_THAT(refused(both_of_the_other([](ResultRow& row) { row.timing_source = TimingSource::cupti; })),
              testing::StartsWith("not comparable: A was timed by"));
  EXPECT_THAT(refused(both_of_the_other([](ResultRow& row) { row.device = "Other CPU"; })),
              testing::StartsWith("not comparable: A was measured on Test CPU and B on Other CPU"));
  EXPECT_THAT(refused([](SelectionFigures& of) { *of.rows[2].time = not_judged_on_two_gpus(*of.rows[2].time); }),
              testing::StartsWith("not comparable: A and B were measured on two GPUs"));
  EXPECT_THAT(refused([](SelectionFigures& of) { of.rows[2].time->verdict = Verdict::unclear; }),
              testing::StartsWith("unclear: Of the forward passes alone no verdict is clear"))
      << "preempted samples, say: its interval alone would do";
  EXPECT_THAT(refused([](SelectionFigures& of) { of.rows[2].time.reset(); }),
              testing::StartsWith("unclear: The forward passes are not compared"));
  EXPECT_THAT(refused([](SelectionFigures& of) { of.rows[3].row.sweep = 2; }),
              testing::StartsWith("unclear: The backward passes are of two sweeps"));
  EXPECT_THAT(refused([](SelectionFigures& of) { of.rows[3].row.flagged = 60; }), testing::HasSubstr("disturbed"));
  EXPECT_EQ(refused([](SelectionFigures& of) { of.rows[3].row.samples = 6; }),
            "unclear: Of a backward pass fewer than 8 blocks were measured, too few to trust.");
  EXPECT_THAT(refused([](SelectionFigures& of) {
                of.rows[2].row.sweep = of.rows[3].row.sweep = 2;
                of.rows[3].row.limiter = "sw_power_cap";
              }),
              testing::HasSubstr("held its clock down"));
  EXPECT_THAT(refused([](SelectionFigures& of) {
                for (SelectedRow& one : of.rows) one.row.regime = Regime::burst, one.row.sm_clock_mhz = 1980;
                of.rows[1].row.sm_clock_mhz = 1700;
              }),
              testing::HasSubstr("two clocks"));
}

TEST(SelectedSteps, are_no_better_known_than_separate_runs_of_their_passes) {
  const auto width = [](const std::function<void(SelectionFigures&)>& change) {
    const Comparison is = beside_longer_step(1.1, 1.1, change);
    return std::log(is.interval.high / is.interval.low);
  };
  const double usual = width([](SelectionFigures&) {});
  EXPECT_GT(width([](SelectionFigures& of) {
              for (SelectedRow& one : of.rows) one.row.restarts = 5;
            }),
            1.2 * usual)
      << "99 % with restarts";
  EXPECT_GT(width([](SelectionFigures& of) { of.rows[2].time->ratio = 1.05; }), 2 * usual)
      << "it is not of the medians";
  const auto wide = [](SelectionFigures& of) {
    of.rows[2].time->interval = {1.02, 1.19};
    of.rows[2].time->paired = false;
  };
  const auto held = [&wide](SelectionFigures& of) {
    wide(of);
    of.rows[3].row.limiter = "sw_power_cap";
    of.rows[0].row.limiter = "sw_power_cap";
  };
  EXPECT_GT(width(held), 1.3 * width(wide)) << "clocks that are held down are of both passes";
}

}  // namespace
}  // namespace triscope
