#include "kernels/paper/listing_tiles.hpp"

#include <algorithm>

#include "kernels/attention/flops.hpp"

namespace triscope {
namespace {

constexpr std::int64_t kForwardQueries = 64, kForwardKeys = 32;
// Listing 2 has no configuration: assumed to be those of Listing 1.
constexpr std::int64_t kBackwardKeys = kForwardKeys, kBackwardQueries = kForwardQueries;

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// The sizes of one head.
struct Sizes {
  std::int64_t n, window1, window2;
};

/// Listing 1: both loops begin one key early, as it is printed.
double forward_triples(const Sizes& s) {
  double sum = 0;
  for (std::int64_t first = 0; first < s.n; first += kForwardQueries) {
    const std::int64_t end = std::min(s.n, first + kForwardQueries);
    const std::int64_t keys1 = end - std::max<std::int64_t>(0, first - s.window1);
    const std::int64_t blocks = ceil_div(end - std::max<std::int64_t>(0, first - s.window2), kForwardKeys);
    sum += static_cast<double>(keys1 * blocks * kForwardKeys * kForwardQueries);
  }
  return sum;
}

/// The same with 64 heads of one query in place of 64 queries: every row has the query's own windows. The loops begin
/// at the first key that it sees.
double head_triples(const Sizes& s, std::int64_t group) {
  double sum = 0;
  for (std::int64_t i = 0; i < s.n; ++i) {
    const std::int64_t keys2 = ceil_div(std::min(s.window2, i + 1), kForwardKeys) * kForwardKeys;
    sum += static_cast<double>(std::min(s.window1, i + 1) * keys2);
  }
  return sum * static_cast<double>(ceil_div(group, kForwardQueries) * kForwardQueries);
}

/// Listing 2: the queries [first, end) of the tiles that a block of keys from `key` on computes with key `k` of axis 2.
struct Queries {
  std::int64_t first, end;
};
Queries queries_of(const Sizes& s, std::int64_t key, std::int64_t k) {
  const std::int64_t first = std::max(key, k);
  const std::int64_t seen = std::min({s.n, key + kBackwardKeys + s.window1, k + s.window2}) - first;
  return {first, first + (seen > 0 ? ceil_div(seen, kBackwardQueries) * kBackwardQueries : 0)};
}

/// Listing 2, the block of keys from `first` on: for each key of axis 2, the queries that see it and a key of the
/// block.
double key_block_triples(const Sizes& s, std::int64_t first) {
  double sum = 0;
  const std::int64_t end = first + kBackwardKeys;
  for (std::int64_t k = std::max<std::int64_t>(0, first - s.window2); k < std::min(s.n, end + s.window1); ++k) {
    const Queries queries = queries_of(s, first, k);
    sum += static_cast<double>((queries.end - queries.first) * kBackwardKeys);
  }
  return sum;
}

double key_gradient_triples(const Sizes& s) {
  double sum = 0, inner = 0;  // blocks that no end of the sequence cuts are alike
  for (std::int64_t first = 0; first < s.n; first += kBackwardKeys) {
    const bool whole = first >= s.window2 && first + kBackwardKeys + s.window1 <= s.n;
    if (!whole) {
      sum += key_block_triples(s, first);
    } else {
      if (inner == 0) inner = key_block_triples(s, first);
      sum += inner;
    }
  }
  return sum;
}

/// Listing 3, even and odd tiles together.
double two_stage_triples(const Sizes& s) {
  double sum = 0;
  for (std::int64_t first = 0; first < s.n; first += s.window2) {
    const std::int64_t keys1 = std::min(s.n, first + s.window2) - std::max<std::int64_t>(0, first - s.window1);
    sum += static_cast<double>(keys1) * static_cast<double>(s.window2 * 2 * s.window2);
  }
  return sum;
}

/// What the loops of the listings compute for query `i`.
QueryTiles forward_tiles(const Sizes& s, std::int64_t i) {
  const std::int64_t first = i / kForwardQueries * kForwardQueries, end = std::min(s.n, first + kForwardQueries);
  QueryTiles tiles{.folds_axis1 = true, .first_query = first, .last_query = end - 1, .heads = 1};
  tiles.rows = kForwardQueries;
  const std::int64_t first2 = std::max<std::int64_t>(0, first - s.window2);
  const std::int64_t keys2 = ceil_div(end - first2, kForwardKeys) * kForwardKeys;
  for (std::int64_t j = std::max<std::int64_t>(0, first - s.window1); j < end; ++j)
    tiles.add(j, first2, keys2, kForwardKeys);
  return tiles;
}

QueryTiles head_tiles(const Sizes& s, std::int64_t group, std::int64_t i) {
  QueryTiles tiles{.folds_axis1 = true, .first_query = i, .last_query = i};
  tiles.heads = std::min(group, kForwardQueries);
  tiles.rows = kForwardQueries;
  const std::int64_t keys2 = std::min(s.window2, i + 1);
  for (std::int64_t j = std::max<std::int64_t>(0, i - s.window1 + 1); j <= i; ++j)
    tiles.add(j, i - keys2 + 1, ceil_div(keys2, kForwardKeys) * kForwardKeys, kForwardKeys);
  return tiles;
}

/// Key `k` of axis 2 is multiplied into whole blocks of axis 1.
QueryTiles key_gradient_tiles(const Sizes& s, std::int64_t i) {
  QueryTiles tiles{.first_query = i, .last_query = std::min(s.n, i + kBackwardQueries) - 1, .heads = 1};
  tiles.rows = kBackwardQueries;
  const std::int64_t reach = s.window1 + kBackwardKeys + kBackwardQueries;
  const std::int64_t low = std::max<std::int64_t>(0, i - reach) / kBackwardKeys * kBackwardKeys;
  for (std::int64_t first = low; first <= i; first += kBackwardKeys) {
    const std::int64_t end = first + kBackwardKeys;
    const std::int64_t from = std::max({std::int64_t{0}, first - s.window2, i - s.window2 - kBackwardQueries});
    for (std::int64_t k = from; k < std::min({s.n, end + s.window1, i + 1}); ++k) {
      const Queries queries = queries_of(s, first, k);
      if (queries.first <= i && i < queries.end) tiles.add(k, first, kBackwardKeys, kBackwardKeys);
    }
  }
  return tiles;
}

QueryTiles two_stage_tiles(const Sizes& s, std::int64_t i) {
  const std::int64_t first = i / s.window2 * s.window2, end = std::min(s.n, first + s.window2);
  QueryTiles tiles{.folds_axis1 = true, .first_query = first, .last_query = end - 1, .heads = 1};
  tiles.rows = s.window2;
  for (std::int64_t j = std::max<std::int64_t>(0, first - s.window1); j < end; ++j)
    tiles.add(j, first - s.window2, 2 * s.window2, 2 * s.window2);
  return tiles;
}

TileUse listing_use(const char* kernel, Pass pass, const char* tile, const char* note, double computed) {
  TileUse use;
  use.kernel = kernel;
  use.pass = pass;
  use.tile = tile;
  use.note = note;
  use.computed = computed;
  return use;
}

}  // namespace

std::vector<TileUse> listing_tile_uses(const Problem& problem, TiledQuery query) {
  if (problem.form != Form::trilinear || problem.mask != Mask::causal) return {};
  const Sizes sizes{problem.seq_len, std::min(problem.window1, problem.seq_len),
                    std::min(problem.window2, problem.seq_len)};
  const auto pairs = static_cast<double>(problem.batch * problem.kv_heads);
  const double heads = static_cast<double>(problem.batch * problem.q_heads);
  const bool printed = problem.window2 == 32;
  std::vector<TileUse> uses{
      listing_use("paper forward", Pass::forward, "64 queries x 32 keys", "", heads * forward_triples(sizes)),
      listing_use("paper forward, text", Pass::forward, "64 heads x 32 keys", "the text; the listing tiles queries",
                  pairs * head_triples(sizes, problem.group())),
      listing_use("paper dK, dV", Pass::backward, "32 keys x 64 queries", "both sizes are assumed: the forward's",
                  heads * key_gradient_triples(sizes)),
      listing_use("paper two-stage", Pass::backward, "w2 queries x 2 w2 keys",
                  printed ? "" : "the listing is for w2 = 32", heads * two_stage_triples(sizes))};
  for (TileUse& use : uses) use.useful = heads * triple_count(problem);
  if (query) {
    uses[0].query_tiles = forward_tiles(sizes, *query);
    uses[1].query_tiles = head_tiles(sizes, problem.group(), *query);
    uses[2].query_tiles = key_gradient_tiles(sizes, *query);
    uses[3].query_tiles = two_stage_tiles(sizes, *query);
  }
  return uses;
}

}  // namespace triscope
