// What the attention panel says and in which order: figures, means, heads, films, without drawing.
#include "views/model/attention/attention_model.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <tuple>

#include "kernels/inspect/counted_queries.hpp"
#include "views/model/attention/axis_order.hpp"
#include "views/model/attention/figure_words.hpp"
#include "views/model/attention/film_choice.hpp"
#include "views/model/attention/mean_words.hpp"
#include "views/model/attention/striking_places.hpp"
#include "views/model/attention/wider_windows.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;

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
  EXPECT_EQ(picture_caption(slice, reply), "layer7.npz, window 400 × 32, 400 tokens, trilinear, in fp64");
  slice.query.problem.mask = Mask::full;
  slice.query.arithmetic = Arithmetic::bf16_kernel;
  EXPECT_EQ(picture_caption(slice, reply), "layer7.npz, full mask, 400 tokens, trilinear, as a bf16 kernel");
}

TEST(AttentionModel, another_file_is_opened_at_the_windows_before_the_wider_ones) {
  AttentionUi ui;
  ui.window1 = 16, ui.window2 = 8;
  OverviewRequest wider;
  wider.query.problem.window1 = 32, wider.query.problem.window2 = 16;
  show_wider(ui, wider);
  AttentionSource file;
  file.kind = SourceKind::file;
  file.file = "/layer8.npz";
  choose_source(ui, 1, file);
  EXPECT_EQ(ui.window1, 32) << "what B is leaves the windows";
  file.file = "/layer9.npz";
  choose_source(ui, 0, file);
  EXPECT_EQ(ui.window1, 16) << "what is called a preset is one";
  EXPECT_EQ(ui.window2, 8);
  EXPECT_FALSE(ui.before_wider.has_value());
}

TEST(AttentionModel, what_follows_the_few_tokens_of_match3_opens_at_a_query_that_sees_whole_windows) {
  AttentionUi ui;
  const std::int64_t first = ui.query;
  AttentionSource match3;
  match3.kind = SourceKind::match3;
  choose_source(ui, 0, match3);
  ui.query = 23;  // of 24 tokens
  AttentionSource example;
  example.kind = SourceKind::induction;
  choose_source(ui, 0, example);
  EXPECT_EQ(ui.query, first);
  ui.query = 300;
  example.kind = SourceKind::random;
  choose_source(ui, 0, example);
  EXPECT_EQ(ui.query, 300) << "one of these stays";
}

