#include "kernels/cuda/hopper/backward/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "kernels/attention/axis_roles.hpp"

namespace triscope::hopper::backward {
namespace {

constexpr std::int64_t kMost = (std::int64_t{1} << 31) - 1;
/// Batch x kv_heads. The grid of virtual queries has a row of blocks for each kv head and a layer for each batch, of
/// which CUDA allows 65,535 each. Virtual keys number theirs with 31 bits, but were never run with more.
constexpr std::int64_t kMostBatchHeads = 65535;

std::int64_t round_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b * b; }

std::size_t reserve(std::size_t& end, std::int64_t bytes) {
  const std::size_t begin = end;
  end += static_cast<std::size_t>(round_up(bytes, 256));
  return begin;
}

/// As in the forward: with a bias axis 2 is the short one.
AxisRoles roles_of(const Problem& problem) { return axis_roles(problem, BiasPlace::in_product); }

/// Rows a position has in a tile: the group rounded up to a power of two from `fewest` to 64.
int head_rows_of(std::int64_t group, int fewest = kFewestHeadRows) {
  int rows = fewest;
  while (rows < group && rows < kTileRows) rows *= 2;
  return rows;
}

std::int64_t padded_len_of(std::int64_t seq_len, int positions) { return round_up(seq_len, positions) + positions; }

std::int64_t query_row_count(const Problem& problem) {
  const int head_rows = head_rows_of(problem.group());
  const std::int64_t blocks = (problem.group() + head_rows - 1) / head_rows;
  return 2 * problem.batch * problem.kv_heads * blocks * padded_len_of(problem.seq_len, kTileRows / head_rows) *
         head_rows;
}

/// `columns` columns, as many edges as the other rows need, half of them at either end.
void lay_out_rows(BackwardParameters& p, int columns) {
  constexpr int kSlot = 1 << kSlotShift;
  const int rows = p.long_window + p.short_window - 1;
  p.column_tiles = columns;
  p.edge_tiles = (std::max(0, rows - kTileKeys * columns) + kSlot - 1) / kSlot;
  p.early_edges = p.edge_tiles / 2;
  p.column_start = 1 - p.long_window + kSlot * p.early_edges;
  p.column_end = std::min(p.short_window - 1, p.column_start + kTileKeys * columns - 1);
  p.sum_of_starts = 1 - p.long_window + p.column_end + 1 + kSlot * (p.edge_tiles - p.early_edges - 1);
}

/// Tiles of queries for p.edge_keys k, in the middle of a long sequence.
std::int64_t tiles_of_rows(const BackwardParameters& p) {
  // Of `keys` k, of which a row is seen by `queries` queries.
  const auto tiles = [&](int queries, int keys) { return (queries + keys - 1 + p.positions - 1) / p.positions; };
  const auto seen = [&](int start, int end) {
    return std::min(p.short_window, end + p.long_window) - std::max(0, start);
  };
  std::int64_t sum = 0;
  for (int n = 0; n < p.column_tiles; ++n) {
    const int start = p.column_start + kTileKeys * n;
    sum += p.edge_keys * tiles(seen(start, std::min(start + kTileKeys - 1, p.column_end)), 1);
  }
  constexpr int kEnd = (1 << kSlotShift) - 1;
  for (int n = 0; n < p.early_edges; ++n) {
    const int start = early_start(p, n), late = start + other_end(p, true, start).start;
    const int queries = std::max(seen(start, start + kEnd), seen(late, late + kEnd) + std::max(0, late) % kHalfEdge);
    sum += 2 * tiles(queries, kHalfEdge);
  }
  if (p.edge_tiles > 2 * p.early_edges) sum += tiles(seen(p.column_end + 1, p.column_end + 1 + kEnd), p.edge_keys);
  return sum;
}

/// Which rows of a k are columns, and which are edges (parameters.hpp): as few columns as make less work.
void lay_out_rows(BackwardParameters& p) {
  constexpr int kMostColumns = 64;  // counting them takes the host longer than it is worth
  const int rows = p.long_window + p.short_window - 1;
  int columns = (rows + kTileKeys - 1) / kTileKeys;
  lay_out_rows(p, columns);
  std::int64_t least = columns > kMostColumns ? 0 : tiles_of_rows(p);
  if (columns > kMostColumns && rows % kTileKeys != 0) lay_out_rows(p, --columns);
  while (columns > 0 && columns <= kMostColumns) {
    lay_out_rows(p, columns - 1);
    const std::int64_t work = tiles_of_rows(p);
    if (work >= least) break;
    least = work, --columns;
  }
  lay_out_rows(p, columns);
  p.edge_shift = std::bit_width(static_cast<unsigned>(std::max(1, p.edge_tiles) - 1));
}

std::int64_t items_of_pair(const BackwardParameters& p) {
  const std::int64_t groups = (p.seq_len + p.edge_keys - 1) / p.edge_keys;
  return groups * (std::int64_t{p.edge_keys} * p.column_tiles + p.edge_tiles);
}

BackwardParameters make_parameters(const Problem& problem, const AxisRoles& roles, int fewest_head_rows) {
  BackwardParameters p;
  p.batch = static_cast<int>(problem.batch);
  p.seq_len = static_cast<int>(problem.seq_len);
  p.kv_heads = static_cast<int>(problem.kv_heads);
  p.group = static_cast<int>(problem.group());
  p.head_dim = static_cast<int>(problem.head_dim);
  p.long_window = static_cast<int>(roles.window.long_axis);
  p.short_window = static_cast<int>(roles.window.short_axis);
  p.head_rows = head_rows_of(p.group, fewest_head_rows);
  p.positions = kTileRows / p.head_rows;
  p.head_blocks = (p.group + p.head_rows - 1) / p.head_rows;
  while (p.position_shift > 0 && (kFewestHeadRows << p.position_shift) > p.head_rows) --p.position_shift;
  p.padded_len = static_cast<int>(padded_len_of(p.seq_len, p.positions));
  lay_out_rows(p);
  p.key_bias = roles.key_bias.short_axis;
  p.value_bias = roles.value_bias.short_axis;
  return p;
}

/// All but work items and workspace.
Plan begin_plan(const Problem& problem, int fewest_head_rows) {
  Plan plan;
  const AxisRoles roles = roles_of(problem);
  plan.swapped = roles.axis1_is_short;
  plan.cross = problem.form == Form::determinant;
  plan.has_sink = problem.sink.has_value();
  plan.q_heads = static_cast<int>(problem.q_heads);
  plan.parameters = make_parameters(problem, roles, fewest_head_rows);
  plan.scale = static_cast<float>(roles.scale);
  plan.parameters.scale_log2 = exponent_scale(roles.scale);
  return plan;
}

void lay_out_workspace(Plan& plan, std::int64_t query_sum_bytes) {
  const std::int64_t keys = plan.key_elements();
  const std::int64_t statistics = plan.statistic_rows() * statistic_copies(plan.parameters) * 4;
  plan.grad_query = reserve(plan.bytes, query_sum_bytes);
  plan.grad_keys = reserve(plan.bytes, keys * 4 * (plan.deterministic ? 8 : 4));
  plan.ranges = reserve(plan.bytes, std::int64_t{plan.pairs()} * static_cast<std::int64_t>(sizeof(Ranges)));
  plan.zero_bytes = plan.bytes;
  plan.lse2 = reserve(plan.bytes, statistics);
  plan.delta = reserve(plan.bytes, statistics);
  plan.long_key = reserve(plan.bytes, keys * 2);
  plan.short_key = reserve(plan.bytes, keys * 2);
  plan.short_value = reserve(plan.bytes, keys * 2);
  if (!plan.by_queries) {
    plan.columns = reserve(plan.bytes, 2 * keys * 2);
  }
  if (plan.deterministic) {
    plan.fixed_scales =
        reserve(plan.bytes, std::int64_t{plan.pairs()} * static_cast<std::int64_t>(sizeof(FixedScales)));
  }
}

/// The low parts of as many shares as can meet in an element stay below 2^30.
FixedPoint fixed_point_of(const BackwardParameters& p) {
  FixedPoint fixed;
  const std::int64_t shares = std::int64_t{p.long_window} + p.short_window - 1;
  fixed.limb = 31;
  while ((shares << (fixed.limb - 1)) > (std::int64_t{1} << 30)) --fixed.limb;
  fixed.limit = std::ldexp(1.0f, fixed.limb - 1);
  fixed.unit = std::ldexp(1.0f, fixed.limb);
  fixed.per_unit = std::ldexp(1.0f, -fixed.limb);
  return fixed;
}

}  // namespace

