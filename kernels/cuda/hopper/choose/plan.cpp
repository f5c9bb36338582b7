#include "kernels/cuda/hopper/choose/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "kernels/cuda/hopper/forward/config.hpp"
#include "kernels/cuda/portable/common/shape.hpp"

namespace triscope::hopper {
namespace {

constexpr std::int64_t kMaxExtent = std::int64_t{1} << 30;
constexpr std::int64_t kMaxItems = (std::int64_t{1} << 31) - 1;

// What chooses an instance: times in us, fitted to every instance's time on 400 random problems on an H200
// (docs/notebook.md).
constexpr int kMultiprocessors = 132;
struct TileTimes {
  double start;     // launch, tables and first tiles
  double reorder;   // the kernel that reorders tile keys
  double item;      // of a work item
  double position;  // and of each of its positions
  double odd_tile;  // a step over a chunk of one tile, which pays a step's fixed costs alone
  double turn;      // from one pass to the next
};
constexpr TileTimes kTileTimes64 = {3.3, 1.8, 2.36, 0.04, 0.32, 0.2}, kTileTimes128 = {3.6, 2.1, 3.27, 0.03, 0.11, 0.0};
constexpr double kQueryWait = 0.7;  // a work item, where there is one buffer for q
constexpr double kRowsStart = 1.7;
constexpr double kRowStep = 0.24;       // the last row: each step of it,
constexpr double kRowBatch = 0.25;      // and each batch of keys of a step
constexpr double kLanesAtOnce = 84480;  // lanes that the GPU holds at once; all rows together, for each such wave:
constexpr double kWave = 1.6;
constexpr double kWaveStep = 0.23;  // a step, if determinant
constexpr double kWaveBatch = 0.67;
struct PortableTimes {
  double start, step, tile;  // the first block: itself, each short-axis key, and each tile of 64 keys of such a step
  double block, block_step, block_tile;  // the same of each further block of a multiprocessor, which overlap
};
constexpr PortableTimes kPortableTimes64 = {2.97, 1.55, 0.93, 0.94, 0.69, 0.46},
                        kPortableTimes128 = {3.9, 2.8, 1.25, 2.0, 1.7, 0.85};
constexpr double kCachedMegabytes = 30,
                 kPortableMegabyte = 0.16;  // what does not stay in the L2 cache between launches
// What may be slower than cuda.portable by the spread of these estimates runs as cuda.portable does.
constexpr double kPortablePreference = 0.8;

/// What the host needs to know of an instance.
struct InstanceFacts {
  TileConfig config;
  int most_heads, query_rows, query_buffers, steps_per_stage, ring_slack, max_ring_rows;
  int fixed_bytes, slot_bytes;
  double column_ns;  // one step (two, if split) over one long-axis key
};

template <int... kIndex>
constexpr std::array<InstanceFacts, sizeof...(kIndex)> facts_of(std::integer_sequence<int, kIndex...>) {
  constexpr double kColumnNs[] = {11.9, 12.0, 12.1, 14.3, 7.9,  7.6, 8.5,  // plain
                                  12.0, 12.4, 12.7, 15.2, 8.4,  8.6, 9.1,  // cross
                                  15.3, 18.0, 8.8,  18.2, 12.9,            // biased
                                  11.9, 12.0};                             // paired positions
  return {InstanceFacts{kInstances[kIndex].config, Layout<kInstances[kIndex].config>::kMostHeads,
                        Layout<kInstances[kIndex].config>::kQueryRows, Layout<kInstances[kIndex].config>::kQueryBuffers,
                        Layout<kInstances[kIndex].config>::kStepsPerStage,
                        Layout<kInstances[kIndex].config>::kRingSlack, Layout<kInstances[kIndex].config>::kMaxRingRows,
                        Layout<kInstances[kIndex].config>::kRing, Layout<kInstances[kIndex].config>::kSlotBytes,
                        kColumnNs[kIndex]}...};
}
constexpr auto kFacts = facts_of(std::make_integer_sequence<int, kInstanceCount>{});

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

/// Time of the work items of the first CTA, us, which gets the largest; from at most 64 of them.
double tiles_us(const ForwardParameters& p, const InstanceFacts& facts, const TileTimes& times) {
  const std::int64_t rounds = ceil_div(p.items, kMultiprocessors), stride = std::max<std::int64_t>(1, rounds / 64);
  const int blocks = static_cast<int>(ceil_div(p.seq_len, p.positions)), block_items = p.items / blocks;
  const TileConfig& config = facts.config;
  double us = 0;
  int count = 0;
  for (std::int64_t round = 0; round < rounds; round += stride, ++count) {
    const int block = blocks - 1 - static_cast<int>(round * kMultiprocessors / block_items);
    const int first = block * p.positions, last = std::min(first + p.positions, p.seq_len) - 1;
    const int keys = last + 1 - std::max(0, (config.paired_positions ? last : first) - p.long_window + 1);
    const int tiles = static_cast<int>(ceil_div(keys, config.tile_keys));
    const bool shorter = ends_short(keys, tiles, config.tile_keys, config.resident_tiles, config.short_keys);
    const int columns = tiles * config.tile_keys - (shorter ? config.tile_keys - config.short_keys : 0);
    const auto steps = static_cast<double>(ceil_div(std::min(last + 1, p.short_window), facts.steps_per_stage));
    us += times.item + p.positions * times.position +
          static_cast<double>(ceil_div(tiles, config.resident_tiles) - 1) * times.turn;
    us += steps * (columns * facts.column_ns * 1e-3 + (tiles % config.resident_tiles == 1) * times.odd_tile);
  }
  return (us / count + (facts.query_buffers == 1 ? kQueryWait : 0.0)) * static_cast<double>(rounds);
}

/// Time of instance kRowsInstance, us; steps and keys of a mean row from at most 64 positions.
double rows_us(const ForwardParameters& p, double waves, int groups) {
  const int stride = std::max(1, p.seq_len / 64);
  double steps = 0, batches = 0, last_steps = 0, last_batches = 0;
  int count = 0;
  for (int position = p.seq_len - 1; position >= 0; position -= stride, ++count) {
    const double row_steps = std::min(position + 1, p.short_window);
    const std::int64_t keys = ceil_div(std::min(position + 1, p.long_window), groups);
    const double row_batches =
        row_steps * static_cast<double>(keys / 4 + keys % 4 / 2 + keys % 2);  // RowAttention::add_step
    if (count == 0) last_steps = row_steps, last_batches = row_batches;
    steps += row_steps;
    batches += row_batches;
  }
  const double wave = kWave + (p.determinant ? kWaveStep * steps / count : 0.0) + kWaveBatch * batches / count;
  return kRowsStart + kRowStep * last_steps + kRowBatch * last_batches + waves * wave;
}

std::optional<Plan> rows_plan(const Problem& problem) {
  const double rows =
      static_cast<double>(problem.batch) * static_cast<double>(problem.seq_len) * static_cast<double>(problem.q_heads);
  if (rows > static_cast<double>(kMaxItems)) return std::nullopt;
  Plan plan = common_plan(problem, kRowsInstance);
  plan.parameters.items = static_cast<int>(rows);
  plan.parameters.heads = static_cast<int>(problem.group());
  const int lanes = static_cast<int>(problem.head_dim) / 8;
  for (const int groups : {1, 32 / lanes}) {  // or a whole warp for each row
    const double cost = rows_us(plan.parameters, rows * lanes * groups / kLanesAtOnce, groups);
    if (plan.row_groups == 0 || cost < plan.cost) plan.row_groups = groups, plan.cost = cost;
  }
  return plan;
}

/// Time of instance kPortableInstance, us; steps and tiles of a mean block from at most 64 of them.
double portable_us(const portable::Shape& shape) {
  const PortableTimes& times = shape.head_dim == 64 ? kPortableTimes64 : kPortableTimes128;
  const std::int64_t blocks = shape.row_tiles(), stride = std::max<std::int64_t>(1, blocks / 64);
  double steps = 0, tiles = 0, first_steps = 0, first_tiles = 0;
  int count = 0;
  for (std::int64_t block = blocks - 1; block >= 0; block -= stride, ++count) {
    const std::int64_t first = block * portable::kTileRows / shape.group;
    const std::int64_t last = (std::min((block + 1) * portable::kTileRows, shape.rows()) - 1) / shape.group;
    const double block_steps = static_cast<double>(std::min<std::int64_t>(shape.short_window, last + 1));
    const double block_tiles =
        block_steps *
        static_cast<double>(ceil_div(last + 1 - std::max<std::int64_t>(0, first - shape.long_window + 1), 64));
    if (count == 0) first_steps = block_steps, first_tiles = block_tiles;
    steps += block_steps;
    tiles += block_tiles;
  }
  const double further = std::max(0.0, static_cast<double>(blocks * shape.pairs()) / kMultiprocessors - 1.0);
  const double heads = 2.0 * shape.q_heads + 4.0 * shape.kv_heads;
  const double megabytes = 2e-6 * shape.batch * shape.seq_len * heads * shape.head_dim;
  return times.start + times.step * first_steps + times.tile * first_tiles +
         further * (times.block + times.block_step * steps / count + times.block_tile * tiles / count) +
         kPortableMegabyte * std::max(0.0, megabytes - kCachedMegabytes);
}

std::optional<Plan> portable_plan(const Problem& problem) {
  if (std::max(problem.batch, problem.q_heads) > portable::kMaxHeadsOrBatch) return std::nullopt;
  const portable::Shape shape = portable::make_shape(problem);
  if (shape.row_tiles() * shape.pairs() > portable::kMaxBlocks) return std::nullopt;
  Plan plan = common_plan(problem, kPortableInstance);
  plan.cost = portable_us(shape);
  return plan;
}

}  // namespace

std::optional<Plan> make_plan(const Problem& problem, int instance) {
  if (instance == kRowsInstance) return rows_plan(problem);
  if (instance == kPortableInstance) return portable_plan(problem);
  const InstanceFacts& facts = kFacts[static_cast<std::size_t>(instance)];
  if (facts.config.head_dim != problem.head_dim) return std::nullopt;
  if (facts.config.product != product_of(problem)) return std::nullopt;
  Plan plan = common_plan(problem, instance);
  ForwardParameters& p = plan.parameters;

  // Rows: all heads of the group at as many positions as fit; a group larger than the rows is cut into equal blocks.
  const int group = static_cast<int>(problem.group());
  p.head_blocks = static_cast<int>(ceil_div(group, facts.most_heads));
  p.heads = static_cast<int>(ceil_div(group, p.head_blocks));
  // Paired positions: a warpgroup's rows are one position's, and all there.
  if (facts.config.paired_positions && p.heads != facts.most_heads) return std::nullopt;
  p.positions = facts.query_rows / p.heads;
  // Every row must see a key of the first tile (softmax.cuh), and the ring must hold a step's rows and the slack.
  p.positions = std::min(
      {p.positions, facts.config.tile_keys, facts.max_ring_rows - facts.ring_slack - facts.steps_per_stage + 1});
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
    plan.reordered_bytes =
        static_cast<std::size_t>(problem.batch * problem.seq_len * problem.kv_heads * problem.head_dim) * 2;
  }

  const TileTimes& times = p.head_dim == 64 ? kTileTimes64 : kTileTimes128;
  plan.cost = times.start + (p.determinant ? times.reorder : 0.0) + tiles_us(p, facts, times);
  return plan;
}

Plan best_plan(const Problem& problem) {
  std::optional<Plan> best;
  for (int instance = 0; instance < kAllInstances; ++instance) {
    std::optional<Plan> plan = make_plan(problem, instance);
    const double preference = instance == kPortableInstance ? kPortablePreference : 1.0;
    if (plan && (!best || preference * plan->cost < best->cost)) best = std::move(plan);
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
