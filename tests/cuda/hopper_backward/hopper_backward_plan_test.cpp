// The host's side of the Hopper backward: work items, their rows, and where things lie. Needs no GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "kernels/cuda/hopper/backward/plan/plan.hpp"

namespace triscope::hopper::backward {
namespace {

Problem problem_of(int n, int q_heads, int kv_heads, int w1, int w2, int head_dim = 128) {
  Problem p;
  p.seq_len = n;
  p.q_heads = q_heads;
  p.kv_heads = kv_heads;
  p.window1 = w1;
  p.window2 = w2;
  p.head_dim = head_dim;
  return p;
}

/// Which queries see each (long, short) pair, from the definition.
std::map<std::pair<int, int>, std::pair<int, int>> seen_pairs(const BackwardParameters& p) {
  std::map<std::pair<int, int>, std::pair<int, int>> seen;
  for (int i = 0; i < p.seq_len; ++i) {
    for (int j = std::max(0, i - p.long_window + 1); j <= i; ++j) {
      for (int k = std::max(0, i - p.short_window + 1); k <= i; ++k) {
        const auto [entry, is_new] = seen.try_emplace({j, k}, i, i);
        if (!is_new) entry->second.second = i;
      }
    }
  }
  return seen;
}

void expect_every_pair_once(const Problem& problem) {
  const Plan plan = make_backward_plan(problem);
  const BackwardParameters& p = plan.parameters;
  auto seen = seen_pairs(p);
  for (int index = 0; index < p.items_per_pair; ++index) {
    const WorkItem item = work_item(p, index);
    for (int row = 0; row < kTileKeys; ++row) {
      const VirtualKey key = virtual_key(p, item, row);
      if (key.last < key.first) continue;
      const auto found = seen.find({key.long_position, key.short_position});
      ASSERT_NE(found, seen.end()) << describe(problem) << ": pair " << key.long_position << ", " << key.short_position;
      EXPECT_EQ(found->second, std::make_pair(key.first, key.last)) << describe(problem);
      EXPECT_GE(key.first, item.first_position) << describe(problem);
      EXPECT_LT(key.last, item.first_position + item.position_tiles * p.positions) << describe(problem);
      seen.erase(found);
    }
    if (item.position_tiles > 0) {
      EXPECT_GE(item.first_position, 0);
      EXPECT_LT(item.first_position, p.seq_len);
      EXPECT_LE(item.first_position + item.position_tiles * p.positions, p.padded_len) << describe(problem);
      EXPECT_LT(item.first_tile, item.position_tiles);
    }
  }
  EXPECT_TRUE(seen.empty()) << describe(problem) << ": " << seen.size() << " pairs in no work item";
}

TEST(HopperBackwardPlan, every_visible_pair_is_one_row_of_one_work_item) {
  for (const auto& [w1, w2] : std::vector<std::pair<int, int>>{{512, 32},
                                                               {32, 512},
                                                               {64, 16},
                                                               {1, 1},
                                                               {1, 40},
                                                               {40, 1},
                                                               {17, 16},
                                                               {18, 17},
                                                               {129, 129},
                                                               {300, 130},
                                                               {500, 400}}) {
    for (const int n : {1, 2, 33, 150, 300}) expect_every_pair_once(problem_of(n, 64, 1, w1, w2));
  }
}

TEST(HopperBackwardPlan, random_problems_have_every_visible_pair_once) {
  std::mt19937 random(5);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)) + 1; };
  for (int n = 0; n < 60; ++n) {
    Problem problem = problem_of(below(260), below(70), 1, below(280), below(280), n % 2 ? 64 : 128);
    if (n % 3 == 0) problem.v2_bias = 0.5;  // then axis 2 is the short one, however long its window is
    expect_every_pair_once(problem);
  }
}

TEST(HopperBackwardPlan, with_a_bias_the_short_window_may_be_the_longer_one) {
  for (const auto& [w1, w2] :
       std::vector<std::pair<int, int>>{{1, 65}, {1, 64}, {2, 127}, {64, 65}, {40, 300}, {1, 290}}) {
    Problem problem = problem_of(300, 64, 1, w1, w2);
    problem.v2_bias = 0.5;
    expect_every_pair_once(problem);
  }
}

