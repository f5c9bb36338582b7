#include "kernels/cuda/hopper/tiles/backward_tiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "kernels/attention/flops.hpp"
#include "kernels/cuda/hopper/backward/backward.hpp"
#include "kernels/cuda/hopper/backward/plan/plan.hpp"
#include "kernels/cuda/hopper/tiles/portable_tiles.hpp"
#include "kernels/cuda/portable/common/shape.hpp"

namespace triscope {
namespace {

using hopper::backward::BackwardParameters;
using hopper::backward::kTileKeys;
using hopper::backward::kTileRows;
using hopper::backward::WorkItem;

/// Keys a step of the kernel that owns rows: fewer where the scores have 11 bits.
std::int64_t portable_keys(Fold fold) { return is_half(fold) ? 16 : 32; }

/// Work items that see a query, and their tiles of queries.
struct ItemWork {
  double items = 0, tiles = 0;
};

/// Of one group of short positions.
ItemWork work_of_group(const BackwardParameters& p, int group) {
  const int per_group = p.edge_keys * p.column_tiles + p.edge_tiles;
  ItemWork work;
  for (int item = 0; item < per_group; ++item) {
    const int tiles = hopper::backward::work_item(p, group * per_group + item).position_tiles;
    work.items += tiles > 0 ? 1 : 0;
    work.tiles += tiles;
  }
  return work;
}

/// Of a whole launch.
ItemWork work_of(const BackwardParameters& p) {
  const int groups = (p.seq_len + p.edge_keys - 1) / p.edge_keys;
  ItemWork sum;
  std::optional<ItemWork> inner;  // groups that no end of the sequence cuts are alike
  for (int group = 0; group < groups; ++group) {
    const int key = group * p.edge_keys;
    const bool cut = key < p.long_window || key + p.edge_keys + p.short_window > p.seq_len;
    if (!cut && !inner) inner = work_of_group(p, group);
    const ItemWork work = cut ? work_of_group(p, group) : *inner;
    sum.items += work.items;
    sum.tiles += work.tiles;
  }
  const double pairs = static_cast<double>(p.batch) * p.kv_heads;
  return {sum.items * pairs, sum.tiles * pairs * p.head_blocks};
}

/// Adds what an item computes for query `i`: columns are all of one key of the short axis, edges are cut into slots.
void add_item(QueryTiles& tiles, const BackwardParameters& p, const WorkItem& item, int i) {
  const int end = item.first_position + item.position_tiles * p.positions;
  if (i < item.first_position || i >= end) return;
  const int slots = item.edge ? p.edge_keys : 1;
  for (int slot = 0; slot < slots; ++slot) {
    const int row = slot << hopper::backward::kSlotShift;
    const hopper::backward::VirtualKey key = hopper::backward::virtual_key(p, item, row);
    const int keys = kTileKeys / slots;
    tiles.add(key.short_position, key.long_position, keys, keys);
  }
}

QueryTiles virtual_key_tiles(const hopper::backward::Plan& plan, std::int64_t query) {
  const BackwardParameters& p = plan.parameters;
  const int i = static_cast<int>(query);
  QueryTiles tiles{.folds_axis1 = plan.swapped, .first_query = query};
  tiles.last_query = std::min(p.seq_len, i + p.positions) - 1;
  tiles.heads = std::min(p.group, p.head_rows);
  tiles.rows = kTileRows;
  // Items whose keys query i can reach: those of short positions behind the window begin to see later queries only.
  const int per_group = p.edge_keys * p.column_tiles + p.edge_tiles;
  const int reach = p.short_window + p.edge_keys + kTileRows;
  const int first = std::max(0, i - reach) / p.edge_keys * per_group;
  const int end = std::min(p.items_per_pair, (i / p.edge_keys + 1) * per_group);
  std::vector<WorkItem> columns, edges;
  for (int index = first; index < end; ++index) {
    const WorkItem item = hopper::backward::work_item(p, index);
    (item.edge ? edges : columns).push_back(item);
  }
  // Tile by tile, so that the folds of one tile follow each other.
  std::ranges::stable_sort(columns, {}, &WorkItem::tile);
  std::ranges::stable_sort(edges, {}, &WorkItem::tile);
  for (const WorkItem& item : columns) add_item(tiles, p, item, i);
  for (const WorkItem& item : edges) add_item(tiles, p, item, i);
  return tiles;
}

TileUse backward_use(const Problem& problem, const char* instance, std::string tile, const char* note) {
  TileUse use;
  use.kernel = "cuda.hopper";
  use.instance = instance;
  use.pass = Pass::backward;
  use.tile = std::move(tile);
  use.note = note;
  use.useful = static_cast<double>(problem.batch * problem.q_heads) * triple_count(problem);
  return use;
}

TileUse virtual_keys_use(const Problem& problem, TiledQuery query) {
  const hopper::backward::Plan plan = hopper::backward::make_backward_plan(problem);
  TileUse use = backward_use(problem, hopper::backward::kVirtualKeys,
                             fmt::format("{} pairs of keys x {} rows", kTileKeys, kTileRows), "");
  const ItemWork work = work_of(plan.parameters);
  use.computed = work.tiles * kTileRows * kTileKeys;
  use.work = {work.items, work.tiles, static_cast<double>(problem.batch * problem.seq_len * problem.q_heads)};
  if (query) use.query_tiles = virtual_key_tiles(plan, *query);
  return use;
}

/// Tiles of 64 queries that see a tile of 128 keys, from its first key on.
double query_tile_count(const BackwardParameters& p) {
  double sum = 0;
  for (int key = 0; key < p.seq_len; key += kTileKeys) {
    const int end = std::min(p.seq_len, key + kTileKeys - 1 + p.long_window);
    for (int query = key; query < end; query += kTileRows) sum += std::min(p.short_window + 1, query + kTileRows);
  }
  return sum;
}

/// Of the tile of query `query`: the tiles of keys that it meets, and for each the offsets of this query.
QueryTiles virtual_query_tiles(const hopper::backward::Plan& plan, std::int64_t query) {
  const BackwardParameters& p = plan.parameters;
  const int i = static_cast<int>(query), first = i / kTileRows * kTileRows;
  QueryTiles tiles{.folds_axis1 = plan.swapped, .first_query = first};
  tiles.last_query = std::min(p.seq_len, first + kTileRows) - 1;
  tiles.heads = 1;
  tiles.rows = kTileRows;
  const int odd = i & 1, steps = std::min(p.short_window + 1, first + kTileRows);
  const int first_key = std::max(0, first - p.long_window - kTileKeys + 2);
  for (int tile = (first_key + kTileKeys - 1) / kTileKeys * kTileKeys; tile <= i; tile += kTileKeys)
    for (int step = steps - 1; step >= 0; --step) tiles.add(i + 1 - odd - step, tile, kTileKeys, kTileKeys);
  return tiles;
}

TileUse virtual_queries_use(const Problem& problem, TiledQuery query) {
  const hopper::backward::Plan plan = hopper::backward::make_queries_plan(problem);
  TileUse use = backward_use(problem, hopper::backward::kVirtualQueries,
                             fmt::format("{} queries x {} keys", kTileRows, kTileKeys), "");
  use.computed =
      query_tile_count(plan.parameters) * kTileRows * kTileKeys * static_cast<double>(problem.batch * problem.q_heads);
  if (query) use.query_tiles = virtual_query_tiles(plan, *query);
  return use;
}

}  // namespace

std::vector<TileUse> backward_tile_uses(const Problem& problem, Fold fold, TiledQuery query) {
  using namespace hopper::backward;
  std::vector<TileUse> uses;
  const char* chosen = choose_instance(problem, hopper::kH200, fold);
  if (!unsupported_backward(problem)) uses.push_back(virtual_keys_use(problem, query));
  if (!unsupported_queries(problem)) uses.push_back(virtual_queries_use(problem, query));
  if (!unsupported_instance(problem, kPortable, fold)) {
    const std::int64_t keys = portable_keys(fold);
    uses.push_back(backward_use(problem, kPortable, fmt::format("{} rows x {} keys", portable::kTileRows, keys),
                                "dq, short axis"));
    uses.back().computed = portable_row_triples(problem, keys);
    if (query) uses.back().query_tiles = portable_row_tiles(problem, keys, *query);
    uses.push_back(backward_use(problem, kPortable,
                                fmt::format("{} keys x {} rows", portable::kTileRows, kPortableKeyRows), "long axis"));
    uses.back().computed = portable_key_triples(problem);
    if (query) uses.back().query_tiles = portable_key_tiles(problem, *query);
  }
  for (TileUse& use : uses) {
    if (use.work.empty()) use.work = {use.computed};
  }
  for (TileUse& use : uses) use.chosen = chosen != nullptr && use.instance == std::string_view(chosen);
  return uses;
}

}  // namespace triscope
