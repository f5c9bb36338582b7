#include "kernels/cuda/hopper/tiles/tiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/attention/flops.hpp"
#include "kernels/cuda/hopper/choose/instance_facts.hpp"
#include "kernels/cuda/hopper/choose/plan.hpp"
#include "kernels/cuda/hopper/forward/work_item.hpp"
#include "kernels/cuda/hopper/tiles/backward_tiles.hpp"
#include "kernels/cuda/hopper/tiles/portable_tiles.hpp"
#include "kernels/cuda/portable/common/shape.hpp"

namespace triscope {
namespace {

using hopper::InstanceFacts;
using hopper::Plan;

constexpr std::int64_t kPortableKeys = 64;  // columns of a tile of kernels/cuda/portable/forward

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Of all work items: columns of their tiles x steps of the short axis, and steps over a single tile, which cost more.
struct ForwardWork {
  double columns = 0, single_tiles = 0;
};

ForwardWork work_of(const Plan& plan, const InstanceFacts& facts) {
  const hopper::ForwardParameters& p = plan.parameters;
  ForwardWork work;
  const auto add = [&](int item, int times) {
    const int first = item * p.positions, last = std::min(first + p.positions, p.seq_len) - 1;
    const hopper::TileSpan span = hopper::tile_span(facts.config, first, last, p.long_window);
    const auto steps = static_cast<double>(ceil_div(std::min(last + 1, p.short_window), facts.steps_per_stage));
    work.columns += times * steps * span.columns(facts.config);
    if (span.tiles % facts.config.resident_tiles == 1) work.single_tiles += times * steps;
  };
  // Items that see whole windows and that no end of the sequence cuts are alike.
  const int whole = p.seq_len / p.positions;
  const int inner = std::min(whole, static_cast<int>(ceil_div(std::max(p.long_window, p.short_window), p.positions)));
  for (int item = 0; item < inner; ++item) add(item, 1);
  if (inner < whole) add(inner, whole - inner);
  if (whole * p.positions < p.seq_len) add(whole, 1);
  const double alike = static_cast<double>(p.batch) * p.kv_heads * p.head_blocks;
  return {work.columns * alike, work.single_tiles * alike};
}

/// Work items, columns and single tiles. In whole turns of all multiprocessors: the last turn takes as long as others.
std::vector<double> parts_of(const ForwardWork& work, double items, const hopper::Chip& chip) {
  const double turns = std::ceil(items / chip.multiprocessors), whole = turns * chip.multiprocessors / items;
  return {items * whole, work.columns * whole, work.single_tiles * whole};
}

/// What the work item of query `i` computes for it.
QueryTiles tiles_of(const Plan& plan, const InstanceFacts& facts, std::int64_t i) {
  const hopper::ForwardParameters& p = plan.parameters;
  const int position = static_cast<int>(i), first = position / p.positions * p.positions;
  const int last = std::min(first + p.positions, p.seq_len) - 1;
  const hopper::TileSpan span = hopper::tile_span(facts.config, first, last, p.long_window);
  const int steps = static_cast<int>(ceil_div(std::min(last + 1, p.short_window), facts.steps_per_stage));
  const bool second = facts.config.paired_positions && (position - first) * p.heads >= facts.query_rows / 2;
  QueryTiles tiles{.folds_axis1 = plan.roles.axis1_is_short, .first_query = first, .last_query = last};
  tiles.heads = p.heads;
  tiles.rows = facts.query_rows;
  for (int t = steps * facts.steps_per_stage - 1; t >= 0; --t)
    tiles.add(i - t, second ? span.second_key : span.first_key, span.columns(facts.config), facts.config.tile_keys);
  return tiles;
}

TileUse forward_use(const Problem& problem, const Plan& plan, const hopper::Chip& chip, TiledQuery query) {
  TileUse use;
  use.kernel = "cuda.hopper";
  use.instance = hopper::instance_name(plan.instance);
  use.useful = static_cast<double>(problem.batch * problem.q_heads) * triple_count(problem);
  use.planned_us = plan.cost;
  if (plan.instance == hopper::kRowsInstance) {
    use.tile = "none";
    use.computed = use.useful;
  } else if (plan.instance == hopper::kPortableInstance) {
    use.tile = fmt::format("{} rows x {} keys", portable::kTileRows, kPortableKeys);
    use.computed = portable_row_triples(problem, kPortableKeys);
    if (query) use.query_tiles = portable_row_tiles(problem, kPortableKeys, *query);
  } else {
    const InstanceFacts& facts = hopper::kFacts.at(static_cast<std::size_t>(plan.instance));
    use.tile = fmt::format("{} rows x {} keys", facts.query_rows, facts.config.tile_keys);
    const ForwardWork work = work_of(plan, facts);
    use.computed = work.columns * facts.query_rows * facts.steps_per_stage;
    use.work = parts_of(work, plan.parameters.items, chip);
    if (query) use.query_tiles = tiles_of(plan, facts, *query);
  }
  if (use.work.empty()) use.work = {use.computed};
  return use;
}

}  // namespace

std::vector<TileUse> hopper_tile_uses(const Problem& problem, TiledQuery query) {
  if (hopper::unsupported_problem(problem)) return {};
  const hopper::Chip chip = hopper::kH200;
  const int best = hopper::best_plan(problem, chip).instance;
  std::vector<TileUse> uses;
  for (int instance = 0; instance < hopper::kAllInstances; ++instance) {
    const std::optional<Plan> plan = hopper::make_plan(problem, instance, chip);
    if (!plan) continue;
    uses.push_back(forward_use(problem, *plan, chip, query));
    uses.back().chosen = instance == best;
  }
  for (TileUse& use : backward_tile_uses(problem, hopper::fold_of_instance(problem, best), query))
    uses.push_back(std::move(use));
  return uses;
}

}  // namespace triscope
