// What Details says of several selected measurements, as it is drawn.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/views/pictures/canvas.hpp"
#include "tests/views/sweep_fixture.hpp"
#include "views/data/brief_label.hpp"

namespace triscope {
namespace {

using fixture::Canvas;
using testing::HasSubstr;
using testing::Not;

/// As many whole steps are selected; the forwards are compared with the first.
WindowData steps_selected(std::int64_t steps, Canvas& canvas) {
  WindowData data;
  data.shown = fixture::small_sweep();
  SelectionFigures figures;
  std::vector<std::int64_t> all;
  for (std::int64_t step = 0; step < steps; ++step) {
    for (const Pass pass : {Pass::forward, Pass::backward}) {
      const double ms = 10 + static_cast<double>(step);
      all.push_back(static_cast<std::int64_t>(all.size()) + 1);
      SelectedRow one{fixture::row(all.back(), 32 * (step + 1), 32, pass, ms, 1), {}};
      if (step > 0 && pass == Pass::forward) {
        one.time.emplace();
        one.time->verdict = Verdict::slower;
        one.time->ratio = ms / 10, one.time->interval = {ms / 10 * 0.999, ms / 10 * 1.001};
      }
      figures.rows.push_back(std::move(one));
    }
  }
  SelectedMeasurement first;
  first.row = figures.rows.front().row;
  data.selected = std::make_shared<const SelectedMeasurement>(first);
  data.figures = std::make_shared<const SelectionFigures>(std::move(figures));
  canvas.ui.selection.select_all(all);
  return data;
}

TEST(DetailsText, only_a_few_training_steps_stand_above_the_rows) {
  Canvas canvas;
  const auto verdicts_of = [&canvas](std::int64_t steps) {
    canvas.draw(Panel::details, steps_selected(steps, canvas));
    const std::string name = brief_label(card_of("cpu.fast"));
    std::int64_t count = 0;
    for (std::int64_t step = 1; step < steps; ++step)
      count += canvas.text.find(fmt::format("{} × 32 {}: ", 32 * (step + 1), name)) != std::string::npos;
    return count;
  };
  EXPECT_EQ(verdicts_of(8), 7) << canvas.text;
  EXPECT_THAT(canvas.text, Not(testing::ContainsRegex("and [0-9]+ more")));
  EXPECT_EQ(verdicts_of(20), 7) << canvas.text;
  EXPECT_THAT(canvas.text, HasSubstr("and 12 more"));
}

TEST(DetailsText, a_step_without_a_verdict_says_why) {
  Canvas canvas;
  WindowData data = steps_selected(2, canvas);
  canvas.draw(Panel::details, data);
  EXPECT_THAT(canvas.text, HasSubstr("shorter"));
  const auto star = HasSubstr("* The interval is that of separate runs.");
  EXPECT_THAT(canvas.text, star);
  SelectionFigures burst = *data.figures;
  for (std::size_t n = 2; n < burst.rows.size(); ++n) burst.rows[n].row.regime = Regime::burst;
  data.figures = std::make_shared<const SelectionFigures>(std::move(burst));
  canvas.draw(Panel::details, data);
  EXPECT_THAT(canvas.text, HasSubstr("A was measured sustained and B burst"));
  EXPECT_THAT(canvas.text, Not(HasSubstr("shorter")));
  EXPECT_THAT(canvas.text, Not(star)) << "there is no interval";
  SelectionFigures turns = *steps_selected(2, canvas).figures;
  for (std::size_t n = 2; n < turns.rows.size(); ++n) {
    Comparison& time = turns.rows[n].time.emplace();
    time.verdict = Verdict::slower;
    time.ratio = 1.1, time.interval = {1.09, 1.11}, time.paired = true;
  }
  data.figures = std::make_shared<const SelectionFigures>(std::move(turns));
  canvas.draw(Panel::details, data);
  EXPECT_THAT(canvas.text, HasSubstr("shorter"));
  EXPECT_THAT(canvas.text, Not(HasSubstr("* The interval"))) << "both passes took turns";
}

TEST(DetailsText, a_pass_of_a_step_is_called_a_part_and_rows_stand_beside_a) {
  Canvas canvas;
  WindowData data = steps_selected(2, canvas);
  data.beside = std::make_shared<const MeasurementBeside>(MeasurementBeside{data.selected, Comparison()});
  canvas.draw(Panel::details, data);
  EXPECT_THAT(canvas.text, HasSubstr("alone, a part of its step"));
  EXPECT_THAT(canvas.text, HasSubstr("A beside B: the forward alone"));
  EXPECT_THAT(canvas.text, HasSubstr("▲ 0.909")) << "A / row, of 10 ms and 11";
}

TEST(DetailsText, one_step_stands_beside_the_reference_and_not_its_forward_beside_its_backward) {
  Canvas canvas;
  WindowData data = steps_selected(1, canvas);
  SelectedMeasurement backward = *data.selected;
  backward.row = data.figures->rows.back().row;
  Comparison passes;
  passes.verdict = Verdict::not_comparable;
  passes.explanation = "A is a forward and B a backward.";
  data.beside = std::make_shared<const MeasurementBeside>(
      MeasurementBeside{std::make_shared<const SelectedMeasurement>(backward), passes});
  SelectionFigures figures = *data.figures;
  figures.rows.back().time = passes;
  data.figures = std::make_shared<const SelectionFigures>(figures);
  Verdicts verdicts{"baseline.fa3", "FlashAttention-3", "FA3"};
  StepVerdict& step = verdicts.steps[{figures.rows.front().row.measurement, figures.rows.back().row.measurement}];
  step.label = "FlashAttention-3";
  step.time.verdict = Verdict::faster;
  step.time.paired = true;
  step.time.ratio = 1 / 1.31, step.time.interval = {1 / 1.32, 1 / 1.3};
  step.rate = 0.91;
  data.beside_reference = std::make_shared<const Verdicts>(verdicts);
  canvas.draw(Panel::details, data);
  EXPECT_THAT(canvas.text, HasSubstr("▲ 1.31× shorter than FlashAttention-3, 1.30 to 1.32"));
  EXPECT_THAT(canvas.text, HasSubstr("0.910× its rate; the two do different work"));
  EXPECT_THAT(canvas.text, Not(HasSubstr("A beside B")));
  EXPECT_THAT(canvas.text, Not(HasSubstr("comparable")));
}

TEST(DetailsText, two_that_took_no_turns_say_what_their_interval_holds) {
  Canvas canvas;
  WindowData data = steps_selected(1, canvas);
  data.figures = nullptr;
  Comparison time;
  time.ratio = 1.1, time.interval = {1.05, 1.15}, time.verdict = Verdict::slower;
  time.explanation = "One program differs by some 3 %.";
  const auto said = [&] {
    data.beside = std::make_shared<const MeasurementBeside>(MeasurementBeside{data.selected, time});
    canvas.draw(Panel::details, data);
    return canvas.text;
  };
  const auto usual = HasSubstr("* Not measured in turns: what changed in between is not in the interval.");
  EXPECT_THAT(said(), testing::AllOf(HasSubstr("* One program differs by some 3 %."), Not(usual)));
  time.explanation.clear();
  EXPECT_THAT(said(), usual);
  time.paired = true;
  EXPECT_THAT(said(), Not(HasSubstr("* Not measured")));
}

TEST(DetailsText, a_dot_product_has_one_k_and_one_v) {
  Canvas canvas;
  WindowData data = steps_selected(1, canvas);
  data.figures = nullptr;
  SelectedMeasurement one = *data.selected;
  one.measurement.errors = {{"grad_k1", 1e-3}, {"grad_v1", 1e-3}};
  const auto said = [&](Form form) {
    one.row.problem.form = form;
    data.selected = std::make_shared<const SelectedMeasurement>(one);
    canvas.draw(Panel::details, data);
    return canvas.text;
  };
  EXPECT_THAT(said(Form::trilinear), HasSubstr("gradient of k1"));
  EXPECT_THAT(said(Form::dot_product),
              testing::AllOf(HasSubstr("gradient of k"), HasSubstr("gradient of v"), Not(HasSubstr("gradient of k1")),
                             Not(HasSubstr("gradient of v1"))));
}

TEST(DetailsText, kernels_of_a_first_launch_that_was_no_median_are_called_cold) {
  Canvas canvas;
  WindowData data = steps_selected(1, canvas);
  SelectedMeasurement a = *data.selected;
  a.measurement.summary.median_ms = 10;
  a.measurement.launches.resize(2);
  a.measurement.launches[0].name = "rows", a.measurement.launches[0].end_ns = 8'000'000;
  a.measurement.launches[1].name = "keys", a.measurement.launches[1].end_ns = 2'000'000;
  const auto said = [&] {
    data.selected = std::make_shared<const SelectedMeasurement>(a);
    data.beside = std::make_shared<const MeasurementBeside>(
        MeasurementBeside{std::make_shared<const SelectedMeasurement>(a), Comparison()});
    canvas.draw(Panel::details, data);
    return canvas.text;
  };
  EXPECT_THAT(said(), HasSubstr("Kernels of one launch, A / B"));
  EXPECT_THAT(canvas.text, Not(HasSubstr("cold")));
  a.measurement.launches[0].end_ns = 10'000'000;
  EXPECT_THAT(said(), HasSubstr("Kernels of the first launch, cold, A / B"));
  EXPECT_THAT(canvas.text, HasSubstr("rows, cold"));
  EXPECT_THAT(canvas.text, HasSubstr("keys, cold"));
}

}  // namespace
}  // namespace triscope