TEST(HopperBackwardPlan, a_divisor_divides_every_number_of_31_bits) {
  std::mt19937 random(9);
  for (int n = 0; n < 200000; ++n) {
    const int number = static_cast<int>(random() >> 1), divisor = static_cast<int>(random() >> (1 + random() % 31)) | 1;
    ASSERT_EQ(Divisor(divisor).of(number), number / divisor) << number << " / " << divisor;
    ASSERT_EQ(Divisor(divisor).of(number / divisor * divisor), number / divisor);
  }
  for (const int divisor : {1, 2, 3, 64, 0x7FFFFFFF}) EXPECT_EQ(Divisor(divisor).of(0x7FFFFFFF), 0x7FFFFFFF / divisor);
}

TEST(HopperBackwardPlan, rows_of_one_warp_share_their_short_position) {
  const Plan plan = make_backward_plan(problem_of(200, 64, 1, 128, 20));
  for (int index = 0; index < plan.parameters.items_per_pair; ++index) {
    const WorkItem item = work_item(plan.parameters, index);
    for (int row = 0; row < kTileKeys; ++row)
      EXPECT_EQ(virtual_key(plan.parameters, item, row).short_position,
                virtual_key(plan.parameters, item, row / 16 * 16).short_position);
  }
}

TEST(HopperBackwardPlan, a_group_is_padded_to_a_power_of_two_of_rows) {
  const auto rows = [](int q_heads) { return make_backward_plan(problem_of(100, q_heads, 1, 40, 8)).parameters; };
  EXPECT_EQ(rows(1).head_rows, 8);
  EXPECT_EQ(rows(8).positions, 8);
  EXPECT_EQ(rows(9).head_rows, 16);
  EXPECT_EQ(rows(33).head_rows, 64);
  EXPECT_EQ(rows(64).head_blocks, 1);
  EXPECT_EQ(rows(65).head_blocks, 2);
  for (int group : {1, 8, 9, 32, 64, 65})
    EXPECT_EQ(kFewestHeadRows << rows(group).position_shift, rows(group).head_rows);
}

TEST(HopperBackwardPlan, statistics_of_every_tile_are_64_values_in_one_place_and_aligned) {
  for (const int group : {8, 16, 32, 64, 128}) {
    const Plan plan = make_backward_plan(problem_of(50, group, 1, 40, 8));
    const BackwardParameters& p = plan.parameters;
    for (int position = 0; position < p.seq_len; ++position) {
      const std::int64_t offset = statistic_offset(p, 0, p.head_blocks - 1, position);
      EXPECT_EQ(offset % 16, 0);  // a fragment's order goes in sixteens
      EXPECT_LE(offset + kTileRows, plan.statistic_rows() * statistic_copies(p));
    }
  }
  std::set<std::int64_t> places;
  for (int row = 0; row < 64; ++row) places.insert(fragment_place(row));
  EXPECT_EQ(places.size(), 64u);
  EXPECT_EQ(*places.rbegin(), 63);
}

TEST(HopperBackwardPlan, a_thread_reads_eight_of_its_columns_of_an_accumulator_at_once) {
  std::set<int> places;
  for (int n = 0; n < 16; ++n) {
    for (int c = 0; c < 4; ++c) {
      for (int e = 0; e < 2; ++e) {
        const int place = fragment_column(8 * n + 2 * c + e);
        EXPECT_EQ(place, 32 * (n / 4) + 8 * c + 2 * (n % 4) + e);
        places.insert(place);
      }
    }
  }
  EXPECT_EQ(places.size(), 128u);
}

TEST(HopperBackwardPlan, the_shorter_window_is_folded_unless_there_is_a_bias) {
  Problem p = problem_of(100, 16, 1, 20, 40);
  EXPECT_TRUE(make_backward_plan(p).swapped);
  EXPECT_EQ(make_backward_plan(p).parameters.short_window, 20);
  p.form = Form::determinant;
  EXPECT_LT(make_backward_plan(p).scale, 0.0f);  // det(q, k1, k2) = -det(q, k2, k1)
  p.v2_bias = 0.5;
  EXPECT_FALSE(make_backward_plan(p).swapped);
}

