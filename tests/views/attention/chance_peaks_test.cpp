// Which peaks of a mean count: on noise, and where a pair was planted.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "kernels/inspect/mean_maps.hpp"
#include "tests/views/attention/attention_fixture.hpp"
#include "views/model/attention/mean_words.hpp"
#include "views/parts/theme.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kDim = 16, kWindow1 = 64, kWindow2 = 16, kHeads = 4;

std::vector<float> noise(std::mt19937_64& random, std::int64_t rows) {
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<std::size_t>(rows * kDim));
  for (float& value : values) value = normal(random);
  return values;
}

/// p of trilinear logits of N(0,1), `sharp` times as large; every `planted_every`-th query has half its p at 40, 7.
Slice slice_at(std::int64_t query, const std::vector<float>* qk, float sharp, std::int64_t planted_every) {
  Slice slice;
  slice.first1 = query - kWindow1 + 1;
  slice.first2 = query - kWindow2 + 1;
  slice.count1 = kWindow1;
  slice.count2 = kWindow2;
  slice.largest_p = 1;
  double sum = 0;
  const auto at = [&](int which, std::int64_t row, std::int64_t d) {
    return qk[which][static_cast<std::size_t>(row * kDim + d)];
  };
  for (std::int64_t k = slice.first2; k <= query; ++k) {
    for (std::int64_t j = slice.first1; j <= query; ++j) {
      float logit = 0;
      for (std::int64_t d = 0; d < kDim; ++d) logit += at(0, query, d) * at(1, j, d) * at(2, k, d);
      slice.log_p.push_back(sharp * logit / std::sqrt(static_cast<float>(kDim)));
      sum += std::exp(static_cast<double>(slice.log_p.back()));
    }
  }
  const bool planted = planted_every > 0 && query % planted_every == 0;
  for (float& log_p : slice.log_p) log_p -= static_cast<float>(std::log(planted ? 2 * sum : sum));
  if (planted)
    slice.log_p[static_cast<std::size_t>((kWindow2 - 1 - 7) * kWindow1 + kWindow1 - 1 - 40)] = std::log(0.5F);
  return slice;
}

/// Heads of noise; the last of them has a planted pair, where asked for.
MeanMaps means_of(std::uint64_t seed, float sharp, std::int64_t planted_every = 0) {
  constexpr std::int64_t kTokens = 300;
  Problem problem;
  problem.window1 = kWindow1;
  problem.window2 = kWindow2;
  MeanMapsMaker maker(problem, kTokens, kHeads, 1);
  std::mt19937_64 random(seed);
  for (std::int64_t head = 0; head < kHeads; ++head) {
    const std::vector<float> qk[]{noise(random, kTokens), noise(random, kTokens), noise(random, kTokens)};
    for (const std::int64_t query : averaged_queries(problem, kTokens, 1))
      maker.add(head, query, slice_at(query, qk, sharp, head == kHeads - 1 ? planted_every : 0));
  }
  return maker.finish();
}

std::int64_t heads_that_count(const MeanMaps& maps) {
  return std::ranges::count_if(largest_peaks(maps),
                               [&](const MeanPeak& peak) { return peak_doubt(maps, peak) == PeakDoubt::none; });
}

class ChancePeaks : public fixture::AttentionMeans {};

TEST_F(ChancePeaks, noise_has_no_pair_that_counts_however_sharp_it_is) {
  for (const std::uint64_t seed : {101, 102}) {
    for (const float sharp : {0.5F, 4.0F}) {
      const MeanMaps maps = means_of(seed, sharp);
      EXPECT_EQ(heads_that_count(maps), 0) << seed << ", " << sharp;
      for (std::int64_t head = 0; head < kHeads; ++head) EXPECT_EQ(listed_peaks(maps, head).size(), 1U);
    }
  }
  EXPECT_GT(largest_peaks(means_of(101, 4)).front().p, 3 * kNearlyEven / (kWindow1 * kWindow2))
      << "so it is no matter of even weights";
}

TEST_F(ChancePeaks, a_pair_of_every_twelfth_query_counts_amid_sharp_noise) {
  const MeanMaps maps = means_of(103, 4, 12);
  EXPECT_EQ(heads_that_count(maps), 1);
  const MeanPeak& peak = maps.peaks[kHeads - 1].front();
  EXPECT_EQ(peak.back1, 40);
  EXPECT_EQ(peak.back2, 7);
  EXPECT_EQ(peak_doubt(maps, peak), PeakDoubt::none);
}

