// What "Same cost" says of each length.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/views/sweep_fixture.hpp"
#include "views/model/charts/length_budget.hpp"
#include "views/model/charts/length_model.hpp"
#include "views/model/charts/length_point.hpp"
#include "views/model/charts/length_words.hpp"

namespace triscope {
namespace {

using fixture::length_sweep;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

const SameBudget& cost_at(const LengthPass& pass, std::int64_t seq_len) {
  const auto found = std::ranges::find(pass.budgets, seq_len, &SameBudget::seq_len);
  if (found == pass.budgets.end()) throw std::runtime_error("no verdict at this length");
  return *found;
}

// The answer is the pair of the estimated area, with the range of its first window.
TEST(EqualCost, equal_cost_begins_with_a_pair_of_windows) {
  const LengthChart chart = make_length_chart(*length_sweep(), {});
  EXPECT_THAT(cost_at(chart.step, 16384).headline,
              MatchesRegex("16k, step beside FA3 64/1\\. Estimated: about 205 × 32 would cost the same \\(w1 "
                           "[12][0-9]+ to 2[0-9]+ by area, "
                           "extrapolated\\); nearest measured, 256 × 32 Hopper, takes 1.25× as long\\."))
      << "an area of 6,547";
  EXPECT_THAT(cost_at(chart.passes[0], 32768).headline,
              MatchesRegex("32k, forward beside FA3 64/1\\. Estimated: about 409 × 32 would cost the same \\(w1 "
                           "[34][0-9]+ to 4[0-9]+ by "
                           "area\\); nearest measured, 512 × 32 Hopper, takes 1.25× as long\\."))
      << "an area of 13,095";
  EXPECT_THAT(cost_at(chart.passes[1], 8192).headline,
              StartsWith("8k, backward beside FA3 64/1. No pair is known to cost the same; nearest "
                         "measured, 256 × 32 Hopper, takes"));
  EXPECT_EQ(cost_at(chart.step, 16384).pair, (Windows{208, 32})) << "what is planned goes in steps of 16";
  EXPECT_THAT(cost_at(chart.step, 16384).sentence,
              AllOf(HasSubstr("by the sums of the passes' medians 1.251 times as long"),
                    HasSubstr("(95 % interval of these samples alone 1.2")));
  EXPECT_THAT(cost_at(chart.passes[0], 16384).sentence, AllOf(HasSubstr("by the medians 1.251 times as long"),
                                                              HasSubstr("(95 % interval of these samples alone 1.2")));
  EXPECT_FALSE(cost_at(chart.passes[1], 8192).pair);
}

TEST(EqualCost, lengths_with_an_answer_stand_before_those_without) {
  const LengthPass step = make_length_chart(*length_sweep(), {}).step;
  ASSERT_FALSE(step.budgets.front().windows) << "the shortest has none";
  const std::vector<const SameBudget*> order = answers_first(step.budgets);
  ASSERT_EQ(order.size(), step.budgets.size());
  EXPECT_EQ(order.front()->seq_len, 16384);
  for (std::size_t n = 1; n < order.size(); ++n) {
    EXPECT_GE(order[n - 1]->windows.has_value(), order[n]->windows.has_value());
    EXPECT_TRUE(order[n - 1]->windows.has_value() != order[n]->windows.has_value() ||
                order[n - 1]->seq_len < order[n]->seq_len);
  }
}

std::shared_ptr<SweepResults> in_tiles(std::int64_t keys) {
  auto results = length_sweep();
  for (ResultRow& r : results->rows) {
    if (r.pass == Pass::forward && r.kernel == "cuda.hopper") r.instance = fmt::format("d128_pair64_keys{}_half", keys);
  }
  return results;
}

TEST(EqualCost, equal_cost_says_what_whole_tiles_make_of_it) {
  const LengthChart chart = make_length_chart(*in_tiles(128), {});
  EXPECT_THAT(cost_at(chart.passes[0], 32768).headline,
              AllOf(StartsWith("32k, forward beside FA3 64/1. Estimated: about 409 × 32 would cost the same ("),
                    EndsWith(" by area); in whole tiles of 128 keys the nearest, 384 × 32, lies below "
                             "that range; nearest measured, 512 × 32 Hopper, takes 1.25× as long.")));
  EXPECT_THAT(cost_at(chart.passes[0], 16384).headline,
              AllOf(StartsWith("16k, forward beside FA3 64/1. Estimated: about 205 × 32 would cost the same ("),
                    EndsWith("; in whole tiles of 128 keys nothing lies nearer than 256 × 32 Hopper, which "
                             "takes 1.25× as long.")));
  EXPECT_FALSE(cost_at(chart.passes[0], 16384).pair);
  EXPECT_EQ(cost_at(chart.step, 16384).pair, (Windows{208, 32})) << "a step has a backward too";
  EXPECT_THAT(cost_at(chart.step, 16384).headline,
              EndsWith("; in whole tiles of 128 keys, the forward's, nothing lies nearer than 256 × 32 Hopper, which "
                       "takes 1.25× as long."));
  EXPECT_THAT(cost_at(make_length_chart(*in_tiles(16), {}).passes[0], 32768).headline,
              HasSubstr("; in whole tiles of 16 keys that is 416 × 32; nearest measured, "))
      << "inside its range";
  EXPECT_THAT(
      cost_at(make_length_chart(*in_tiles(272), {}).passes[0], 32768).headline,
      HasSubstr("; in whole tiles of 272 keys the nearest, 544 × 32, lies above that range; nearest measured, "));
  auto unknown = in_tiles(128);
  for (ResultRow& r : unknown->rows) r.ci_low_ms = r.ci_high_ms = std::nullopt;
  EXPECT_THAT(cost_at(make_length_chart(*unknown, {}).passes[0], 32768).headline,
              HasSubstr("(w1 range unknown, by area); in whole tiles of 128 keys the nearest is 384 × 32; "));
}

TEST(EqualCost, an_area_has_the_digits_of_its_tooltip) {
  const LengthPass forward = make_length_chart(*length_sweep(), {}).passes[0];
  const SameBudget& budget = cost_at(forward, 32768);
  EXPECT_THAT(area_text(*budget.windows), StartsWith("about 13,100 ("));
  EXPECT_THAT(budget.sentence, HasSubstr(area_text(*budget.windows)));
}

TEST(EqualCost, a_pair_that_may_cost_the_same_is_measured_and_has_its_confidence) {
  auto results = length_sweep();
  for (ResultRow& r : results->rows) {
    if (r.problem.form != Form::dot_product) r.median_ms = *r.median_ms / 1.251;
  }
  for (ResultRow& r : results->rows) r.ci_low_ms = 0.99 * *r.median_ms, r.ci_high_ms = 1.01 * *r.median_ms;
  EXPECT_THAT(cost_at(make_length_chart(*results, {}).passes[0], 16384).headline,
              MatchesRegex("16k, forward beside FA3 64/1\\. Measured: 256 × 32 Hopper may cost the same, 1\\.000× as "
                           "long, 0\\.9[89] to 1\\.0[12] \\(95 %\\)\\."));
}

TEST(EqualCost, what_held_the_clock_down_stands_beside_equal_cost) {
  auto results = length_sweep();
  for (ResultRow& r : results->rows) r.limiter = "sw_power_cap";
  EXPECT_THAT(cost_at(make_length_chart(*results, {}).passes[0], 16384).sentence,
              EndsWith("Both are of sweep 1, power-capped."));
  for (ResultRow& r : results->rows) {
    if (r.problem.form == Form::dot_product) r.limiter = "";
  }
  EXPECT_THAT(cost_at(make_length_chart(*results, {}).passes[0], 16384).sentence,
              EndsWith("of sweep 1, the windows power-capped."));
}

TEST(EqualCost, beside_a_held_clock_cycles_tell_what_the_times_do_not) {
  auto results = length_sweep();
  for (ResultRow& r : results->rows) {
    r.limiter = "sw_power_cap";
    r.sm_clock_mhz = r.problem.form == Form::dot_product ? 1600 : 1400;
  }
  const LengthChart chart = make_length_chart(*results, {});
  // 512 x 32 takes 1.251 times as long at 32k, at 7/8 of the clock.
  EXPECT_THAT(cost_at(chart.passes[0], 32768).sentence,
              EndsWith("of sweep 1, power-capped; in clock cycles 1.095 times as long."));
  EXPECT_THAT(cost_at(chart.step, 32768).sentence, HasSubstr("; in clock cycles 1.095 times as long."));
  for (ResultRow& r : results->rows) {
    if (r.pass == Pass::backward && r.problem.form != Form::dot_product) r.sm_clock_mhz = 1200;
  }
  EXPECT_THAT(cost_at(make_length_chart(*results, {}).step, 32768).sentence,
              HasSubstr("; in clock cycles 0.983 times as long."))
      << "of both passes: the backward, 2.5 times as long, at 3/4 of the clock";
  for (ResultRow& r : results->rows) r.limiter = "";
  EXPECT_THAT(cost_at(make_length_chart(*results, {}).passes[0], 32768).sentence, Not(HasSubstr("cycles")));
  for (ResultRow& r : results->rows) r.limiter = "sw_power_cap", r.sm_clock_mhz = std::nullopt;
  EXPECT_THAT(cost_at(make_length_chart(*results, {}).step, 32768).sentence, Not(HasSubstr("cycles")));
}

TEST(EqualCost, times_of_too_few_blocks_do_not_decide_that_the_cost_is_another) {
  auto results = length_sweep();
  const auto by_medians = HasSubstr("), which gives no verdict");  // as Details, table and `compare`
  EXPECT_THAT(cost_at(make_length_chart(*results, {}).step, 16384).sentence, by_medians);
  for (ResultRow& r : results->rows) {
    if (r.pass == Pass::backward && r.problem.form == Form::dot_product) r.samples = 2;
  }
  const LengthChart chart = make_length_chart(*results, {});
  EXPECT_THAT(cost_at(chart.passes[0], 16384).sentence, by_medians);
  EXPECT_THAT(cost_at(chart.passes[1], 16384).sentence, HasSubstr("by too few blocks for a verdict"));
  EXPECT_THAT(cost_at(chart.step, 16384).sentence, HasSubstr("by too few blocks for a verdict"));
}

TEST(EqualCost, the_text_table_has_the_pair_beside_the_area) {
  const LengthChart chart = make_length_chart(*length_sweep(), {});
  const auto row = std::ranges::find_if(chart.text.rows, [](const std::vector<std::string>& cells) {
    return cells[0] == "training step" && cells[3] == "16384" && cells[1].starts_with("first window of the same");
  });
  ASSERT_NE(row, chart.text.rows.end());
  EXPECT_EQ((*row)[1], "first window of the same latency, beside a second one of 32, extrapolated");
  EXPECT_EQ((*row)[4], "205");
}

/// A row of Hopper in the forward pass at 16k tokens, 1.5 ms more or less than FlashAttention-3's 6.55 ms.
ResultRow hopper_at_16k(const SweepResults& sweep, std::int64_t window1, double ms) {
  ResultRow row = *std::ranges::find_if(sweep.rows, [](const ResultRow& one) {
    return one.kernel == "cuda.hopper" && one.problem.seq_len == 16384 && one.pass == Pass::forward;
  });
  row.measurement = 1000 + window1;
  row.problem.window1 = window1;
  row.median_ms = ms;
  row.ci_low_ms = 0.99 * ms, row.ci_high_ms = 1.01 * ms;
  return row;
}

TEST(EqualCost, windows_without_a_curve_count) {
  auto one_length = length_sweep();
  one_length->rows.push_back(hopper_at_16k(*one_length, 208, 6.7));
  const LengthPass of_one = make_length_chart(*one_length, {}).passes[0];
  ASSERT_EQ(of_one.undrawn.size(), 1U);
  const SameBudget& budget = cost_at(of_one, 16384);
  EXPECT_EQ(curve_at(of_one, budget.nearest).label, "208 × 32");
  EXPECT_THAT(budget.headline, EndsWith("nearest measured, 208 × 32 Hopper, takes 1.02× as long."));
  EXPECT_EQ(budget.measurements.back(), 1208) << "a click selects it";
  EXPECT_EQ(budget.neighbours.front(), (Windows{208, 32}));

  auto many = length_sweep();  // two have curves, and eight more
  for (std::int64_t n = 0; n < 8; ++n) {
    const ResultRow at_16k = hopper_at_16k(*many, 1024 + 16 * n, n == 7 ? 6.5 : 20.0);
    ResultRow at_8k = at_16k;
    at_8k.measurement += 1000;
    at_8k.problem.seq_len = 8192;
    many->rows.push_back(at_16k);
    many->rows.push_back(at_8k);
  }
  const LengthPass of_many = make_length_chart(*many, {}).passes[0];
  EXPECT_EQ(of_many.undrawn.size(), 3U) << "seven are drawn";
  EXPECT_EQ(curve_at(of_many, cost_at(of_many, 16384).nearest).label, "1136 × 32");
}

/// As if the newest sweep had measured the baseline alone.
TEST(EqualCost, windows_stand_beside_what_their_own_sweep_measured) {
  const auto both = length_sweep();
  auto newest = std::make_shared<SweepResults>(*both);
  newest->info.id = 9;
  std::erase_if(newest->rows, [](const ResultRow& row) { return row.problem.form != Form::dot_product; });
  for (ResultRow& row : newest->rows) row.sweep = 9, row.measurement += 1000, row.median_ms = 1.1 * *row.median_ms;
  const LengthChart chart = make_length_chart(*newest, {both});
  for (const LengthPass& pass : chart.passes) {
    const SameBudget& budget = cost_at(pass, 16384);
    EXPECT_THAT(budget.sentence, HasSubstr("Both are of sweep 1"));
    EXPECT_EQ(point_at(pass.curves[budget.baseline].points, 16384)->sweep, 9) << "what is drawn";
    EXPECT_LT(budget.measurements.front(), 1000);
  }
}

TEST(EqualCost, lengths_without_a_near_pair_are_known) {
  const LengthPass forward = make_length_chart(*length_sweep(), {}).passes[0];
  std::vector<std::int64_t> answered;
  for (const SameBudget& budget : forward.budgets) answered.push_back(budget.seq_len);
  EXPECT_THAT(answered, testing::ElementsAre(8192, 16384, 32768, 65536, 131072));
  EXPECT_THAT(forward.unanswered, testing::ElementsAre(1024, 2048, 4096)) << "256 × 32 takes 5 times as long at 4k";
}

TEST(EqualCost, windows_without_a_curve_that_ask_another_question_do_not_count) {
  auto results = length_sweep();
  ResultRow row = hopper_at_16k(*results, 208, 6.5);
  row.problem.form = Form::determinant;
  results->rows.push_back(row);
  row = hopper_at_16k(*results, 224, 6.5);
  row.problem.batch = 2;
  results->rows.push_back(row);
  const LengthPass pass = make_length_chart(*results, {}).passes[0];
  ASSERT_EQ(pass.undrawn.size(), 2U);
  EXPECT_EQ(curve_at(pass, cost_at(pass, 16384).nearest).label, "256 × 32");
}

TEST(EqualCost, is_beside_the_chosen_dot_product) {
  const auto sweep = length_sweep();
  const LengthChart usual = make_length_chart(*sweep, {}), chosen = make_length_chart(*sweep, {}, "baseline.cudnn"),
                    ours = make_length_chart(*sweep, {}, "cuda.portable");
  const auto beside = [](const LengthPass& pass) { return pass.curves[cost_at(pass, 16384).baseline].kernel; };
  for (const bool step : {false, true}) {
    const auto of = [step](const LengthChart& chart) { return step ? chart.step : chart.passes[1]; };
    EXPECT_EQ(beside(of(usual)), "baseline.fa3");
    EXPECT_EQ(beside(of(chosen)), "baseline.cudnn");
    EXPECT_EQ(of(chosen).curves[of(chosen).crossings.front().baseline].kernel, "baseline.cudnn");
    EXPECT_EQ(beside(of(ours)), "baseline.fa3") << "no dot product was chosen";
  }
}

/// Rows of head size 64 of one length, by another sweep than the curves.
TEST(EqualCost, is_of_the_problem_that_the_shown_sweep_has) {
  const auto curves = length_sweep();
  auto shown = std::make_shared<SweepResults>(*curves);
  shown->info.id = 9;
  std::erase_if(shown->rows, [](const ResultRow& row) { return row.problem.seq_len != 8192; });
  for (ResultRow& row : shown->rows) row.sweep = 9, row.measurement += 1000, row.problem.head_dim = 64;
  const LengthPass forward = make_length_chart(*shown, {curves}).passes[0];
  EXPECT_EQ(forward.question, "trilinear, 64/1 heads, head size 64");
  ASSERT_EQ(forward.budgets.size(), 1U);
  EXPECT_EQ(forward.budgets[0].seq_len, 8192);
  EXPECT_THAT(forward.budgets[0].measurements, testing::Each(testing::Gt(1000)));
  EXPECT_EQ(budget_table(forward).rows.size(), 1U);
  EXPECT_EQ(make_length_chart(*curves, {shown}).passes[0].question, "trilinear, 64/1 heads, head size 128");
}

TEST(EqualCost, of_a_step_is_by_the_turns_of_each_pass_where_both_took_turns) {
  const auto sweep = length_sweep();
  for (ResultRow& row : sweep->rows) row.restarts = 3;
  const LengthChart chart = make_length_chart(*sweep, {});
  const SameBudget& budget = cost_at(chart.step, 16384);
  const LengthPoint& point = *std::ranges::find(chart.step.curves[budget.nearest].points, 16384, &LengthPoint::seq_len);
  ASSERT_NE(point.backward, 0);
  const LengthPoint there = *reference_at(chart.step.curves[budget.nearest], chart.step.curves[budget.baseline], 16384);
  const auto said = [&](const PairVerdicts& verdicts) {
    LengthChart made = chart;
    say_beside(made, [&](const std::set<MeasurementPair>& pairs) {
      EXPECT_TRUE(pairs.contains({point.measurement, there.measurement}));
      EXPECT_TRUE(pairs.contains({point.backward, there.backward}));
      return verdicts;
    });
    return cost_at(made.step, 16384).sentence;
  };
  const auto in_turns = [](double ratio, double half) {
    Comparison one;
    one.ratio = ratio, one.interval = {ratio - half, ratio + half}, one.paired = true, one.verdict = Verdict::slower;
    return one;
  };
  const auto by_medians = HasSubstr("by the sums of the passes' medians 1.251 times as long");
  PairVerdicts verdicts;
  verdicts[{point.measurement, there.measurement}] = in_turns(1.2, 0.035);
  EXPECT_THAT(said(verdicts), by_medians) << "of the backward nothing is known";
  Comparison& backward = verdicts[{point.backward, there.backward}];
  backward = in_turns(1.3, 0.007);
  // The backward takes 2.5 times the forward: some (1.2 + 2.5 * 1.3) / 3.5, and hypot(0.035, 2.5 * 0.007) / 3.5.
  EXPECT_THAT(
      said(verdicts),
      HasSubstr("by the neighbouring turns of each pass 1.271 times as long (95 % interval 1.259 to 1.282), so it does "
                "not cost the same"));
  backward.paired = false;
  EXPECT_THAT(said(verdicts),
              HasSubstr("by samples that were not taken in turns 1.251 times as long (99 % interval 1.2"));
}

}  // namespace
}  // namespace triscope
