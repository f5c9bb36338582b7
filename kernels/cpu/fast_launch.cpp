// Divides a launch among threads. Forward: tiles of rows, independent. Backward: items of short-axis positions (dot
// product: of keys), each with gradient buffers of its own, which are added to the outputs in the order of the items
// whatever the number of threads: gradients are bit-identical from run to run, and no atomics are needed.
#include <omp.h>

#include <algorithm>
#include <cmath>

#include "kernels/attention/host_arguments.hpp"
#include "kernels/cpu/fast_layout.hpp"

namespace triscope::cpu {
namespace {

void zero(float* tensor, std::int64_t count) {
#pragma omp parallel for schedule(static)
  for (std::int64_t n = 0; n < count; ++n) tensor[n] = 0.0f;
}

// The gradients of a launch by role, and where an element of them lies.
struct Gradients {
  Gradients(const Problem& problem, const Shape& shape, const Arguments& arguments)
      : q(static_cast<float*>(arguments.grad_q)), problem_(problem) {
    const auto keys = shape.roles.by_role(arguments.grad_k1, arguments.grad_k2);
    const auto values = shape.roles.by_role(arguments.grad_v1, arguments.grad_v2);
    long_keys = static_cast<float*>(keys.long_axis), short_keys = static_cast<float*>(keys.short_axis);
    long_values = static_cast<float*>(values.long_axis), short_values = static_cast<float*>(values.short_axis);
  }

  std::int64_t row(std::int64_t head, std::int64_t row) const {
    const std::int64_t batch = head / problem_.kv_heads,
                       q_head = head % problem_.kv_heads * problem_.group() + row % problem_.group();
    return ((batch * problem_.seq_len + row / problem_.group()) * problem_.q_heads + q_head) * problem_.head_dim;
  }
  std::int64_t key(std::int64_t head, std::int64_t position) const {
    const std::int64_t batch = head / problem_.kv_heads;
    return ((batch * problem_.seq_len + position) * problem_.kv_heads + head % problem_.kv_heads) * problem_.head_dim;
  }

  float *q, *long_keys, *long_values, *short_keys, *short_values;

 private:
  const Problem& problem_;
};

bool all_finite(const float* values, std::int64_t count, int team) {
  bool finite = true;
#pragma omp parallel for schedule(static) num_threads(team) reduction(&& : finite)
  for (std::int64_t n = 0; n < count; ++n) finite = finite && std::isfinite(values[n]);
  return finite;
}

void add_scaled(const float* in, float factor, std::int64_t count, float* out) {
  for (std::int64_t d = 0; d < count; ++d) out[d] += factor * in[d];
}

// The long-axis positions and rows an item touches: [first, end).
struct ItemRange {
  std::int64_t first_position, end_position;  // of the item itself: short-axis positions, or keys
  std::int64_t first_row, end_row;
  std::int64_t first_key, end_key;
};

ItemRange range_of(const Layout& layout, std::int64_t panel_rows, std::int64_t index) {
  const Shape& shape = layout.shape;
  const std::int64_t n = shape.seq_len, step = shape.dot_product ? kItemKeys : kItemPositions;
  ItemRange range{};
  range.first_position = index * step;
  range.end_position = std::min(n, range.first_position + step);
  const std::int64_t reach = shape.dot_product ? shape.long_window : shape.short_window;
  const std::int64_t end_seen = shape.full ? n : std::min(n, range.end_position - 1 + reach);
  range.first_row = shape.full ? 0 : range.first_position * shape.group;
  range.end_row = end_seen * shape.group;
  if (shape.dot_product) {
    range.first_key = range.first_position;
    range.end_key = range.end_position;
  } else {
    range.first_key =
        shape.full ? 0
                   : std::max<std::int64_t>(0, range.first_position - shape.long_window + 1) / panel_rows * panel_rows;
    range.end_key = end_seen;
  }
  return range;
}

class Backward {
 public:
  Backward(const Problem& problem, const InstructionSet& instructions, const Arguments& arguments)
      : layout_(problem, Pass::backward, instructions),
        instructions_(instructions),
        workspace_(static_cast<float*>(arguments.workspace)),
        gradients_(problem, layout_.shape, arguments) {}