TEST(HopperBackwardPlan, of_windows_longer_than_the_sequence_axis_2_is_the_short_one) {
  EXPECT_FALSE(make_backward_plan(problem_of(100, 16, 1, 300, 500)).swapped);
  EXPECT_TRUE(make_backward_plan(problem_of(100, 16, 1, 99, 500)).swapped);
}

// 2 bytes for each element of q (a group of 128 needs no padding), 4 x 4 for one key's gradients, 2 x 5 for its copies,
// 8 for each row; docs/backward.md.
TEST(HopperBackwardPlan, the_workspace_of_128_heads_and_8k_tokens_has_290_mib) {
  const Plan plan = make_backward_plan(problem_of(8192, 128, 1, 512, 32));
  const std::size_t positions = 8192 + 1, keys = 8192;
  const std::size_t sums = positions * 128 * 128 * 2 + keys * 128 * 16, rows = positions * 128 * 8;
  EXPECT_NEAR(static_cast<double>(plan.bytes), static_cast<double>(sums + rows + keys * 128 * 10), 65536.0);
  EXPECT_EQ(plan.bytes >> 20, 290u);
}

TEST(HopperBackwardPlan, the_workspace_is_smaller_than_four_times_the_gradients_in_fp32) {
  for (const int group : {8, 16, 64, 128}) {
    const Problem p = problem_of(8192, group, 1, 512, 32);
    const double gradients = 4.0 * 128 * 8192 * (group + 4);
    EXPECT_LT(static_cast<double>(make_backward_plan(p).bytes), 4 * gradients);
  }
}

// Two bytes more for each element of q, 32 instead of 16 for one key's gradients.
TEST(HopperBackwardPlan, integer_sums_need_twice_the_room) {
  Problem p = problem_of(8192, 64, 1, 512, 32);
  const Plan fast = make_backward_plan(p);
  p.deterministic = true;
  const Plan plan = make_backward_plan(p);
  EXPECT_TRUE(plan.deterministic);
  EXPECT_EQ(plan.grad_keys - plan.grad_query, 2 * (fast.grad_keys - fast.grad_query));
  EXPECT_EQ(plan.ranges - plan.grad_keys, 2 * (fast.ranges - fast.grad_keys));
  EXPECT_GE(plan.bytes - plan.fixed_scales, sizeof(FixedScales));
  EXPECT_LT(static_cast<double>(plan.bytes), 4 * 4.0 * 128 * 8192 * (64 + 4));
}

/// The low parts of all shares that can meet, each at its largest, stay below 2^30, and those of one more bit do not.
TEST(HopperBackwardPlan, low_parts_of_all_shares_fit_32_bits) {
  for (const auto& [w1, w2] : std::vector<std::pair<int, int>>{{1, 1}, {512, 32}, {128, 128}, {512, 512}, {4000, 60}}) {
    Problem p = problem_of(8192, 64, 1, w1, w2);
    p.deterministic = true;
    const FixedPoint fixed = make_backward_plan(p).fixed;
    const double sum = static_cast<double>(w1 + w2 - 1) * fixed.limit;
    EXPECT_LE(sum, 1 << 30) << w1 << "x" << w2;
    EXPECT_GT(2 * sum, 1 << 30) << w1 << "x" << w2;
    EXPECT_EQ(fixed.unit, 2 * fixed.limit);
    EXPECT_EQ(fixed.unit * fixed.per_unit, 1.0f);
  }
}

/// Position tiles of each CTA when `blocks` of them share the work. Fails where an item is not done exactly once.
std::vector<double> tiles_of_blocks(const Problem& problem, int blocks) {
  BackwardParameters p = make_backward_plan(problem).parameters;
  share_items(p, blocks);
  std::vector<double> tiles(static_cast<std::size_t>(blocks));
  std::vector<int> done(static_cast<std::size_t>(p.items));
  for (int block = 0; block < blocks; ++block) {
    for (int index = block; index < p.items; index = next_item(p, index)) {
      ++done[static_cast<std::size_t>(index)];
      tiles[static_cast<std::size_t>(block)] += work_item(p, index).position_tiles;
    }
  }
  EXPECT_EQ(std::ranges::count(done, 1), p.items) << describe(problem) << " by " << blocks;
  return tiles;
}