TEST(AttentionModel, the_mean_over_queries_is_told_in_words) {
  MeanMaps maps;
  maps.tokens = 512, maps.heads = 1, maps.width = 2, maps.height = 1, maps.step = 3;
  maps.queries = {{256, 259, 511}};
  maps.p = {0.25F, 0.5F};
  EXPECT_EQ(averaged_text(maps, 0), "mean over queries 256 to 511, every 3rd");
  EXPECT_EQ(mean_cell_text(maps, 0, 1, 0), "j 1 back, k 0 back: p 0.250 on average over the 3 queries that see it");
  EXPECT_EQ(averaged_sentence(maps, 0), "Mean over queries 256 to 511, every 3rd.");
  maps.peaks = {{{0, 58, 13, 0.066, 1e-4, 3},
                 {0, 301, 13, 0.061, 1e-4, 3},
                 {0, 180, 13, 0.043, 1e-4, 3},
                 {0, 423, 13, 0.036, 1e-4, 3}}};
  maps.strongest = {{{301, 13}, {58, 13}, {423, 13}}};
  const std::vector<MeanPeak> listed = listed_peaks(maps, 0);
  ASSERT_EQ(listed.size(), 3U);
  EXPECT_STREQ(peak_rank(listed, 1), "tied");
  EXPECT_STREQ(peak_rank(listed, 2), "also");
  EXPECT_EQ(strongest_sentence(maps, 0),
            "A single query may look elsewhere than the mean: of 3 queries 3 have their largest p at one of these "
            "peaks, 0 at another pair.");
  EXPECT_EQ(strongest_sentence(maps, 0, 301, 13),
            "Of 3 queries of head 0, 1 has its largest p at -58, -13 from the query; 1 at -301, -13; none at -180, "
            "-13: the peaks of their mean.");
  EXPECT_EQ(strongest_sentence(maps, 0, 423, 13),
            "Of 3 queries of head 0, 1 has its largest p at -58, -13 from the query; 1 at -301, -13; none at -180, "
            "-13: the peaks of their mean. At -423, -13, where this query has its own: 1.");
  EXPECT_EQ(framing_sentence(423, maps.peaks[0]), "A click on a peak frames it in the map of query 423.");
  EXPECT_EQ(framing_sentence(422, maps.peaks[0]),
            "A click on a peak frames it in the map of query 422, or of the first averaged query that sees it.");
  maps.peaks[0][1].p = 0.03;
  EXPECT_EQ(listed_peaks(maps, 0).size(), 2U) << "less than half of the largest";
  const MeanPeak peak{0, 301, 13, 0.0807, 0.00007, 1};
  EXPECT_EQ(lift_text(peak), "1,153×");
  EXPECT_EQ(lift_text(MeanPeak{0, 301, 13, 0.9999, 0.0001, 1}), "9,999×");
  EXPECT_EQ(lift_text(MeanPeak{0, 301, 13, 0.5629680, 0.000004, 1}), "141k×") << "it fits into its column";
  EXPECT_EQ(lift_text(MeanPeak{0, 301, 13, 0.25, 0.0000001, 1}), "2.50M×");
  EXPECT_EQ(mean_cell_text(maps, peak),
            "j 301 back, k 13 back: p 0.0807 on average over the 1 query that sees it; even weights would give 7.0e-5 "
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
  overview.distance2 = {15, 15, 16, 2, 14, 14, nan, nan, nan};
  const auto far = striking_places(overview, OverviewFigure::distance2, 6, 0, [](std::int64_t) { return 15.5; });
  EXPECT_EQ(far.at(0).head, 1) << "head 0 looks everywhere: as far back as even weights";
  EXPECT_FLOAT_EQ(far.at(0).value, 2);
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
  EXPECT_EQ(far[0].head, 0) << "even weights give 5: 6 is beside it";
  EXPECT_DOUBLE_EQ(far[0].of(OverviewFigure::distance1), 1.5) << "90 is of a query before the first";
  EXPECT_EQ(from_even_text(far[0], OverviewFigure::distance1), "-3.5");
  EXPECT_EQ(far[1].head, 1);
  EXPECT_DOUBLE_EQ(far[1].of(OverviewFigure::distance1), 6) << "0 is of a query before the first";
  EXPECT_EQ(from_even_text(far[1], OverviewFigure::distance1), "+1.0");
  EXPECT_EQ(far[2].head, 2) << "without a distribution";
  EXPECT_TRUE(std::isnan(far[2].of(OverviewFigure::distance1)));
  EXPECT_EQ(from_even_text(far[2], OverviewFigure::distance1), "–");
  HeadMeans everywhere{0, {}, {}};
  everywhere.means.fill(191.98);
  everywhere.even.fill(192);
  EXPECT_EQ(from_even_text(everywhere, OverviewFigure::distance1), "0.0");
  everywhere.means.fill(60);
  EXPECT_EQ(from_even_text(everywhere, OverviewFigure::distance1), "-132");
  auto sharp = far;
  sort_heads(sharp, OverviewFigure::entropy);
  EXPECT_EQ(sharp[0].head, 1) << "1 beside 3: sharp heads first";
  EXPECT_DOUBLE_EQ(sharp[0].of(OverviewFigure::entropy), 1) << "what is not a number does not count";
  EXPECT_EQ(sharp[1].head, 0);
  const TextTable text = heads_text(far, even_means(overview, problem, 30), false, false);
  EXPECT_THAT(text.header, testing::ElementsAre("head", "mean entropy, nats", "mean largest p",
                                                "mean distance j, tokens", "mean distance k, tokens"));
  EXPECT_THAT(text.rows.at(0), testing::ElementsAre("0", "3", "", "1.5", ""));
  EXPECT_THAT(text.rows.back(), testing::ElementsAre("even weights", testing::_, testing::_, "5", "0.5"));
  EXPECT_EQ(heads_text(far, {}, true, false).header.size(), 6U);
  EXPECT_THAT(heads_text(far, {}, false, true).header, testing::Not(testing::Contains("mean distance k, tokens")));
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
  auto source = std::make_shared<SourceReply>();
  source->batch = 1;
  source->seq_len = 10'000;
  source->q_heads = source->kv_heads = 2;
  source->head_dim = 2;
  data.sides[0].source = source;
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
  EXPECT_EQ(progress_words(film.done, film.total, film.seconds_left), "0 %");
  film.total = 200;
  film.done = 68;
  film.seconds_left = 75;
  EXPECT_EQ(progress_words(film.done, film.total, film.seconds_left), "34 %, 1 min 15 s left");
}

TEST(AttentionModel, the_dialog_says_what_an_order_of_axes_makes_of_the_shapes) {
  SourceReply reply;
  reply.tensors = {{"q", {512, 4, 64}, "F32"}, {"key", {512, 1, 64}, "F32"}};
  reply.names = {{"q", "q"}, {"k1", "key"}};
  TensorMapping mapping;
  EXPECT_EQ(order_sentence(reply, mapping), "q is 512 × 4 × 64: 512 tokens, 4 heads.");
  mapping.heads_first = true;
  EXPECT_EQ(order_sentence(reply, mapping),
            "q is 512 × 4 × 64: 4 tokens, 512 heads. The other order seems to fit better.");
  reply.tensors = {{"q", {2, 4, 8, 64}, "F32"}, {"key", {2, 4, 2, 64}, "F32"}};
  EXPECT_EQ(order_sentence(reply, {}), "q is 2 × 4 × 8 × 64: 4 tokens, 8 heads.") << "k1 has fewer heads";
  reply.tensors[1].shape = {2, 4, 8, 64};
  EXPECT_EQ(order_sentence(reply, {}), "q is 2 × 4 × 8 × 64: 4 tokens, 8 heads. The other order seems to fit better.");
  reply.tensors[0].shape = reply.tensors[1].shape = {1, 1, 64};
  EXPECT_EQ(order_sentence(reply, {}), "q is 1 × 1 × 64: 1 token, 1 head.");
  reply.tensors[0].shape = {8, 64};
  EXPECT_EQ(order_sentence(reply, {}), "");
}

}  // namespace
}  // namespace triscope
