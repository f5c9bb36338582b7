// Forward and backward together, beside dot-product attention.
#include "app/cli/text/training_step.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <ctime>
#include <functional>

#include "app/cli/text/number_text.hpp"
#include "profiler/record/recorded_database.hpp"
#include "profiler/record/words/factor_text.hpp"
#include "profiler/statistics/row_that_counts.hpp"
#include "profiler/statistics/verdicts.hpp"
#include "profiler/store/store.hpp"
#include "profiler/verdict/step_verdicts.hpp"
#include "tests/app/cli/expect_error.hpp"
#include "tests/app/cli/small_history.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;

ResultRow row(const char* kernel, Pass pass, Form form, double ms, double half) {
  static std::int64_t id = 0;
  ResultRow row;
  row.measurement = ++id;
  row.kernel = kernel;
  if (row.kernel == "baseline.fa3") row.card.rank = 1;
  row.pass = pass;
  row.problem.form = form;
  row.problem.seq_len = 1024;
  row.problem.window1 = form == Form::dot_product ? 1024 : 512;
  row.problem.window2 = form == Form::dot_product ? 1 : 32;
  row.median_ms = ms;
  row.ci_low_ms = ms - half;
  row.ci_high_ms = ms + half;
  row.samples = 20;
  return row;
}

/// What steps of it are made of stays.
const std::vector<ResultRow>& table() {
  static const std::vector<ResultRow> rows{row("slow", Pass::forward, Form::trilinear, 20, 1),
                                           row("fast", Pass::forward, Form::trilinear, 10, 0.3),
                                           row("slow", Pass::backward, Form::trilinear, 30, 0.4),
                                           row("fast", Pass::forward, Form::determinant, 11, 0.3),
                                           row("slow", Pass::backward, Form::determinant, 37, 0.4),
                                           row("baseline.other", Pass::forward, Form::dot_product, 1, 0.01),
                                           row("baseline.other", Pass::backward, Form::dot_product, 1, 0.01),
                                           row("baseline.fa3", Pass::forward, Form::dot_product, 8, 0.1),
                                           row("baseline.fa3", Pass::backward, Form::dot_product, 12, 0.1)};
  return rows;
}

/// The ratio of two medians, with 3 % as the half of its interval.
std::optional<RowRatio> of_medians(const ResultRow& a, const ResultRow& b) {
  Comparison time;
  time.ratio = *a.median_ms / *b.median_ms;
  time.interval = {time.ratio * std::exp(-0.03), time.ratio * std::exp(0.03)};
  return RowRatio{time, 0.99};
}

TEST(TrainingStep, takes_the_fastest_kernel_of_each_pass) {
  const std::vector<TrainingStep> steps = training_steps(table(), "auto");
  ASSERT_THAT(steps, SizeIs(2));
  const TrainingStep& step = steps.front();
  EXPECT_EQ(step.forward->kernel, "fast");
  EXPECT_EQ(step.backward->kernel, "slow");
  EXPECT_DOUBLE_EQ(step.step.value, 40);
  EXPECT_NEAR(*step.step.high, 40.5, 1e-9) << "half-widths add in squares: 0.3 and 0.4 make 0.5";
  EXPECT_DOUBLE_EQ(step.backward_forward.value, 3);
  EXPECT_NEAR(*step.backward_forward.high, 3 * std::exp(std::hypot(0.03, 0.4 / 30)), 1e-9);
}

TEST(TrainingStep, stands_beside_flash_attention_3_and_the_other_form) {
  const std::vector<TrainingStep> steps = training_steps(table(), "auto");
  ASSERT_THAT(steps, SizeIs(2));
  EXPECT_EQ(steps[0].baseline_forward->kernel, "baseline.fa3");
  EXPECT_DOUBLE_EQ(steps[0].over_baseline->value, 2);
  EXPECT_FALSE(steps[0].determinant_trilinear);
  EXPECT_DOUBLE_EQ(steps[1].determinant_trilinear->value, 1.2);
  EXPECT_DOUBLE_EQ(training_steps(table(), "baseline.other")[0].over_baseline->value, 20);
  EXPECT_FALSE(training_steps(table(), "none")[0].over_baseline);
}

