// Means over queries beside plain loops over every triple.
#include "kernels/inspect/mean_maps.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <tuple>

#include "kernels/base/error.hpp"
#include "kernels/inspect/cpu/slice.hpp"
#include "tests/kernels/attention/attention_case.hpp"

namespace triscope {
namespace {

using test::attention_problem;
using test::AttentionCase;

struct MeansCase {
  explicit MeansCase(const Problem& problem)
      : data(problem),
        tensors(std::make_shared<AttentionTensors>(
            problem.batch, problem.seq_len, problem.q_heads, problem.kv_heads, problem.head_dim,
            std::array{data.q, data.k1, data.k2, data.v1, data.v2}, problem.sink ? data.sink : std::vector<float>{})) {}
  MeanMaps means(std::int64_t step) const {
    const Problem& p = data.problem;
    MeanMapsMaker maker(p, p.seq_len, p.q_heads, step);
    for (std::int64_t head = 0; head < p.q_heads; ++head) {
      for (const std::int64_t query : averaged_queries(p, p.seq_len, step))
        maker.add(head, query, make_slice(*tensors, {p, Arithmetic::exact, 0, head, query}, 1));
    }
    return maker.finish();
  }
  double logit(std::int64_t h, std::int64_t i, std::int64_t j, std::int64_t k) const {
    const Problem& p = data.problem;
    double sum = 0;
    for (std::int64_t d = 0; d < p.head_dim; ++d) {
      const auto at = [&](const std::vector<float>& rows, std::int64_t row, std::int64_t head, std::int64_t heads) {
        return static_cast<double>(rows[static_cast<std::size_t>((row * heads + head) * p.head_dim + d)]);
      };
      sum += at(data.q, i, h, p.q_heads) * at(data.k1, j, h / p.group(), p.kv_heads) *
             at(data.k2, k, h / p.group(), p.kv_heads);
    }
    return sum * p.effective_scale();
  }