  const Layout& layout() const { return layout_; }
  float* workspace() const { return workspace_; }

  void run() const {
    const std::int64_t count = layout_.heads * layout_.items;
#pragma omp parallel for ordered schedule(dynamic, 1) num_threads(layout_.team())
    for (std::int64_t index = 0; index < count; ++index) {
      const std::int64_t head = index / layout_.items;
      const ItemRange range = range_of(layout_, instructions_.panel_rows, index % layout_.items);
      const BackwardItem item = compute(head, range);
#pragma omp ordered
      add_item(head, range, item);
    }
  }

 private:
  BackwardItem compute(std::int64_t head, const ItemRange& range) const {
    const Shape& shape = layout_.shape;
    BackwardItem item = describe(head);
    item.first_row = range.first_row;
    item.first_key = range.first_key;
    std::fill_n(item.grad_q, (range.end_row - range.first_row) * shape.padded_dim, 0.0f);
    std::fill_n(item.grad_long_keys, layout_.item_keys * shape.padded_dim, 0.0f);
    std::fill_n(item.grad_long_values, layout_.item_keys * shape.padded_dim, 0.0f);
    if (shape.dot_product) {
      instructions_.backward_keys(shape, item, range.first_position, range.end_position - range.first_position);
      return item;
    }
    for (std::int64_t k = range.first_position; k < range.end_position; ++k) {
      instructions_.backward_position(shape, item, k);
      const std::int64_t out = gradients_.key(head, k);
      for (std::int64_t d = 0; d < shape.head_dim; ++d) {
        gradients_.short_keys[out + d] = shape.gradient_factor * item.grad_short_key[d];
        gradients_.short_values[out + d] = item.grad_short_value[d];
      }
    }
    return item;
  }

  BackwardItem describe(std::int64_t head) const {
    const Shape& shape = layout_.shape;
    const std::int64_t long_index = head * layout_.panel_positions * shape.padded_dim,
                       short_index = head * shape.seq_len * shape.padded_dim;
    const std::int64_t rows = head * shape.rows;
    const auto at = [&](std::int64_t offset, std::int64_t index) {
      return offset < 0 ? nullptr : workspace_ + offset + index;
    };
    float* slot = workspace_ + layout_.slots + omp_get_thread_num() * layout_.slot_floats;
    BackwardItem item;
    item.long_key_panels = at(layout_.long_key_panels, long_index);
    item.long_value_panels = at(layout_.long_value_panels, long_index);
    item.long_keys = at(layout_.long_keys, long_index);
    item.long_values = at(layout_.long_values, long_index);
    item.short_keys = at(layout_.short_keys, short_index);
    item.short_values = at(layout_.short_values, short_index);
    item.q = at(layout_.q, rows * shape.padded_dim);
    item.grad_o = at(layout_.grad_o, rows * shape.padded_dim);
    item.lse2 = at(layout_.lse2, rows);
    item.delta = at(layout_.delta, rows);
    item.grad_q = slot + layout_.slot_grad_q;
    item.grad_long_keys = slot + layout_.slot_grad_keys;
    item.grad_long_values = slot + layout_.slot_grad_values;
    item.grad_short_key = slot + layout_.slot_grad_short_key;
    item.grad_short_value = slot + layout_.slot_grad_short_value;
    item.scratch = slot;
    return item;
  }

  void add_item(std::int64_t head, const ItemRange& range, const BackwardItem& item) const {
    const Shape& shape = layout_.shape;
    for (std::int64_t row = range.first_row; row < range.end_row; ++row) {
      add_scaled(item.grad_q + (row - range.first_row) * shape.padded_dim, shape.gradient_factor, shape.head_dim,
                 gradients_.q + gradients_.row(head, row));
    }
    for (std::int64_t key = range.first_key; key < range.end_key; ++key) {
      const std::int64_t in = (key - range.first_key) * shape.padded_dim, out = gradients_.key(head, key);
      add_scaled(item.grad_long_keys + in, shape.gradient_factor, shape.head_dim, gradients_.long_keys + out);
      add_scaled(item.grad_long_values + in, 1.0f, shape.head_dim, gradients_.long_values + out);
    }
  }

