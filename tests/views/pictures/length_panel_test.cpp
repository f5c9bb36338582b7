// What the Lengths panel says below its curves, drawn with no display.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "tests/views/pictures/canvas.hpp"
#include "tests/views/sweep_fixture.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(LengthPanel, same_cost_of_a_step_says_the_ratio_of_both_passes_in_turns_and_of_what_its_intervals_are) {
  WindowData data;
  data.shown = fixture::length_sweep();
  auto verdicts = std::make_shared<Verdicts>(Verdicts{"baseline.fa3", "FlashAttention-3", "FA3"});
  for (const ResultRow& row : data.shown->rows) {
    Comparison& one = verdicts->by_measurement[row.measurement];
    one.ratio = 1.25, one.interval = {1.24, 1.26}, one.paired = true;
  }
  data.beside_reference = verdicts;
  fixture::Canvas canvas;
  canvas.ui.length_view = LengthView::budget;
  canvas.ui.length_chosen = 16384;
  const auto of_step = HasSubstr("By the ratios of neighbouring turns of each pass, weighted by the times of ");
  const auto in_details = HasSubstr("In Details the interval of a step is that of separate runs.");
  canvas.draw(Panel::lengths, data);
  EXPECT_THAT(canvas.text, HasSubstr("By the ratios of neighbouring turns, as in Latency, 1.250 times as long"));
  EXPECT_THAT(canvas.text, Not(testing::AnyOf(of_step, in_details)));
  canvas.ui.length_step = true;
  canvas.draw(Panel::lengths, data);
  EXPECT_THAT(canvas.text, testing::AllOf(of_step, in_details));
}

}  // namespace
}  // namespace triscope
