// What the attention panel says of heads, of means over queries, of pairs that do not exist and of preset windows.
#include <gmock/gmock.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <regex>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kernels/inspect/mean_maps.hpp"
#include "profiler/record/columns.hpp"
#include "tests/views/attention/attention_fixture.hpp"
#include "views/model/attention/attention_model.hpp"
#include "views/model/attention/grid_plan.hpp"
#include "views/model/attention/mean_words.hpp"
#include "views/model/attention/triple_hits.hpp"
#include "views/parts/theme.hpp"
#include "views/print/canvas/svg_canvas.hpp"
#include "views/print/chart_picture.hpp"

namespace triscope {
namespace {

using fixture::even_slice;
using testing::HasSubstr;
using testing::Not;

class AttentionWords : public fixture::AttentionMeans {};

TEST_F(AttentionWords, a_head_is_told_with_its_other_distances_and_ties) {
  EXPECT_THAT(text(), HasSubstr("tied"));
  EXPECT_THAT(canvas.text, HasSubstr("also"));
  const std::vector<MeanPeak> listed = listed_peaks(*data.attention.means.answer, 0);
  ASSERT_EQ(listed.size(), 3U);
  EXPECT_EQ(listed[1].back1, 9);
  EXPECT_EQ(listed[2].back1, 12);
}

TEST_F(AttentionWords, distances_of_heads_stand_as_far_from_those_of_even_weights) {
  EXPECT_THAT(text(), HasSubstr("-1.5")) << "2 beside 3.5 of even weights";
  EXPECT_THAT(canvas.text, HasSubstr("even: what a head has that weighs all pairs alike."));
  ui().figure = OverviewFigure::distance2;
  EXPECT_THAT(text(), HasSubstr("2.00, even 3.50"));
  EXPECT_LT(canvas.text.find("2.00, even 3.50"), canvas.text.find("3.50, even 3.50")) << "the least like even first";
}

TEST_F(AttentionWords, nothing_of_a_table_that_is_scrolled_away_is_drawn_above_its_panel) {
  ImGui::GetIO().DisplaySize = ImVec2(1280, 320);
  text();
  ImGuiWindow* panel = nullptr;
  for (ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
    const std::string_view name = window->Name;
    if (name.substr(name.rfind('/') + 1).starts_with("##rest")) panel = window;
  }
  ASSERT_NE(panel, nullptr);
  ASSERT_GT(panel->ScrollMax.y, 300) << "the headers are scrolled away";
  const auto above = [&] {
    Picture picture = rasterize(*ImGui::GetDrawData(), IM_COL32_BLACK);
    picture.rgb.resize(static_cast<std::size_t>(panel->Pos.y) * static_cast<std::size_t>(picture.width) * 3);
    return picture.rgb;
  };
  const auto before = above();
  for (float scroll = 0; scroll < panel->ScrollMax.y; scroll += 9) {
    ImGui::SetScrollY(panel, scroll);
    text();
    EXPECT_TRUE(above() == before) << scroll;
  }
}

TEST_F(AttentionWords, every_table_of_means_says_the_same_queries) {
  EXPECT_THAT(text(), HasSubstr("Means over queries 15 to 99, every 3rd."));
  EXPECT_THAT(canvas.text, HasSubstr("Mean over queries 15 to 99, every 3rd."));
  ui().mean_of_queries = true;
  EXPECT_THAT(text(), HasSubstr("Mean over queries 15 to 99, every 3rd. p at each pair of distances"));
}

TEST_F(AttentionWords, the_mean_and_the_strongest_pair_of_a_query_are_linked) {
  auto slice = even_slice(50, 16, 8);
  slice->top = {{41, 47, 3, 0.36, 0.1}};
  side().slice = slice;
  EXPECT_THAT(
      text(),
      HasSubstr("Of 29 queries of head 0, 14 have their largest p at -5, -2 from the query; 15 at -9, -3; none at "
                "-12, -4: the peaks of their mean."));
  ui().mean_of_queries = true;
  EXPECT_THAT(text(), HasSubstr("of 29 queries 29 have their largest p at one of these peaks, 0 at another pair."));
}

TEST_F(AttentionWords, a_peak_is_framed_in_the_map_of_a_query_that_sees_it) {
  const MeanMaps& maps = *data.attention.means.answer;
  const MeanPeak peak = maps.peaks.at(0).at(0);
  frame_peak(ui(), data.attention, maps, peak);
  EXPECT_EQ(ui().query, 50);
  EXPECT_EQ(ui().pinned, (AttentionCell{45, 48}));
  EXPECT_TRUE(is_framed(ui(), peak));
  ui().query = 3;
  frame_peak(ui(), data.attention, maps, peak);
  EXPECT_EQ(ui().query, 15) << "query 3 sees no pair so far back: the first that is averaged does";
  ui().part = HeatmapPart{0, 0, 2, 2};
  frame_peak(ui(), data.attention, maps, peak);
  EXPECT_FALSE(ui().part.has_value()) << "it was out of view";
}

TEST_F(AttentionWords, the_mean_is_a_picture_for_print_with_axes_and_a_scale) {
  Context context{canvas.look, data, canvas.ui, canvas.models, canvas.requests, 0};
  PrintChoice choice;
  const std::string svg = mean_picture(context, VectorFormat::svg, choice);
  for (const char* words : {"Mean p(j, k) of head 0, queries 15 to 99, every 3rd",
                            "j: first key, tokens from the query", "k: second key", ">-10<", ">-6<", "follow log p."})
    EXPECT_THAT(svg, HasSubstr(words));
  EXPECT_THAT(svg, HasSubstr(css_colour(to_colour(colour_at(ColourMap::viridis, 1)))))
      << "the cell of the largest mean";
  const MeanMaps& maps = *data.attention.means.answer;
  const HeatmapStyle style = mean_style(maps, 0, ColourMap::viridis);
  for (const double end : {style.low, style.high})
    EXPECT_THAT(svg, HasSubstr(">" + significant_text(std::exp(end), 2)));
  EXPECT_THAT(significant_text(std::exp(style.high), 2), testing::StartsWith("0.3")) << "of p 0.2 and 0.4 by turns";
  EXPECT_NEAR(std::exp(style.low), 1.0 / 128, 1e-6) << "of a pair that no head prefers";
  const auto x_of = [&](const std::string& tick) {  // the last one of that name: of the axis below the map
    const std::regex text("<text x=\"([^\"]*)\" y=\"[^\"]*\"[^>]*>" + tick + "<");
    float x = -1;
    for (auto found = std::sregex_iterator(svg.begin(), svg.end(), text); found != std::sregex_iterator(); ++found)
      x = std::stof((*found)[1]);
    return x;
  };
  EXPECT_LT(x_of("-10"), x_of("0"));
  EXPECT_GT(x_of("-10"), 0);
  EXPECT_THAT(mean_picture(context, VectorFormat::pdf, choice), testing::StartsWith("%PDF"));
  EXPECT_THAT(mean_caption(ui(), side()), Not(HasSubstr("preset")));
  ui().sides[0].source.kind = SourceKind::file;
  EXPECT_THAT(mean_caption(ui(), side()), HasSubstr("The windows are a preset, not from the file"));
  ui().windows_typed = true;
  EXPECT_THAT(mean_caption(ui(), side()), Not(HasSubstr("preset")));
  data.attention.means = {};
  EXPECT_EQ(panel_words(context, Panel::mean).title, "");
}

TEST_F(AttentionWords, preset_windows_are_marked_until_they_are_typed) {
  EXPECT_THAT(text(), Not(HasSubstr("preset")));
  for (int which = 0; which < 2; ++which) {
    ui().sides[static_cast<std::size_t>(which)].source.kind = SourceKind::file;
    ui().sides[static_cast<std::size_t>(which)].source.file = "/layer7.npz";
    side(which).asked = ui().sides[static_cast<std::size_t>(which)].source;
    side(which).slice_of = *wanted_slice(ui(), data.attention, which);
  }
  EXPECT_THAT(text(), HasSubstr("⚠ The windows are a preset, not from the file: every p depends on them."));
  const std::string sentence = "The windows are a preset";
  EXPECT_EQ(canvas.text.find(sentence), canvas.text.rfind(sentence)) << "below their field";
  canvas.ui.printing = true;
  text();
  EXPECT_NE(canvas.text.find(sentence), canvas.text.rfind(sentence)) << "below the picture, too";
  canvas.ui.printing = false;
  ui().windows_typed = true;
  EXPECT_THAT(text(), Not(HasSubstr("preset")));
}

TEST_F(AttentionWords, a_pair_before_the_first_token_is_not_framed) {
  ui().query = 4;
  for (int which = 0; which < 2; ++which) {
    side(which).slice_of = *wanted_slice(ui(), data.attention, which);
    side(which).slice = even_slice(4, 5, 5);
  }
  ImGuiIO& io = ImGui::GetIO();
  io.AddMousePosEvent(400, 400);
  EXPECT_THAT(text(), HasSubstr("back: before the first token, so query 4 has no such pair"));
  EXPECT_THAT(canvas.text, Not(HasSubstr("j = -")));
  for (const bool down : {true, false}) {
    io.AddMouseButtonEvent(0, down);
    text();
  }
  EXPECT_FALSE(ui().pinned.has_value());
  ui().pinned = AttentionCell{-3, 2};
  text();
  EXPECT_FALSE(ui().pinned.has_value());
  ui().pinned = AttentionCell{100, 2};
  text();
  EXPECT_FALSE(ui().pinned.has_value()) << "there are 100 tokens";
}

TEST_F(AttentionWords, a_share_of_an_output_near_zero_is_no_number) {
  for (const double share : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    auto slice = even_slice(50, 16, 8);
    slice->top = {{49, 48, 3, 0.36, 0.1}};
    slice->top[0].output_share = static_cast<decltype(slice->top[0].output_share)>(share);
    side().slice = slice;
    EXPECT_THAT(text(), HasSubstr("| –")) << share;
    for (const char* none : {"| NaN", "| inf", "| -inf"}) EXPECT_THAT(canvas.text, Not(HasSubstr(none))) << share;
  }
}

TEST_F(AttentionWords, a_grid_names_no_token_before_the_first) {
  ui().show = AttentionShow::grid;
  ui().grid = {"4", "0"};
  const GridPlan plan = planned_grid(ui(), data.attention);
  ASSERT_TRUE(plan.request) << plan.problem;
  data.attention.grid.of = plan.request;
  data.attention.grid.cells[{4, 0}] = even_slice(4, 5, 5);
  const char* const said = "back: before the first token, so query 4 has no such pair";
  for (float y = 100; y < 900 && text().find(said) == std::string::npos; y += 20)  // until the pointer is on the map
    ImGui::GetIO().AddMousePosEvent(400, y);
  EXPECT_THAT(text(), HasSubstr(said));
  EXPECT_THAT(canvas.text, Not(HasSubstr("j = -")));
}

TEST_F(AttentionWords, what_is_seldom_needed_takes_two_lines_above_where_to_look) {
  EXPECT_THAT(text(), HasSubstr("100 tokens, 2 heads, head size 2, with v1 and v2"));
  EXPECT_THAT(canvas.text, testing::ContainsRegex("scale .*bias k2, v2 .*\nWhere to look"));
}

TEST_F(AttentionWords, the_framed_pair_stays_in_words_under_the_pointer) {
  ui().pinned = AttentionCell{45, 48};
  EXPECT_THAT(text(), HasSubstr("Framed by position: j = 45 (5 back), k = 48 (2 back)"));
  ImGui::GetIO().AddMousePosEvent(640, 400);
  EXPECT_THAT(text(), HasSubstr("Framed by position: j = 45 (5 back), k = 48 (2 back)"));
  EXPECT_THAT(canvas.text, HasSubstr("Pointer: j = "));
}

TEST_F(AttentionWords, a_difference_has_no_white_sheet_in_the_dark_theme) {
  ui().show = AttentionShow::difference;  // of a slice and itself: the middle of the colours everywhere
  EXPECT_THAT(text(), HasSubstr("largest |pA - pB|"));
  const Picture picture = rasterize(*ImGui::GetDrawData(), IM_COL32_BLACK);
  std::int64_t white = 0;
  for (std::size_t n = 0; n + 2 < picture.rgb.size(); n += 3)
    white += std::min({picture.rgb[n], picture.rgb[n + 1], picture.rgb[n + 2]}) > 235;
  EXPECT_LT(white, 10'000) << "what is written; the map alone would be 200,000";
}

}  // namespace
}  // namespace triscope
