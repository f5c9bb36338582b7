// The panel of one measurement's samples, drawn with no display.
#include <gmock/gmock.h>
#include <imgui_internal.h>
#include <implot.h>
#include <implot_internal.h>

#include "tests/views/pictures/canvas.hpp"
#include "tests/views/sweep_fixture.hpp"
#include "views/panels/panels.hpp"

namespace triscope {
namespace {

using fixture::Canvas;
using fixture::row;
using fixture::sweep;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::vector<Sample> taken_samples(std::size_t count) {
  std::vector<Sample> result(count);
  for (std::size_t i = 0; i < count; ++i) {
    result[i].started_ns = static_cast<std::int64_t>(i) * 1'000'000;
    result[i].duration_ns = 900'000 + static_cast<std::int64_t>(i * 7919 % 1000) * 100;
    result[i].sm_clock_mhz = 1700.0 + static_cast<double>(i % 50);
  }
  return result;
}

TEST(SamplesPanel, samples_that_arrive_stay_inside_their_axes_until_these_are_zoomed) {
  Canvas canvas;
  WindowData data;
  data.database = "/data/results.db";
  data.shown = sweep({row(-1, 512, 32, Pass::forward, 24, 0.2)});
  std::vector<Sample> taken = taken_samples(20);
  const auto draw = [&] {
    auto selected = std::make_shared<SelectedMeasurement>();
    selected->row = data.shown->rows[0];
    selected->measurement.samples = taken;
    selected->measurement.summary.median_ms = 1;
    data.selected = selected;
    ++data.revision;
    canvas.draw(Panel::samples, data);
  };
  const auto axis_of = [](int plot, ImAxis axis) -> ImPlotAxis& {
    return ImPlot::GetCurrentContext()->Plots.GetByIndex(plot)->Axes[axis];
  };
  draw();
  const int plots = ImPlot::GetCurrentContext()->Plots.GetBufSize();
  ASSERT_GT(plots, 2) << "times, lanes, histogram";
  const int times = 0, lane = 1, histogram = plots - 1;
  EXPECT_LT(axis_of(times, ImAxis_X1).Range.Max, 0.1);
  taken = taken_samples(600);
  for (Sample& sample : taken) sample.duration_ns *= 2, *sample.sm_clock_mhz += 400;
  draw();
  draw();
  EXPECT_GT(axis_of(times, ImAxis_X1).Range.Max, 0.599);
  EXPECT_GT(axis_of(times, ImAxis_Y1).Range.Max, 1.9);
  EXPECT_GT(axis_of(lane, ImAxis_Y1).Range.Max, 2140);
  EXPECT_GT(axis_of(histogram, ImAxis_X1).Range.Max, 1.9);
  EXPECT_GT(axis_of(histogram, ImAxis_Y1).Range.Max, 20);
  axis_of(histogram, ImAxis_Y1).SetRange(0, 5);  // what a wheel does
  axis_of(lane, ImAxis_Y1).SetRange(2100, 2120);
  taken.resize(400);
  for (Sample& sample : taken) sample.duration_ns /= 4;
  draw();
  EXPECT_DOUBLE_EQ(axis_of(histogram, ImAxis_Y1).Range.Max, 5);
  EXPECT_DOUBLE_EQ(axis_of(lane, ImAxis_Y1).Range.Max, 2120);
  EXPECT_LT(axis_of(times, ImAxis_Y1).Range.Max, 0.6) << "nobody has zoomed there";
  canvas.ui.fit_charts = true;
  draw();
  EXPECT_GT(axis_of(histogram, ImAxis_Y1).Range.Max, 5);
  EXPECT_GT(axis_of(lane, ImAxis_Y1).Range.Max, 2140);
}

TEST(SamplesPanel, of_two_rows_it_says_where_the_samples_of_the_other_one_are) {
  Canvas canvas;
  WindowData data;
  data.shown = sweep({row(1, 512, 32, Pass::forward, 24, 0.2)});
  auto selected = std::make_shared<SelectedMeasurement>();
  selected->row = data.shown->rows[0];
  selected->measurement.samples = taken_samples(20);
  data.selected = selected;
  const auto said = [&] {
    ++data.revision;
    canvas.draw(Panel::samples, data);
    return canvas.text;
  };
  EXPECT_THAT(said(), Not(HasSubstr("selected"))) << "one is";
  data.beside = std::make_shared<MeasurementBeside>(selected, Comparison{});
  canvas.ui.selection.select_all({1, 2});
  EXPECT_THAT(said(), HasSubstr("Of 2 rows that are selected the first: \"Swap A and B\" in Details shows the other"));
  canvas.ui.selection.select_all({1, 2, 3, 4, 5});
  EXPECT_THAT(said(), HasSubstr("Of 5 rows that are selected the first: \"Swap A and B\" in Details shows the last"));
  data.versions.kernel = "cuda.hopper";  // whose Details has no such button
  EXPECT_THAT(said(), AllOf(HasSubstr("leave the versions and select its row there."), Not(HasSubstr("Swap A and B"))));
}

}  // namespace
}  // namespace triscope
