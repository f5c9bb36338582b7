// What figures and pictures of attention say, and that they say it where it can be seen.
#include <gmock/gmock.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/views/attention/attention_fixture.hpp"
#include "tests/views/pictures/contrast.hpp"
#include "views/attention/attention_axes.hpp"
#include "views/model/attention/attention_draft.hpp"
#include "views/model/attention/attention_model.hpp"
#include "views/model/attention/figure_words.hpp"
#include "views/parts/theme.hpp"

namespace triscope {
namespace {

using fixture::contrast_of;
using fixture::even_slice;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class FiguresShown : public fixture::AttentionPanel {
 protected:
  /// A colour of a map, `t` of the way from its first to its last.
  static ImU32 colour(ColourMap map, float t) { return to_colour(colour_at(map, t)); }
};

TEST_F(FiguresShown, a_small_p_keeps_its_digits) {
  auto slice = even_slice(50, 16, 8);
  slice->top = {{49, 48, -3, 0.000651, 0.1}, {48, 48, -3, 0.00026, 0.1}};
  side().slice = slice;
  EXPECT_THAT(text(), HasSubstr("0.00065"));
  EXPECT_THAT(canvas.text, HasSubstr("0.00026"));
  EXPECT_THAT(canvas.text, HasSubstr("0.00091")) << "the sum down to the second";
}

TEST_F(FiguresShown, both_axes_of_match3_are_numbers_or_both_are_positions) {
  SliceRequest of = side().slice_of;
  of.source.kind = SourceKind::match3;
  of.query.problem.mask = Mask::full;
  for (const auto& [fit1, fit2] : {std::pair{true, false}, std::pair{false, true}, std::pair{false, false}}) {
    const AxisKeys keys = axis_keys(of, false, fit1, fit2);
    EXPECT_FALSE(keys.words1 || keys.words2);
    EXPECT_EQ(keys.unit, "position");
  }
  EXPECT_TRUE(axis_keys(of, false, true, true).words1 && axis_keys(of, false, true, true).words2);
  EXPECT_EQ(axis_keys(of, false, true, true).unit, "the number there");
  EXPECT_TRUE(axis_keys(side().slice_of, false, true, false).words1) << "a word looks like no position";
  EXPECT_EQ(axis_keys(side().slice_of, false, true, false).unit, "tokens from the query");
}

TEST_F(FiguresShown, small_maps_of_all_heads_follow_the_scale_that_is_chosen) {
  auto sheet = std::make_shared<HeadSheet>();
  sheet->heads = 2;
  sheet->width = sheet->height = 2;
  const auto tenth = static_cast<float>(std::log(0.1));
  sheet->log_p = {0, 3 * tenth, 3 * tenth, 6 * tenth, 0, 3 * tenth, 3 * tenth, 6 * tenth};
  data.attention.sheet.answer = sheet;
  data.attention.sheet.of.source = ui().sides[0].source;
  ImGui::GetIO().DisplaySize = ImVec2(1280, 1600);  // they are at the foot of a column
  const ImU32 middle = colour(ColourMap::viridis, 0.5F);
  ui().colour_scale = HeatmapStyle::Scale::logarithmic;
  EXPECT_GT(pixels(middle), 1000) << "0.001 is half way from 1 to 0.000001";
  ui().colour_scale = HeatmapStyle::Scale::probability;
  EXPECT_LT(pixels(middle), 100);
}

TEST_F(FiguresShown, a_map_has_its_colours_below_it_whatever_stands_beside_it) {
  ui().search.open = true;  // in place of the figures
  for (const ImVec2 size : {ImVec2(1280, 800), ImVec2(960, 600), ImVec2(640, 400), ImVec2(853, 480)}) {
    ImGui::GetIO().DisplaySize = size;
    for (const AttentionShow show : {AttentionShow::one, AttentionShow::side_by_side, AttentionShow::difference}) {
      ui().show = show;
      const ColourMap map = show == AttentionShow::difference ? difference_map(canvas.look.theme) : ui().map;
      // All pairs are alike: the map itself has one colour, which is none of these steps of the bar.
      const std::int64_t shown = pixels(colour(map, 16.5F / 64)) + pixels(colour(map, 17.5F / 64));
      EXPECT_GT(shown, 5) << size.x << " " << static_cast<int>(show);
    }
  }
}

TEST_F(FiguresShown, a_row_that_does_not_fit_goes_on_below) {
  ui().show = AttentionShow::grid;
  ImGui::GetIO().DisplaySize = ImVec2(960, 600);
  EXPECT_THAT(text(), ContainsRegex("queries down[^\n]*\n[^\n]*heads across"));
  ImGui::GetIO().DisplaySize = ImVec2(1600, 900);
  EXPECT_THAT(text(), ContainsRegex("queries down[^\n]*heads across"));
}

TEST_F(FiguresShown, the_dialog_of_tensors_has_its_buttons_in_a_low_window) {
  ImGui::GetIO().DisplaySize = ImVec2(640, 400);
  ui().draft.open = true;
  ui().draft.source.kind = SourceKind::file;
  for (int frame = 0; frame < 3; ++frame) text();
  const ImGuiWindow* dialog = ImGui::FindWindowByName("tensors");
  ASSERT_NE(dialog, nullptr);
  EXPECT_EQ(dialog->ScrollMax.y, 0) << "what scrolls stands above them";
  EXPECT_LE(dialog->Pos.y + dialog->Size.y, 400);
}

TEST_F(FiguresShown, a_window_advises_no_option_of_the_command_line) {
  EXPECT_EQ(
      without_options("it is not clear which tensor is q; say which tensor is which, as with --names q=NAME,k1=NAME"),
      "it is not clear which tensor is q; say which tensor is which");
  EXPECT_EQ(without_options("check which tensor is which (--names) and the order of dimensions (--heads-first)"),
            "check which tensor is which and the order of dimensions");
}

TEST_F(FiguresShown, dot_product_attention_has_one_key) {
  for (int which = 0; which < 2; ++which) {
    ui().sides[static_cast<std::size_t>(which)].form = Form::dot_product;
    side(which).slice_of.query.problem.form = Form::dot_product;
    auto slice = even_slice(50, 16, 1);
    slice->distance1 = 7.5;
    side(which).slice = slice;
  }
  ui().pinned = AttentionCell{45, 50};
  EXPECT_THAT(map_title(ui(), data.attention.sides, 0), HasSubstr("p(j) for"));
  EXPECT_THAT(text(), HasSubstr("Framed by position: j = 45 (5 back): p ="));
  EXPECT_THAT(canvas.text, Not(HasSubstr("k = ")));
  EXPECT_THAT(canvas.text, Not(HasSubstr("7.50 ×")));
  EXPECT_THAT(canvas.text, HasSubstr("Strongest keys"));
}

TEST_F(FiguresShown, a_framed_pair_outside_the_map_says_so) {
  ui().pinned = AttentionCell{45, 48};
  EXPECT_THAT(text(), HasSubstr("Framed by position: j = 45"));
  ui().pinned = AttentionCell{20, 48};  // 30 back, and the window is 16
  EXPECT_THAT(text(), Not(HasSubstr("Framed:")));
  EXPECT_THAT(canvas.text, HasSubstr("Framed, but outside this map: j = 20"));
}

TEST_F(FiguresShown, a_triangle_is_for_faster_and_slower_alone) {
  ui().sides[0].source.kind = SourceKind::file;
  side().asked = ui().sides[0].source;
  auto slice = even_slice(50, 16, 8);
  slice->nan_count = 2;
  side().slice = slice;
  EXPECT_THAT(text(), HasSubstr("⚠ The windows are a preset"));
  EXPECT_THAT(canvas.text, HasSubstr("✗ 2 logits are NaN"));
  EXPECT_THAT(canvas.text, HasSubstr("In the map NaN is magenta."));
  slice = std::make_shared<Slice>(*slice);
  slice->lse = std::nan("");
  side().slice = slice;
  EXPECT_THAT(text(), HasSubstr("✗ The sink of this head"));
  EXPECT_THAT(canvas.text, Not(HasSubstr("▲")));
}

TEST_F(FiguresShown, the_frame_of_the_kept_pair_stands_off_from_every_colour_of_a_map) {
  for (const Theme& theme : {dark_theme(), light_theme()}) {
    for (const ColourMap map : {ColourMap::viridis, ColourMap::cividis, ColourMap::inferno}) {
      for (int n = 0; n <= 20; ++n) {
        const ImU32 cell = colour(map, static_cast<float>(n) / 20);
        EXPECT_GE(std::max(contrast_of(theme.kept, cell), contrast_of(theme.rim, cell)), 4.0) << theme.dark << " " << n;
      }
    }
  }
}

TEST_F(FiguresShown, figures_beside_two_maps_say_whose_they_are) {
  EXPECT_THAT(text(), Not(HasSubstr("Figures of")));
  for (const AttentionShow show : {AttentionShow::side_by_side, AttentionShow::difference}) {
    ui().show = show;
    EXPECT_THAT(text(), HasSubstr("Figures of A"));
  }
}

}  // namespace
}  // namespace triscope
