// Two sums of products: counts of work, and what a unit of it costs. The counts are those of the planners (work_item in
// parameters.hpp, portable::plan_backward); edges, and all of the portable backward, are taken as in the middle of the
// sequence. The costs are of an H200, as the forward's are (choose/chip.hpp), fitted to the times of 360 random
// problems (tests/cuda/data/hopper_backward.csv, least squares of the logarithms): those of virtual keys on 2026-11-28,
// of the portable backward on 2026-11-23. Nothing was fitted to the 200 others of hopper_backward_held.csv.
#include "kernels/cuda/hopper/backward/plan/cost.hpp"

#include <algorithm>
#include <cstdint>

#include "kernels/cuda/hopper/backward/plan/plan.hpp"
#include "kernels/cuda/portable/common/shape.hpp"

namespace triscope::hopper::backward {
namespace {

// NOLINTBEGIN(bugprone-integer-division): these two divide in whole numbers on purpose.
double divide_up(double a, double b) {
  return static_cast<double>((static_cast<std::int64_t>(a) + static_cast<std::int64_t>(b) - 1) /
                             static_cast<std::int64_t>(b));
}

/// Sum of ceil(x / per) over x = 1 .. most.
double sum_of_quotients(std::int64_t most, std::int64_t per) {
  const std::int64_t full = most / per, rest = most % per;
  return static_cast<double>(per * full * (full + 1) / 2 + rest * (full + 1));
}
// NOLINTEND(bugprone-integer-division)

/// Work items, how many of them are edges, their tiles of 64 query rows, and the tiles of the longest item.
struct Work {
  double items = 0, edges = 0, tiles = 0, longest = 0;
};

Work work_of(const BackwardParameters& p) {
  Work work;
  const auto add = [&](double items, double tiles, std::int64_t queries) {
    work.items += items;
    work.tiles += tiles;
    work.longest = std::max(work.longest, divide_up(static_cast<double>(queries), p.positions));
  };
  // Of rows with j - k = start .. end: how many queries see any of them.
  const auto queries_of = [&](std::int64_t start, std::int64_t end) {
    const std::int64_t last = std::min<std::int64_t>(p.short_window, end + p.long_window) - 1;
    return std::min<std::int64_t>(last - std::max<std::int64_t>(0, start) + 1, p.seq_len);
  };
  // Tiles of `keys` keys. Of the last `queries` - 1 of them the queries end with the sequence; there are more keys than
  // that.
  const auto whole_and_last = [&](std::int64_t keys, std::int64_t queries) {
    return static_cast<double>(keys - queries + 1) * divide_up(static_cast<double>(queries), p.positions) +
           sum_of_quotients(queries - 1, p.positions);
  };
  for (int tile = 0; tile < p.column_tiles; ++tile) {
    const std::int64_t start = p.column_start + std::int64_t{kTileKeys} * tile;
    const std::int64_t end = std::min<std::int64_t>(start + kTileKeys - 1, p.column_end);
    const std::int64_t keys = p.seq_len - std::max<std::int64_t>(0, std::max(start, -end));
    if (keys <= 0) continue;
    const std::int64_t queries = std::min(queries_of(start, end), keys);
    add(static_cast<double>(keys), whole_and_last(keys, queries), queries);
  }
  // Edges of `group` k in their first half, and of rows from `late` on in the other, if any.
  const auto add_edges = [&](std::int64_t group, std::int64_t start, std::int64_t late) {
    constexpr std::int64_t kEnd = (1 << kSlotShift) - 1;
    const auto keys_of = [&](std::int64_t first) {
      return p.seq_len - std::max<std::int64_t>(0, std::max(first, -(first + kEnd)));
    };
    const std::int64_t keys = std::max(keys_of(start), keys_of(late));
    if (keys <= 0) return;
    const std::int64_t seen = std::max(queries_of(start, start + kEnd), queries_of(late, late + kEnd));
    const std::int64_t queries = std::min<std::int64_t>(seen + group - 1, keys);
    const double groups = divide_up(static_cast<double>(keys), static_cast<double>(group));
    work.edges += groups;
    add(groups, std::max(groups, whole_and_last(keys, queries) / static_cast<double>(group)), queries);
  };
  for (int n = 0; n < p.early_edges; ++n) {
    const int start = early_start(p, n);
    add_edges(kHalfEdge, start, start + other_end(p, true, start).start);
  }
  if (p.edge_tiles > 2 * p.early_edges) add_edges(p.edge_keys, p.column_end + 1, p.column_end + 1);
  const double pairs = static_cast<double>(p.batch) * p.kv_heads;
  return {work.items * pairs, work.edges * pairs, work.tiles * pairs * p.head_blocks, work.longest * p.head_blocks};
}

struct VirtualKeysCosts {
  double launches;      ///< three, as when the problems were timed; since 2026-11-29 there are two
  double item;          ///< an item on one multiprocessor
  double edge;          ///< more for an edge
  double crowded_item;  ///< more where a sequence is so short that items add to the same sums
  double tile;
  double query_values;  ///< of a million numbers of q
};

// By head_dim 64 and 128, then trilinear and determinant.
constexpr VirtualKeysCosts kVirtualKeysCosts[2][2] = {
    {{.launches = 23.2, .item = 2.6, .edge = 1.4, .crowded_item = 1.4, .tile = 1.7, .query_values = 6.1},
     {.launches = 21.1, .item = 4.3, .edge = 2.7, .crowded_item = 2.4, .tile = 1.66, .query_values = 6.0}},
    {{.launches = 20.1, .item = 4.7, .edge = 5.0, .crowded_item = 3.3, .tile = 2.14, .query_values = 5.1},
     {.launches = 18.2, .item = 9.1, .edge = 3.1, .crowded_item = 2.9, .tile = 2.2, .query_values = 5.4}}};

/// What sums of integers cost more: by hand from the times of 512x32 with 64 and with 8 heads (docs/backward.md).
constexpr double kDeterministicItem = 2.2, kDeterministicTile = 0.23, kDeterministicValues = 1.6;

constexpr double kCrowdedLength = 256;

// Virtual queries, by hand from the times of a prototype: a block on its multiprocessor, one of its steps, and a
// million numbers of q. The 14 times of docs/backward.md, to which nothing was fitted, are at most 8 % away.
constexpr double kQueriesLaunches = 20, kQueriesBlock = 10, kQueriesStep = 3.7, kQueriesValues = 10;

struct PortableCosts {
  double launches;
  double shift;       ///< a short key of a block of rows
  double row_step;    ///< 32 long keys of it
  double key_step;    ///< 32 rows and a short key of a block of keys
  double sum_values;  ///< of a million bytes of partial sums
};

// By head_dim 64 and 128.
constexpr PortableCosts kPortableCosts[2] = {
    {.launches = 12.47, .shift = 8.33, .row_step = 0.37, .key_step = 2.05, .sum_values = 1.5},
    {.launches = 8.08, .shift = 18.56, .row_step = 1.51, .key_step = 2.68, .sum_values = 1.39}};

}  // namespace

double virtual_keys_us(const Chip& chip, const Problem& problem) {
  const BackwardParameters p = make_backward_plan(problem).parameters;
  const Work work = work_of(p);
  const VirtualKeysCosts& cost = kVirtualKeysCosts[p.head_dim == 128][problem.form == Form::determinant];
  const double items = std::max(1.0, work.items / chip.multiprocessors);
  const double tiles = std::max(work.longest, work.tiles / chip.multiprocessors);
  const double crowded = std::min(1.0, kCrowdedLength / p.seq_len);
  const double query_values =
      1e-6 * static_cast<double>(problem.batch * problem.seq_len * problem.q_heads) * p.head_dim;
  const double fast = cost.launches + items * (cost.item + crowded * cost.crowded_item) +
                      work.edges / chip.multiprocessors * cost.edge + tiles * cost.tile +
                      query_values * cost.query_values;
  if (!problem.deterministic) return fast;
  return fast + items * kDeterministicItem + tiles * kDeterministicTile + query_values * kDeterministicValues;
}

double virtual_queries_us(const Chip& chip, const Problem& problem) {
  const BackwardParameters p = make_queries_plan(problem).parameters;
  const double blocks = divide_up(p.seq_len, kTileKeys) * p.kv_heads * p.batch;
  const double tiles = divide_up(std::min<double>(p.seq_len, p.long_window + kTileKeys - 1), kTileRows);
  const double steps = tiles * (p.short_window + 1) * p.group;
  const double query_values =
      1e-6 * static_cast<double>(problem.batch * problem.seq_len * problem.q_heads) * p.head_dim;
  return kQueriesLaunches + divide_up(blocks, chip.multiprocessors) * (kQueriesBlock + steps * kQueriesStep) +
         query_values * kQueriesValues;
}

double portable_us(const Chip& chip, const Problem& problem) {
  const portable::Shape shape = portable::make_shape(problem);
  const portable::BackwardPlan plan = portable::plan_backward(shape);
  const PortableCosts& cost = kPortableCosts[shape.padded_dim() == 128];
  constexpr double kStep = 32;
  const double at_once = 2.0 * chip.multiprocessors;  // blocks
  const double pairs = static_cast<double>(shape.pairs());
  // NOLINTNEXTLINE(bugprone-integer-division): whole positions
  const double positions = std::min<double>(shape.seq_len, (portable::kTileRows + shape.group - 2) / shape.group + 1);
  const double keys = std::min<double>(shape.seq_len, shape.long_window + positions - 1);
  const double shifts = plan.tiles_per_block * static_cast<double>(shape.short_window);
  const double row_turns = std::max(1.0, static_cast<double>(plan.row_blocks) * pairs / at_once);
  const double row_tiles =
      divide_up(std::min<double>(shape.seq_len, portable::kTileRows - 1 + shape.long_window) * shape.group, kStep);
  const double key_steps = divide_up(row_tiles, plan.splits) * shape.short_window;
  const double key_turns = std::max(1.0, static_cast<double>(shape.key_tiles()) * pairs * plan.splits / at_once);
  const double sums =
      pairs * shape.padded_dim() * 2 * sizeof(float) *
      (static_cast<double>(plan.row_blocks) * plan.slab_positions + static_cast<double>(plan.splits) * shape.seq_len);
  return cost.launches + row_turns * shifts * (cost.shift + divide_up(keys, kStep) * cost.row_step) +
         key_turns * key_steps * cost.key_step + 1e-6 * sums * cost.sum_values;
}

}  // namespace triscope::hopper::backward
