// How much of the listings' tiles is useful, against the listings' loops run element by element.
#include "kernels/paper/listing_tiles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "kernels/attention/flops.hpp"

namespace triscope {
namespace {

/// Pairs of keys that are computed for a query.
using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

struct Count {
  double computed = 0;
  std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> useful;  // query, key 1, key 2
  std::map<std::int64_t, Pairs> of_query;

  void add(const Problem& p, std::int64_t i, std::int64_t j, std::int64_t k) {
    ++computed;
    of_query[i].emplace_back(j, k);
    const bool there = i < p.seq_len && j >= 0 && j < p.seq_len && k >= 0 && k < p.seq_len;
    if (there && i - p.window1 < j && j <= i && i - p.window2 < k && k <= i) {
      EXPECT_TRUE(useful.emplace(i, j, k).second) << "computed twice";
    }
  }
};

Count forward(const Problem& p) {
  Count count;
  for (std::int64_t q_start = 0; q_start < p.seq_len; q_start += 64) {
    for (std::int64_t j = std::max<std::int64_t>(0, q_start - p.window1); j < std::min(p.seq_len, q_start + 64); ++j) {
      for (std::int64_t k = std::max<std::int64_t>(0, q_start - p.window2); k < std::min(p.seq_len, q_start + 64);
           k += 32) {
        for (std::int64_t row = 0; row < 64; ++row) {
          for (std::int64_t column = 0; column < 32; ++column) count.add(p, q_start + row, j, k + column);
        }
      }
    }
  }
  return count;
}

/// 64 rows that are heads of one query; those of the first head are checked to be useful.
Count heads(const Problem& p) {
  Count count;
  for (std::int64_t i = 0; i < p.seq_len; ++i) {
    for (std::int64_t j = std::max<std::int64_t>(0, i - p.window1 + 1); j <= i; ++j) {
      const std::int64_t first = std::max<std::int64_t>(0, i - p.window2 + 1);
      for (std::int64_t k = first; k <= i; k += 32) {
        for (std::int64_t column = 0; column < 32; ++column) count.add(p, i, j, k + column);
      }
    }
  }
  count.computed *= 64;
  return count;
}

Count key_gradients(const Problem& p) {
  Count count;
  for (std::int64_t start = 0; start < p.seq_len; start += 32) {
    for (std::int64_t k = std::max<std::int64_t>(0, start - p.window2); k < std::min(p.seq_len, start + 32 + p.window1);
         ++k) {
      const std::int64_t q_end = std::min({p.seq_len, start + 32 + p.window1, k + p.window2});
      for (std::int64_t q = std::max(start, k); q < q_end; q += 64) {
        for (std::int64_t row = 0; row < 64; ++row) {
          for (std::int64_t key = 0; key < 32; ++key) {
            // The tile is cut by the windows' mask, not by q_end, so a later tile of the same k never repeats a query.
            count.add(p, q + row, start + key, k);
          }
        }
      }
    }
  }
  return count;
}

Count two_stage(const Problem& p) {
  Count count;
  for (const std::int64_t stage : {0, 1}) {
    for (std::int64_t q_start = stage * p.window2; q_start < p.seq_len; q_start += 2 * p.window2) {
      const std::int64_t first = std::max<std::int64_t>(0, q_start - p.window1);
      for (std::int64_t j = first; j < std::min(p.seq_len, q_start + p.window2); ++j) {
        for (std::int64_t row = 0; row < p.window2; ++row) {
          for (std::int64_t key = 0; key < 2 * p.window2; ++key)
            count.add(p, q_start + row, j, q_start - p.window2 + key);
        }
      }
    }
  }
  return count;
}

TEST(ListingTiles, of_the_listings_is_that_of_their_loops) {
  for (const auto& [n, window1, window2] : {std::tuple{1, 1, 1},
                                            {64, 20, 8},
                                            {65, 20, 8},
                                            {130, 70, 32},
                                            {200, 33, 32},
                                            {97, 5, 40},
                                            {150, 64, 1},
                                            {300, 40, 9}}) {
    Problem problem;
    problem.seq_len = n;
    problem.window1 = window1;
    problem.window2 = window2;
    problem.q_heads = 6;
    problem.kv_heads = 2;
    problem.batch = 2;
    SCOPED_TRACE(describe(problem));
    const std::vector<TileUse> uses = listing_tile_uses(problem);
    ASSERT_EQ(uses.size(), 4U);
    const Count counts[] = {forward(problem), heads(problem), key_gradients(problem), two_stage(problem)};
    for (std::size_t one = 0; one < 4; ++one) {
      const double launches = one == 1 ? 4 : 12;  // 3 heads in a tile of 64, or one
      EXPECT_EQ(uses[one].computed, launches * counts[one].computed) << uses[one].kernel;
      EXPECT_EQ(uses[one].useful, 12 * static_cast<double>(counts[one].useful.size())) << uses[one].kernel;
      EXPECT_LE(uses[one].fraction(), 1);
    }
  }
}

Pairs sorted(Pairs pairs) {
  std::ranges::sort(pairs);
  return pairs;
}

Pairs pairs_of(const QueryTiles& tiles) {
  Pairs pairs;
  for (const TileBlock& block : tiles.blocks) {
    for (std::int64_t n = 0; n < block.folds; ++n) {
      for (std::int64_t key = 0; key < block.keys; ++key) {
        const std::int64_t folded = block.fold + n, other = block.first_at(n) + key;
        pairs.emplace_back(tiles.folds_axis1 ? folded : other, tiles.folds_axis1 ? other : folded);
      }
    }
  }
  return pairs;
}

TEST(ListingTiles, of_a_query_are_those_that_the_loops_compute_for_it) {
  for (const auto& [n, window1, window2] :
       {std::tuple{1, 1, 1}, {130, 70, 32}, {97, 5, 40}, {150, 64, 1}, {140, 33, 9}}) {
    Problem problem;
    problem.seq_len = n;
    problem.window1 = window1;
    problem.window2 = window2;
    problem.q_heads = problem.kv_heads = 1;
    SCOPED_TRACE(describe(problem));
    Count counts[] = {forward(problem), heads(problem), key_gradients(problem), two_stage(problem)};
    for (std::int64_t query = 0; query<n; query += n> 100 ? 7 : 1) {
      const std::vector<TileUse> uses = listing_tile_uses(problem, query);
      for (std::size_t one = 0; one < 4; ++one) {
        EXPECT_TRUE(sorted(pairs_of(uses[one].query_tiles)) == sorted(counts[one].of_query[query]))
            << uses[one].kernel << " " << query;
        EXPECT_EQ(useful_pairs(uses[one].query_tiles, problem, query),
                  static_cast<double>(std::min(query + 1, problem.window1) * std::min(query + 1, problem.window2)));
      }
    }
  }
}

TEST(ListingTiles, is_known_of_the_trilinear_form_only) {
  Problem problem;
  problem.form = Form::determinant;
  EXPECT_TRUE(listing_tile_uses(problem).empty());
  problem.form = Form::trilinear;
  problem.mask = Mask::full;
  EXPECT_TRUE(listing_tile_uses(problem).empty());
}

TEST(ListingTiles, of_the_listing_without_a_configuration_say_that_both_sizes_are_assumed) {
  Problem problem;
  problem.seq_len = 64;
  for (const TileUse& use : listing_tile_uses(problem)) {
    if (use.kernel != "paper dK, dV") continue;
    EXPECT_EQ(use.tile, "32 keys x 64 queries");
    EXPECT_THAT(use.note, testing::HasSubstr("both sizes are assumed"));
    return;
  }
  FAIL() << "no such listing";
}

}  // namespace
}  // namespace triscope