TEST(HopperBackwardPlan, every_work_item_is_done_by_one_cta) {
  for (const auto& [w1, w2] : std::vector<std::pair<int, int>>{{1024, 32}, {384, 64}, {128, 128}, {16, 8}, {1, 1}}) {
    for (const int blocks : {1, 2, 5, 33, 66, 78, 132}) {
      for (const int n : {132, 700, 1501}) tiles_of_blocks(problem_of(n, 64, 1, w1, w2), blocks);
    }
  }
}

/// The slowest CTA has at most 3 % more tiles than the mean. In plain order 1024x32 has 10 % and 512x8 50 % more: there
/// the items of a key group and 132 CTAs have a common divisor.
TEST(HopperBackwardPlan, ctas_have_equally_many_tiles) {
  for (const auto& [w1, w2] : std::vector<std::pair<int, int>>{{1024, 32},
                                                               {512, 64},
                                                               {128, 128},
                                                               {256, 64},
                                                               {512, 32},
                                                               {1024, 16},
                                                               {256, 32},
                                                               {512, 8},
                                                               {512, 16},
                                                               {384, 64},
                                                               {640, 96}}) {
    for (const int blocks : {132, 114, 66}) {
      const std::vector<double> tiles = tiles_of_blocks(problem_of(16384, 64, 1, w1, w2), blocks);
      const double mean = std::accumulate(tiles.begin(), tiles.end(), 0.0) / blocks;
      EXPECT_LE(*std::ranges::max_element(tiles), 1.03 * mean) << w1 << "x" << w2 << " by " << blocks;
    }
  }
}

/// Position tiles of a k whose windows no end of the sequence cuts.
double tiles_of_a_key(int w1, int w2) {
  const BackwardParameters p = make_backward_plan(problem_of(8192, 64, 1, w1, w2)).parameters;
  const int per_group = p.edge_keys * p.column_tiles + p.edge_tiles, group = 4096 / p.edge_keys;
  double tiles = 0;
  for (int n = 0; n < per_group; ++n) tiles += work_item(p, group * per_group + n).position_tiles;
  return tiles / p.edge_keys;
}

/// By hand. An edge of both ends is seen by three queries more than its rows, one of eight consecutive k by seven.
/// 512x32: four columns of 32 queries, the first 16 j of a k, which 16 see, and the last 15. 256x64: a column of 64
/// queries, and six edges at either end, of which the inner three are seen by 64. 128x128: edges alone, eight at either
/// end. 1024x16: one edge, 15 j. 100x20: 119 rows, which one column holds.
TEST(HopperBackwardPlan, tiles_of_a_key_are_as_few_as_its_rows_allow) {
  EXPECT_DOUBLE_EQ(tiles_of_a_key(512, 32), 4 * 32 + 2 * (16 + 3) / 8.0);
  EXPECT_DOUBLE_EQ(tiles_of_a_key(256, 64), 64 + 2 * (16 + 32 + 48 + 3 * 64 + 6 * 3) / 8.0);
  EXPECT_DOUBLE_EQ(tiles_of_a_key(128, 128), 2 * (16 * 36 + 8 * 3) / 8.0);
  EXPECT_DOUBLE_EQ(tiles_of_a_key(1024, 16), 8 * 16 + (15 + 7) / 8.0);
  EXPECT_DOUBLE_EQ(tiles_of_a_key(100, 20), 20);
}

/// So that they add to different sums of dq.
TEST(HopperBackwardPlan, items_that_run_together_begin_at_other_tiles) {
  const BackwardParameters p = make_backward_plan(problem_of(8192, 64, 1, 128, 128)).parameters;
  const int per_group = p.edge_keys * p.column_tiles + p.edge_tiles, first = 4096 / p.edge_keys * per_group;
  std::set<int> positions;
  for (int n = 0; n < per_group; ++n) {
    const WorkItem item = work_item(p, first + n);
    positions.insert(item.first_position + item.first_tile);
  }
  EXPECT_GE(positions.size(), static_cast<std::size_t>(p.edge_tiles) * 3 / 4);
}

