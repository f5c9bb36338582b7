// The attention panel with plain data and no worker: each state says or shows what it is.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <tuple>

#include "kernels/inspect/counted_queries.hpp"
#include "tests/views/pictures/canvas.hpp"
#include "views/model/attention/attention_model.hpp"
#include "views/model/attention/figure_words.hpp"
#include "views/model/attention/film_choice.hpp"
#include "views/model/attention/mean_words.hpp"
#include "views/model/attention/striking_places.hpp"

namespace triscope {
namespace {

using fixture::Canvas;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kNoMemory = "the worker ended; its memory ran out; choose smaller windows";

/// Every pair alike, over the last `count1` x `count2` keys before `query`.
std::shared_ptr<Slice> even_slice(std::int64_t query, std::int64_t count1, std::int64_t count2) {
  auto slice = std::make_shared<Slice>();
  slice->first1 = query - count1 + 1;
  slice->first2 = query - count2 + 1;
  slice->count1 = count1;
  slice->count2 = count2;
  const double pairs = static_cast<double>(count1 * count2);
  slice->log_p.assign(static_cast<std::size_t>(count1 * count2), static_cast<float>(-std::log(pairs)));
  slice->largest_p = 1 / pairs;
  slice->entropy = std::log(pairs);
  slice->marginal1.assign(static_cast<std::size_t>(count1), 1 / static_cast<float>(count1));
  slice->marginal2.assign(static_cast<std::size_t>(count2), 1 / static_cast<float>(count2));
  slice->dot_log_p.assign(static_cast<std::size_t>(count1), -std::log(static_cast<float>(count1)));
  slice->output = {1, 0.5F};
  slice->top = {{query, query, 0, 1 / pairs, 0.1}};
  return slice;
}

std::shared_ptr<SourceReply> opened(std::int64_t seq_len) {
  auto reply = std::make_shared<SourceReply>();
  reply->batch = 1;
  reply->seq_len = seq_len;
  reply->q_heads = reply->kv_heads = 2;
  reply->head_dim = 2;
  reply->values = true;
  return reply;
}

/// The panel on 100 tokens, A and B there.
class AttentionPanel : public testing::Test {
 protected:
  AttentionPanel() {
    ui().query = 50;
    ui().window1 = 16;
    ui().window2 = 8;
    for (int which = 0; which < 2; ++which) {
      side(which).asked = ui().sides[static_cast<std::size_t>(which)].source;
      side(which).source = opened(100);
      side(which).slice_of = *wanted_slice(ui(), data.attention, which);
      side(which).slice_device = "cpu";
      side(which).slice = even_slice(50, 16, 8);
    }
  }
  AttentionUi& ui() { return canvas.ui.attention; }
  AttentionSideData& side(int which = 0) { return data.attention.sides[static_cast<std::size_t>(which)]; }
  const std::string& text() {
    EXPECT_GT(canvas.draw(Panel::attention, data), 200);
    return canvas.text;
  }
  /// Pixels of a colour on the whole screen.
  std::int64_t pixels(ImU32 colour) {
    canvas.draw(Panel::attention, data);
    const Picture picture = rasterize(*ImGui::GetDrawData(), IM_COL32_BLACK);
    std::int64_t count = 0;
    for (std::size_t n = 0; n + 2 < picture.rgb.size(); n += 3) {
      count += picture.rgb[n] == (colour >> IM_COL32_R_SHIFT & 255) &&
               picture.rgb[n + 1] == (colour >> IM_COL32_G_SHIFT & 255) &&
               picture.rgb[n + 2] == (colour >> IM_COL32_B_SHIFT & 255);
    }
    return count;
  }
  void open_match3() {
    ui().sides[0].source.kind = SourceKind::match3;
    ui().sides[0].source.numbers = {1, 2, 4};
    ui().query = 0;
    side().asked = ui().sides[0].source;
    side().source = opened(3);
    side().slice_of = *wanted_slice(ui(), data.attention, 0);
    side().slice = even_slice(2, 3, 3);
    data.attention.overview.of = *wanted_overview(ui(), data.attention);
  }

