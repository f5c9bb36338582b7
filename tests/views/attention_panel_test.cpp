// The attention panel with plain data and no worker: each state says or shows what it is.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <tuple>
#include <utility>

#include "kernels/inspect/counted_queries.hpp"
#include "tests/views/attention/attention_fixture.hpp"
#include "views/model/attention/attention_model.hpp"
#include "views/model/attention/figure_words.hpp"
#include "views/model/attention/film_choice.hpp"
#include "views/model/attention/mean_words.hpp"
#include "views/model/attention/striking_places.hpp"

namespace triscope {
namespace {

using fixture::AttentionPanel;
using fixture::even_slice;
using fixture::opened;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kNoMemory = "the worker ended; its memory ran out; choose smaller windows";

TEST_F(AttentionPanel, says_where_the_shown_slice_was_made_not_where_the_next_will_be) {
  ui().device = "1";
  side().slice_device = "0";
  EXPECT_THAT(text(), HasSubstr("computed on the GPU 0 in"));
}

TEST_F(AttentionPanel, a_source_that_is_refused_says_why_and_offers_another) {
  side().slice.reset();
  auto refused = opened(100);
  refused->problem = "x.npy was not read: it is empty; choose another file";
  side().source = refused;
  EXPECT_THAT(text(), HasSubstr("it is empty"));
  EXPECT_THAT(canvas.text, HasSubstr("Choose tensors..."));
}

TEST_F(AttentionPanel, a_slice_that_is_refused_says_why_for_either_side) {
  side(1).slice.reset();
  side(1).problem = kNoMemory;
  EXPECT_THAT(text(), Not(HasSubstr("memory ran out")));  // B is not asked for
  for (AttentionShow show : {AttentionShow::side_by_side, AttentionShow::difference}) {
    ui().show = show;
    EXPECT_THAT(text(), HasSubstr("memory ran out"));
    EXPECT_THAT(canvas.text, Not(HasSubstr("Computing")));
  }
  ui().show = AttentionShow::one;
  std::swap(side(0).slice, side(1).slice);
  std::swap(side(0).problem, side(1).problem);
  EXPECT_THAT(text(), HasSubstr("memory ran out"));
}

TEST_F(AttentionPanel, a_second_source_that_is_refused_is_why_there_is_no_difference) {
  ui().show = AttentionShow::difference;
  side(1).slice.reset();
  auto refused = opened(100);
  refused->problem = "x.npy was not read: it is empty; choose another file";
  side(1).source = refused;
  EXPECT_THAT(text(), HasSubstr("B: X.npy was not read"));
}

TEST_F(AttentionPanel, nan_is_counted_in_words_and_magenta_on_the_map) {
  const ImU32 magenta = dark_theme().not_a_number;
  EXPECT_EQ(pixels(magenta), 0);
  auto slice = even_slice(50, 16, 8);
  slice->log_p[20] = std::numeric_limits<float>::quiet_NaN();
  slice->nan_count = 1;
  side().slice = slice;
  EXPECT_GT(pixels(magenta), 50);
  EXPECT_THAT(canvas.text, HasSubstr("1 logits are NaN and 0 infinite"));
}

TEST_F(AttentionPanel, a_sink_that_is_no_number_is_said_and_its_head_is_magenta) {
  const ImU32 magenta = dark_theme().not_a_number;
  data.attention.overview.of = *wanted_overview(ui(), data.attention);
  Overview overview;
  overview.heads = 2;
  overview.columns = 4;
  overview.entropy = {3, 2, 2, 1, 3, 2, 2, 1};
  data.attention.overview.answer = std::make_shared<Overview>(overview);
  EXPECT_EQ(pixels(magenta), 0);
  EXPECT_THAT(canvas.text, HasSubstr("entropy, nats"));
  std::fill_n(overview.entropy.begin(), 4, std::nanf(""));  // of the other head
  data.attention.overview.answer = std::make_shared<Overview>(overview);
  EXPECT_GT(pixels(magenta), 50);
  EXPECT_THAT(canvas.text, HasSubstr("Magenta: no distribution"));
  auto slice = even_slice(50, 16, 8);
  slice->lse = slice->entropy = slice->largest_p = slice->sink_p = std::nan("");
  side().slice = slice;
  EXPECT_THAT(text(), HasSubstr("The sink of this head is NaN or infinite"));
  for (const char* figure : {"entropy, nats", "mean distance", "|o|", " nan"})
    EXPECT_THAT(canvas.text, Not(HasSubstr(figure)));
}

TEST_F(AttentionPanel, a_slice_without_a_finite_logit_has_no_figures_and_no_range) {
  EXPECT_THAT(text(), Not(HasSubstr("Magenta")));
  EXPECT_THAT(canvas.text, Not(HasSubstr("No pair of this slice")));
  auto slice = even_slice(50, 16, 8);
  std::fill(slice->log_p.begin(), slice->log_p.end(), std::nanf(""));
  slice->nan_count = 128;
  slice->lse = -INFINITY;
  slice->entropy = slice->largest_p = slice->distance1 = slice->distance2 = std::nan("");
  slice->top.clear();
  side().slice = slice;
  EXPECT_THAT(
      text(),
      HasSubstr("128 logits are NaN and 0 infinite, which is all of them: there is no distribution over pairs."));
  EXPECT_THAT(canvas.text, HasSubstr("No pair of this slice has a p that could be shown."));
  for (const char* figure : {"entropy, nats", "mean distance", " nan"})
    EXPECT_THAT(canvas.text, Not(HasSubstr(figure)));
}

TEST_F(AttentionPanel, an_overview_or_pictures_of_heads_that_failed_say_why_and_can_be_asked_for_again) {
  data.attention.overview.of = *wanted_overview(ui(), data.attention);
  data.attention.overview.problem = kNoMemory;
  EXPECT_THAT(text(), HasSubstr("memory ran out"));
  EXPECT_THAT(canvas.text, HasSubstr("Try again"));
  data.attention.overview.pending = data.attention.overview.of;
  EXPECT_THAT(text(), HasSubstr("Computing ..."));
  EXPECT_THAT(canvas.text, Not(HasSubstr("Try again")));
  data.attention.sheet.of = *wanted_sheet(ui(), data.attention);
  data.attention.sheet.problem = kNoMemory;
  EXPECT_THAT(text(), HasSubstr("memory ran out"));
  EXPECT_THAT(canvas.text, HasSubstr("Try again"));
}

TEST_F(AttentionPanel, match3_tells_tokens_rightly_or_wrongly) {
  open_match3();
  auto overview = std::make_shared<Overview>();
  overview->heads = 1;
  overview->columns = 3;
  // mod 10: 2 + 4 + 4 and 4 + 2 + 4 are 0, 1 has no two others
  overview->sink_p = {0.99F, 0.5F, 0.3F};
  overview->entropy = overview->largest_p = overview->distance1 = overview->distance2 = {0, 0, 0};
  data.attention.overview.answer = overview;
  EXPECT_THAT(text(), HasSubstr("all 3 answers are right"));
  auto wrong = std::make_shared<Overview>(*overview);
  wrong->sink_p[0] = 0.2F;
  data.attention.overview.answer = wrong;
  EXPECT_THAT(text(), HasSubstr("1 of 3 answers are wrong"));
  EXPECT_THAT(canvas.text, HasSubstr("yes, wrong"));
  wrong->sink_p[0] = 0.99F;  // in place: the table is made once for an overview
  EXPECT_THAT(text(), HasSubstr("1 of 3 answers are wrong"));
}

TEST_F(AttentionPanel, match3_without_its_overview_says_why_there_is_no_table) {
  open_match3();
  data.attention.overview.problem = kNoMemory;
  const std::string& all = text();
  const std::size_t first = all.find("memory ran out");
  ASSERT_NE(first, std::string::npos);
  EXPECT_NE(all.find("memory ran out", first + 1), std::string::npos);  // the overview's place and the table's
}

TEST_F(AttentionPanel, queries_walk_on_once_every_slice_that_is_shown_is_there) {
  const auto walked = [&] {
    const std::int64_t before = ui().query;
    walk_on(ui(), data.attention);
    return ui().query - before;
  };
  EXPECT_EQ(walked(), 0);
  ui().playing = true;
  EXPECT_EQ(walked(), 1);
  EXPECT_EQ(walked(), 0);  // its slice is still being made
  side(0).slice_of = *wanted_slice(ui(), data.attention, 0);
  ui().show = AttentionShow::difference;
  EXPECT_EQ(walked(), 0);  // B's is
  side(1).slice_of = *wanted_slice(ui(), data.attention, 1);
  ui().held_step = -16;  // an arrow key goes before
  ui().playing = false;
  EXPECT_FALSE(wanted_sheet(ui(), data.attention));  // the CPUs belong to the slices
  ui().playing = true;
  EXPECT_EQ(walked(), -16);
  ui().held_step = 0;
  ui().query = 99;
  for (int which = 0; which < 2; ++which) side(which).slice_of = *wanted_slice(ui(), data.attention, which);
  EXPECT_EQ(walked(), 0);
  EXPECT_FALSE(ui().playing);  // that was the last one
}

TEST_F(AttentionPanel, a_difference_is_of_one_query) {
  ui().show = AttentionShow::difference;
  EXPECT_THAT(text(), Not(HasSubstr("Computing")));
  AttentionModel& model = canvas.models.attention();
  const HeatmapPyramid* before = model.map(ui(), data.attention, 2);
  ASSERT_NE(before, nullptr);
  side(0).slice = even_slice(51, 16, 8);
  ++side(0).slice_of.query.query;
  side(0).slice_of.query.problem.window2 = ui().window2 = 4;  // both wait for B
  EXPECT_EQ(model.map(ui(), data.attention, 2), before);
  const auto& [a, b] = model.shown(ui(), data.attention);
  EXPECT_EQ(a.slice_of.query.query, 50);
  EXPECT_EQ(b.slice_of.query.query, 50);
  EXPECT_EQ(frame_of(a.slice_of, *a.source).height, 8);
  ui().pinned = AttentionCell{35, 43};  // seen by query 50 alone
  EXPECT_THAT(text(), HasSubstr("j = 35 (15 back), k = 43 (7 back): p = 0.0078"));
  side(1).slice = even_slice(51, 16, 8);
  side(1).slice_of = *wanted_slice(ui(), data.attention, 1);
  ++side(1).slice_of.query.query;
  EXPECT_NE(model.map(ui(), data.attention, 2), nullptr);
  EXPECT_THAT(text(), HasSubstr("does not see this pair"));
  ++side(1).slice_of.query.head;  // of another head: to come, too
  side(1).slice = even_slice(51, 16, 4);
  EXPECT_EQ(model.shown(ui(), data.attention)[1].slice_of.query.head, 0);
}

TEST_F(AttentionPanel, what_cannot_be_compared_says_why) {
  ui().show = AttentionShow::difference;
  ui().sides[1].form = Form::dot_product;
  side(1).slice = even_slice(50, 16, 1);
  side(1).slice_of = *wanted_slice(ui(), data.attention, 1);
  EXPECT_THAT(text(), HasSubstr("windows of different sizes"));
  ui().sides[1].form = Form::trilinear;
  side(1).source = opened(40);
  side(1).slice = even_slice(39, 16, 8);
  side(1).slice_of = *wanted_slice(ui(), data.attention, 1);
  EXPECT_THAT(text(), HasSubstr("B ends before this query"));
}

TEST_F(AttentionPanel, a_logit_of_many_digits_leaves_room_for_its_neighbours) {
  auto slice = even_slice(50, 16, 8);
  slice->top[0].logit = 1.2345e300;
  side().slice = slice;
  EXPECT_THAT(text(), HasSubstr("1.2e300"));
  EXPECT_THAT(canvas.text, Not(HasSubstr("00000000")));
}

TEST_F(AttentionPanel, match3_has_no_mean_since_its_mask_is_full) {
  open_match3();
  auto overview = std::make_shared<Overview>();
  overview->heads = 1;
  overview->columns = 3;
  overview->sink_p = {0.99F, 0.5F, 0.3F};
  overview->entropy = overview->largest_p = overview->distance1 = overview->distance2 = {0, 0, 0};
  data.attention.overview.answer = overview;
  EXPECT_THAT(text(), HasSubstr("With a full mask pairs have no distances in common"));
  EXPECT_THAT(canvas.text, Not(HasSubstr("choose smaller windows")));
}

TEST_F(AttentionPanel, while_b_is_held_the_figures_are_those_of_b) {
  auto slice = even_slice(50, 16, 8);
  slice->entropy = 1.25;
  slice->top = {{45, 48, 3, 0.36, 0.1}};
  side(1).slice = slice;
  EXPECT_THAT(text(), Not(HasSubstr("Figures of B")));
  ImGuiIO& io = ImGui::GetIO();
  io.AddMousePosEvent(640, 400);
  io.AddKeyEvent(ImGuiKey_Space, true);
  EXPECT_THAT(text(), HasSubstr("Figures of B"));
  EXPECT_THAT(canvas.text, HasSubstr("1.25"));
  EXPECT_THAT(canvas.text, HasSubstr("| 0.36 |"));
  const auto of_b = std::exchange(side(1).slice, nullptr);
  EXPECT_THAT(text(), Not(HasSubstr("Figures of B"))) << "those of A stand there while B has none";
  side(1).slice = of_b;
  io.AddKeyEvent(ImGuiKey_Space, false);
  EXPECT_THAT(text(), Not(HasSubstr("| 0.36 |")));
}

TEST_F(AttentionPanel, while_b_is_held_its_range_and_its_form_are_those_of_b) {
  auto narrow = even_slice(50, 16, 1);
  narrow->entropy = 1.25;
  ui().sides[1].form = Form::dot_product;
  side(1).slice = narrow;
  side(1).slice_of = *wanted_slice(ui(), data.attention, 1);
  AttentionModel& model = canvas.models.attention();
  EXPECT_NEAR(model.histogram_high, 0, 1e-9);
  model.histogram(ui(), data.attention);
  EXPECT_NEAR(model.histogram_high, -std::log(128), 1e-6);
  EXPECT_THAT(text(), HasSubstr("dot-product row"));
  ui().show = AttentionShow::difference;
  EXPECT_THAT(text(), Not(HasSubstr("Range of p"))) << "its colours stand below the map";
  ImGuiIO& io = ImGui::GetIO();
  io.AddMousePosEvent(640, 400);
  io.AddKeyEvent(ImGuiKey_Space, true);
  EXPECT_THAT(text(), HasSubstr("Range of p")) << "the map shows p";
  EXPECT_THAT(canvas.text, Not(HasSubstr("dot-product row"))) << "it is one";
  EXPECT_NEAR(model.histogram_high, -std::log(16), 1e-6) << "of its 16 pairs";
  EXPECT_EQ(triples_text(side(1)).rows.size(), 1U);
}

TEST_F(AttentionPanel, while_b_is_held_nothing_that_is_made_of_a_alone_stands_there) {
  auto slice = even_slice(50, 16, 8);
  slice->entropy = 1.25;
  side(1).slice = slice;
  ImGuiIO& io = ImGui::GetIO();
  io.AddMousePosEvent(640, 400);
  ui().mean_of_queries = true;
  EXPECT_THAT(text(), Not(HasSubstr("entropy, nats")));
  io.AddKeyEvent(ImGuiKey_Space, true);
  EXPECT_THAT(text(), HasSubstr("Figures of B"));
  EXPECT_THAT(canvas.text, HasSubstr("entropy, nats")) << "the mean is of A";
  ui().mean_of_queries = false;
  ui().search.open = true;
  EXPECT_THAT(text(), HasSubstr("Figures of B")) << "so is a search";
  ui().search.open = false;
  const auto of_a = std::exchange(side().slice, nullptr);
  EXPECT_THAT(text(), HasSubstr("Figures of B")) << "also where A has none";
  side().slice = of_a;
  open_match3();
  EXPECT_THAT(text(), HasSubstr("Figures of B"));
  EXPECT_THAT(canvas.text, Not(HasSubstr("= 0 mod "))) << "the table of tokens is of A";
  io.AddKeyEvent(ImGuiKey_Space, false);
  EXPECT_THAT(text(), HasSubstr("= 0 mod "));
}

TEST_F(AttentionPanel, a_picture_says_what_b_is_where_it_is_shown) {
  AttentionModel& model = canvas.models.attention();
  const auto caption = [&] { return map_caption_text(model, ui(), data.attention); };
  EXPECT_THAT(caption(), testing::StartsWith("p(j, k) for query 50, head 0. "));
  EXPECT_THAT(caption(), Not(HasSubstr("B: ")));
  ui().sides[1].source.kind = side(1).asked->kind = SourceKind::file;
  ui().sides[1].source.file = side(1).asked->file = "/layer7.npz";
  ui().sides[1].other_head = 1;
  side(1).slice_of = *wanted_slice(ui(), data.attention, 1);
  EXPECT_THAT(caption(), Not(HasSubstr("preset"))) << "A is no file";
  for (const AttentionShow show : {AttentionShow::side_by_side, AttentionShow::difference}) {
    ui().show = show;
    EXPECT_THAT(caption(),
                HasSubstr(" B: layer7.npz, window 16 × 8, 100 tokens, trilinear, as a bf16 kernel, head 1."));
    EXPECT_THAT(caption(), HasSubstr("The windows are a preset, not from the file: every p depends on them."));
  }
  ui().show = AttentionShow::one;
  ui().flipped = true;
  EXPECT_THAT(caption(), testing::StartsWith("B: layer7.npz, bf16 kernel, query 50, head 1. "));
  EXPECT_THAT(caption(), HasSubstr("a preset, not from the file"));
  EXPECT_THAT(caption(), Not(HasSubstr("A: ")));
}

TEST_F(AttentionPanel, without_a_slice_the_right_column_says_what_will_stand_there) {
  EXPECT_THAT(text(), Not(HasSubstr("The figures of a query stand here")));
  side().slice.reset();
  EXPECT_THAT(text(), HasSubstr("The figures of a query stand here once its tensors are open."));
}

TEST_F(AttentionPanel, a_dot_product_row_that_is_no_number_is_magenta) {
  const ImU32 magenta = dark_theme().not_a_number;
  EXPECT_EQ(pixels(magenta), 0);
  auto slice = even_slice(50, 16, 8);
  slice->dot_log_p[5] = std::nanf("");
  side().slice = slice;
  EXPECT_GT(pixels(magenta), 50);
}

TEST_F(AttentionPanel, match3_offers_no_form_for_b) {
  ui().show = AttentionShow::side_by_side;
  const auto forms = [&] {
    int count = 0;
    for (std::size_t at = text().find("trilinear"); at != std::string::npos; at = canvas.text.find("trilinear", at + 1))
      ++count;
    return count;
  };
  EXPECT_EQ(forms(), 2);  // A's and B's
  for (AttentionSide& one : ui().sides) one.source.kind = SourceKind::match3;
  EXPECT_EQ(forms(), 0);
}

TEST_F(AttentionPanel, in_a_narrow_window_every_column_can_be_reached) {
  ImGui::GetIO().DisplaySize = ImVec2(800, 600);
  EXPECT_THAT(text(), HasSubstr("Query"));
  EXPECT_THAT(canvas.text, Not(HasSubstr("Where to look")));
  ui().column = AttentionColumn::tensors;
  EXPECT_THAT(text(), HasSubstr("Where to look"));
  ui().column = AttentionColumn::figures;
  EXPECT_THAT(text(), HasSubstr("entropy, nats"));
}

TEST_F(AttentionPanel, a_window_of_65536_tokens_shows_the_few_that_a_query_sees) {
  ui().window1 = ui().window2 = 65536;
  for (int which = 0; which < 2; ++which) {
    side(which).source = opened(65536);
    side(which).slice_of = *wanted_slice(ui(), data.attention, which);
    side(which).slice = even_slice(50, 51, 51);
  }
  for (AttentionShow show : {AttentionShow::one, AttentionShow::difference}) {
    ui().show = show;
    EXPECT_GT(canvas.draw(Panel::attention, data), 200);
    AttentionModel& model = canvas.models.attention();
    EXPECT_EQ(model.map(ui(), data.attention, show == AttentionShow::one ? 0 : 2)->base().cells.size(), 51U * 51U);
  }
}

}  // namespace
}  // namespace triscope