/// A forward says nothing of determinism, so it counts for both.
TEST(TrainingStep, deterministic_gradients_make_a_step_of_their_own) {
  std::vector<ResultRow> rows = table();
  for (const double ms : {25.0, 34.0}) {
    rows.push_back(row("fast", Pass::backward, ms > 30 ? Form::determinant : Form::trilinear, ms, 0.4));
    rows.back().problem.deterministic = true;
  }
  const std::vector<TrainingStep> steps = training_steps(rows, "auto");
  ASSERT_THAT(steps, SizeIs(4));
  EXPECT_FALSE(steps[0].backward->problem.deterministic);
  EXPECT_DOUBLE_EQ(steps[0].step.value, 40) << "not the deterministic backward, though it is faster";
  EXPECT_DOUBLE_EQ(steps[0].over_baseline->value, 2);
  EXPECT_TRUE(steps[1].backward->problem.deterministic);
  EXPECT_DOUBLE_EQ(steps[1].step.value, 35);
  EXPECT_FALSE(steps[1].over_baseline) << "whose backward has no fixed order";
  EXPECT_DOUBLE_EQ(steps[2].determinant_trilinear->value, 1.2);
  EXPECT_NEAR(steps[3].determinant_trilinear->value, 45.0 / 35, 1e-12);
  const std::string text = training_step_table(steps, 300);
  EXPECT_THAT(text, HasSubstr("trilinear, deterministic gradients"));
  EXPECT_THAT(training_step_json(steps), HasSubstr("\"deterministic\":true"));
  const std::vector<ComparedStep> compared = steps_of_both_sides(rows, rows, of_medians);
  ASSERT_THAT(compared, SizeIs(4));
  for (const ComparedStep& one : compared) EXPECT_DOUBLE_EQ(one.ratio.value, 1);
}

TEST(TrainingStep, a_sliding_window_is_no_baseline) {
  std::vector<ResultRow> rows = table();
  for (const Pass pass : {Pass::forward, Pass::backward}) {
    rows.push_back(row("baseline.fa3", pass, Form::dot_product, 0.5, 0.01));
    rows.back().problem.window1 = 128;
  }
  EXPECT_DOUBLE_EQ(training_steps(rows, "auto")[0].over_baseline->value, 2) << "the causal one takes 20 ms";
}

/// FlashAttention-3's backward of another sweep was known better, and 2 % faster.
TEST(TrainingStep, stands_beside_what_took_turns_in_its_sweep) {
  std::vector<ResultRow> rows = table();
  for (ResultRow& one : rows) one.sweep = 1;
  rows.push_back(row("baseline.fa3", Pass::backward, Form::dot_product, 11, 0.01));
  rows.back().sweep = 3;
  EXPECT_EQ(training_steps(rows, "auto")[0].baseline_backward->measurement, rows[8].measurement);
  EXPECT_DOUBLE_EQ(training_steps(rows, "auto")[0].over_baseline->value, 2);
  const std::vector<const ResultRow*> counting = rows_of_steps(addresses_of(rows));
  EXPECT_DOUBLE_EQ(training_steps(counting, "auto")[0].over_baseline->value, 2) << "as show --step chooses them";
  std::erase_if(rows, [](const ResultRow& one) {
    return one.kernel == "baseline.fa3" && one.pass == Pass::backward && one.sweep == 1;
  });
  EXPECT_EQ(training_steps(rows, "auto")[0].baseline_backward->sweep, 3) << "where its sweep has none";
}

TEST(TrainingStep, stands_beside_no_other_sizes_numbers_regime_clock_or_device) {
  for (const std::function<void(ResultRow&)>& change : std::vector<std::function<void(ResultRow&)>>{
           [](ResultRow& one) { one.problem.batch = 2; },
           [](ResultRow& one) { one.problem.seq_len = one.problem.window1 = 2048; },
           [](ResultRow& one) { one.problem.q_heads = 32; }, [](ResultRow& one) { one.problem.kv_heads = 8; },
           [](ResultRow& one) { one.problem.head_dim = 64; }, [](ResultRow& one) { one.problem.mask = Mask::full; },
           [](ResultRow& one) { one.problem.element = Element::fp32; },
           [](ResultRow& one) { one.regime = Regime::burst; },
           [](ResultRow& one) { one.timing_source = TimingSource::cuda_events; },
           [](ResultRow& one) { one.device = "another"; }}) {
    std::vector<ResultRow> rows = table();
    ASSERT_TRUE(training_steps(rows, "baseline.fa3")[0].over_baseline);
    change(rows[7]);
    change(rows[8]);
    EXPECT_FALSE(training_steps(rows, "baseline.fa3")[0].over_baseline);
  }
}

