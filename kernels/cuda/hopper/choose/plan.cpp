#include "kernels/cuda/hopper/choose/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "kernels/cuda/hopper/choose/cost.hpp"
#include "kernels/cuda/hopper/forward/half_operands.hpp"

namespace triscope::hopper {
namespace {

constexpr std::int64_t kMaxExtent = std::int64_t{1} << 30;
constexpr std::int64_t kMaxItems = (std::int64_t{1} << 31) - 1;

// What may be slower than cuda.portable by the spread of the estimates runs as cuda.portable does.
constexpr double kPortablePreference = 0.8;

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

std::optional<std::string> unsupported_problem(const Problem& problem) {
  if (problem.form != Form::trilinear && problem.form != Form::determinant) {
    return fmt::format("form {} is a baseline's; cuda.hopper computes trilinear and determinant",
                       to_string(problem.form));
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
  if (static_cast<double>(problem.batch) * static_cast<double>(problem.seq_len) *
          static_cast<double>(problem.kv_heads) * static_cast<double>(group_blocks) >
      static_cast<double>(kMaxItems)) {
    return "batch x seq_len x kv_heads is too large for 32-bit work item numbers";
  }
  return std::nullopt;
}

Product product_of(const Problem& problem) {
  const bool biased = problem.k2_bias != 0.0;
  if (problem.form == Form::determinant) return biased ? Product::biased_cross : Product::cross;
  return biased ? Product::biased : Product::plain;
}

Fold fold_of_instance(const Problem& problem, int instance) {
  const AxisRoles roles = axis_roles(problem, BiasPlace::in_product);
  const bool half = instance == kRowsInstance
                        ? problem.k2_bias == 0.0
                        : instance < kInstanceCount && is_half(kInstances[instance].config.product);
  return half ? half_fold_of(roles) : fold_of(roles, product_of(problem) == Product::cross);
}

namespace {

/// `config` without what is tuned.
constexpr TileConfig untuned(TileConfig config) {
  constexpr TileConfig kAny;
  config.early_blocks = kAny.early_blocks, config.early_last = kAny.early_last;
  config.takes_turns = kAny.takes_turns, config.early_alone = kAny.early_alone;
  config.queries_early = kAny.queries_early;
  return config;
}

/// The instance that is `instance` with product `product`, or -1.
constexpr int twin(int instance, Product product) {
  TileConfig config = kInstances[instance].config;
  config.product = product;
  for (int other = 0; other < kInstanceCount; ++other) {
    if (untuned(kInstances[other].config) == untuned(config)) return other;
  }
  return -1;
}
constexpr int half_twin_of(int instance) {
  const Product product = kInstances[instance].config.product;
  if (product == Product::plain) return twin(instance, Product::half);
  return product == Product::cross ? twin(instance, Product::half_cross) : -1;
}

struct Twins {
  int bf16, half;
};
constexpr auto kTwins = [] {
  std::array<Twins, kInstanceCount> all{};
  for (int n = 0; n < kInstanceCount; ++n)
    all[static_cast<std::size_t>(n)] = {twin(n, bf16_of(kInstances[n].config.product)), half_twin_of(n)};
  return all;
}();

}  // namespace

int bf16_twin(int instance) {
  return instance >= kInstanceCount ? -1 : kTwins[static_cast<std::size_t>(instance)].bf16;
}

int half_twin(int instance) {
  return instance >= kInstanceCount ? -1 : kTwins[static_cast<std::size_t>(instance)].half;
}

namespace {

/// What all instances want to know of a problem.
Plan common_plan(const Problem& problem, int instance) {
  Plan plan;
  plan.instance = instance;
  plan.roles = axis_roles(problem, BiasPlace::in_product);
  ForwardParameters& p = plan.parameters;
  p.batch = static_cast<int>(problem.batch);
  p.seq_len = static_cast<int>(problem.seq_len);
  p.q_heads = static_cast<int>(problem.q_heads);
  p.kv_heads = static_cast<int>(problem.kv_heads);
  p.head_dim = static_cast<int>(problem.head_dim);
  p.long_window = static_cast<int>(plan.roles.window.long_axis);
  p.short_window = static_cast<int>(plan.roles.window.short_axis);
  p.scale_log2 = p.row_scale_log2 = exponent_scale(plan.roles.scale);
  p.sign = plan.roles.scale < 0 ? -1.0f : 1.0f;
  p.determinant = problem.form == Form::determinant;
  p.key_bias = plan.roles.key_bias.short_axis;
  p.value_bias = plan.roles.value_bias.short_axis;
  return plan;
}

std::optional<Plan> rows_plan(const Problem& problem) {
  const double rows =
      static_cast<double>(problem.batch) * static_cast<double>(problem.seq_len) * static_cast<double>(problem.q_heads);
  if (rows > static_cast<double>(kMaxItems)) return std::nullopt;
  Plan plan = common_plan(problem, kRowsInstance);
  plan.parameters.items = static_cast<int>(rows);
  plan.parameters.heads = static_cast<int>(problem.group());
  return plan;
}

std::optional<Plan> portable_plan(const Problem& problem) {
  if (std::max(problem.batch, problem.q_heads) > portable::kMaxHeadsOrBatch) return std::nullopt;
  const portable::Shape shape = portable::make_shape(problem);
  if (shape.row_tiles() * shape.pairs() > portable::kMaxBlocks) return std::nullopt;
  return common_plan(problem, kPortableInstance);
}

/// Rows of a work item: all heads of the group at as many positions as fit; a group larger than the rows is cut into
/// equal blocks. False when the instance cannot hold them.
bool cut_rows(const Problem& problem, const InstanceFacts& facts, ForwardParameters& p) {
  const int group = static_cast<int>(problem.group());
  p.head_blocks = static_cast<int>(ceil_div(group, facts.most_heads));
  p.heads = static_cast<int>(ceil_div(group, p.head_blocks));
  // Paired positions: a warpgroup's rows are one position's, and all there.
  if (facts.config.paired_positions && p.heads != facts.most_heads) return false;
  p.positions = facts.query_rows / p.heads;
  // Every row must see a key of the first tile (softmax.cuh), and the ring must hold a step's rows and the slack.
  p.positions = std::min(
      {p.positions, facts.config.tile_keys, facts.max_ring_rows - facts.ring_slack - facts.steps_per_stage + 1});
  if (p.positions < 1) return false;
  if (!facts.config.mixed_rows && p.positions > 1 && p.heads % 2 != 0) p.positions = 1;
  p.ring_rows = p.positions + facts.steps_per_stage - 1 + facts.ring_slack;
  return true;
}

std::optional<Plan> tiles_plan(const Problem& problem, int instance) {
  const InstanceFacts& facts = kFacts[static_cast<std::size_t>(instance)];
  if (facts.config.head_dim != problem.head_dim) return std::nullopt;
  if (bf16_of(facts.config.product) != product_of(problem)) return std::nullopt;
  const bool half = is_half(facts.config.product);
  Plan plan = common_plan(problem, instance);
  ForwardParameters& p = plan.parameters;
  if (!cut_rows(problem, facts, p)) return std::nullopt;
  plan.shared_bytes = facts.fixed_bytes + p.ring_rows * facts.slot_bytes;
  const std::int64_t items = ceil_div(p.seq_len, p.positions) * p.batch * p.kv_heads * p.head_blocks;
  if (items > kMaxItems) return std::nullopt;
  p.items = static_cast<int>(items);
  if (half) {
    plan.workspace_bytes = half_workspace(p).bytes;
  } else if (p.determinant) {
    plan.workspace_bytes =
        static_cast<std::size_t>(problem.batch * problem.seq_len * problem.kv_heads * problem.head_dim) * 2;
  }
  return plan;
}

/// Groups of lanes for each row, and the cost.
void judge_rows(Plan& plan, const Chip& chip) {
  for (const int groups : {1, 32 / (plan.parameters.head_dim / 8)}) {  // or a whole warp for each row
    const double cost = rows_us(chip, plan.parameters, groups);
    if (plan.row_groups == 0 || cost < plan.cost) plan.row_groups = groups, plan.cost = cost;
  }
}

}  // namespace

std::optional<Plan> cut_plan(const Problem& problem, int instance) {
  if (instance == kRowsInstance) return rows_plan(problem);
  if (instance == kPortableInstance) return portable_plan(problem);
  return tiles_plan(problem, instance);
}

std::optional<Plan> make_plan(const Problem& problem, int instance, const Chip& chip) {
  std::optional<Plan> plan = cut_plan(problem, instance);
  if (!plan) return std::nullopt;
  if (instance == kRowsInstance) {
    judge_rows(*plan, chip);
  } else if (instance == kPortableInstance) {
    plan->cost = portable_us(chip, portable::make_shape(problem));
  } else {
    plan->cost = tiles_us(chip, plan->parameters, kFacts[static_cast<std::size_t>(instance)]);
  }
  return plan;
}

Plan best_plan(const Problem& problem, const Chip& chip) {
  std::optional<Plan> best;
  for (int instance = 0; instance < kAllInstances; ++instance) {
    if (instance < kInstanceCount && is_half(kInstances[instance].config.product)) continue;
    std::optional<Plan> plan = make_plan(problem, instance, chip);
    if (plan && half_twin(instance) >= 0) plan->cost += half_us(chip, plan->parameters);
    const double preference = instance == kPortableInstance ? kPortablePreference : 1.0;
    if (plan && (!best || preference * plan->cost < best->cost)) best = plan;
  }
  if (const int half = half_twin(best->instance); half >= 0) {
    if (std::optional<Plan> plan = make_plan(problem, half, chip)) return *plan;
  }
  return *best;  // every product and head_dim has a mixed instance, which takes any group
}

const char* instance_name(int instance) {
  if (instance == kPortableInstance) return kPortableName;
  return instance == kRowsInstance ? kRowsName : kInstances[instance].name;
}

int find_instance(std::string_view name) {
  for (int instance = 0; instance < kAllInstances; ++instance) {
    if (name == instance_name(instance)) return instance;
  }
  return -1;
}

}  // namespace triscope::hopper
