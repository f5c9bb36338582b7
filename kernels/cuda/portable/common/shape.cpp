#include "kernels/cuda/portable/common/shape.hpp"

#include <algorithm>

namespace triscope::portable {
namespace {

// Blocks of the row kernel and of the key kernel that keep any GPU busy for several waves.
constexpr std::int64_t kRowBlocks = 2048;
constexpr std::int64_t kKeyBlocks = 1024;
constexpr std::int64_t kMaxTilesPerBlock = 64;
constexpr std::int64_t kMaxSplits = 64;

std::size_t reserve(std::size_t& end, std::int64_t floats) {
  const std::size_t begin = end;
  end += (static_cast<std::size_t>(floats) * sizeof(float) + 255) / 256 * 256;
  return begin;
}

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

Shape make_shape(const Problem& problem) {
  Shape shape;
  shape.batch = static_cast<int>(problem.batch);
  shape.seq_len = static_cast<int>(problem.seq_len);
  shape.q_heads = static_cast<int>(problem.q_heads);
  shape.kv_heads = static_cast<int>(problem.kv_heads);
  shape.group = static_cast<int>(problem.group());
  shape.head_dim = static_cast<int>(problem.head_dim);
  shape.determinant = problem.form == Form::determinant;
  const AxisRoles roles = roles_of(problem);
  shape.long_window = static_cast<int>(roles.window.long_axis);
  shape.short_window = static_cast<int>(roles.window.short_axis);
  shape.scale = static_cast<float>(roles.scale);
  shape.sign = shape.scale < 0 ? 0x80008000u : 0u;
  shape.exponent_scale = exponent_scale(roles.scale);
  shape.key_bias = roles.key_bias.short_axis;
  shape.value_bias = roles.value_bias.short_axis;
  return shape;
}

Tensors make_tensors(const AxisRoles& roles, const Arguments& arguments) {
  const auto k = roles.by_role(arguments.k1, arguments.k2), v = roles.by_role(arguments.v1, arguments.v2);
  const auto grad_k = roles.by_role(arguments.grad_k1, arguments.grad_k2);
  const auto grad_v = roles.by_role(arguments.grad_v1, arguments.grad_v2);
  Tensors tensors;
  tensors.q = arguments.q;
  tensors.long_k = k.long_axis;
  tensors.long_v = v.long_axis;
  tensors.short_k = k.short_axis;
  tensors.short_v = v.short_axis;
  tensors.sink = arguments.sink;
  tensors.o = arguments.o;
  tensors.lse = arguments.lse;
  tensors.grad_o = arguments.grad_o;
  tensors.grad_q = arguments.grad_q;
  tensors.grad_long_k = grad_k.long_axis;
  tensors.grad_long_v = grad_v.long_axis;
  tensors.grad_short_k = grad_k.short_axis;
  tensors.grad_short_v = grad_v.short_axis;
  tensors.grad_sink = arguments.grad_sink;
  return tensors;
}

BackwardPlan plan_backward(const Shape& shape) {
  BackwardPlan plan;
  const std::int64_t tiles_per_block = std::clamp<std::int64_t>(shape.row_tiles() * shape.pairs() / kRowBlocks, 1,
                                                                std::min(kMaxTilesPerBlock, shape.row_tiles()));
  plan.tiles_per_block = static_cast<int>(tiles_per_block);
  plan.row_blocks = divide_up(shape.row_tiles(), tiles_per_block);
  // n consecutive rows touch at most (n + group - 2) / group + 1 positions.
  const std::int64_t positions = (tiles_per_block * kTileRows + shape.group - 2) / shape.group + 1;
  plan.slab_positions = static_cast<int>(positions + shape.short_window - 1);
  plan.splits = static_cast<int>(
      std::clamp<std::int64_t>(divide_up(kKeyBlocks, shape.key_tiles() * shape.pairs()), 1, kMaxSplits));
  const std::int64_t dim = shape.padded_dim();
  plan.lse2 = reserve(plan.bytes, shape.pairs() * shape.rows());
  plan.delta = reserve(plan.bytes, shape.pairs() * shape.rows());
  plan.slabs = reserve(plan.bytes, shape.pairs() * plan.row_blocks * plan.slab_positions * 2 * dim);
  plan.partials = reserve(plan.bytes, plan.splits * 2 * shape.pairs() * shape.seq_len * dim);
  return plan;
}

}  // namespace triscope::portable