TEST(TrainingStep, stands_beside_the_fastest_row_of_its_sweep_or_the_newest_of_others) {
  std::vector<ResultRow> rows = table();
  for (ResultRow& one : rows) one.sweep = 1;
  rows.push_back(row("baseline.fa3", Pass::backward, Form::dot_product, 11.5, 0.1));
  rows.back().sweep = 1;
  EXPECT_EQ(training_steps(rows, "auto")[0].baseline_backward->measurement, rows.back().measurement);
  rows.back().sweep = 2;
  rows.back().started = "2026-11-24T19:00:00Z";
  rows[8].sweep = 3;
  rows[8].started = "2026-11-23T19:00:00Z";
  EXPECT_EQ(training_steps(rows, "auto")[0].baseline_backward->sweep, 2);
}

/// In turns the passes' errors are their own, in separate runs they are common to both.
TEST(TrainingStep, beside_another_is_by_its_turns_or_by_its_medians) {
  Comparison forward, backward;
  forward.ratio = 0.9;  // by turns; the medians say 10 / 12
  forward.interval = {0.9 * std::exp(-0.03), 0.9 * std::exp(0.03)};
  backward.ratio = 1;
  backward.interval = {std::exp(-0.04), std::exp(0.04)};
  const auto beside = [&] { return ratio_of_steps({10, 12, forward}, {30, 30, backward}); };
  const double a = std::sqrt(120 * 0.9), b = std::sqrt(120 / 0.9);
  const double share = (a / (a + 30) + b / (b + 30)) / 2;
  const StepRatio medians = beside();
  EXPECT_FALSE(medians.in_turns);
  EXPECT_DOUBLE_EQ(medians.time.value, 40.0 / 42);
  const double both = share * 0.03 + (1 - share) * 0.04;
  EXPECT_NEAR(*medians.time.low, 40.0 / 42 * std::exp(-both), 1e-9);
  EXPECT_NEAR(*medians.time.high, 40.0 / 42 * std::exp(both), 1e-9);
  forward.paired = backward.paired = true;
  const StepRatio turns = beside();
  EXPECT_TRUE(turns.in_turns);
  EXPECT_DOUBLE_EQ(turns.time.value, (a + 30) / (b + 30));
  const double each = std::hypot(share * 0.03, (1 - share) * 0.04);
  EXPECT_NEAR(*turns.time.low, turns.time.value * std::exp(-each), 1e-9);
  EXPECT_NEAR(*turns.time.high, turns.time.value * std::exp(each), 1e-9);
  backward.interval = {};
  EXPECT_FALSE(beside().time.low || beside().time.high);
}

TEST(TrainingStep, stands_beside_the_lowest_rank_that_sees_all_in_both_passes) {
  std::vector<ResultRow> rows = table();
  rows[5].card.rank = rows[6].card.rank = 0;
  EXPECT_EQ(training_steps(rows, "auto")[0].baseline_forward->kernel, "baseline.other");
  rows[6].problem.window1 = 128;  // its backward is of a sliding window alone
  EXPECT_EQ(training_steps(rows, "auto")[0].baseline_forward->kernel, "baseline.fa3");
}

TEST(TrainingStep, knows_no_interval_where_a_row_has_none) {
  std::vector<ResultRow> rows = table();
  rows[1].ci_low_ms = 0;
  rows[1].ci_high_ms.reset();
  const std::vector<TrainingStep> steps = training_steps(rows, "auto");
  EXPECT_FALSE(steps[0].step.low);
  EXPECT_FALSE(steps[0].over_baseline->high);
  EXPECT_THAT(training_step_table(steps, 400), HasSubstr("40.00 (interval unknown)"));
  EXPECT_THAT(training_step_json(steps), HasSubstr("\"low\":null"));
}