std::optional<std::string> unsupported_backward(const Problem& problem) {
  if (problem.form != Form::trilinear && problem.form != Form::determinant) {
    return fmt::format("the backward of cuda.hopper computes the trilinear and determinant forms, not {}",
                       to_string(problem.form));
  }
  if (problem.element != Element::bf16) return "the backward of cuda.hopper computes in bf16";
  if (problem.mask != Mask::causal) return "the backward of cuda.hopper has causal windows only";
  if (problem.head_dim != 64 && problem.head_dim != 128) {
    return fmt::format("the backward of cuda.hopper has head_dim 64 and 128, not {}; cuda.portable has it",
                       problem.head_dim);
  }
  if (problem.seq_len > (std::int64_t{1} << 28) || query_row_count(problem) > kMost) {
    return "the backward of cuda.hopper numbers rows of q with 31 bits; cuda.portable has longer sequences";
  }
  if (problem.batch * problem.kv_heads > kMostBatchHeads) {
    return fmt::format("the backward of cuda.hopper has batch times kv_heads up to {}; cuda.portable has more",
                       kMostBatchHeads);
  }
  const BackwardParameters p = make_parameters(problem, roles_of(problem), kFewestHeadRows);
  if (problem.deterministic && std::int64_t{p.long_window} * p.short_window > kMostPairs) {
    return fmt::format(
        "the deterministic backward of cuda.hopper adds up to {} pairs of keys to each query with 32 bits, not {}; "
        "cuda.portable has more",
        kMostPairs, std::int64_t{p.long_window} * p.short_window);
  }
  if (items_of_pair(p) * p.batch * p.kv_heads > kMost)
    return "the backward of cuda.hopper numbers work items with 31 bits; cuda.portable has more";
  return std::nullopt;
}

