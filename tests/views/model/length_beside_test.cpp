// A curve over lengths beside another, by verdicts that somebody else has made.
#include "views/model/charts/length_beside.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <vector>

#include "profiler/statistics/training_step.hpp"
#include "tests/views/sweep_fixture.hpp"
#include "views/model/charts/chart_model.hpp"
#include "views/model/charts/length_budget.hpp"
#include "views/model/charts/length_model.hpp"
#include "views/model/charts/length_point.hpp"
#include "views/model/styles/series_style.hpp"

namespace triscope {
namespace {

constexpr std::int64_t kLength = 16384;

const LengthPoint& at_length(const LengthCurve& curve) {
  return *std::ranges::find(curve.points, kLength, &LengthPoint::seq_len);
}

const LengthCurve& labelled(const LengthPass& pass, const std::string& label) {
  return *std::ranges::find(pass.curves, label, &LengthCurve::label);
}

/// In turns with FlashAttention-3: 1 % longer, give or take 0.2 %, and judged by this tolerance.
Comparison slightly_longer(double tolerance) {
  Comparison time;
  time.ratio = 1.01;
  time.interval = {1.008, 1.012};
  time.paired = true;
  time.same_within = tolerance;
  time.verdict = tolerance < 0.008 ? Verdict::slower : Verdict::same;
  return time;
}

PairVerdicts both_passes(const LengthPoint& point, const LengthPoint& there, const Comparison& time) {
  return {{{point.measurement, there.measurement}, time}, {{point.backward, there.backward}, time}};
}

TEST(LengthBeside, a_step_is_judged_by_the_tolerance_of_its_passes) {
  const LengthChart chart = make_length_chart(*fixture::length_sweep(), {});
  const LengthCurve& ours = labelled(chart.step, "512 × 32");
  const LengthPoint& point = at_length(ours);
  const LengthCurve& baseline = labelled(chart.step, "FlashAttention-3 64/1");
  const auto judged_by = [&](double tolerance) {
    const PairVerdicts verdicts = both_passes(point, at_length(baseline), slightly_longer(tolerance));
    return ratio_beside(point, at_length(baseline), &verdicts).time.verdict;
  };
  EXPECT_EQ(judged_by(0.005), Verdict::slower);
  EXPECT_EQ(judged_by(0.02), Verdict::same);
}

TEST(LengthBeside, the_errors_of_a_step_out_of_turns_add_as_show_says_them) {
  const LengthChart chart = make_length_chart(*fixture::length_sweep(), {});
  const LengthCurve &ours = labelled(chart.step, "512 × 32"), &baseline = labelled(chart.step, "FlashAttention-3 64/1");
  const LengthPoint &point = at_length(ours), &there = at_length(baseline);
  Comparison pass = slightly_longer(0.005);
  pass.paired = false;
  const PairVerdicts verdicts = both_passes(point, there, pass);
  const PointRatio beside = ratio_beside(point, there, &verdicts);
  EXPECT_FALSE(beside.by_medians);
  EXPECT_FALSE(beside.time.paired);
  const StepRatio shown = ratio_of_steps({point.ms - point.backward_ms, there.ms - there.backward_ms, pass},
                                         {point.backward_ms, there.backward_ms, pass});
  ASSERT_TRUE(shown.time.low && shown.time.high);
  EXPECT_DOUBLE_EQ(beside.time.ratio, point.ms / there.ms);
  EXPECT_DOUBLE_EQ(beside.time.interval.low, *shown.time.low);
  EXPECT_DOUBLE_EQ(beside.time.interval.high, *shown.time.high);
}

TEST(LengthBeside, rows_of_two_gpus_have_a_ratio_and_no_interval) {
  const LengthChart chart = make_length_chart(*fixture::length_sweep(), {});
  Comparison elsewhere = slightly_longer(0.005);
  elsewhere.paired = false;
  elsewhere.verdict = Verdict::not_comparable;
  elsewhere.explanation = "A and B were measured on two GPUs.";
  const LengthCurve &ours = labelled(chart.step, "512 × 32"), &baseline = labelled(chart.step, "FlashAttention-3 64/1");
  const LengthPoint &point = at_length(ours), &there = at_length(baseline);
  PairVerdicts verdicts = both_passes(point, there, slightly_longer(0.005));
  verdicts[{point.backward, there.backward}] = elsewhere;
  const PointRatio ratio = ratio_beside(point, there, &verdicts);
  EXPECT_EQ(ratio.time.verdict, Verdict::not_comparable);
  EXPECT_FALSE(has_interval(ratio.time));
  EXPECT_DOUBLE_EQ(ratio.time.ratio, point.ms / there.ms);

  LengthChart made = chart;
  say_beside(made, [&](const std::set<MeasurementPair>& pairs) {
    PairVerdicts all;
    for (const MeasurementPair& pair : pairs) all[pair] = elsewhere;
    return all;
  });
  for (const LengthPass* pass : {&made.passes[0], &made.step}) {
    const SameBudget& budget = *std::ranges::find(pass->budgets, kLength, &SameBudget::seq_len);
    EXPECT_THAT(budget.headline, testing::HasSubstr("as long, which is not comparable"));
    EXPECT_THAT(budget.sentence, testing::HasSubstr("interval unknown). A and B were measured on two GPUs. "));
    EXPECT_THAT(budget.row, testing::Contains("not comparable"));
    EXPECT_THAT(budget.row, testing::Contains("unknown"));
  }
}

TEST(LengthBeside, a_step_that_takes_the_place_of_another_does_not_keep_its_partner) {
  const auto sweep = fixture::length_sweep();
  const auto has_partner = [&] {
    const LengthChart chart = make_length_chart(*sweep, {});
    const LengthCurve& ours = labelled(chart.step, "512 × 32");
    return std::ranges::find(ours.beside, kLength, &LengthPoint::seq_len) != ours.beside.end();
  };
  EXPECT_TRUE(has_partner());
  const std::vector<ResultRow> rows = sweep->rows;
  for (ResultRow row : rows) {  // faster on another device, which ran no dot product
    if (row.kernel != "cuda.hopper" || row.problem.window1 != 512 || row.problem.seq_len != kLength) continue;
    row.measurement += 1000;
    row.device = "Another GPU";
    row.median_ms = *row.median_ms / 2;
    row.ci_low_ms = row.ci_high_ms = std::nullopt;
    sweep->rows.push_back(row);
  }
  EXPECT_FALSE(has_partner());
}

TEST(LengthBeside, a_baseline_has_the_dashes_that_it_has_in_other_charts) {
  const LengthChart chart = make_length_chart(*fixture::length_sweep(), {});
  const LengthPass& forward = chart.of(Pass::forward);
  std::set<int> dashes;
  for (const LengthCurve& curve : forward.curves) {
    if (!curve.baseline) continue;
    EXPECT_TRUE(dashes.insert(curve.style).second) << curve.label << ": two curves are told apart";
  }
  const LengthCurve& cudnn = labelled(forward, "cuDNN 64/1");
  ASSERT_EQ(cudnn.kernel, "baseline.cudnn");
  EXPECT_EQ(cudnn.style, baseline_style(cudnn.card));
  const auto is_usual = [](const LengthCurve& curve) {
    return curve.label.starts_with("FlashAttention-3") && curve.style == baseline_style(curve.card);
  };
  EXPECT_EQ(std::ranges::count_if(forward.curves, is_usual), 1);
}

}  // namespace
}  // namespace triscope
