#include "kernels/cuda/portable/common/shape.hpp"

#include <algorithm>
#include <cmath>

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
  const int window1 = static_cast<int>(std::min(problem.window1, problem.seq_len));
  const int window2 = static_cast<int>(std::min(problem.window2, problem.seq_len));
  // The biases belong to k2 and v2, and are exact only where the product is formed: with them, k2 is always folded.
  shape.swapped = window1 < window2 && problem.k2_bias == 0 && problem.v2_bias == 0;
  shape.long_window = shape.swapped ? window2 : window1;
  shape.short_window = shape.swapped ? window1 : window2;
  shape.scale = static_cast<float>(problem.effective_scale());
  if (shape.determinant && shape.swapped) shape.scale = -shape.scale;
  shape.sign = shape.scale < 0 ? 0x80008000u : 0u;
  shape.exponent_scale = std::max(std::abs(shape.scale) * kLog2E, 1e-30f);
  shape.key_bias = static_cast<float>(problem.k2_bias);
  shape.value_bias = static_cast<float>(problem.v2_bias);
  return shape;
}

Tensors make_tensors(const Shape& shape, const Arguments& arguments) {
  Tensors tensors;
  tensors.q = arguments.q;
  tensors.long_k = shape.swapped ? arguments.k2 : arguments.k1;
  tensors.long_v = shape.swapped ? arguments.v2 : arguments.v1;
  tensors.short_k = shape.swapped ? arguments.k1 : arguments.k2;
  tensors.short_v = shape.swapped ? arguments.v1 : arguments.v2;
  tensors.sink = arguments.sink;
  tensors.o = arguments.o;
  tensors.lse = arguments.lse;
  tensors.grad_o = arguments.grad_o;
  tensors.grad_q = arguments.grad_q;
  tensors.grad_long_k = shape.swapped ? arguments.grad_k2 : arguments.grad_k1;
  tensors.grad_long_v = shape.swapped ? arguments.grad_v2 : arguments.grad_v1;
  tensors.grad_short_k = shape.swapped ? arguments.grad_k1 : arguments.grad_k2;
  tensors.grad_short_v = shape.swapped ? arguments.grad_v1 : arguments.grad_v2;
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
