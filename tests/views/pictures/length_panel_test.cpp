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

TEST(LengthPanel, same_cost_says_the_ratio_of_turns_and_of_a_step_that_of_both_passes) {
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
  const auto of_step = HasSubstr("by the neighbouring turns of each pass 1.250 times as long");
  canvas.draw(Panel::lengths, data);
  EXPECT_THAT(canvas.text, HasSubstr("by neighbouring turns 1.250 times as long"));
  EXPECT_THAT(canvas.text, Not(of_step));
  canvas.ui.length_step = true;
  canvas.draw(Panel::lengths, data);
  EXPECT_THAT(canvas.text, of_step);
}

}  // namespace
}  // namespace triscope
