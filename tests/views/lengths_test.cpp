#include <gmock/gmock.h>

#include <algorithm>
#include <stdexcept>

#include "kernels/attention/flops.hpp"
#include "tests/views/sweep_fixture.hpp"
#include "views/curves/drawn_curves.hpp"
#include "views/model/charts/length_beside.hpp"
#include "views/model/charts/length_budget.hpp"
#include "views/model/charts/length_model.hpp"
#include "views/model/charts/length_point.hpp"
#include "views/model/charts/length_words.hpp"

namespace triscope {
namespace {

using fixture::length_sweep;
using fixture::sweep;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const SameBudget& budget_at(const LengthPass& pass, std::int64_t seq_len) {
  const auto found = std::ranges::find(pass.budgets, seq_len, &SameBudget::seq_len);
  if (found == pass.budgets.end()) throw std::runtime_error("no verdict at this length");
  return *found;
}

std::vector<std::string> labels(const LengthPass& pass) {
  std::vector<std::string> result;
  for (const LengthCurve& curve : pass.curves) result.push_back(curve.label);
  return result;
}

TEST(LengthChart, the_fastest_kernel_of_each_pair_of_windows_stands_before_all_baselines) {
  const LengthChart chart = make_length_chart(*length_sweep(), {});
  for (const Pass pass : {Pass::forward, Pass::backward}) {
    EXPECT_THAT(labels(chart.of(pass)),
                ElementsAre("512 × 32", "256 × 32", "FlashAttention-3 64/1", "FlashAttention-3 64/8",
                            "FlashAttention-3 64/1 sliding 1024", "cuDNN 64/1"));
  }
  const LengthCurve& first = chart.passes[0].curves[0];
  EXPECT_EQ(first.kernel, "cuda.hopper");
  ASSERT_EQ(first.points.size(), 8U);
  EXPECT_EQ(first.points[0].seq_len, 1024);
  EXPECT_EQ(chart.regime, Regime::sustained);
}

TEST(LengthChart, curves_that_differ_in_batch_alone_have_names_of_their_own) {
  auto results = length_sweep();
  for (ResultRow row : std::vector<ResultRow>(results->rows)) {
    row.measurement += 1000;
    row.problem.batch = 4;
    results->rows.push_back(std::move(row));
  }
  const LengthPass forward = make_length_chart(*results, {}).passes[0];
  std::vector<std::string> all = labels(forward);
  EXPECT_THAT(all, testing::IsSupersetOf({"512 × 32 batch 4", "512 × 32 batch 1", "FlashAttention-3 64/1 batch 4",
                                          "FlashAttention-3 64/1 sliding 1024 batch 1"}));
  std::ranges::sort(all);
  EXPECT_EQ(std::ranges::adjacent_find(all), all.end()) << "no two of one name";
  const auto style = [&](const std::string& label) {
    return std::ranges::find(forward.curves, label, &LengthCurve::label)->style;
  };
  EXPECT_NE(style("512 × 32 batch 4"), style("512 × 32 batch 1")) << "nor of one colour";
}

TEST(LengthChart, curves_that_differ_in_element_or_determinism_alone_have_names_of_their_own) {
  const auto names = [](const auto& change) {
    auto results = length_sweep();
    for (ResultRow row : std::vector<ResultRow>(results->rows)) {
      row.measurement += 1000;
      change(row.problem);
      results->rows.push_back(std::move(row));
    }
    return labels(make_length_chart(*results, {}).passes[1]);
  };
  EXPECT_THAT(names([](Problem& problem) { problem.element = Element::fp32; }),
              testing::IsSupersetOf({"512 × 32 fp32", "512 × 32 bf16", "FlashAttention-3 64/1 fp32"}));
  EXPECT_THAT(names([](Problem& problem) { problem.deterministic = true; }),
              testing::IsSupersetOf({"512 × 32 deterministic", "512 × 32", "FlashAttention-3 64/1 deterministic"}));
}

TEST(LengthChart, crossings_are_with_flashattention_of_the_same_grouping_and_name_clock_and_counts) {
  const LengthChart chart = make_length_chart(*length_sweep(), {});
  const LengthPass& forward = chart.passes[0];
  ASSERT_EQ(forward.crossings.size(), 2U);
  const LengthCrossing& crossing = forward.crossings[0];
  EXPECT_EQ(forward.curves[crossing.baseline].label, "FlashAttention-3 64/1");
  EXPECT_NEAR(crossing.measured.seq_len, 41'000, 1);
  EXPECT_LT(crossing.measured.low, 41'000);
  EXPECT_GT(crossing.measured.high, 41'000);
  EXPECT_EQ(crossing.full_rows, 32'768);
  EXPECT_EQ(crossing.paper_count, 49'152);
  EXPECT_THAT(crossing.sentence,
              HasSubstr("512 × 32 costs as much as FlashAttention-3 64/1 at 41,000 tokens, by measured latency"));
  EXPECT_THAT(crossing.sentence, HasSubstr("(2 w1 w2 is 32,768), by the paper's count, 3 w1 w2, at 49,152."));
  EXPECT_NEAR(forward.crossings[1].measured.seq_len, 20'500, 1);
  EXPECT_NEAR(chart.passes[1].crossings[0].measured.seq_len, 41'000, 1);  // both backwards are 2.5 times
}

TEST(LengthChart, without_a_crossing_the_sentence_says_on_which_side_they_are) {
  auto cheap = length_sweep(), dear = length_sweep();
  for (ResultRow& r : cheap->rows) {
    if (r.kernel == "cuda.hopper") r.median_ms = r.ci_low_ms = r.ci_high_ms = 1e-6;
  }
  for (ResultRow& r : dear->rows) {
    if (r.kernel.starts_with("cuda")) r.median_ms = r.ci_low_ms = r.ci_high_ms = 1e6;
  }
  EXPECT_THAT(make_length_chart(*cheap, {}).passes[0].crossings[0].sentence,
              HasSubstr("costs less than FlashAttention-3 64/1 at every length that both have, 1k to 128k"));
  EXPECT_THAT(make_length_chart(*dear, {}).passes[0].crossings[0].sentence,
              HasSubstr("costs more than FlashAttention-3 64/1 at the longest length that both have, 128k"));
}

TEST(LengthChart, the_same_budget_is_found_at_lengths_where_the_windows_fit) {
  const LengthPass forward = make_length_chart(*length_sweep(), {}).passes[0];
  // 512 x 32 takes n / 1000 ms and 256 x 32 half: area a takes n a / 16384e3 ms, FlashAttention-3 n^2 / 41e6, so a = n
  // 16384 / 41000.
  // An area only from half the smallest measured one to twice the largest.
  ASSERT_EQ(forward.budgets.size(), 5U) << "at 1k to 4k 256 x 32 takes 5 to 20 times as long";
  for (const SameBudget& budget : forward.budgets) {
    const double area = static_cast<double>(budget.seq_len) * 16384 / 41'000;
    EXPECT_EQ(budget.windows.has_value(), area > 8192 / 2.0 && area < 16384 * 2.0) << budget.seq_len;
    if (budget.windows) {
      EXPECT_NEAR(budget.windows->area, area, 1) << budget.seq_len;
    }
  }
  const SameBudget& at_32k = budget_at(forward, 32768);
  EXPECT_FALSE(at_32k.windows->extrapolated());
  EXPECT_THAT(at_32k.sentence,
              testing::MatchesRegex(
                  "FlashAttention-3 64/1 takes 26.19 ms; 512 × 32, the nearest measured pair, 32.77 ms: by the medians "
                  "1.251 times as long \\(95 % interval of these samples alone [0-9.]+ to [0-9.]+\\), which gives no "
                  "verdict. With a second window of 32 an area of about 13,100 \\([0-9,]+ to [0-9,]+\\) would, between "
                  "256 × 32 and 512 × 32. Both are of sweep 1."));
  EXPECT_THAT(budget_at(forward, 16384).sentence,
              HasSubstr("by the trend of 256 × 32 and 512 × 32: an extrapolation. "));
  EXPECT_THAT(budget_at(forward, 131072).sentence,
              HasSubstr("What area would take as long, the measured pairs do not"));
}

// Tiles: 228 x 32 costs what 256 x 32 costs. So a pair that nobody measured is not named as if it were equal.
TEST(LengthChart, no_sentence_about_equal_cost_names_windows_that_were_not_measured) {
  const LengthChart chart = make_length_chart(*length_sweep(), {});
  for (const LengthPass* pass : {&chart.passes[0], &chart.passes[1], &chart.step}) {
    ASSERT_FALSE(pass->budgets.empty());
    for (const SameBudget& budget : pass->budgets) {
      std::string left = budget.sentence;
      for (const std::string pair : {"512 × 32", "256 × 32"}) {
        for (std::size_t at = left.find(pair); at != std::string::npos; at = left.find(pair))
          left.erase(at, pair.size());
      }
      EXPECT_EQ(left.find("×"), std::string::npos) << budget.sentence;
    }
  }
}

TEST(LengthChart, an_undecided_pair_is_not_called_different) {
  auto results = length_sweep();
  for (ResultRow& r : results->rows) {
    if (r.problem.window1 != 256 || r.problem.seq_len != 16384) continue;
    r.median_ms = 6.5;  // FlashAttention-3: 6.547
    r.ci_low_ms = 6.3, r.ci_high_ms = 6.7;
  }
  const LengthPass forward = make_length_chart(*results, {}).passes[0];
  EXPECT_THAT(budget_at(forward, 16384).sentence, HasSubstr("which gives no verdict. "));
  EXPECT_THAT(budget_at(forward, 16384).headline,
              testing::StartsWith(
                  "16k, forward beside FA3 64/1. Measured: 256 × 32 Hopper may cost the same, 0.99× as long, 0.9"));
}

TEST(LengthChart, equal_cost_names_what_it_stands_on_and_what_to_measure_next) {
  const LengthChart chart = make_length_chart(*length_sweep(), {});
  const SameBudget &forward = budget_at(chart.passes[0], 16384), &step = budget_at(chart.step, 16384);
  EXPECT_EQ(forward.measurements.size(), 3U) << "the estimate stands on two pairs";
  ASSERT_EQ(step.measurements.size(), 6U);
  const auto rows = length_sweep()->rows;
  const auto row = [&](std::size_t n) -> const ResultRow& {
    return *std::ranges::find(rows, step.measurements[n], &ResultRow::measurement);
  };
  EXPECT_EQ(row(0).kernel, "baseline.fa3");
  EXPECT_EQ(row(0).pass, Pass::backward);
  for (const std::size_t n : {2U, 3U}) EXPECT_EQ(row(n).problem.window1, 512);
  EXPECT_EQ(row(5).kernel, "cuda.hopper");
  EXPECT_EQ(row(5).problem.window1, 256);
  EXPECT_EQ(row(5).pass, Pass::backward) << "the first and the last are compared in full";
  EXPECT_THAT(step.neighbours, ElementsAre(Windows{256, 32}, Windows{208, 32}, Windows{128, 32}, Windows{256, 16}));
  EXPECT_THAT(budget_at(chart.passes[0], 32768).neighbours,
              ElementsAre(Windows{512, 32}, Windows{416, 32}, Windows{384, 32}, Windows{256, 32}))
      << "the pair that was named, and whole tiles between the two";
}

// A step of two sweeps is of the rows that count, whichever sweep is shown.
TEST(LengthChart, a_step_of_two_sweeps_does_not_depend_on_the_one_that_is_shown) {
  const auto all = length_sweep();
  const auto of = [&](Pass pass, std::int64_t id, double factor) {
    auto one = sweep({}, id);
    for (ResultRow r : all->rows) {
      if (r.pass != pass) continue;
      r.sweep = id;
      r.measurement += 1000 * id;
      *r.median_ms *= factor, *r.ci_low_ms *= factor * 0.99, *r.ci_high_ms *= factor;
      if (id == 2) r.ci_low_ms = *r.median_ms * 0.995;  // it is known best
      one->rows.push_back(std::move(r));
    }
    return one;
  };
  const auto forward = of(Pass::forward, 1, 1), backward = of(Pass::backward, 2, 1),
             again = of(Pass::backward, 3, 1.02);
  const auto first = make_length_chart(*forward, {again, backward}),
             second = make_length_chart(*backward, {again, forward}),
             third = make_length_chart(*again, {backward, forward});
  ASSERT_FALSE(first.step.budgets.empty());
  for (std::size_t n = 0; n < first.step.budgets.size(); ++n) {
    EXPECT_EQ(first.step.budgets[n].sentence, second.step.budgets[n].sentence);
    EXPECT_EQ(first.step.budgets[n].sentence, third.step.budgets[n].sentence);
  }
  EXPECT_THAT(budget_at(first.step, 16384).sentence, HasSubstr("Forward of sweep 1; backward of sweep 2."));
  EXPECT_THAT(first.step.crossings[0].sentence, HasSubstr("by measured latency, each pass in turns ("));
}

TEST(LengthChart, other_sweeps_join_it_and_are_counted) {
  auto all = length_sweep();
  auto windows = sweep({}, 1), baselines = sweep({}, 2);
  for (const ResultRow& r : all->rows) (r.problem.form == Form::dot_product ? baselines : windows)->rows.push_back(r);
  for (ResultRow& r : baselines->rows) r.sweep = 2;
  EXPECT_TRUE(make_length_chart(*windows).passes[0].crossings.empty());
  EXPECT_EQ(make_length_chart(*windows).passes[0].sweeps, 1U);
  EXPECT_EQ(make_length_chart(*windows, {baselines}).passes[0].crossings.size(), 2U);
  EXPECT_EQ(make_length_chart(*windows, {baselines}).passes[0].sweeps, 2U);
  EXPECT_EQ(make_length_chart(*all, {baselines}).passes[0].sweeps, 1U) << "the other one adds nothing";
}

TEST(LengthChart, another_sweep_adds_lengths_and_never_replaces_the_shown_ones) {
  auto shown = length_sweep(), older = length_sweep();
  older->info.id = 2;
  for (ResultRow& r : older->rows) *r.median_ms *= 0.5;  // an older, faster kernel
  std::erase_if(shown->rows, [](const ResultRow& r) { return r.problem.seq_len == 131'072; });
  const LengthPass alone = make_length_chart(*shown, {}).passes[0],
                   beside = make_length_chart(*shown, {older}).passes[0];
  ASSERT_EQ(beside.curves[0].points.size(), 8U);
  for (std::size_t n = 0; n < alone.curves[0].points.size(); ++n)
    EXPECT_EQ(beside.curves[0].points[n].ms, alone.curves[0].points[n].ms) << n;
}

// One length of the shown sweep lies beside a whole curve of another. What these two sweeps took differs by company and
// heat, so the crossing is that of the sweep in which both kernels took turns at most lengths.
TEST(LengthChart, a_crossing_is_of_the_sweep_that_has_most_lengths_of_both) {
  auto shown = length_sweep(), turns = length_sweep();
  turns->info.id = 2;
  std::erase_if(shown->rows, [](const ResultRow& r) { return r.problem.seq_len != 32'768; });
  for (ResultRow& r : shown->rows) {
    if (r.problem.form != Form::dot_product) *r.median_ms *= 0.9;
  }
  const LengthPass forward = make_length_chart(*shown, {turns}).passes[0];
  ASSERT_FALSE(forward.crossings.empty());
  EXPECT_TRUE(forward.crossings[0].in_turns);
  EXPECT_THAT(forward.crossings[0].sentence, HasSubstr("at 41,000 tokens, by measured latency in turns ("));
  for (ResultRow& r : turns->rows) {
    if (r.problem.form != Form::dot_product) r.source_hash = "of an older build";
  }
  const LengthPass older = make_length_chart(*shown, {turns}).passes[0];
  EXPECT_FALSE(older.crossings[0].in_turns) << "an older build says nothing of the shown one";
  EXPECT_LT(older.crossings[0].measured.seq_len, 39'000);
}

TEST(LengthChart, sweeps_by_another_clock_do_not_join_it) {
  auto windows = sweep({}, 1), baselines = sweep({}, 2);
  const auto all = length_sweep();
  for (const ResultRow& r : all->rows) (r.problem.form == Form::dot_product ? baselines : windows)->rows.push_back(r);
  for (ResultRow& r : baselines->rows) r.timing_source = TimingSource::cuda_events;
  ASSERT_NE(windows->rows.front().timing_source, TimingSource::cuda_events);
  EXPECT_TRUE(make_length_chart(*windows, {baselines}).passes[0].crossings.empty());
}

TEST(LengthChart, one_length_makes_no_curve_and_burst_is_shown_only_without_sustained) {
  EXPECT_TRUE(make_length_chart(*fixture::small_sweep(), {}).passes[0].curves.empty());
  auto mixed = length_sweep();
  const std::size_t before = make_length_chart(*mixed, {}).passes[0].curves.size();
  for (std::size_t n = mixed->rows.size(); n-- > 0;) {
    mixed->rows.push_back(mixed->rows[n]);
    mixed->rows.back().regime = Regime::burst;
  }
  EXPECT_EQ(make_length_chart(*mixed, {}).passes[0].curves.size(), before);
  for (ResultRow& r : mixed->rows) r.regime = Regime::burst;
  EXPECT_EQ(make_length_chart(*mixed, {}).regime, Regime::burst);
}

TEST(LengthChart, a_training_step_has_curves_and_crossings_of_its_own) {
  const LengthChart chart = make_length_chart(*length_sweep(), {});
  ASSERT_TRUE(chart.has_step());
  const LengthCurve& first = chart.step.curves[0];
  EXPECT_EQ(first.label, "512 × 32");
  EXPECT_DOUBLE_EQ(first.points[0].ms, 1.024 * 3.5) << "the backward takes 2.5 times as long as the forward";
  EXPECT_TRUE(interval_known(first.points[0]));
  ASSERT_FALSE(chart.step.crossings.empty());
  EXPECT_NEAR(counted_tflop(first, std::nullopt, 1024), 3.5 * counted_tflop(first, Pass::forward, 1024), 1e-9);
  auto forward = length_sweep();
  std::erase_if(forward->rows, [](const ResultRow& one) { return one.pass == Pass::backward; });
  EXPECT_FALSE(make_length_chart(*forward, {}).has_step());
  auto backward = length_sweep();
  backward->info.id = forward->info.id + 1;
  std::erase_if(backward->rows, [](const ResultRow& one) { return one.pass == Pass::forward; });
  const LengthChart of_two = make_length_chart(*forward, {backward});
  ASSERT_TRUE(of_two.has_step()) << "each pass is of a sweep of its own";
  EXPECT_DOUBLE_EQ(of_two.step.curves[0].points[0].ms, 1.024 * 3.5);
  EXPECT_FALSE(of_two.step.budgets.empty());
  ASSERT_FALSE(of_two.step.crossings.empty());
  for (const LengthCrossing& crossing : of_two.step.crossings) EXPECT_FALSE(crossing.in_turns);
  EXPECT_DOUBLE_EQ(of_two.step.crossings[0].measured.seq_len, chart.step.crossings[0].measured.seq_len);
}

TEST(LengthChart, a_step_stands_beside_the_other_step_and_not_beside_a_forward_pass) {
  const LengthChart chart = make_length_chart(*length_sweep(), {});
  ASSERT_FALSE(chart.step.curves.empty());
  const LengthCurve& ours = chart.step.curves[0];
  const auto at_16k = std::ranges::find(ours.points, 16384, &LengthPoint::seq_len);
  ASSERT_NE(at_16k, ours.points.end());
  // A step takes 3.5 times its forward pass: 16.384 ms and 6.547 ms times 3.5.
  const std::string text = beside_reference_text(chart.step, 0, *at_16k);
  EXPECT_THAT(text, HasSubstr("FlashAttention-3 64/1 takes 22.92 ms here"));
  EXPECT_THAT(text, HasSubstr("; this takes 2.502 times as long"));
  EXPECT_EQ(beside_reference_text(chart.step, chart.step.curves.size() - 1, *at_16k), "") << "a baseline itself";
}

TEST(LengthChart, colours_do_not_depend_on_the_sweep_that_is_shown) {
  const auto all = length_sweep();
  auto one = sweep({}, 1), two = sweep({}, 2);
  for (const ResultRow& r : all->rows) (r.problem.window1 == 512 ? one : two)->rows.push_back(r);
  const auto colours = [](const LengthChart& chart) {
    std::map<std::string, int> by_label;
    for (const LengthCurve& curve : chart.passes[0].curves) {
      if (!curve.baseline) by_label[curve.label] = curve.style;
    }
    return by_label;
  };
  EXPECT_EQ(colours(make_length_chart(*one, {two})), colours(make_length_chart(*two, {one})));
}

TEST(LengthChart, windows_have_one_colour_in_every_pass) {
  auto results = length_sweep();
  const auto first = make_length_chart(*results, {}).of(Pass::forward).curves[0].problem;
  std::erase_if(results->rows, [&](const ResultRow& one) {
    return one.pass == Pass::backward && one.problem.window1 == first.window1 && one.problem.window2 == first.window2;
  });
  const LengthChart chart = make_length_chart(*results, {});
  std::map<std::string, int> forward;
  for (const LengthCurve& curve : chart.of(Pass::forward).curves) {
    if (!curve.baseline) forward[curve.label] = curve.style;
  }
  int same = 0;
  for (const LengthCurve& curve : chart.of(Pass::backward).curves) {
    if (curve.baseline) continue;
    EXPECT_EQ(curve.style, forward.at(curve.label)) << curve.label;
    ++same;
  }
  EXPECT_GT(same, 0);
  EXPECT_EQ(forward.size(), static_cast<std::size_t>(same) + 1) << "one was measured forward alone";
}

TEST(LengthChart, an_unknown_interval_is_said) {
  auto results = length_sweep();
  results->rows[0].ci_low_ms = 0;
  const LengthChart chart = make_length_chart(*results, {});
  const LengthCurve& first = chart.of(Pass::forward).curves[0];
  EXPECT_FALSE(interval_known(first.points[0]));
  EXPECT_TRUE(interval_known(first.points[1]));
  EXPECT_THAT(point_text(first, first.points[0]), testing::HasSubstr("interval unknown"));
  EXPECT_THAT(point_text(first, first.points[1]), testing::HasSubstr("95 % interval"));
  EXPECT_EQ(chart.text.rows[0].back(), "unknown");
}

TEST(LengthChart, a_point_says_of_which_sweep_it_is_where_the_line_is_of_several) {
  const auto all = length_sweep();
  auto one = sweep({}, 1), two = sweep({}, 2);
  for (ResultRow& r : all->rows) {
    const bool longer = r.problem.seq_len > 32768;
    r.sweep = longer ? 2 : 1;
    (longer ? two : one)->rows.push_back(r);
  }
  const LengthChart chart = make_length_chart(*one, {two});
  const LengthCurve& curve = chart.of(Pass::forward).curves[0];
  EXPECT_THAT(point_text(curve, curve.points.front()), HasSubstr("1,024 tokens, of sweep 1: "));
  EXPECT_THAT(point_text(curve, curve.points.back()), HasSubstr("131,072 tokens, of sweep 2: "));
  const LengthChart alone = make_length_chart(*length_sweep(), {});
  EXPECT_THAT(point_text(alone.step.curves[0], alone.step.curves[0].points[0]), Not(HasSubstr("sweep")));
}

TEST(LengthChart, a_ratio_within_a_sweep_is_that_of_the_verdict) {
  const LengthChart chart = make_length_chart(*length_sweep(), {});
  LengthPass forward = chart.of(Pass::forward);
  const LengthPoint& at_16k = *std::ranges::find(forward.curves[0].points, 16384, &LengthPoint::seq_len);
  const LengthCurve& baseline = forward.curves[forward.crossings[0].baseline];
  const auto text = [&](const PairVerdicts& verdicts) {
    forward.verdicts = std::make_shared<const PairVerdicts>(verdicts);
    return beside_reference_text(forward, 0, at_16k);
  };
  PairVerdicts verdicts;
  Comparison& verdict =
      verdicts[{at_16k.measurement, reference_at(forward.curves[0], baseline, at_16k.seq_len)->measurement}];
  verdict.ratio = 2.4987;
  verdict.interval = {2.4944, 2.5031};
  verdict.paired = true;
  EXPECT_THAT(text(verdicts), testing::EndsWith("; this takes 2.499 times as long, 2.494 to 2.503, in turns"));
  verdict.paired = false;
  EXPECT_THAT(text(verdicts), testing::EndsWith("2.494 to 2.503 *"));
  EXPECT_THAT(text({{{at_16k.measurement, -1}, verdict}}), testing::EndsWith(" *")) << "of another partner";
  EXPECT_THAT(text({}), AllOf(HasSubstr("; this takes 2.5"), testing::EndsWith(" *"))) << "of their medians";
}

TEST(LengthChart, equal_cost_has_the_ratio_of_the_turns_where_both_took_turns) {
  const LengthChart chart = make_length_chart(*length_sweep(), {});
  const SameBudget& budget = budget_at(chart.of(Pass::forward), 16384);
  const LengthPass& forward = chart.of(Pass::forward);
  const LengthPoint& point = *std::ranges::find(forward.curves[budget.nearest].points, 16384, &LengthPoint::seq_len);
  std::int64_t partner = 0;
  Comparison verdict;
  verdict.ratio = 1.1139;
  verdict.interval = {1.1041, 1.1238};
  verdict.verdict = Verdict::slower;
  verdict.paired = true;
  const auto said = [&] {
    LengthChart made = chart;
    say_beside(made, [&](const std::set<MeasurementPair>& pairs) {
      PairVerdicts verdicts;
      for (const MeasurementPair& pair : pairs)
        if (pair.first == point.measurement && (partner == 0 || pair.second == partner)) verdicts[pair] = verdict;
      return verdicts;
    });
    const SameBudget& at_16k = budget_at(made.of(Pass::forward), 16384);
    return at_16k.headline + " " + at_16k.sentence;
  };
  EXPECT_THAT(said(),
              AllOf(HasSubstr("takes 1.11× as long"),
                    HasSubstr("by neighbouring turns 1.114 times as long (95 % interval 1.104 to 1.124), so it"),
                    Not(HasSubstr("medians"))));
  verdict.verdict = Verdict::same;
  EXPECT_THAT(said(), HasSubstr("1.104 to 1.124), which counts as the same"));
  verdict.verdict = Verdict::unclear;
  EXPECT_THAT(said(), HasSubstr("1.104 to 1.124), which of them is longer is not decided"));
  verdict.paired = false;
  EXPECT_THAT(said(), HasSubstr("by samples that were not taken in turns 1.114 times as long (95 % interval 1.104 to"));
  partner = -1;
  EXPECT_THAT(said(), HasSubstr("by the medians 1.251 times as long")) << "of another partner";
}

TEST(LengthChart, a_curve_that_lies_on_another_is_known) {
  auto results = length_sweep();
  const LengthChart apart = make_length_chart(*results, {});
  const auto lies = [](const LengthChart& chart) {
    const std::vector<DrawnCurve> curves = drawn_curves(light_theme(), chart.of(Pass::forward));
    return curves[1].dashes.drawn > 0;
  };
  EXPECT_FALSE(lies(apart));
  for (ResultRow& r : results->rows) {
    if (r.problem.window1 == 256 && r.problem.window2 == 32) r.median_ms = 2.02 * *r.median_ms;
  }
  EXPECT_TRUE(lies(make_length_chart(*results, {})));
}

TEST(LengthChart, its_text_has_points_and_crossings_of_both_passes) {
  const LengthChart chart = make_length_chart(*length_sweep(), {});
  int latencies = 0, crossings = 0;
  for (const auto& line : chart.text.rows) {
    ASSERT_EQ(line.size(), chart.text.header.size());
    latencies += line[1] == "latency, ms";
    crossings += line[1].starts_with("crossing by");
  }
  EXPECT_EQ(latencies, 2 * (5 * 8 + 7) + 3 * 8);  // the sliding window of 1024 is plainly causal at 1k
  EXPECT_EQ(crossings, 3 * 2 * 3);
}

TEST(LengthChart, counted_work_is_the_exact_count_of_each_mask) {
  const LengthPass forward = make_length_chart(*length_sweep(), {}).passes[0];
  const double n = 65536, causal = n * (n + 1) / 2 * 4 * 64 * 128 * 1e-12;
  EXPECT_NEAR(counted_tflop(forward.curves[2], Pass::forward, n), causal, 1e-9 * causal);
  EXPECT_NEAR(counted_tflop(forward.curves[2], Pass::backward, n), 2.5 * causal, 1e-9 * causal);
  EXPECT_LT(counted_tflop(forward.curves[4], Pass::forward, n), causal / 20);
}

TEST(LengthChart, the_rate_of_a_point_is_its_counted_work_by_its_time) {
  const auto results = fixture::length_sweep();
  const LengthChart chart = make_length_chart(*results);
  for (const LengthCurve& curve : chart.of(Pass::forward).curves) {
    for (const LengthPoint& point : curve.points) {
      const auto row = std::ranges::find(results->rows, point.measurement, &ResultRow::measurement);
      ASSERT_NE(row, results->rows.end());
      const double rate = length_value(curve, static_cast<double>(point.seq_len), point.ms, {true, Pass::forward});
      EXPECT_NEAR(rate, useful_flops(row->problem, Pass::forward) / *row->median_ms * 1e-9, 1e-6 * rate);
      EXPECT_EQ(length_value(curve, static_cast<double>(point.seq_len), point.ms, {}), point.ms);
    }
  }
  EXPECT_TRUE(std::ranges::any_of(chart.text.rows, [](const auto& row) { return row[1] == "rate, TFLOP/s"; }));
}

}  // namespace
}  // namespace triscope
