// The check of means at wider windows, what a popup uncovers, and what a picture says of typed windows.
#include "views/model/attention/wider_windows.hpp"

#include <gmock/gmock.h>

#include <memory>
#include <string>

#include "kernels/inspect/mean_maps.hpp"
#include "tests/views/attention/attention_fixture.hpp"
#include "views/model/attention/attention_model.hpp"
#include "views/model/attention/mean_words.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The panel on a file, whose windows nobody typed.
class WiderWindows : public fixture::AttentionMeans {
 protected:
  WiderWindows() {
    for (int which = 0; which < 2; ++which) {
      AttentionSource& source = ui().sides[static_cast<std::size_t>(which)].source;
      source.kind = SourceKind::file;
      source.file = "/layer7.npz";
      side(which).asked = source;
      side(which).slice_of = *wanted_slice(ui(), data.attention, which);
    }
    AttentionData& attention = data.attention;
    attention.overview.of = *wanted_overview(ui(), attention);
    attention.means.of = *wanted_means(ui(), attention);
  }
  /// Means at the windows of the check: with the peak of head 0 where it was, or another one far back.
  void answer_check(bool stays) {
    data.attention.wider.of = *wider_check(ui(), data.attention).request;
    auto wider = std::make_shared<MeanMaps>(*data.attention.means.answer);
    wider->width = data.attention.wider.of.query.problem.window1;
    wider->height = data.attention.wider.of.query.problem.window2;
    if (!stays) wider->peaks[0].insert(wider->peaks[0].begin(), MeanPeak{0, 25, 2, 0.5, 0.001, 20});
    data.attention.wider.answer = wider;
  }
};

TEST_F(WiderWindows, one_click_asks_for_twice_the_windows_and_the_panel_stays_as_it_is) {
  EXPECT_THAT(text(), HasSubstr("Check wider windows"));
  EXPECT_FALSE(wanted_wider(ui(), data.attention));
  ui().check_wider = true;
  const auto wanted = wanted_wider(ui(), data.attention);
  ASSERT_TRUE(wanted);
  EXPECT_EQ(wanted->query.problem.window1, 32);
  EXPECT_EQ(wanted->query.problem.window2, 16);
  EXPECT_THAT(text(), HasSubstr("Averaging at wider windows"));
  answer_check(true);
  EXPECT_THAT(text(), HasSubstr("At 32 × 16 the largest mean p stays where it is in 1 of 1 head"));
  EXPECT_THAT(canvas.text, HasSubstr("| -5 | -2 | 1st | 14 |"));
  EXPECT_EQ(ui().window1, 16);
  ui().mean_of_queries = true;
  EXPECT_THAT(text(), HasSubstr("2nd")) << "each peak of the shown head";
}

TEST_F(WiderWindows, a_peak_that_another_overtakes_is_told) {
  ui().check_wider = true;
  answer_check(false);
  EXPECT_THAT(text(),
              HasSubstr("At 32 × 16 the largest mean p stays in 0 of 1 head (head 0: -25, -2 instead of -5, -2)"));
  const MeanPeak& peak = data.attention.means.answer->peaks[0][0];
  EXPECT_EQ(wider_rank(*data.attention.wider.answer, peak), "2nd");
  EXPECT_THAT(wider_text(*data.attention.wider.answer, peak), HasSubstr("it is the 2nd largest of its head"));
}

TEST_F(WiderWindows, a_peak_one_token_beside_its_place_is_the_same) {
  ui().check_wider = true;
  answer_check(true);
  const MeanPeak& peak = data.attention.means.answer->peaks[0][0];
  MeanMaps wider = *data.attention.wider.answer;
  wider.peaks[0][0].back2 = peak.back2 + 1;
  EXPECT_EQ(wider_rank(wider, peak), "1st");
  wider.peaks[0][0].back2 = peak.back2 + 2;
  EXPECT_EQ(wider_rank(wider, peak), "–");
}

TEST_F(WiderWindows, wider_windows_can_be_shown_and_taken_back) {
  ui().check_wider = true;
  answer_check(true);
  show_wider(ui(), data.attention.wider.of);
  EXPECT_EQ(ui().window1, 32);
  EXPECT_FALSE(ui().check_wider);
  EXPECT_THAT(text(), HasSubstr("Back to 16 × 8"));
  EXPECT_THAT(canvas.text, HasSubstr("⚠ The windows are wider than the preset, not from the file"));
  EXPECT_THAT(canvas.text, Not(HasSubstr("The windows are a preset")));
  ui().windows_typed = true;
  EXPECT_THAT(text(), HasSubstr("The windows are wider than those that were typed, not from the file"));
  EXPECT_THAT(canvas.text, Not(HasSubstr("as typed here")));
  ui().windows_typed = false;
  back_from_wider(ui());
  EXPECT_EQ(ui().window1, 16);
  EXPECT_EQ(ui().window2, 8);
  EXPECT_THAT(text(), Not(HasSubstr("Back to")));
}

