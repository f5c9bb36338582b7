// What of a chart stands in its picture for print: hollow marks.
#include <gmock/gmock.h>

#include <cstddef>
#include <memory>
#include <string>

#include "tests/views/sweep_fixture.hpp"
#include "views/model/charts/chart_model.hpp"
#include "views/model/charts/length_model.hpp"
#include "views/print/chart_picture.hpp"
#include "views/print/svg_canvas.hpp"

namespace triscope {
namespace {

using fixture::length_sweep;
using testing::HasSubstr;
using testing::Not;

std::size_t times_in_picture(const std::string& svg, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = svg.find(part); at != std::string::npos; at = svg.find(part, at + 1)) ++found;
  return found;
}

std::shared_ptr<SweepResults> of_two_windows() {
  return fixture::sweep(
      {fixture::row(1, 512, 32, Pass::forward, 20, 700), fixture::row(2, 256, 64, Pass::forward, 24, 600)});
}

TEST(PrintedPart, what_did_not_converge_is_hollow_too) {
  constexpr const char* kReason = "not converged: +-2.1 % over 2 restarts, 1.0 % was asked for";
  auto results = of_two_windows();
  results->rows[0].reason = kReason;
  const LatencyModel model = make_latency_model(*results, nullptr);
  const std::string hollow = "fill=\"" + css_colour(light_theme().panel) + "\" stroke=";
  const ChartSetting setting = chart_settings(model).front();
  EXPECT_EQ(times_in_picture(bars_picture(make_bar_chart(model, setting), "Bars", ""), hollow), 1U);
  EXPECT_EQ(times_in_picture(scaling_picture(make_scaling_chart(model, setting), "Scaling", ""), hollow), 1U);
  auto lengths = length_sweep();
  lengths->rows[0].reason = kReason;
  const LengthChart chart = make_length_chart(*lengths, {});
  EXPECT_EQ(times_in_picture(lengths_picture(chart.of(Pass::forward), {}, "Lengths", ""), hollow), 1U);
  EXPECT_EQ(times_in_picture(lengths_picture(chart.of(Pass::backward), {}, "Lengths", ""), hollow), 0U);
  EXPECT_EQ(times_in_picture(lengths_picture(chart.step, {}, "Lengths", ""), hollow), 1U)
      << "one of its passes did not";
}

}  // namespace
}  // namespace triscope