TEST_F(ChancePeaks, so_many_queries_of_all_pairs_of_all_heads_are_more_than_chance) {
  MeanMaps maps;
  maps.heads = 8, maps.width = 512, maps.height = 32;
  MeanPeak peak{0, 474, 14, 0.0063, 1 / 16384.0, 171};
  EXPECT_EQ(fewest_queries(maps, peak), 3) << "131,072 pairs make 7 pairs of queries, and 0.02 threes";
  maps.strongest.resize(8);
  maps.strongest[0] = {{474, 14}, {474, 14}, {3, 3}};
  EXPECT_EQ(peak_doubt(maps, peak), PeakDoubt::few_queries) << "103 times even weights, of two queries";
  EXPECT_THAT(doubt_text(maps, peak), HasSubstr("2 of the 171 queries that see it have their largest p here.\n"
                                                "Grey: of one or few queries. Fewer than 3 may meet at one of "
                                                "16,384 pairs of 8 heads by chance.\n"));
  EXPECT_EQ(grey_sentence(maps, {peak}),
            "Grey: head 0, of one or few queries, no more than chance brings to one of 16,384 pairs of 8 heads.");
  maps.strongest[0][2] = {474, 14};
  EXPECT_EQ(peak_doubt(maps, peak), PeakDoubt::none);
  EXPECT_THAT(doubt_text(maps, peak), HasSubstr("3 of the 171 queries that see it have their largest p here.\n"
                                                "That is more than chance: "));
  EXPECT_EQ(grey_sentence(maps, {peak}), "");
  peak.p = 2.9 / 16384;
  EXPECT_EQ(peak_doubt(maps, peak), PeakDoubt::nearly_even) << "whatever their largest";
  EXPECT_THAT(doubt_text(maps, peak), HasSubstr("Grey: nearly even. "));
  maps.width = maps.height = 1;
  peak.even = 1;
  EXPECT_EQ(fewest_queries(maps, peak), 172) << "the only pair is that of all queries";
  maps.width = 2, maps.height = 2;
  peak.even = 0.25, peak.queries = 4000;
  const std::int64_t of_many = fewest_queries(maps, peak);
  EXPECT_GT(of_many, 1100) << "1,000 are expected";
  EXPECT_LT(of_many, 1250);
}

TEST_F(ChancePeaks, a_pair_to_which_every_query_looks_second_counts) {
  MeanMaps maps;
  maps.heads = 8, maps.width = 512, maps.height = 32;
  maps.strongest.resize(8);
  maps.strongest[0].assign(171, {474, 14});
  MeanPeak second{0, 20, 3, 0.30, 1 / 16384.0, 171, 700, 0.35};
  ASSERT_EQ(maps.strongest_at(0, 20, 3), 0);
  EXPECT_EQ(peak_doubt(maps, second), PeakDoubt::none);
  EXPECT_THAT(doubt_text(maps, second), HasSubstr("Many look here, most of them more to another pair: without the 2 "
                                                  "largest p the mean is still 3 times even weights or more.\n"));
  second.p = 0.0041;  // 0.7 of 171 queries: two of 0.35
  EXPECT_EQ(peak_doubt(maps, second), PeakDoubt::few_queries);
}

TEST_F(ChancePeaks, the_table_of_heads_says_of_how_many_queries_a_peak_is) {
  EXPECT_THAT(text(), HasSubstr("| -5 | -2 | 38× | 14 |"));
  EXPECT_THAT(canvas.text, HasSubstr("Head 0 looks at one pair of distances over many queries."));
  EXPECT_THAT(canvas.text, HasSubstr("Grey: head 1, nearly even, less than 3 times even weights."));
}

TEST_F(ChancePeaks, the_table_of_heads_begins_with_those_that_count_and_has_the_others_in_grey) {
  MeanMaps maps = *data.attention.means.answer;
  const auto bright = [&] {
    data.attention.means.answer = std::make_shared<const MeanMaps>(maps);
    text();
    std::size_t corners = 0;  // four of each letter
    for (const ImDrawList* list : ImGui::GetDrawData()->CmdLists) {
      for (const ImDrawVert& corner : list->VtxBuffer) corners += corner.col == canvas.look.theme.text ? 1 : 0;
    }
    return corners;
  };
  maps.peaks[1].resize(1);
  for (const std::size_t head : {0U, 1U}) {
    maps.strongest[head].clear();
    for (MeanPeak& peak : maps.peaks[head]) peak.best_query = -1;  // so that no mean is known without it
  }
  MeanPeak& second = maps.peaks[1].front();
  second.p = 4 * second.even;
  const std::size_t none_counts = bright();
  EXPECT_EQ(heads_that_count(maps), 0);
  EXPECT_THAT(canvas.text, HasSubstr("No head looks at one pair of distances over many queries."));
  EXPECT_LT(canvas.text.find("38×"), canvas.text.find(lift_text(second))) << "the most unlike even weights first";
  maps.strongest[1].assign(maps.queries[1].size(), {second.back1, second.back2});
  EXPECT_GE(bright(), none_counts + 4 * 4) << "its head, its distances and how many queries";
  EXPECT_EQ(heads_that_count(maps), 1);
  EXPECT_GT(canvas.text.find("38×"), canvas.text.find(lift_text(second)));
  EXPECT_THAT(canvas.text, HasSubstr("Head 1 looks at one pair of distances over many queries."));
  maps.strongest[0].assign(maps.queries[0].size(), {5, 2});
  bright();
  EXPECT_THAT(canvas.text, HasSubstr("Heads 0 and 1 look at one pair of distances over many queries."));
  EXPECT_THAT(looks_sentence(maps, {second, maps.peaks[0].front()}), testing::StartsWith("Heads 0 and 1 look"))
      << "whichever is the largest";
}

}  // namespace
}  // namespace triscope