Plan make_backward_plan(const Problem& problem) {
  Plan plan = begin_plan(problem, kFewestHeadRows);
  BackwardParameters& p = plan.parameters;
  p.items_per_pair = static_cast<int>(items_of_pair(p));
  p.items = p.items_per_pair * plan.pairs();
  p.by_items_per_pair = Divisor(p.items_per_pair);
  p.by_items_per_group = Divisor(std::int64_t{p.edge_keys} * p.column_tiles + p.edge_tiles);
  p.by_column_tiles = Divisor(std::max(1, p.column_tiles));
  p.by_kv_heads = Divisor(p.kv_heads);
  plan.deterministic = problem.deterministic;
  if (plan.deterministic) plan.fixed = fixed_point_of(p);
  lay_out_workspace(plan, query_row_count(problem) * p.head_dim * (plan.deterministic ? 2 : 1));
  return plan;
}

void share_items(BackwardParameters& p, int blocks) {
  p.blocks = blocks;
  p.by_blocks = Divisor(blocks);
  // From one of its items to the next a CTA goes on by blocks + turn numbers, and meets all numbers of a key group when
  // that has no divisor in common with their count.
  const int per_group = p.edge_keys * p.column_tiles + p.edge_tiles;
  p.turn = 0;
  while (std::gcd(blocks + p.turn, per_group) != 1) ++p.turn;
  p.turn %= blocks;
}

std::optional<std::string> unsupported_queries(const Problem& problem) {
  if (auto reason = unsupported_backward(problem)) return reason;
  if (problem.deterministic) return "virtual queries add in no fixed order; virtual keys and cuda.portable can";
  if (problem.form != Form::trilinear || problem.head_dim != 128)
    return "virtual queries compute the trilinear form with head_dim 128";
  if (problem.batch * problem.seq_len * problem.q_heads * problem.head_dim > kMost)
    return "virtual queries number the elements of q with 31 bits; cuda.portable has more";
  return std::nullopt;
}

Plan make_queries_plan(const Problem& problem) {
  Plan plan = begin_plan(problem, 1);
  plan.by_queries = true;
  lay_out_workspace(plan, plan.key_elements() * plan.parameters.group * static_cast<std::int64_t>(sizeof(float)));
  return plan;
}

}  // namespace triscope::hopper::backward
