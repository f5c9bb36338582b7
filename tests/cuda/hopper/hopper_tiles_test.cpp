// Which part of the tiles is useful, against every element of every work item. No GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/attention/flops.hpp"
#include "kernels/cuda/hopper/backward/backward.hpp"
#include "kernels/cuda/hopper/backward/plan/plan.hpp"
#include "kernels/cuda/hopper/choose/instance_facts.hpp"
#include "kernels/cuda/hopper/choose/plan.hpp"
#include "kernels/cuda/hopper/forward/work_item.hpp"
#include "kernels/cuda/hopper/tiles/tiles.hpp"
#include "kernels/cuda/portable/common/shape.hpp"

namespace triscope {
namespace {

/// Long and short keys that are computed for a query, in the first head.
using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

struct Count {
  double computed = 0, useful = 0;
  std::map<std::int64_t, Pairs> of_query;
};

/// Every element that a launch of one instance computes: query rows (those that do not exist too) x columns x steps. A
/// row at position r uses the short key r - t in step t.
template <int kInstance>
Count count_elements(const hopper::Plan& plan) {
  constexpr hopper::TileConfig kConfig = hopper::kInstances[kInstance].config;
  using L = hopper::Layout<kConfig>;
  const hopper::ForwardParameters& p = plan.parameters;
  Count count;
  std::vector<std::uint64_t> seen;  // each triple as one number
  for (int index = 0; index < p.items; ++index) {
    const hopper::WorkItem item = hopper::work_item<kConfig>(p, index);
    for (int row = 0; row < L::kQueryRows; ++row) {
      const int position = item.position + row / p.heads, head = row % p.heads;
      const bool second = kConfig.paired_positions && row >= 64;
      const int first_key = second ? item.span.second_key : item.span.first_key;
      const bool there = position <= item.last_position && head < item.heads && row / p.heads < p.positions;
      for (int column = 0; column < item.span.columns(kConfig); ++column) {
        const int key = first_key + column;
        const bool sees = there && key <= position && key > position - p.long_window;
        for (int t = 0; t < item.steps * L::kStepsPerStage; ++t) {
          ++count.computed;
          if (there && item.first_head == 0 && head == 0 && item.batch == 0)
            count.of_query[position].emplace_back(key, position - t);
          if (!sees || t >= p.short_window || position - t < 0) continue;
          ++count.useful;
          seen.push_back(
              ((static_cast<std::uint64_t>(item.first_head + head) * 1024 + static_cast<std::uint64_t>(position)) *
                   1024 +
               static_cast<std::uint64_t>(key)) *
                  1024 +
              static_cast<std::uint64_t>(position - t));
        }
      }
    }
  }
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end()) << "computed twice";
  return count;
}

template <int... kIndex>
Count count_of(const hopper::Plan& plan, std::integer_sequence<int, kIndex...>) {
  using Counter = Count (*)(const hopper::Plan&);
  constexpr Counter kCounters[] = {&count_elements<kIndex>...};
  return kCounters[plan.instance](plan);
}

struct Sizes {
  explicit Sizes(const Problem& problem)
      : group(static_cast<int>(problem.group())),
        n(static_cast<int>(problem.seq_len)),
        long_window(portable::make_shape(problem).long_window),
        short_window(portable::make_shape(problem).short_window),
        pairs(static_cast<double>(problem.batch * problem.kv_heads)) {}
  int group, n, long_window, short_window;
  double pairs;
};

/// The portable kernels that own rows, block by block: tiles of `keys` keys.
Count count_portable(const Problem& problem, int keys) {
  const auto [group, n, long_window, short_window, pairs] = Sizes(problem);
  Count count;
  for (int begin = 0; begin < n * group; begin += 64) {
    const int last = (std::min(begin + 64, n * group) - 1) / group;
    const int first_key = std::max(0, begin / group - long_window + 1);
    for (int row = begin; row < begin + 64; ++row) {
      const int position = row / group;
      for (int tile = first_key; tile <= last; tile += keys) {
        for (int key = tile; key < tile + keys; ++key) {
          for (int t = 0; t < std::min(short_window, last + 1); ++t) {
            ++count.computed;
            if (row < n * group && row % group == 0) count.of_query[position].emplace_back(key, position - t);
            const bool sees = row < n * group && key <= position && key > position - long_window;
            if (sees && position - t >= 0) ++count.useful;
          }
        }
      }
    }
  }
  return {count.computed * pairs, count.useful * pairs, std::move(count.of_query)};
}

/// The portable backward's kernel that owns keys of the long axis.
Count count_portable_keys(const Problem& problem) {
  const auto [group, n, long_window, short_window, pairs] = Sizes(problem);
  Count count;
  for (int first_key = 0; first_key < n; first_key += 64) {
    const int last_position = std::min(std::min(first_key + 64, n) - 1 + long_window, n) - 1;
    for (int first = first_key * group; first < (last_position + 1) * group; first += 32) {
      const int last = (std::min(first + 32, n * group) - 1) / group;
      for (int row = first; row < first + 32; ++row) {
        const int position = row / group;
        for (int t = 0; t < std::min(short_window, last + 1); ++t) {
          for (int key = first_key; key < first_key + 64; ++key) {
            ++count.computed;
            if (row < n * group && row % group == 0) count.of_query[position].emplace_back(key, position - t);
            const bool sees = row < n * group && key <= position && key > position - long_window;
            if (sees && position - t >= 0) ++count.useful;
          }
        }
      }
    }
  }
  return {count.computed * pairs, count.useful * pairs, std::move(count.of_query)};
}

/// The work items of virtual keys, pair by pair and row by row.
Count count_virtual_keys(const Problem& problem) {
  const hopper::backward::BackwardParameters p = hopper::backward::make_backward_plan(problem).parameters;
  Count count;
  for (int index = 0; index < p.items_per_pair; ++index) {
    const hopper::backward::WorkItem item = hopper::backward::work_item(p, index);
    for (int row = 0; row < item.position_tiles * p.positions * p.head_rows * p.head_blocks; ++row) {
      const int head = row % (p.head_rows * p.head_blocks);
      const int position = item.first_position + row / (p.head_rows * p.head_blocks);
      for (int pair = 0; pair < hopper::backward::kTileKeys; ++pair) {
        const hopper::backward::VirtualKey key = hopper::backward::virtual_key(p, item, pair);
        ++count.computed;
        if (head == 0 && position < p.seq_len)
          count.of_query[position].emplace_back(key.long_position, key.short_position);
        if (head < p.group && key.first <= position && position <= key.last) ++count.useful;
      }
    }
  }
  const double pairs = p.batch * p.kv_heads;
  return {count.computed * pairs, count.useful * pairs, std::move(count.of_query)};
}

/// The steps of virtual queries: rows 2 n and 2 n + 1 of a tile have offsets step - 1 and step.
Count count_virtual_queries(const Problem& problem) {
  const auto [group, n, long_window, short_window, pairs] = Sizes(problem);
  Count count;
  for (int first_key = 0; first_key < n; first_key += 128) {
    for (int first = first_key; first < std::min(n, first_key + 127 + long_window); first += 64) {
      for (int step = 0; step < std::min(short_window + 1, first + 64); ++step) {
        for (int i = first; i < first + 64; ++i) {
          const int offset = (i & 1) == 0 ? step - 1 : step;
          for (int key = first_key; key < first_key + 128; ++key) {
            ++count.computed;
            if (i >= n) continue;
            count.of_query[i].emplace_back(key, i - offset);
            const bool sees = key <= i && key > i - long_window && offset >= 0 && offset < short_window;
            if (sees && i - offset >= 0) ++count.useful;
          }
        }
      }
    }
  }
  return {count.computed * pairs * group, count.useful * pairs * group, std::move(count.of_query)};
}

Pairs pairs_of(const QueryTiles& tiles) {
  Pairs pairs;
  for (const TileBlock& block : tiles.blocks) {
    for (std::int64_t n = 0; n < block.folds; ++n) {
      for (std::int64_t key = 0; key < block.keys; ++key) pairs.emplace_back(block.first_at(n) + key, block.fold + n);
    }
  }
  return pairs;
}

/// Every element that `use` stands for; nothing where it has no tiles.
Count count_of(const TileUse& use, const Problem& problem) {
  if (use.pass == Pass::backward) {
    if (use.instance == hopper::backward::kVirtualKeys) return count_virtual_keys(problem);
    if (use.instance == hopper::backward::kVirtualQueries) return count_virtual_queries(problem);
    return use.tile.starts_with("64 rows") ? count_portable(problem, use.tile == "64 rows x 16 keys" ? 16 : 32)
                                           : count_portable_keys(problem);
  }
  const int instance = hopper::find_instance(use.instance);
  if (instance == hopper::kPortableInstance) return count_portable(problem, 64);
  if (instance == hopper::kRowsInstance) return {use.useful, use.useful, {}};
  const hopper::Plan plan = hopper::make_plan(problem, instance, hopper::kH200).value();
  return count_of(plan, std::make_integer_sequence<int, hopper::kInstanceCount>{});
}

/// The tiles of some queries are the pairs that the loops above compute for them.
void expect_placed(const Problem& problem, const std::string& instance, std::size_t which, const Count& count) {
  for (const std::int64_t query : {std::int64_t{0}, problem.seq_len / 3, problem.seq_len - 2, problem.seq_len - 1}) {
    const TileUse use = hopper_tile_uses(problem, query)[which];
    ASSERT_EQ(use.instance, instance);
    Pairs computed = count.of_query.at(query), placed = pairs_of(use.query_tiles);
    std::ranges::sort(computed), std::ranges::sort(placed);
    EXPECT_EQ(computed_pairs(use.query_tiles), static_cast<double>(computed.size())) << query;
    EXPECT_TRUE(placed == computed) << query;
    EXPECT_EQ(useful_pairs(use.query_tiles, problem, query),
              static_cast<double>(std::min(problem.window1, query + 1) * std::min(problem.window2, query + 1)))
        << query;
    EXPECT_LE(use.query_tiles.first_query, query);
    EXPECT_GE(use.query_tiles.last_query, query);
  }
}

/// Work items of the backward one of whose virtual keys a query sees.
double seen_items(const Problem& problem) {
  const hopper::backward::BackwardParameters p = hopper::backward::make_backward_plan(problem).parameters;
  double seen = 0;
  for (int index = 0; index < p.items; ++index) {
    const hopper::backward::WorkItem item = hopper::backward::work_item(p, index);
    bool any = false;
    for (int row = 0; row < hopper::backward::kTileKeys; ++row) {
      const hopper::backward::VirtualKey key = hopper::backward::virtual_key(p, item, row);
      any = any || key.first <= key.last;
    }
    seen += any ? 1 : 0;
  }
  return seen;
}

/// What an estimate of the time is made of: as many tiles as elements are computed in.
void expect_parts(const TileUse& use, const Problem& problem) {
  if (use.instance == hopper::backward::kVirtualKeys) {
    ASSERT_EQ(use.work.size(), 3U);
    EXPECT_EQ(use.work[0], seen_items(problem));
    EXPECT_EQ(use.work[1] * hopper::backward::kTileRows * hopper::backward::kTileKeys, use.computed);
    EXPECT_EQ(use.work[2], static_cast<double>(problem.batch * problem.seq_len * problem.q_heads));
  } else if (use.work.size() == 3) {
    const int instance = hopper::find_instance(use.instance);
    const hopper::InstanceFacts& facts = hopper::kFacts.at(static_cast<std::size_t>(instance));
    const double items = hopper::make_plan(problem, instance, hopper::kH200).value().parameters.items;
    EXPECT_EQ(std::fmod(use.work[0], hopper::kH200.multiprocessors), 0) << "whole turns";
    EXPECT_GE(use.work[0], items);
    EXPECT_LT(use.work[0], items + hopper::kH200.multiprocessors);
    EXPECT_NEAR(use.work[1] * items / use.work[0] * facts.query_rows * facts.steps_per_stage, use.computed,
                1e-9 * use.computed);
    EXPECT_LE(use.work[2], use.work[1] / facts.config.tile_keys);
  } else {
    EXPECT_EQ(use.work, std::vector<double>{use.computed});
  }
}

void expect_counted(const Problem& problem, std::map<std::string, int>& instances) {
  SCOPED_TRACE(describe(problem));
  int chosen = 0;
  const std::vector<TileUse> uses = hopper_tile_uses(problem);
  for (std::size_t which = 0; which < uses.size(); ++which) {
    const TileUse& use = uses[which];
    SCOPED_TRACE(use.instance + " " + use.tile);
    chosen += use.chosen && use.pass == Pass::forward ? 1 : 0;
    ++instances[use.instance];
    const Count count = count_of(use, problem);
    EXPECT_EQ(use.computed, count.computed);
    EXPECT_EQ(use.useful, count.useful) << "every triple of the windows is computed once";
    EXPECT_EQ(use.useful, static_cast<double>(problem.batch * problem.q_heads) * triple_count(problem));
    expect_parts(use, problem);
    if (!count.of_query.empty()) expect_placed(problem, use.instance, which, count);
  }
  EXPECT_EQ(chosen, 1);
}

TEST(HopperTiles, use_is_that_of_every_element_of_every_instance) {
  std::map<std::string, int> instances;
  for (const std::int64_t head_dim : {64, 128}) {
    for (const Form form : {Form::trilinear, Form::determinant}) {
      for (const double bias : {0.0, 0.5}) {
        for (const auto& [group, window1, window2, seq_len] :
             {std::tuple{64, 140, 3, 147}, {128, 9, 3, 12}, {3, 200, 4, 41}, {48, 4, 130, 14}}) {
          Problem problem;
          problem.head_dim = head_dim;
          problem.form = form;
          problem.k2_bias = bias;
          const std::int64_t pairs = seq_len < 100 ? 2 : 1;
          problem.q_heads = pairs * group;
          problem.kv_heads = pairs;
          problem.window1 = window1;
          problem.window2 = window2;
          problem.seq_len = bias == 0 ? seq_len : 20;
          expect_counted(problem, instances);
        }
      }
    }
  }
  for (int instance = 0; instance < hopper::kAllInstances; ++instance)
    EXPECT_GT(instances[hopper::instance_name(instance)], 0) << hopper::instance_name(instance);
  EXPECT_GT(instances[hopper::backward::kVirtualKeys], 0);
  EXPECT_GT(instances[hopper::backward::kVirtualQueries], 0);
}

TEST(HopperTiles, are_counted_where_most_are_alike) {
  for (const auto& [group, window1, window2, seq_len] :
       {std::tuple{1, 130, 9, 400}, {8, 20, 17, 120}, {9, 5, 40, 90}, {3, 4, 7, 101}, {6, 9, 2, 75}, {64, 3, 5, 21}}) {
    Problem problem;
    problem.q_heads = group;
    problem.window1 = window1;
    problem.window2 = window2;
    problem.seq_len = seq_len;
    std::map<std::string, int> instances;
    expect_counted(problem, instances);
  }
}

TEST(HopperTiles, the_chosen_backward_is_that_behind_the_chosen_forward) {
  Problem problem;
  problem.seq_len = 4096;
  std::vector<std::string> chosen;
  for (const TileUse& use : hopper_tile_uses(problem)) {
    if (use.chosen && use.pass == Pass::backward) chosen.push_back(use.instance);
  }
  EXPECT_EQ(chosen, std::vector<std::string>{hopper::backward::kVirtualKeys});
}

TEST(HopperTiles, are_none_for_a_problem_that_is_refused) {
  Problem problem;
  problem.head_dim = 96;
  EXPECT_TRUE(hopper_tile_uses(problem).empty());
}

}  // namespace
}  // namespace triscope