/// How many work items add to one long position: what the room for low parts is made for.
TEST(HopperBackwardPlan, at_most_window1_plus_window2_less_one_shares_meet_in_a_long_position) {
  for (const auto& [w1, w2] : std::vector<std::pair<int, int>>{{40, 9}, {130, 20}, {17, 16}, {140, 130}}) {
    const BackwardParameters p = make_backward_plan(problem_of(400, 64, 1, w1, w2)).parameters;
    std::map<int, int> shares;
    for (int index = 0; index < p.items_per_pair; ++index) {
      const WorkItem item = work_item(p, index);
      for (int row = 0; row < kTileKeys; ++row) {
        const VirtualKey key = virtual_key(p, item, row);
        if (key.first <= key.last) ++shares[key.long_position];
      }
    }
    int most = 0;
    for (const auto& [position, count] : shares) most = std::max(most, count);
    EXPECT_LE(most, w1 + w2 - 1) << w1 << "x" << w2;
    EXPECT_GE(most, w1) << w1 << "x" << w2;
  }
}

/// A warp's rows that any query sees follow one another, so that one copy adds them: epilogue.cuh leaves out those
/// before position 0 and behind the last that the item can have.
TEST(HopperBackwardPlan, rows_of_one_warp_are_positions_in_order) {
  for (const auto& [w1, w2] : std::vector<std::pair<int, int>>{{128, 20}, {300, 130}, {17, 16}, {40, 1}}) {
    const BackwardParameters p = make_backward_plan(problem_of(290, 64, 1, w1, w2)).parameters;
    for (int index = 0; index < p.items_per_pair; ++index) {
      const WorkItem item = work_item(p, index);
      for (int row = 0; row < kTileKeys; ++row) {
        const VirtualKey key = virtual_key(p, item, row), first = virtual_key(p, item, row / 16 * 16);
        EXPECT_EQ(key.long_position, first.long_position + row % 16);
      }
    }
  }
}

TEST(HopperBackwardPlan, long_sums_have_a_place_for_each_element) {
  const BackwardParameters p = make_backward_plan(problem_of(20, 4, 2, 8, 8)).parameters;
  std::set<std::int64_t> places;
  for (int pair = 0; pair < 2; ++pair) {
    for (int position = 0; position < 20; ++position) {
      for (int d = 0; d < 128; ++d) places.insert(long_place(p, pair, position, d));
    }
  }
  EXPECT_EQ(places.size(), 2u * 20 * 128);
  EXPECT_EQ(*places.rbegin(), 2 * 20 * 128 - 1);
}

TEST(HopperBackwardPlan, refuses_by_name_what_it_has_not) {
  EXPECT_FALSE(unsupported_backward(problem_of(100, 16, 1, 40, 8)));
  Problem p = problem_of(100, 16, 1, 40, 8, 96);
  EXPECT_NE(unsupported_backward(p)->find("head_dim"), std::string::npos);
  p = problem_of(100, 16, 1, 40, 8);
  p = problem_of(2048, 16, 1, 1024, 512);
  p.deterministic = true;
  EXPECT_NE(unsupported_backward(p)->find("262144 pairs"), std::string::npos);
  p.seq_len = 512;  // which clips both windows
  EXPECT_FALSE(unsupported_backward(p));
  p = problem_of(100, 16, 1, 40, 8);
  p.mask = Mask::full;
  EXPECT_TRUE(unsupported_backward(p));
  p = problem_of(1 << 24, 128, 1, 512, 32);
  EXPECT_NE(unsupported_backward(p)->find("31 bits"), std::string::npos);
  p = problem_of(1, 13107, 13107, 1, 1);
  p.batch = 5;
  EXPECT_FALSE(unsupported_backward(p));
  p = problem_of(1, 8192, 8192, 1, 1);
  p.batch = 8;
  EXPECT_NE(unsupported_backward(p)->find("batch times kv_heads up to 65535"), std::string::npos);
}

}  // namespace
}  // namespace triscope::hopper::backward