TEST(TrainingStep, needs_both_passes_taken_the_same_way) {
  std::vector<ResultRow> rows = table();
  rows[2].regime = Regime::burst;
  EXPECT_THAT(training_steps(rows, "auto"), SizeIs(1)) << "only the determinant";
  rows[4].status = Status::failed;
  EXPECT_THAT(training_steps(rows, "auto"), testing::IsEmpty());
}

TEST(TrainingStep, two_sides_are_compared_problem_by_problem) {
  std::vector<ResultRow> slower = table();
  slower[1].median_ms = 20;  // both forwards of the trilinear form
  slower[1].ci_low_ms = 19.4;
  slower[1].ci_high_ms = 20.6;
  const std::vector<ComparedStep> compared = steps_of_both_sides(slower, table(), of_medians);
  ASSERT_THAT(compared, SizeIs(2));
  EXPECT_DOUBLE_EQ(compared[0].ratio.value, 50.0 / 40);
  EXPECT_NEAR(*compared[0].ratio.low, 1.25 * std::exp(-0.03), 1e-9) << "no narrower than that of its passes";
  EXPECT_NEAR(*compared[0].ratio.high, 1.25 * std::exp(0.03), 1e-9);
  EXPECT_EQ(compared[0].confidence, 0.99);
  EXPECT_DOUBLE_EQ(compared[1].ratio.value, 1);
  EXPECT_THAT(compared_steps_table(compared, 400), testing::AllOf(HasSubstr("1.25 ("), HasSubstr("A / B, 99 %")));
  const auto unknown = [](const ResultRow&, const ResultRow&) { return std::optional<RowRatio>(); };
  EXPECT_FALSE(steps_of_both_sides(slower, table(), unknown)[0].ratio.low) << "passes that are not compared";
  EXPECT_THAT(compared_steps_json(compared), HasSubstr("\"time_a_over_b\":{"));
}

TEST(TrainingStep, of_two_sides_tells_medians_from_turns) {
  const auto in_turns_up_to = [](Pass last) {  // every pass up to `last`
    return [last](const ResultRow& a, const ResultRow& b) {
      std::optional<RowRatio> ratio = of_medians(a, b);
      ratio->time.paired = a.pass == Pass::forward || last == Pass::backward;
      return ratio;
    };
  };
  for (const Pass last : {Pass::forward, Pass::backward}) {
    const std::vector<ComparedStep> compared = steps_of_both_sides(table(), table(), in_turns_up_to(last));
    ASSERT_THAT(compared, SizeIs(2));
    const bool both = last == Pass::backward;
    for (const ComparedStep& one : compared) EXPECT_EQ(one.in_turns, both);
    const std::string text = compared_steps_table(compared, 400);
    EXPECT_EQ(text.find(") *") == std::string::npos, both) << text;
    EXPECT_EQ(text.find("* not in turns: of the medians") == std::string::npos, both) << text;
    EXPECT_THAT(compared_steps_json(compared), HasSubstr(both ? "\"in_turns\":true" : "\"in_turns\":false"));
  }
}

TEST(TrainingStep, errors_of_passes_add_in_squares_only_where_both_took_turns) {
  Comparison pass;
  pass.ratio = 1;
  pass.verdict = Verdict::same;
  pass.interval = {std::exp(-0.02), std::exp(0.02)};
  EXPECT_NEAR(std::log(*ratio_of_steps({10, 10, pass}, {10, 10, pass}).time.high), 0.02, 1e-12);
  Comparison turns = pass;
  turns.paired = true;
  EXPECT_NEAR(std::log(*ratio_of_steps({10, 10, turns}, {10, 10, turns}).time.high), 0.02 / std::sqrt(2), 1e-12);
  EXPECT_NEAR(std::log(*ratio_of_steps({10, 10, turns}, {10, 10, pass}).time.high), 0.02, 1e-12);
  Comparison refused = pass;
  refused.verdict = Verdict::not_comparable;
  EXPECT_FALSE(ratio_of_steps({10, 10, turns}, {10, 10, refused}).time.high);
}

TEST(TrainingStep, a_ratio_without_an_interval_says_why) {
  std::vector<TrainingStep> steps = training_steps(table(), "auto");
  EXPECT_THAT(training_step_table(steps, 400), testing::Not(HasSubstr("two GPUs")));
  steps[0].over_baseline->low = steps[0].over_baseline->high = std::nullopt;
  EXPECT_THAT(training_step_table(steps, 400),
              HasSubstr("interval unknown: a pass and baseline.fa3 were measured on two GPUs"));
}

