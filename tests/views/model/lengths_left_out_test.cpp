// Curves that a click in the legend of Lengths left out: what is said, copied and printed is of the others.
#include <gmock/gmock.h>

#include <set>
#include <string>

#include "tests/views/pictures/canvas.hpp"
#include "tests/views/sweep_fixture.hpp"
#include "views/model/charts/length_model.hpp"
#include "views/print/chart_picture.hpp"

namespace triscope {
namespace {

using fixture::length_sweep;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

const std::string kFlash = "FlashAttention-3 64/1", kWindows = "512 × 32";

std::string all_sentences(const LengthChart& chart) {
  std::string text;
  for (const LengthPass* pass : {&chart.passes[0], &chart.passes[1], &chart.step}) {
    for (const LengthCrossing& crossing : pass->crossings) text += crossing.sentence + "\n";
    for (const SameBudget& budget : pass->budgets) text += budget.headline + budget.sentence + "\n";
  }
  return text;
}

TEST(LengthsLeftOut, a_pair_of_windows_is_in_no_sentence_and_no_table) {
  const LengthChart whole = make_length_chart(*length_sweep(), {});
  EXPECT_THAT(all_sentences(whole), HasSubstr(kWindows));
  const LengthChart chart = without_curves(whole, {kWindows});
  EXPECT_EQ(chart.passes[0].curves.size() + 1, whole.passes[0].curves.size());
  EXPECT_EQ(chart.passes[0].crossings.size() + 1, whole.passes[0].crossings.size());
  EXPECT_FALSE(chart.passes[0].budgets.empty());
  EXPECT_THAT(all_sentences(chart), Not(HasSubstr(kWindows)));
  EXPECT_LT(chart.text.rows.size(), whole.text.rows.size());
  EXPECT_THAT(chart.text.rows, Each(Each(Not(HasSubstr(kWindows)))));
}

TEST(LengthsLeftOut, without_a_baseline_the_windows_stand_beside_the_next_one) {
  const LengthChart whole = make_length_chart(*length_sweep(), {});
  EXPECT_EQ(whole.passes[0].curves[whole.passes[0].crossings[0].baseline].label, kFlash);
  const LengthPass forward = without_curves(whole, {kFlash}).passes[0];
  ASSERT_FALSE(forward.crossings.empty());
  EXPECT_EQ(forward.curves[forward.crossings[0].baseline].label, "cuDNN 64/1");
  EXPECT_THAT(forward.crossings[0].sentence, HasSubstr("cuDNN 64/1"));
}

TEST(LengthsLeftOut, colours_stay_and_without_any_name_nothing_changes) {
  const LengthChart whole = make_length_chart(*length_sweep(), {});
  const LengthChart chart = without_curves(whole, {kWindows});
  EXPECT_EQ(chart.passes[0].curves[0].label, whole.passes[0].curves[1].label);
  EXPECT_EQ(chart.passes[0].curves[0].style, whole.passes[0].curves[1].style);
  EXPECT_EQ(without_curves(whole, {}).text.rows, whole.text.rows);
  EXPECT_EQ(all_sentences(without_curves(whole, {"of no curve"})), all_sentences(whole));
}

TEST(LengthsLeftOut, the_picture_for_print_has_the_others) {
  fixture::Canvas canvas;
  WindowData data;
  data.database = "/data/results.db";
  data.shown = length_sweep();
  data.revision = 1;
  Context context{canvas.look, data, canvas.ui, canvas.models, canvas.requests, 0};
  EXPECT_THAT(panel_picture(context, Panel::lengths), AllOf(HasSubstr(kWindows), HasSubstr(kFlash)));
  canvas.ui.lengths_left_out = {kWindows, kFlash};
  EXPECT_THAT(panel_picture(context, Panel::lengths),
              AllOf(Not(HasSubstr(kWindows)), Not(HasSubstr(kFlash + "<")), HasSubstr("cuDNN 64/1")));
  for (const LengthCurve& curve : canvas.models.lengths(data)->passes[0].curves)
    canvas.ui.lengths_left_out.insert(curve.label);
  EXPECT_THAT(panel_words(context, Panel::lengths).title.value_or("none"), "");
}

}  // namespace
}  // namespace triscope