  AttentionCase data;
  std::shared_ptr<AttentionTensors> tensors;
};

struct Reference {
  double p = 0, even = 0, best_p = 0;
  std::int64_t queries = 0, best_query = -1;
};

/// By distances, from every triple that a query from `first` on sees.
std::map<std::pair<std::int64_t, std::int64_t>, Reference> plain_means(const MeansCase& of, std::int64_t head,
                                                                       std::int64_t first, std::int64_t step) {
  const Problem& p = of.data.problem;
  std::map<std::pair<std::int64_t, std::int64_t>, Reference> means;
  for (std::int64_t i = first; i < p.seq_len; i += step) {
    std::map<std::pair<std::int64_t, std::int64_t>, double> weights;
    double sum = p.sink ? std::exp(static_cast<double>(of.data.sink[static_cast<std::size_t>(head)])) : 0;
    for (std::int64_t j = std::max<std::int64_t>(0, i - p.window1 + 1); j <= i; ++j) {
      for (std::int64_t k = std::max<std::int64_t>(0, i - p.window2 + 1); k <= i; ++k)
        sum += weights[{i - j, i - k}] = std::exp(of.logit(head, i, j, k));
    }
    for (const auto& [backs, weight] : weights) {
      Reference& mean = means[backs];
      mean.p += weight / sum;
      if (weight / sum > mean.best_p) {
        mean.best_p = weight / sum;
        mean.best_query = i;
      }
      mean.even += 1 / static_cast<double>(weights.size());
      ++mean.queries;
    }
  }
  for (auto& [backs, mean] : means) {
    mean.p /= static_cast<double>(mean.queries);
    mean.even /= static_cast<double>(mean.queries);
  }
  return means;
}

TEST(MeanMaps, equal_plain_loops_over_every_triple) {
  for (const auto& [window1, window2, step, first] :
       {std::tuple{24, 5, 1, 12}, std::tuple{30, 3, 3, 12}, std::tuple{4, 9, 2, 8}}) {
    Problem problem = attention_problem(Form::trilinear, 24, window1, window2, 4, 2, 6);
    if (step == 3) problem.sink = 0.5;
    const MeansCase of(problem);
    const MeanMaps maps = of.means(step);
    EXPECT_EQ(maps.width, std::min<std::int64_t>(window1, 24));
    EXPECT_EQ(maps.height, window2);
    for (std::int64_t head = 0; head < 4; ++head) {
      const auto expected = plain_means(of, head, first, step);
      std::vector<double> edge1(static_cast<std::size_t>(maps.width));
      for (std::int64_t back2 = 0; back2 < maps.height; ++back2) {
        for (std::int64_t back1 = 0; back1 < maps.width; ++back1) {
          const auto found = expected.find({back1, back2});
          if (found == expected.end()) {
            EXPECT_EQ(maps.seen_by(head, back1, back2), 0);
            EXPECT_TRUE(std::isnan(maps.at(head, back1, back2)));
            continue;
          }
          EXPECT_EQ(maps.seen_by(head, back1, back2), found->second.queries);
          EXPECT_NEAR(maps.at(head, back1, back2), found->second.p, 1e-6);
          edge1[static_cast<std::size_t>(maps.width - 1 - back1)] += found->second.p;
        }
      }
      for (std::size_t n = 0; n < edge1.size(); ++n)
        EXPECT_NEAR(maps.edge1[static_cast<std::size_t>(head * maps.width) + n], edge1[n], 1e-5);
      for (const MeanPeak& peak : maps.peaks[static_cast<std::size_t>(head)]) {
        const Reference& own = expected.at({peak.back1, peak.back2});
        EXPECT_NEAR(peak.p, own.p, 1e-6);
        EXPECT_NEAR(peak.even, own.even, 1e-12) << "over the very queries that see it";
        EXPECT_EQ(peak.queries, own.queries);
        EXPECT_NEAR(peak.best_p, own.best_p, 1e-6);
        EXPECT_EQ(peak.best_query, own.best_query);
      }
    }
  }
}

/// A head that looks exactly 7 and 2 tokens back with `share`, and evenly elsewhere; and one that has no preference.
MeanMaps planted(double share) {
  Problem problem = attention_problem(Form::trilinear, 24, 24, 4);
  MeanMapsMaker maker(problem, 24, 2, 1);
  for (const std::int64_t head : {0, 1}) {
    for (const std::int64_t query : averaged_queries(problem, 24, 1)) {
      Slice slice;
      slice.count1 = query + 1;
      slice.first2 = query - 3;
      slice.count2 = 4;
      const auto cells = static_cast<double>(slice.count1 * slice.count2);
      slice.log_p.assign(static_cast<std::size_t>(cells), static_cast<float>(-std::log(cells)));
      if (head == 1) {
        for (float& x : slice.log_p) x = static_cast<float>(std::log((1 - share) / (cells - 1)));
        slice.log_p[static_cast<std::size_t>(1 * slice.count1 + query - 7)] = static_cast<float>(std::log(share));
      }
      if (query == 23) slice.log_p[0] = std::numeric_limits<float>::quiet_NaN();
      maker.add(head, query, slice);
    }
  }
  return maker.finish();
}

TEST(MeanMaps, of_every_third_query_they_are_the_same_as_the_figures_of_heads_are_of) {
  Problem problem = attention_problem(Form::trilinear, 24, 8, 4);
  ASSERT_EQ(averaged_queries(problem, 24, 1).front(), 7);
  EXPECT_EQ(averaged_queries(problem, 24, 3), (std::vector<std::int64_t>{9, 12, 15, 18, 21}));
}

TEST(MeanMaps, the_head_that_looks_far_back_is_told_from_the_one_without_preference) {
  const MeanMaps maps = planted(0.38);
  const std::vector<MeanPeak> peaks = largest_peaks(maps);
  ASSERT_EQ(peaks.size(), 2U);
  EXPECT_EQ(peaks[0].head, 1);
  EXPECT_EQ(peaks[0].back1, 7);
  EXPECT_EQ(peaks[0].back2, 2);
  EXPECT_NEAR(peaks[0].p, 0.38, 1e-6);
  EXPECT_EQ(peaks[0].queries, 12);
  EXPECT_EQ(peaks[1].head, 0);
  EXPECT_NEAR(peaks[1].p / peaks[1].even, 1, 1e-5);
  for (const MeanPeak& peak : maps.peaks[1]) {
    if (&peak == &maps.peaks[1].front()) continue;
    EXPECT_TRUE(std::abs(peak.back1 - 7) > 1 || std::abs(peak.back2 - 2) > 1) << "beside a larger one";
  }
}

TEST(MeanMaps, say_how_many_queries_have_their_largest_p_at_a_pair_and_which_peaks_are_tied) {
  const MeanMaps maps = planted(0.38);
  EXPECT_EQ(maps.strongest_at(1, 7, 2), 12);
  EXPECT_EQ(maps.strongest_at(1, 6, 2), 0);
  EXPECT_EQ(maps.strongest.at(0).size(), maps.queries.at(0).size());
  EXPECT_EQ(tied_peaks({{0, 58, 13, 0.066, 0.001, 9}, {0, 301, 13, 0.061, 0.001, 9}, {0, 180, 13, 0.043, 0.001, 9}}),
            2U);
  EXPECT_EQ(tied_peaks({}), 0U);
}

TEST(MeanMaps, heads_stand_by_what_their_peaks_are_beside_even_weights) {
  MeanMaps maps;
  maps.heads = 3;
  maps.peaks = {{{0, 1, 1, 0.5, 0.4, 3}}, {}, {{2, 7, 2, 0.2, 0.01, 3}}};
  const std::vector<MeanPeak> peaks = largest_peaks(maps);
  ASSERT_EQ(peaks.size(), 2U) << "a head without a peak has none";
  EXPECT_EQ(peaks[0].head, 2);
  EXPECT_EQ(peaks[1].head, 0) << "though its p is larger";
}

TEST(MeanMaps, a_query_without_a_distribution_takes_no_part_and_a_full_mask_is_refused) {
  const Problem problem = attention_problem(Form::trilinear, 8, 3, 2);
  MeanMapsMaker maker(problem, 8, 1, 1);
  Slice slice;
  slice.first1 = 1;
  slice.count1 = 3;
  slice.first2 = 2;
  slice.count2 = 2;
  slice.log_p.assign(6, static_cast<float>(std::log(1.0 / 6)));
  maker.add(0, 3, slice);
  for (const double lse : {std::nan(""), 0.0}) {
    slice.lse = lse;
    slice.entropy = slice.largest_p = std::nan("");
    ++slice.first1, ++slice.first2;
    maker.add(0, slice.first2 + 1, slice);
  }
  const MeanMaps maps = maker.finish();
  EXPECT_EQ(maps.seen_by(0, 2, 1), 1);
  EXPECT_NEAR(maps.at(0, 2, 1), 1.0 / 6, 1e-7);
  Problem full = problem;
  full.mask = Mask::full;
  EXPECT_THROW(MeanMapsMaker(full, 8, 1, 1), Error);
  EXPECT_THROW(MeanMapsMaker(attention_problem(Form::trilinear, 4096, 4096, 1025), 4096, 1, 1), Error);
}

}  // namespace
}  // namespace triscope