TEST(TrainingStep, a_sweeps_steps_have_a_few_words) {
  EXPECT_EQ(training_steps_words({}), "");
  EXPECT_EQ(training_steps_words(training_steps(table(), "auto")),
            "2 problems, 40.00 to 48.00 ms, 2.00 to 2.40x baseline.fa3, not in turns");
  std::vector<TrainingStep> steps = training_steps(table(), "auto");
  steps[0].in_turns = true;
  EXPECT_THAT(training_steps_words(steps), testing::EndsWith("x baseline.fa3, 1 of 2 not in turns"));
  steps[1].in_turns = true;
  EXPECT_THAT(training_steps_words(steps), testing::EndsWith("x baseline.fa3"));
  EXPECT_THAT(training_steps_words(training_steps(table(), "none")), testing::EndsWith("48.00 ms"));
}

TEST(TrainingStep, of_few_blocks_says_that_they_are_too_few) {
  constexpr const char* kTooFew = "too few to trust";
  const std::vector<ResultRow>& whole = table();
  EXPECT_THAT(training_step_table(training_steps(whole, "auto"), 200), testing::Not(HasSubstr(kTooFew)));
  for (const std::size_t place : {1U, 2U, 7U, 8U}) {  // a pass of the trilinear step, or of what stands beside it
    std::vector<ResultRow> rows = whole;
    rows[place].samples = 7;
    const std::vector<TrainingStep> steps = training_steps(rows, "auto");
    const bool of_both = place > 2;  // steps lean on it
    EXPECT_THAT(training_steps_words(steps),
                HasSubstr(of_both ? ", all by too few blocks to trust" : ", 1 by too few blocks to trust"));
    const std::string text = training_step_table(steps, 200);
    EXPECT_THAT(text, HasSubstr(kTooFew)) << place;
    EXPECT_EQ(text.find("40.00 +-0.50 ?") != std::string::npos, !of_both) << text;
    EXPECT_THAT(text, HasSubstr(") * ?")) << text;
    EXPECT_EQ(text.find("48.00 +-0.50 ?"), std::string::npos) << text;
    EXPECT_THAT(training_step_json(steps), HasSubstr("\"few_blocks\":true")) << place;
  }
}

