#include "kernels/cuda/hopper/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "kernels/cuda/hopper/config.hpp"
#include "kernels/flops.hpp"

namespace triscope::hopper {
namespace {

constexpr std::int64_t kMaxExtent = std::int64_t{1} << 30;
constexpr std::int64_t kMaxItems = (std::int64_t{1} << 31) - 1;

// Times that choose an instance, us on an H200: fitted to a recorded sweep (docs/notebook.md).
constexpr double kMultiprocessors = 132;
constexpr double kTilesStart = 6.0;      // launch, tables and first tiles
constexpr double kItemStart = 2.0;       // of a work item
constexpr double kColumn = 0.0116;       // one step over one long-axis key, 128 rows, at relative_time 1
constexpr double kRowsStart = 3.0;
constexpr double kRowsTriple = 1.8e-6;   // one (query, key, key) of one of a row's lanes, the GPU being full
constexpr double kFewRowLanes = 132 * 1024;   // below this, a whole warp for each row

/// What the host needs to know of an instance.
struct InstanceFacts {
  TileConfig config;
  int query_rows, steps_per_stage, ring_slack, max_ring_rows;
  int fixed_bytes, slot_bytes;
  double relative_time;   // tensor-core time of a column, against d128_rows128_keys128; measured (see the ladder)
};

template <int... kIndex>
constexpr std::array<InstanceFacts, sizeof...(kIndex)> facts_of(std::integer_sequence<int, kIndex...>) {
  constexpr double kTime[] = {1.0,  1.03, 1.05, 1.05, 0.75, 0.75, 0.8,         // plain
                              1.03, 1.06, 1.08, 1.08, 0.78, 0.78, 0.82,        // cross
                              1.08, 1.13, 0.85, 1.2,  0.9};                    // biased
  return {InstanceFacts{kInstances[kIndex].config, Layout<kInstances[kIndex].config>::kQueryRows,
                        Layout<kInstances[kIndex].config>::kStepsPerStage, Layout<kInstances[kIndex].config>::kRingSlack,
                        Layout<kInstances[kIndex].config>::kMaxRingRows,
                        Layout<kInstances[kIndex].config>::kRing, Layout<kInstances[kIndex].config>::kSlotBytes,
                        kTime[kIndex]}...};
}
constexpr auto kFacts = facts_of(std::make_integer_sequence<int, kInstanceCount>{});

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

std::optional<std::string> unsupported_problem(const Problem& problem) {
  if (problem.form != Form::trilinear && problem.form != Form::determinant) {
    return fmt::format("form {} is a baseline's; cuda.hopper computes trilinear and determinant", to_string(problem.form));
  }
  if (problem.element != Element::bf16) return "cuda.hopper computes in bf16 only";
  if (problem.mask != Mask::causal) return "cuda.hopper computes causal windows only";
  if (problem.head_dim != 64 && problem.head_dim != 128) {
    return fmt::format("head_dim is {}; cuda.hopper has 64 and 128", problem.head_dim);
  }
  if (std::max({problem.seq_len, problem.batch, problem.q_heads}) > kMaxExtent) {
    return fmt::format("batch, seq_len and q_heads must each be at most {}", kMaxExtent);
  }
  const std::int64_t group_blocks = ceil_div(problem.group(), 64);
  if (static_cast<double>(problem.batch) * static_cast<double>(problem.seq_len) * static_cast<double>(problem.kv_heads) *
          static_cast<double>(group_blocks) > static_cast<double>(kMaxItems)) {
    return "batch x seq_len x kv_heads is too large for 32-bit work item numbers";
  }
  return std::nullopt;
}

bool folds_axis1(const Problem& problem) {
  const bool biased = problem.k2_bias != 0.0 || problem.v2_bias != 0.0;
  return !biased && std::min(problem.window1, problem.seq_len) < std::min(problem.window2, problem.seq_len);
}

Product product_of(const Problem& problem) {
  const bool biased = problem.k2_bias != 0.0;
  if (problem.form == Form::determinant) return biased ? Product::biased_cross : Product::cross;
  return biased ? Product::biased : Product::plain;
}

namespace {

/// What all instances want to know of a problem.
Plan common_plan(const Problem& problem, int instance) {
  Plan plan;
  plan.instance = instance;
  plan.folds_axis1 = folds_axis1(problem);
  const std::int64_t window1 = std::min(problem.window1, problem.seq_len);
  const std::int64_t window2 = std::min(problem.window2, problem.seq_len);
  ForwardParameters& p = plan.parameters;
  p.batch = static_cast<int>(problem.batch);
  p.seq_len = static_cast<int>(problem.seq_len);
  p.q_heads = static_cast<int>(problem.q_heads);
  p.kv_heads = static_cast<int>(problem.kv_heads);
  p.head_dim = static_cast<int>(problem.head_dim);
  p.long_window = static_cast<int>(plan.folds_axis1 ? window2 : window1);
  p.short_window = static_cast<int>(plan.folds_axis1 ? window1 : window2);
  const double scale = problem.effective_scale();
  // A scale of 0 would turn masked scores (-inf) into NaN; 1e-30 gives the same logits, 0, for finite inputs.
  p.scale_log2 = std::max(static_cast<float>(std::abs(scale) * std::numbers::log2e), 1e-30f);
  p.determinant = problem.form == Form::determinant;
  // det(q, k1, k2) = k1 . (k2 x q) = k2 . (q x k1): folding axis 1 reverses the order of the cross product.
  p.sign = (scale < 0) != (p.determinant && plan.folds_axis1) ? -1.0f : 1.0f;
  p.key_bias = static_cast<float>(problem.k2_bias);
  p.value_bias = static_cast<float>(problem.v2_bias);
  return plan;
}

std::optional<Plan> rows_plan(const Problem& problem) {
  const double rows = static_cast<double>(problem.batch) * static_cast<double>(problem.seq_len) * static_cast<double>(problem.q_heads);
  if (rows > static_cast<double>(kMaxItems)) return std::nullopt;
  Plan plan = common_plan(problem, kRowsInstance);
  plan.parameters.items = static_cast<int>(rows);
  plan.parameters.heads = static_cast<int>(problem.group());
  const int lanes = static_cast<int>(problem.head_dim) / 8;
  plan.row_groups = rows * lanes < kFewRowLanes ? 32 / lanes : 1;
  const double triples = useful_flops(problem, Pass::forward) / (4.0 * static_cast<double>(problem.head_dim));
  plan.cost = kRowsStart + (triples + 3.0 * rows) * lanes * kRowsTriple;
  return plan;
}

}  // namespace

std::optional<Plan> make_plan(const Problem& problem, int instance) {
  if (instance == kRowsInstance) return rows_plan(problem);
  const InstanceFacts& facts = kFacts[static_cast<std::size_t>(instance)];
  if (facts.config.head_dim != problem.head_dim) return std::nullopt;
  if (facts.config.product != product_of(problem)) return std::nullopt;
  Plan plan = common_plan(problem, instance);
  ForwardParameters& p = plan.parameters;

  // Rows: all heads of the group at as many positions as fit; a group larger than the rows is cut into equal blocks.
  const int group = static_cast<int>(problem.group());
  p.head_blocks = static_cast<int>(ceil_div(group, facts.query_rows));
  p.heads = static_cast<int>(ceil_div(group, p.head_blocks));
  p.positions = facts.query_rows / p.heads;
  // Every row must see a key of the first tile (softmax.cuh), and the ring must hold a step's rows and the slack.
  p.positions = std::min({p.positions, facts.config.tile_keys, facts.max_ring_rows - facts.ring_slack - facts.steps_per_stage + 1});
  if (p.positions < 1) return std::nullopt;
  if (!facts.config.mixed_rows && p.positions > 1 && p.heads % 2 != 0) {
    p.positions = 1;
  }
  p.ring_rows = p.positions + facts.steps_per_stage - 1 + facts.ring_slack;
  plan.shared_bytes = facts.fixed_bytes + p.ring_rows * facts.slot_bytes;
  const std::int64_t items = ceil_div(p.seq_len, p.positions) * p.batch * p.kv_heads * p.head_blocks;
  if (items > kMaxItems) return std::nullopt;
  p.items = static_cast<int>(items);
  if (p.determinant) {
    plan.reordered_bytes = static_cast<std::size_t>(problem.batch * problem.seq_len * problem.kv_heads * problem.head_dim) * 2;
  }

  const std::int64_t tiles = ceil_div(p.long_window + p.positions - 1, facts.config.tile_keys);
  const std::int64_t stages = ceil_div(p.short_window, facts.steps_per_stage);
  const double odd_tile = tiles % 2 == 1 ? 0.12 : 0.0;   // a chunk of one tile pays a step's fixed costs alone
  const double item_columns = (static_cast<double>(stages) * (static_cast<double>(tiles) + odd_tile) + 1.0) * facts.config.tile_keys;
  plan.cost = kTilesStart + std::max(1.0, static_cast<double>(items) / kMultiprocessors) * (kItemStart + item_columns * facts.relative_time * kColumn);
  return plan;
}

Plan best_plan(const Problem& problem) {
  std::optional<Plan> best;
  for (int instance = 0; instance <= kRowsInstance; ++instance) {
    std::optional<Plan> plan = make_plan(problem, instance);
    if (plan && (!best || plan->cost < best->cost)) best = std::move(plan);
  }
  return *best;   // every product and head_dim has a mixed instance, which takes any group
}

const char* instance_name(int instance) { return instance == kRowsInstance ? kRowsName : kInstances[instance].name; }

int find_instance(std::string_view name) {
  for (int instance = 0; instance <= kRowsInstance; ++instance) {
    if (name == instance_name(instance)) return instance;
  }
  return -1;
}

}  // namespace triscope::hopper