  Canvas canvas;
  WindowData data;
};

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
  EXPECT_THAT(text(), HasSubstr("1.2e+300"));
  EXPECT_THAT(canvas.text, Not(HasSubstr("00000000")));
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

TEST(AttentionModel, figures_have_units_and_what_no_preference_would_give) {
  EXPECT_EQ(figure_text(OverviewFigure::distance1, 54.62), "54.6 tokens");
  EXPECT_EQ(figure_text(OverviewFigure::entropy, 3.2), "3.20 nats");
  EXPECT_EQ(figure_text(OverviewFigure::largest_p, 0.5), "0.500");
  Problem problem;
  problem.window1 = 512, problem.window2 = 32;
  Overview overview;
  overview.heads = 1;
  overview.columns = 512;
  EXPECT_THAT(figure_meaning(OverviewFigure::distance1, overview, problem, 512),
              HasSubstr("Even weights give 191.8, the mean over queries 256 to 511."))
      << "not the 255.5 of a whole window: theirs are cut at the first token";
  EXPECT_THAT(figure_meaning(OverviewFigure::distance2, overview, problem, 512), HasSubstr("give 15.50,"));
  overview.columns = 1024;
  EXPECT_THAT(figure_meaning(OverviewFigure::distance1, overview, problem, 1024),
              HasSubstr("Even weights give 255.5, the mean over queries 511 to 1,023."));
}

/// Means of even weights over queries from `first` on, pair by pair.
FigureMeans even_pair_by_pair(const Problem& problem, std::int64_t first, std::int64_t last, std::int64_t step) {
  FigureMeans sums{};
  double queries = 0;
  for (std::int64_t i = 0; i <= last; i += step) {
    if (i < first) continue;
    std::vector<std::array<double, 2>> pairs;
    for (std::int64_t j = 0; j <= last; ++j) {
      for (std::int64_t k = 0; k <= last; ++k) {
        const bool seen = j <= i && k <= i && i - j < problem.window1 && i - k < problem.window2;
        if (seen || problem.mask == Mask::full)
          pairs.push_back({static_cast<double>(i - j), static_cast<double>(i - k)});
      }
    }
    const double p = 1 / static_cast<double>(pairs.size());
    for (const auto& [j_back, k_back] : pairs) {
      sums[0] -= p * std::log(p);
      sums[3] += p * j_back;
      sums[4] += p * k_back;
    }
    sums[1] += p;
    ++queries;
  }
  for (double& sum : sums) sum /= queries;
  return sums;
}

TEST(AttentionModel, even_weights_are_of_the_very_queries_and_windows_that_the_means_are_of) {
  for (const auto& [window1, window2, mask, tokens, step, first] :
       {std::tuple{24, 5, Mask::causal, 24, 1, 12}, std::tuple{40, 3, Mask::causal, 30, 3, 15},
        std::tuple{3, 6, Mask::causal, 26, 4, 5}, std::tuple{3, 6, Mask::full, 18, 2, 0}}) {
    Problem problem;
    problem.window1 = window1, problem.window2 = window2, problem.mask = mask;
    Overview overview;
    overview.heads = 1;
    overview.step = step;
    overview.columns = (tokens + step - 1) / step;
    const FigureMeans even = even_means(overview, problem, tokens);
    const FigureMeans expected = even_pair_by_pair(problem, first, tokens - 1, step);
    for (const OverviewFigure figure : kOverviewFigures) {
      const auto n = static_cast<std::size_t>(figure);
      if (figure == OverviewFigure::sink_p) {
        EXPECT_TRUE(std::isnan(even.at(n)));
      } else {
        EXPECT_NEAR(even.at(n), expected.at(n), 1e-12) << n << " of " << window1 << "x" << window2;
      }
    }
    // A head without a distribution at one query: its even weights are of the others alone.
    overview.distance1.assign(static_cast<std::size_t>(overview.columns), 1);
    overview.distance1.back() = std::nanf("");
    const std::int64_t last = (overview.columns - 1) * step;
    double others = 0, count = 0;
    for (std::int64_t i = 0; i < last; i += step) {
      if (i < first) continue;
      others += even_figures(problem, tokens, i).distance1;
      ++count;
    }
    EXPECT_NEAR(head_means(overview, problem, tokens)[0].even_of(OverviewFigure::distance1), others / count, 1e-12);
  }
}

TEST(AttentionModel, which_queries_are_left_out_is_said_truly) {
  const Problem wide{.window1 = 512, .window2 = 32};
  EXPECT_EQ(counted_queries(wide, 1024), (CountedQueries{511, 511}));
  EXPECT_EQ(counted_queries(wide, 512), (CountedQueries{256, 511})) << "half of the tokens at most";
  EXPECT_EQ(counted_queries(wide, 101), (CountedQueries{50, 100})) << "a window is as long as the tokens at most";
  EXPECT_EQ(counted_queries({.mask = Mask::full, .window1 = 512, .window2 = 32}, 512), (CountedQueries{0, 0}));
  EXPECT_EQ(left_out_sentence(counted_queries(wide, 2048)),
            "Queries before 511 are left out: their windows are cut at the first token.");
  EXPECT_EQ(left_out_sentence(counted_queries(wide, 512)),
            "Queries before 256, the first half, are left out: they see few pairs. The windows of others before 511 "
            "are cut at the first token, too.");
  EXPECT_EQ(left_out_sentence(counted_queries(wide, 512), true),
            "Windows of queries before 511 are cut at the first token.");
  EXPECT_EQ(left_out_sentence(counted_queries({.mask = Mask::full}, 512)), "");
}

TEST(AttentionModel, a_key_says_how_far_it_is_and_a_file_what_came_along) {
  SourceReply reply;
  EXPECT_EQ(key_text(reply, 1005, 1012), "1,005 (7 back)");
  EXPECT_EQ(key_text(reply, 1012, 1012), "1,012 (the query)");
  EXPECT_EQ(key_text(reply, 1015, 1012), "1,015 (3 ahead)");
  AttentionSource source;
  source.kind = SourceKind::file;
  source.file = "/data/layer7/q.npy";
  reply.names = {{"q", "q"}, {"k1", "k1"}, {"k2", "k2"}, {"v1", ""}};
  EXPECT_EQ(source_line(source, &reply), "q.npy with k1, k2");
  EXPECT_EQ(source_line(source, nullptr), "q.npy");
  source.file = "/data/all.safetensors";
  EXPECT_EQ(source_line(source, &reply), "all.safetensors");
}

TEST(AttentionModel, a_picture_says_what_it_is_of_and_is_named_after_it) {
  AttentionUi ui;
  AttentionSource& source = ui.sides[0].source;
  source.kind = SourceKind::file;
  source.file = "/data/run 3/layer7.npz";
  ui.head = 2;
  ui.query = 307;
  EXPECT_EQ(picture_name(ui), "attention_layer7_head2_query307");
  source.file = "/data/a b.tar/x y.pt";
  EXPECT_EQ(picture_name(ui), "attention_x_y_head2_query307");
  source.kind = SourceKind::induction;
  EXPECT_EQ(picture_name(ui), "attention_induction_head2_query307");
  SliceRequest slice;
  slice.source.kind = SourceKind::file;
  slice.source.file = "/data/run 3/layer7.npz";
  SourceReply reply;
  reply.seq_len = 400;
  EXPECT_EQ(picture_caption(slice, reply), "layer7.npz, window 400 × 32, 400 tokens, trilinear, exact");
  slice.query.problem.mask = Mask::full;
  slice.query.arithmetic = Arithmetic::bf16_kernel;
  EXPECT_EQ(picture_caption(slice, reply), "layer7.npz, full mask, 400 tokens, trilinear, bf16_kernel");
}

TEST(AttentionModel, the_mean_over_queries_is_told_in_words) {
  MeanMaps maps;
  maps.tokens = 512, maps.heads = 1, maps.width = 2, maps.height = 1, maps.step = 3;
  maps.queries = {{256, 259, 511}};
  maps.p = {0.25F, 0.5F};
  EXPECT_EQ(averaged_text(maps, 0), "mean over queries 256 to 511, every 3rd");
  EXPECT_EQ(mean_cell_text(maps, 0, 1, 0), "j 1 back, k 0 back: p 0.250 on average over the 3 queries that see it");
  const MeanPeak peak{0, 301, 13, 0.0807, 0.00007, 1};
  EXPECT_EQ(lift_text(peak), "1,153×");
  EXPECT_EQ(
      mean_cell_text(peak),
      "j 301 back, k 13 back: p 0.0807 on average over the 1 query that sees it; even weights would give 0.000070 "
      "(1,153×)");
  AttentionUi ui;
  AttentionData data;
  EXPECT_EQ(shown_means(ui, data), nullptr);
}

TEST(AttentionModel, a_search_by_distance_begins_where_the_strongest_pair_is_or_the_pinned_one) {
  AttentionUi ui;
  AttentionSideData side;
  EXPECT_EQ(shown_distances(ui, side), (std::array<std::int64_t, 2>{1, 1}));
  side.slice_of.query.query = 100;
  auto slice = std::make_shared<Slice>();
  slice->top = {{90, 95, 1.0, 0.5, 0}};
  side.slice = slice;
  EXPECT_EQ(shown_distances(ui, side), (std::array<std::int64_t, 2>{10, 5}));
  ui.pinned = AttentionCell{60, 98};
  EXPECT_EQ(shown_distances(ui, side), (std::array<std::int64_t, 2>{40, 2}));
}

TEST(AttentionModel, the_most_striking_places_are_one_of_each_head) {
  Overview overview;
  overview.heads = 3;
  overview.columns = 3;
  overview.step = 10;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  overview.largest_p = {0.1F, 0.9F, 0.8F, 0.2F, nan, 0.3F, nan, nan, nan};
  overview.entropy = {3, 1, 2, 0.5F, 4, nan, nan, nan, nan};
  const auto largest = striking_places(overview, OverviewFigure::largest_p, 6);
  ASSERT_EQ(largest.size(), 2U) << "a head without a distribution has none";
  EXPECT_EQ(largest[0].head, 0);
  EXPECT_EQ(largest[0].query, 10);
  EXPECT_EQ(largest[1].query, 20);
  EXPECT_EQ(striking_places(overview, OverviewFigure::largest_p, 6, 11)[0].query, 20) << "0.8: 0.9 is before query 11";
  const auto sharpest = striking_places(overview, OverviewFigure::entropy, 1);
  ASSERT_EQ(sharpest.size(), 1U);
  EXPECT_EQ(sharpest[0].head, 1) << "the smallest entropy";
  EXPECT_FLOAT_EQ(sharpest[0].value, 0.5F);
}

TEST(AttentionModel, heads_are_sorted_by_the_mean_of_a_figure_over_whole_queries) {
  Overview overview;
  overview.heads = 3;
  overview.columns = 3;
  overview.step = 10;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  overview.distance1 = {90, 1, 2, 0, 8, 4, nan, nan, nan};
  overview.entropy = {0, 2, 4, 0, 1, nan, nan, nan, nan};
  const Problem problem{.window1 = 11, .window2 = 2};  // counts from query 10 on
  auto far = head_means(overview, problem, 30);
  sort_heads(far, OverviewFigure::distance1);
  ASSERT_EQ(far.size(), 3U);
  EXPECT_EQ(far[0].head, 1);
  EXPECT_DOUBLE_EQ(far[0].of(OverviewFigure::distance1), 6) << "0 is of a query before the first";
  EXPECT_EQ(far[1].head, 0);
  EXPECT_DOUBLE_EQ(far[1].of(OverviewFigure::distance1), 1.5) << "90 is of a query before the first";
  EXPECT_EQ(far[2].head, 2) << "without a distribution";
  EXPECT_TRUE(std::isnan(far[2].of(OverviewFigure::distance1)));
  auto sharp = far;
  sort_heads(sharp, OverviewFigure::entropy);
  EXPECT_EQ(sharp[0].head, 1) << "1 beside 3: sharp heads first";
  EXPECT_DOUBLE_EQ(sharp[0].of(OverviewFigure::entropy), 1) << "what is not a number does not count";
  EXPECT_EQ(sharp[1].head, 0);
  const TextTable text = heads_text(far, even_means(overview, problem, 30), false);
  EXPECT_THAT(text.header, testing::ElementsAre("head", "mean entropy, nats", "mean largest p",
                                                "mean distance j, tokens", "mean distance k, tokens"));
  EXPECT_THAT(text.rows.at(0), testing::ElementsAre("1", "1", "", "6", ""));
  EXPECT_THAT(text.rows.back(), testing::ElementsAre("even weights", testing::_, testing::_, "5", "0.5"));
  EXPECT_EQ(heads_text(far, {}, true).header.size(), 6U);
}

TEST(AttentionModel, heads_keep_their_order_until_the_user_sorts_them) {
  AttentionUi ui;
  const auto numbers = [&](const std::vector<double>& entropies) {
    std::vector<HeadMeans> heads;
    for (const double entropy : entropies) heads.push_back({std::ssize(heads), {entropy}, {}});
    std::vector<std::int64_t> order;
    for (const HeadMeans& head : ordered_heads(ui, heads)) order.push_back(head.head);
    return order;
  };
  using testing::ElementsAre;
  EXPECT_THAT(numbers({2, 1, 3}), ElementsAre(0, 1, 2));
  ui.figure = OverviewFigure::largest_p;
  EXPECT_THAT(numbers({2, 1, 3}), ElementsAre(0, 1, 2)) << "what the overview shows is another choice";
  sort_heads_of(ui, {{0, {2}, {}}, {1, {1}, {}}, {2, {3}, {}}}, OverviewFigure::entropy);
  EXPECT_THAT(numbers({2, 1, 3}), ElementsAre(1, 0, 2));
  EXPECT_THAT(numbers({1, 2, 0}), ElementsAre(1, 0, 2)) << "other windows, other means: rows stay where they were";
  EXPECT_THAT(numbers({1, 2}), ElementsAre(0, 1)) << "other heads";
  EXPECT_FALSE(ui.heads_sorted_by.has_value());
  sort_heads_of(ui, {{1, {1}, {}}, {0, {2}, {}}}, std::nullopt);
  EXPECT_THAT(numbers({1, 2}), ElementsAre(0, 1));
}

TEST(AttentionModel, a_film_says_what_is_wrong_with_its_queries_and_how_far_it_is) {
  AttentionUi ui;
  AttentionData data;
  EXPECT_EQ(film_problem({0, 9, 1}, data), "No tensors are open.");
  data.sides[0].source = opened(10'000);
  ui.query = 9'950;
  const FilmQueries proposed = proposed_film(ui, data);
  EXPECT_EQ(proposed.first, 9'950);
  EXPECT_EQ(proposed.last, 9'999);
  EXPECT_EQ(film_problem(proposed, data), "");
  EXPECT_EQ(film_problem({-1, 9, 1}, data), "Queries are counted from 0.");
  EXPECT_EQ(film_problem({0, 9, 0}, data), "A step is at least 1.");
  EXPECT_EQ(film_problem({5, 4, 1}, data), "The last query comes before the first.");
  EXPECT_EQ(film_problem({0, 10'000, 9'000}, data), "The last query is 9,999 at most.");
  const std::string many = film_problem({0, 9'999, 1}, data);
  EXPECT_EQ(many, "These are 10,000 pictures, and at most 2,000 are made: take steps of 5.");
  EXPECT_EQ(film_problem({0, 9'999, 5}, data), "") << "the step that it names is enough";
  FilmState film;
  EXPECT_EQ(film_progress(film), "0 %");
  film.total = 200;
  film.done = 68;
  film.seconds_left = 75;
  EXPECT_EQ(film_progress(film), "34 %, 1 min 15 s left");
}

}  // namespace
}  // namespace triscope