TEST(TrainingStep, of_a_hundred_thousand_rows_takes_no_square_of_them) {
  std::vector<ResultRow> rows;
  for (std::int64_t n = 0; n < 20'000; ++n) {
    for (const Pass pass : {Pass::forward, Pass::backward}) {
      rows.push_back(row("fast", pass, Form::trilinear, 1, 0.01));
      rows.back().problem.window1 = n + 1;
    }
  }
  const std::clock_t began = std::clock();  // this process's own time: others on the machine do not count
  EXPECT_THAT(training_steps(rows, "auto"), SizeIs(20'000));
  EXPECT_LT((std::clock() - began) / CLOCKS_PER_SEC, 10) << "by pairs of rows: over a minute";
}

TEST(TrainingStep, of_two_devices_names_the_device) {
  std::vector<ResultRow> rows = table();
  EXPECT_THAT(training_step_table(training_steps(rows, "auto"), 1000), testing::Not(HasSubstr("device")));
  for (ResultRow& row : rows) row.device = "one";
  const std::size_t of_one = rows.size();
  for (std::size_t n = 0; n < of_one; ++n) rows.push_back(rows[n]), rows.back().device = "another";
  const std::vector<TrainingStep> steps = training_steps(rows, "auto");
  EXPECT_THAT(training_step_table(steps, 1000), AllOf(HasSubstr("512x32   one "), HasSubstr("512x32   another ")));
  EXPECT_THAT(training_steps_words(steps), HasSubstr("on 2 devices"));
  EXPECT_THAT(training_steps_words(training_steps(table(), "auto")), testing::Not(HasSubstr("devices")));
}

TEST(TrainingStep, a_heading_says_in_turns_only_over_some_ratio_that_is) {
  std::vector<TrainingStep> steps = training_steps(table(), "auto");
  EXPECT_THAT(training_step_table(steps, 1000), testing::Not(HasSubstr("  in turns, step / baseline.fa3")));
  steps.front().in_turns = true;
  EXPECT_THAT(training_step_table(steps, 1000), HasSubstr("  in turns, step / baseline.fa3"));
}

TEST(TrainingStep, names_the_steps_whose_medians_contradict_their_turns) {
  std::vector<TrainingStep> steps = training_steps(table(), "auto");
  TrainingStep& step = steps.front();
  step.in_turns = true;
  step.over_baseline = ValueWithInterval{1.051, 1.047, 1.055};
  step.compared_ms = 27.13, step.compared_baseline_ms = 25.49;
  EXPECT_THAT(training_step_table(steps, 1000), HasSubstr("Outside the interval lies that of 512x32 at 1024: "));
  step.compared_baseline_ms = 25.80;
  EXPECT_THAT(training_step_table(steps, 1000), testing::Not(HasSubstr("Outside the interval")));
}

TEST(TrainingStep, is_said_by_show_compare_and_list) {
  const TemporaryFolder folder;
  {
    Store store(folder / "x.db");
    for (int sweep = 0; sweep < 2; ++sweep) {
      const std::int64_t id = store.begin_sweep("triscope sweep", "{}", synthetic_environment(), 4);
      // cuda.hopper 1024x32 and baseline.fa3 of the same sizes, forward and backward.
      for (const std::int64_t index : {0, 14, 21, 35}) store.add(id, synthetic_measurement(index, 20));
      store.finish_sweep(id);
    }
  }
  const std::string file = (folder / "x.db").string();
  const Snapshot snapshot(file);
  const std::vector<ResultRow> rows = snapshot.results(1);
  const std::vector<TrainingStep> steps = steps_in_turns(snapshot, addresses_of(rows), "auto");
  ASSERT_THAT(steps, SizeIs(1));
  ASSERT_TRUE(steps[0].over_baseline);
  const std::string step = milliseconds_text(steps[0].step.value);
  const ProgramResult shown = run_triscope({"show", "1", "--step", "--db", file});
  EXPECT_EQ(shown.exit_code, 0) << shown.errors;
  EXPECT_THAT(shown.output,
              testing::AllOf(HasSubstr("1024x32"), HasSubstr(step + " +-"), HasSubstr("step / baseline.fa3"),
                             HasSubstr(factor_text(steps[0].over_baseline->value) + " ("),
                             HasSubstr("time vs baseline.fa3"), HasSubstr(time_text(*steps[0].verdict))));
  const ProgramResult as_json = run_triscope({"show", "1", "--step", "--json", "--db", file});
  EXPECT_THAT(as_json.output, HasSubstr(fmt::format("\"verdict\":\"{}\"", to_string(steps[0].verdict->verdict))));
  const ProgramResult compared = run_triscope({"compare", "2", "1", "--db", file});
  EXPECT_THAT(compared.output, testing::AllOf(HasSubstr("training step, forward and backward together"),
                                              HasSubstr("A step ms"), HasSubstr(step + " +-"), HasSubstr("1.00 (")))
      << compared.errors;
  const ProgramResult listed = run_triscope({"list", "--step", "--db", file});
  EXPECT_EQ(listed.exit_code, 0) << listed.errors;
  EXPECT_THAT(listed.output, HasSubstr(training_steps_words(steps)));
  EXPECT_EQ(listed.output.find("triscope show --step"), std::string::npos) << "every sweep has a step";
}

TEST(TrainingStep, of_several_sweeps_is_by_the_turns_of_each) {
  const TemporaryFolder folder;
  {
    Store store(folder / "x.db");
    for (const std::int64_t longer : {0, 84}) {
      const std::int64_t id = store.begin_sweep("triscope sweep", "{}", synthetic_environment(), 4);
      for (const std::int64_t index : {0, 14, 21, 35}) {
        Measurement one = synthetic_measurement(index + longer, 20);
        one.group = one.key.pass == Pass::forward ? 0 : 1;
        store.add(id, one);
      }
      store.finish_sweep(id);
    }
  }
  const Snapshot snapshot((folder / "x.db").string());
  const std::vector<ResultRow> rows = snapshot.results();
  const std::vector<TrainingStep> steps = steps_in_turns(snapshot, addresses_of(rows), "auto");
  ASSERT_THAT(steps, SizeIs(2));
  EXPECT_NE(steps[0].forward->sweep, steps[1].forward->sweep);
  for (const TrainingStep& step : steps) {
    EXPECT_TRUE(step.in_turns);
    const std::vector<ResultRow> of_sweep = snapshot.results(step.forward->sweep);
    const std::vector<TrainingStep> alone = steps_in_turns(snapshot, addresses_of(of_sweep), "auto");
    ASSERT_TRUE(step.over_baseline && alone.at(0).over_baseline);
    EXPECT_EQ(step.over_baseline->value, alone.at(0).over_baseline->value);
  }
  EXPECT_THAT(
      training_step_table(steps, 400),
      HasSubstr(
          "In turns, step / baseline.fa3 is the mean over the neighbouring turns of each pass. The medians before it "
          "are of the same turns; where single turns stand out, their quotient is another one, by some percent.\n"));
}

/// Those of the H100, of which the ratio in turns and that of the medians are up to 2.5 % apart.
TEST(TrainingStep, says_the_quotient_of_its_medians_beside_the_ratio_in_turns) {
  const Snapshot snapshot(recorded_database().parent_path() / "h100.db");
  const std::vector<ResultRow> rows = snapshot.results();
  const std::vector<const ResultRow*> counting = rows_of_steps(addresses_of(rows));
  const std::vector<TrainingStep> steps = steps_in_turns(snapshot, counting, "auto");
  ASSERT_GT(steps.size(), 5U);
  const std::string text = training_step_table(steps, 400);
  double furthest = 0;
  for (const TrainingStep& step : steps) {
    ASSERT_TRUE(step.in_turns && step.over_baseline);
    const double ratio = step.over_baseline->value, quotient = step.compared_ms / step.compared_baseline_ms;
    furthest = std::max(furthest, std::abs(quotient / ratio - 1));
    EXPECT_THAT(text, HasSubstr(milliseconds_text(step.compared_ms) + " / " +
                                milliseconds_text(step.compared_baseline_ms) + " = " + factor_text(quotient) + "  "));
    EXPECT_THAT(text, testing::ContainsRegex(" = " + factor_text(quotient) + " +" + factor_text(ratio) + " \\("));
  }
  EXPECT_GT(furthest, 0.02) << "else one of them would do";
}

TEST(TrainingStep, is_said_of_a_database_that_has_none) {
  const TemporaryFolder folder;
  {
    Store store(folder / "x.db");
    store.finish_sweep(store.begin_sweep("triscope sweep", "{}", synthetic_environment(), 3));
  }
  const ProgramResult result = run_triscope({"show", "--step", "--db", (folder / "x.db").string()});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("triscope sweep --pass forward,backward"));
  const std::string db = (folder / "x.db").string();
  EXPECT_THAT(run_triscope({"show", "--step", "--json", "--db", db}).errors,
              HasSubstr("No problem was measured in both"));
  for (const char* command : {"show", "export"}) {
    const ProgramResult empty = run_triscope({command, "1", "--json", "--db", db});
    EXPECT_EQ(empty.exit_code, 0) << command;
    EXPECT_EQ(empty.errors,
              "triscope: Nothing was measured in sweep 1; `triscope sweep --resume 1 --db " + db + "` measures it.\n")
        << command;
  }
  EXPECT_THAT(run_triscope({"list", "--step", "--db", db}).output, HasSubstr("`triscope show --step --db " + db + "`"));
  EXPECT_EQ(run_triscope({"show", "1", "--db", (folder / "x.db").string()}).output,
            "Nothing was measured in sweep 1; `triscope sweep --resume 1 --db " + (folder / "x.db").string() +
                "` measures it.\n");
  const std::string recorded = recorded_database().string();
  EXPECT_EQ(run_triscope({"show", "--step", "1", "--db", recorded}).output,
            "No problem of '1' was measured in both passes; `triscope show --step --db " + recorded +
                "` takes the passes of all sweeps together.\n");
  expect_error(run_triscope({"show", "--step", "--baseline", "nope", "--db", recorded_database().string()}), 2,
               "--baseline 'nope'");
  expect_error(run_triscope({"show", "--step", "--format", "csv", "--db", (folder / "x.db").string()}), 2, "--step");
}

}  // namespace
}  // namespace triscope