  Layout layout_;
  const InstructionSet& instructions_;
  float* workspace_;
  Gradients gradients_;
};

// dsink_h = -sum over batch and rows of exp(sink - lse) delta.
void sink_gradient(const Problem& problem, const Layout& layout, const Arguments& arguments, const float* workspace) {
  const Shape& shape = layout.shape;
#pragma omp parallel for schedule(static)
  for (std::int64_t q_head = 0; q_head < problem.q_heads; ++q_head) {
    double sum = 0;
    for (std::int64_t batch = 0; batch < problem.batch; ++batch) {
      const float* lse = arguments.lse + (batch * problem.q_heads + q_head) * problem.seq_len;
      const float* delta = workspace + layout.delta + (batch * problem.kv_heads + q_head / shape.group) * shape.rows +
                           q_head % shape.group;
      for (std::int64_t i = 0; i < problem.seq_len; ++i)
        sum -= std::exp(static_cast<double>(arguments.sink[q_head]) - lse[i]) * delta[i * shape.group];
    }
    arguments.grad_sink[q_head] = static_cast<float>(sum);
  }
}

}  // namespace

void launch_forward(const Problem& problem, const InstructionSet& instructions, const Arguments& arguments) {
  const Layout layout(problem, Pass::forward, instructions);
  const Shape& shape = layout.shape;
  float* workspace = static_cast<float*>(arguments.workspace);
  pack_keys(problem, layout, instructions, host_inputs(arguments), workspace);
  const bool finite = all_finite(workspace + layout.long_value_panels,
                                 layout.heads * layout.panel_positions * shape.padded_dim, layout.team());
  const std::int64_t tiles = (shape.rows + instructions.lanes - 1) / instructions.lanes;
#pragma omp parallel for schedule(dynamic, 1) num_threads(layout.team())
  for (std::int64_t index = 0; index < layout.heads * tiles; ++index) {
    const std::int64_t head = index / tiles, batch = head / problem.kv_heads,
                       q_head = head % problem.kv_heads * shape.group;
    const std::int64_t long_index = head * layout.panel_positions * shape.padded_dim,
                       short_index = head * shape.seq_len * shape.padded_dim;
    const std::int64_t first = (batch * problem.seq_len * problem.q_heads + q_head) * problem.head_dim;
    ForwardTile tile;
    tile.long_keys = workspace + layout.long_key_panels + long_index;
    tile.long_values = workspace + layout.long_value_panels + long_index;
    tile.finite_values = finite;
    if (!shape.dot_product) {
      tile.short_keys = workspace + layout.short_keys + short_index;
      tile.short_values = workspace + layout.short_values + short_index;
    }
    tile.q = static_cast<const float*>(arguments.q) + first;
    tile.o = static_cast<float*>(arguments.o) + first;
    tile.position_stride = problem.q_heads * problem.head_dim;
    tile.lse = arguments.lse + (batch * problem.q_heads + q_head) * problem.seq_len;
    tile.sink = problem.sink ? arguments.sink + q_head : nullptr;
    tile.first_row = index % tiles * instructions.lanes;
    tile.scratch = workspace + layout.slots + omp_get_thread_num() * layout.slot_floats;
    instructions.forward(shape, tile);
  }
}

void launch_backward(const Problem& problem, const InstructionSet& instructions, const Arguments& arguments) {
  const Backward backward(problem, instructions, arguments);
  const std::int64_t key_floats = problem.batch * problem.seq_len * problem.kv_heads * problem.head_dim;
  const Gradients gradients(problem, backward.layout().shape, arguments);
  pack_keys(problem, backward.layout(), instructions, host_inputs(arguments), backward.workspace());
  pack_rows(problem, backward.layout(), arguments, backward.workspace());
  zero(gradients.q, problem.batch * problem.seq_len * problem.q_heads * problem.head_dim);
  zero(gradients.long_keys, key_floats);
  zero(gradients.long_values, key_floats);
  backward.run();
  if (problem.sink) sink_gradient(problem, backward.layout(), arguments, backward.workspace());
}

}  // namespace triscope::cpu