TEST_F(WiderWindows, windows_that_hold_all_tokens_and_too_many_pairs_are_said) {
  ui().check_wider = true;
  ui().window1 = ui().window2 = 100;
  data.attention.overview.of = *wanted_overview(ui(), data.attention);
  data.attention.means.of = *wanted_means(ui(), data.attention);
  EXPECT_THAT(text(), HasSubstr("These windows hold all tokens: there are no wider ones."));
  for (int which = 0; which < 2; ++which) side(which).source = fixture::opened(100'000);
  ui().window1 = 65'536;
  ui().window2 = 32;  // of two heads as many pairs as are averaged
  data.attention.overview.of = *wanted_overview(ui(), data.attention);
  ASSERT_TRUE(wanted_means(ui(), data.attention));
  EXPECT_THAT(wider_check(ui(), data.attention).problem, HasSubstr("too many pairs"));
  ui().window2 = 16;
  data.attention.overview.of = *wanted_overview(ui(), data.attention);
  const auto check = wider_check(ui(), data.attention).request;
  ASSERT_TRUE(check);
  EXPECT_EQ(check->query.problem.window1, 65'536) << "of both there would be too many";
  EXPECT_EQ(check->query.problem.window2, 32);
}

TEST_F(WiderWindows, where_there_is_no_mean_nothing_is_being_averaged) {
  ui().check_wider = true;
  data.attention.means.answer = nullptr;
  data.attention.means.pending = data.attention.means.of;
  EXPECT_THAT(text(), HasSubstr("Averaging at wider windows"));
  data.attention.means.pending.reset();
  data.attention.means.problem = "out of memory";
  EXPECT_THAT(text(), Not(HasSubstr("Averaging at wider windows"))) << "the means failed";
  EXPECT_THAT(canvas.text, HasSubstr("There is no mean at these windows"));
  data.attention.means.problem.clear();
  for (int which = 0; which < 2; ++which) side(which).source = fixture::opened(100'000);
  ui().window1 = 65'536;
  ui().window2 = 64;  // of two heads more pairs than are averaged
  data.attention.overview.of = *wanted_overview(ui(), data.attention);
  ASSERT_FALSE(wanted_means(ui(), data.attention));
  EXPECT_THAT(text(), Not(HasSubstr("Averaging at wider windows"))) << "the means are refused";
  EXPECT_THAT(canvas.text, HasSubstr("There is no mean at these windows"));
}

TEST_F(WiderWindows, the_second_window_of_dot_product_attention_makes_nothing_wider) {
  ui().sides[0].form = Form::dot_product;
  ui().window1 = 100;
  data.attention.overview.of = *wanted_overview(ui(), data.attention);
  ASSERT_TRUE(wanted_means(ui(), data.attention));
  const WiderCheck all = wider_check(ui(), data.attention);
  EXPECT_FALSE(all.request);
  EXPECT_THAT(all.problem, HasSubstr("These windows hold all tokens"));
  ui().window1 = 16;
  data.attention.overview.of = *wanted_overview(ui(), data.attention);
  const WiderCheck half = wider_check(ui(), data.attention);
  ASSERT_TRUE(half.request);
  EXPECT_EQ(half.request->query.problem.window1, 32);
}

TEST_F(WiderWindows, a_picture_says_that_windows_were_typed) {
  canvas.ui.printing = true;
  EXPECT_THAT(text(), HasSubstr("The windows are a preset, not from the file: every p depends on them."));
  EXPECT_THAT(canvas.text, HasSubstr("trilinear, in fp64"));
  ui().windows_typed = true;
  EXPECT_THAT(text(), HasSubstr("The windows were typed, not read from the file: every p depends on them."));
}

TEST_F(WiderWindows, a_head_that_is_nearly_even_is_grey_and_has_no_other_peaks) {
  const MeanMaps& maps = *data.attention.means.answer;
  EXPECT_EQ(peak_doubt(maps, maps.peaks[1][0]), PeakDoubt::nearly_even);
  EXPECT_EQ(listed_peaks(maps, 1).size(), 1U);
  EXPECT_THAT(text(), HasSubstr("Grey: head 1, nearly even, less than 3 times even weights."));
  EXPECT_THAT(canvas.text, HasSubstr("0 tied"));
  EXPECT_THAT(canvas.text, HasSubstr("j-even, k-even: how many tokens farther back than even."));
}

TEST_F(WiderWindows, what_a_popup_uncovers_is_not_pointed_at_until_the_pointer_moves) {
  ImGuiIO& io = ImGui::GetIO();
  io.AddMousePosEvent(640, 400);
  EXPECT_THAT(text(), HasSubstr("back), k = "));
  ui().draft.open = true;
  text();
  EXPECT_FALSE(ui().hovered.has_value());
  ui().draft.open = false;
  EXPECT_THAT(text(), Not(HasSubstr("back), k = ")));
  EXPECT_FALSE(ui().hovered.has_value());
  io.AddMousePosEvent(642, 400);
  EXPECT_THAT(text(), HasSubstr("back), k = "));
}

TEST_F(WiderWindows, the_line_about_the_mean_has_its_room_before_it_comes) {
  const auto right = [&] {
    text();
    for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
      if (std::string(window->Name).find("##right") != std::string::npos) return window->ContentSize.y;
    }
    return 0.0F;
  };
  EXPECT_THAT(text(), HasSubstr("Of 29 queries of head 0"));
  const float with = right();
  EXPECT_GT(with, 100);
  data.attention.means.answer = nullptr;
  data.attention.means.pending = data.attention.means.of;
  EXPECT_FLOAT_EQ(right(), with);
  EXPECT_THAT(canvas.text, Not(HasSubstr("Of 29 queries of head 0")));
  data.attention.overview.answer = nullptr;
  data.attention.overview.of = {};
  data.attention.means.pending.reset();
  EXPECT_FLOAT_EQ(right(), with) << "while the overview is made, too";
}

}  // namespace
}  // namespace triscope
