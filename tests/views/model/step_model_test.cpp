// Training steps beside the passes, in the charts over windows.
#include "views/model/charts/step_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/attention/flops.hpp"
#include "tests/views/sweep_fixture.hpp"
#include "views/model/charts/chart_model.hpp"
#include "views/model/models.hpp"

namespace triscope {
namespace {

using fixture::row;
using fixture::small_sweep;
using fixture::sweep;

LatencyModel steps_of(const SweepResults& shown, const std::vector<std::shared_ptr<const SweepResults>>& others = {}) {
  return make_step_model(make_latency_model(shown, nullptr), shown, others);
}

TEST(StepModel, a_step_is_the_sum_that_show_and_lengths_have) {
  const auto shown = small_sweep();
  const LatencyModel steps = steps_of(*shown);
  const std::vector<TrainingStep> summed = training_steps(shown->rows, "auto");
  ASSERT_EQ(summed.size(), 2U);
  ASSERT_EQ(steps.lines.size(), 3U) << "two windows and the dot product";
  for (std::size_t n = 0; n < summed.size(); ++n) {
    const LatencyCell& cell = *steps.lines[n].cells[0];
    EXPECT_DOUBLE_EQ(*cell.row.median_ms, summed[n].step.value);
    EXPECT_DOUBLE_EQ(*cell.row.ci_low_ms, *summed[n].step.low);
    EXPECT_EQ(cell.row.measurement, summed[n].forward->measurement);
    EXPECT_EQ(cell.backward, summed[n].backward->measurement);
    const Problem& problem = summed[n].forward->problem;
    const double flops = useful_flops(problem, Pass::forward) + useful_flops(problem, Pass::backward);
    EXPECT_NEAR(*cell.row.tflops, flops * 1e-9 / summed[n].step.value, 1e-9);
  }
  EXPECT_TRUE(steps.lines[2].baseline);
  EXPECT_DOUBLE_EQ(*steps.lines[2].cells[0]->row.median_ms, 15);
}

TEST(StepModel, the_step_of_dot_product_attention_is_that_of_the_chosen_reference) {
  const auto shown = small_sweep();
  for (ResultRow of_cudnn : std::vector<ResultRow>(shown->rows)) {
    if (!is_baseline(of_cudnn.card.kind)) continue;
    of_cudnn.measurement += 100;
    of_cudnn.kernel = "baseline.cudnn";
    of_cudnn.card = card_of(of_cudnn.kernel);
    *of_cudnn.median_ms *= 2;
    shown->rows.push_back(of_cudnn);
  }
  const auto level = [&](const char* reference) {
    const Verdicts beside{reference, reference, reference};
    const LatencyModel steps = make_step_model(make_latency_model(*shown, nullptr, &beside), *shown, {});
    return steps.lines.back().baseline ? steps.lines.back().kernel : "none";
  };
  EXPECT_EQ(level("baseline.cudnn"), "baseline.cudnn");
  EXPECT_EQ(level("baseline.cpu"), "baseline.cpu");
}

TEST(StepModel, a_pass_of_another_sweep_of_the_device_makes_a_step_but_only_of_shown_windows) {
  const auto shown = sweep({row(1, 512, 32, Pass::forward, 20, 0.2)});
  const auto other = sweep({row(11, 512, 32, Pass::backward, 80, 0.2), row(12, 256, 64, Pass::forward, 21, 0.2),
                            row(13, 256, 64, Pass::backward, 81, 0.2)},
                           2);
  for (ResultRow& one : other->rows) one.sweep = 2;
  EXPECT_TRUE(steps_of(*shown).lines.empty()) << "there is one pass alone";
  const LatencyModel steps = steps_of(*shown, {other});
  ASSERT_EQ(steps.lines.size(), 1U);
  EXPECT_DOUBLE_EQ(*steps.lines[0].cells[0]->row.median_ms, 100);
  EXPECT_EQ(steps.lines[0].cells[0]->backward, 11);
  other->rows.push_back(row(14, 512, 32, Pass::forward, 19, 0.2));  // known better than that of the shown sweep
  other->rows.back().sweep = 2;
  other->rows.back().ci_low_ms = 18.99, other->rows.back().ci_high_ms = 19.01;
  const LatencyModel of_others = steps_of(*shown, {other});
  ASSERT_EQ(of_others.lines.size(), 1U) << "at the line of its problem";
  EXPECT_DOUBLE_EQ(*of_others.lines[0].cells[0]->row.median_ms, 99);
}

TEST(StepModel, the_rows_of_the_shown_sweep_go_before_others) {
  const auto shown = small_sweep();
  const auto newer = small_sweep();
  for (ResultRow& one : newer->rows) {
    one.measurement += 100;
    one.sweep = 2;
    one.started = "2026-11-25T14:02:31Z";
    one.median_ms = *one.median_ms / 2;  // and known better
    one.ci_low_ms = *one.median_ms * 0.9999, one.ci_high_ms = *one.median_ms * 1.0001;
  }
  const LatencyModel steps = steps_of(*shown, {newer});
  ASSERT_EQ(steps.lines.size(), 3U) << "each once";
  EXPECT_DOUBLE_EQ(*steps.lines[0].cells[0]->row.median_ms, 24.4 + 82.4);
}

TEST(StepModel, a_step_stands_at_the_instance_that_makes_it) {
  const auto shown = sweep({row(1, 512, 32, Pass::forward, 30, 0.2), row(2, 512, 32, Pass::backward, 90, 0.2),
                            row(3, 512, 32, Pass::forward, 20, 0.2), row(4, 512, 32, Pass::backward, 80, 0.2)});
  for (ResultRow& one : shown->rows) one.instance = one.measurement < 3 ? "first" : "second";
  const LatencyModel table = make_latency_model(*shown, nullptr), steps = steps_of(*shown);
  ASSERT_EQ(table.lines.size(), 2U);
  ASSERT_EQ(steps.lines.size(), 1U);
  EXPECT_DOUBLE_EQ(*steps.lines[0].cells[0]->row.median_ms, 100) << "of the fastest of each pass";
  EXPECT_NE(steps.lines[0].setting, table.lines[0].setting);
  EXPECT_EQ(steps.lines[0].setting, table.lines[1].setting);
}

TEST(StepModel, charts_over_windows_have_a_series_of_steps) {
  const auto shown = small_sweep();
  const LatencyModel table = make_latency_model(*shown, nullptr), steps = steps_of(*shown);
  const ChartSetting setting = chart_settings(table).front();
  ScalingChart chart = make_scaling_chart(table, setting);
  add_steps(chart, steps, setting);
  ASSERT_EQ(chart.series.size(), 3U);
  EXPECT_EQ(chart.series[2].series.label, shown->rows[0].card.label + " training step") << "whose it is";
  EXPECT_TRUE(chart.series[2].series.step);
  ASSERT_EQ(chart.series[2].points.size(), 2U);
  EXPECT_DOUBLE_EQ(chart.series[2].points[0].y, 24.4 + 82.4);
  EXPECT_EQ(chart.series[2].points[0].backward, 2);
  for (const std::size_t pass : {0U, 1U}) EXPECT_NE(chart.series[pass].series.colour, chart.series[2].series.colour);
  ScalingChart taken = make_scaling_chart(table, setting);
  taken.series[0].series.colour = chart.series[2].series.colour;  // as a burst of a second kernel has
  add_steps(taken, steps, setting);
  EXPECT_NE(taken.series[2].series.colour, taken.series[0].series.colour);
  ASSERT_EQ(chart.levels.size(), 3U);
  const std::vector<Series> choices = map_series(steps);
  ASSERT_EQ(choices.size(), 1U);
  const WindowMap map = make_window_map(steps, setting, choices[0], MapMetric::latency);
  EXPECT_DOUBLE_EQ(map.at(1, 0).value, 24.4 + 82.4);
  const WindowMap peak = make_window_map(steps, setting, choices[0], MapMetric::peak);
  EXPECT_EQ(peak.at(1, 0).state, MapCell::State::skipped);
  EXPECT_EQ(peak.at(1, 0).reason, "The share of the peak is known of each pass.");
}

// Where the sweep has one kernel in one pass, the fastest of both passes may be another one.
TEST(StepModel, a_step_names_its_kernel_which_may_not_be_the_shown_one) {
  const auto shown = sweep({row(1, 512, 32, Pass::backward, 370, 0.2, "cuda.portable")});
  const auto other = sweep({row(11, 512, 32, Pass::forward, 24, 0.2, "cuda.hopper"),
                            row(12, 512, 32, Pass::backward, 76, 0.2, "cuda.hopper")},
                           2);
  for (ResultRow& one : other->rows) one.sweep = 2;
  const std::vector<Series> choices = map_series(steps_of(*shown, {other}));
  ASSERT_EQ(choices.size(), 1U);
  EXPECT_EQ(choices[0].label, other->rows[0].card.label + " training step");
  const auto alike = sweep({row(1, 512, 32, Pass::backward, 370, 0.2, "cuda.hopper")});
  EXPECT_EQ(map_series(steps_of(*alike, {other})).at(0).label, alike->rows[0].card.label + " training step");
}

TEST(StepModel, a_step_by_area_is_hollow_where_a_pass_did_not_converge_and_its_text_says_so) {
  for (const std::size_t unconverged : {0U, 1U}) {  // the forward of a pair of windows, its backward
    const auto shown = sweep({row(1, 512, 32, Pass::forward, 20, 0.2), row(2, 512, 32, Pass::backward, 80, 0.2),
                              row(3, 256, 64, Pass::forward, 21, 0.2), row(4, 256, 64, Pass::backward, 81, 0.2)});
    shown->rows[unconverged].reason = "not converged: +-2.1 % over 2 restarts, 1.0 % was asked for";
    for (ResultRow& one : shown->rows) one.ci_low_ms = 0.99 * *one.median_ms, one.ci_high_ms = 1.01 * *one.median_ms;
    const LatencyModel steps = steps_of(*shown);
    const ScalingChart chart = make_scaling_chart(steps, chart_settings(steps).front());
    ASSERT_EQ(chart.series.size(), 1U);
    ASSERT_EQ(chart.series[0].points.size(), 2U);
    for (const ChartPoint& point : chart.series[0].points) {
      const bool of_it = point.measurement == 1;
      EXPECT_EQ(is_hollow(point.known, point.converged), of_it) << point.measurement << ", pass " << unconverged;
      EXPECT_EQ(point_text(point, "ms").ends_with(", not converged"), of_it);
    }
    const auto map = [&](MapMetric metric) {
      return make_window_map(steps, chart_settings(steps).front(), map_series(steps).front(), metric);
    };
    EXPECT_EQ(map(MapMetric::latency).at(1, 0).state, MapCell::State::ok);
    EXPECT_EQ(map(MapMetric::peak).at(1, 0).reason, "The share of the peak is known of each pass.");
  }
}

TEST(StepModel, a_chosen_step_stays_chosen_when_a_pass_comes_and_when_another_kernel_is_the_fastest) {
  WindowData data;
  const auto before = sweep({row(10, 512, 32, Pass::backward, 80, 0.2)}, 2);
  data.shown = sweep({row(1, 512, 32, Pass::forward, 20, 0.2)});
  before->rows[0].sweep = 2;
  data.same_device = {before};
  Models models;
  const std::optional<Series> chosen = models.map_choices(data).back();
  ASSERT_TRUE(chosen->step);
  ASSERT_EQ(models.map_choices(data).size(), 2U);
  data.shown = sweep({row(1, 512, 32, Pass::forward, 20, 0.2), row(2, 512, 32, Pass::backward, 81, 0.2)});
  ++data.revision;
  ASSERT_EQ(models.map_choices(data).size(), 3U);
  EXPECT_TRUE(chosen_series(models.map_choices(data), chosen)->step);
  EXPECT_DOUBLE_EQ(models.map(data, 0, chosen, MapMetric::latency)->at(0, 0).value, 101);
  data.shown = sweep({row(1, 512, 32, Pass::forward, 20, 0.2), row(2, 512, 32, Pass::backward, 81, 0.2),
                      row(3, 512, 32, Pass::backward, 41, 0.4, "cpu.other")});
  ++data.revision;
  const Series* shown = chosen_series(models.map_choices(data), chosen);
  EXPECT_TRUE(shown->step);
  EXPECT_NE(shown->kernel, chosen->kernel) << "the fastest of each pass";
  EXPECT_DOUBLE_EQ(models.map(data, 0, chosen, MapMetric::latency)->at(0, 0).value, 61);
}

TEST(StepModel, a_series_is_found_by_kernel_and_pass_and_else_it_is_the_first) {
  const std::vector<Series> choices = map_series(make_latency_model(*small_sweep(), nullptr));
  ASSERT_EQ(choices.size(), 2U);
  EXPECT_EQ(chosen_series({}, choices[1]), nullptr);
  EXPECT_EQ(chosen_series(choices, std::nullopt), choices.data());
  const std::vector<Series> turned{choices[1], choices[0]};
  EXPECT_EQ(chosen_series(turned, choices[1]), turned.data());
  EXPECT_EQ(chosen_series(turned, choices[0]), &turned[1]);
  for (const auto change : {+[](Series& one) { one.kernel = "cpu.other"; }, +[](Series& one) { one.step = true; },
                            +[](Series& one) { one.regime = Regime::burst; }}) {
    Series other = choices[1];
    change(other);
    EXPECT_EQ(chosen_series(choices, other), choices.data());
  }
}

}  // namespace
}  // namespace triscope
