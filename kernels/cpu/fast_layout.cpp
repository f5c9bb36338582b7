#include "kernels/cpu/fast_layout.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>

namespace triscope::cpu {
namespace {

constexpr double kLog2E = 1.44269504088896340736;

std::int64_t round_up(std::int64_t x, std::int64_t multiple) { return (x + multiple - 1) / multiple * multiple; }

// Threads a launch may use. Asked once, so that `workspace_bytes` and `launch` agree whatever changes in between.
std::int64_t thread_slots() {
  static const std::int64_t slots = std::max(1, omp_get_num_procs());
  return slots;
}

void take(std::int64_t& offset, std::int64_t floats, std::int64_t& total) {
  offset = total;
  total += round_up(floats, 64);
}

}  // namespace

Shape make_shape(const Problem& problem) {
  Shape shape;
  shape.seq_len = problem.seq_len;
  shape.group = problem.group();
  shape.rows = shape.seq_len * shape.group;
  shape.head_dim = problem.head_dim;
  shape.padded_dim = round_up(problem.head_dim, kDimMultiple);
  shape.determinant = problem.form == Form::determinant;
  shape.dot_product = problem.form == Form::dot_product;
  shape.logit_dims = shape.determinant ? problem.head_dim / 3 * 3 : problem.head_dim;
  shape.full = problem.mask == Mask::full;
  shape.roles = axis_roles(problem, BiasPlace::in_keys);
  shape.long_window = shape.roles.window.long_axis;
  shape.short_window = shape.roles.window.short_axis;
  shape.logit_factor = static_cast<float>(shape.roles.scale * kLog2E);
  shape.gradient_factor = static_cast<float>(shape.roles.scale);
  return shape;
}

Layout::Layout(const Problem& problem, Pass pass, const InstructionSet& instructions) : shape(make_shape(problem)) {
  heads = problem.batch * problem.kv_heads;
  panel_positions = round_up(shape.seq_len, instructions.panel_rows);
  const std::int64_t long_floats = heads * panel_positions * shape.padded_dim;
  const std::int64_t short_floats = heads * shape.seq_len * shape.padded_dim;
  take(long_key_panels, long_floats, total_floats);
  take(long_value_panels, long_floats, total_floats);
  if (!shape.dot_product) {
    take(short_keys, short_floats, total_floats);
    take(short_values, short_floats, total_floats);
  }
  if (pass == Pass::forward) {
    threads = std::min(thread_slots(), heads * ((shape.rows + instructions.lanes - 1) / instructions.lanes));
    slot_floats = round_up(instructions.forward_scratch(shape), 64);
  } else {
    lay_out_backward(instructions);
  }
  take(slots, threads * slot_floats, total_floats);
}

int Layout::team() const { return static_cast<int>(std::min<std::int64_t>(threads, omp_get_max_threads())); }

void Layout::lay_out_backward(const InstructionSet& instructions) {
  const std::int64_t n = shape.seq_len, step = shape.dot_product ? kItemKeys : kItemPositions;
  items = (n + step - 1) / step;
  threads = std::min(thread_slots(), heads * items);
  // The rows that see a step of positions, and the long-axis positions those rows see.
  const std::int64_t reach = shape.full ? n : shape.dot_product ? shape.long_window : shape.short_window;
  item_rows = std::min(n, step + reach - 1) * shape.group;
  item_keys = shape.dot_product ? step
              : shape.full      ? n
                                : std::min(n, step + shape.short_window + shape.long_window - 2);
  item_keys = round_up(item_keys, instructions.panel_rows) + 2 * instructions.panel_rows;
  if (!shape.dot_product) {
    take(long_keys, heads * panel_positions * shape.padded_dim, total_floats);
    take(long_values, heads * panel_positions * shape.padded_dim, total_floats);
  }
  take(q, heads * shape.rows * shape.padded_dim, total_floats);
  take(grad_o, heads * shape.rows * shape.padded_dim, total_floats);
  take(lse2, heads * shape.rows, total_floats);
  take(delta, heads * shape.rows, total_floats);
  slot_floats = round_up(instructions.backward_scratch(shape), 64);
  take(slot_grad_q, item_rows * shape.padded_dim, slot_floats);
  take(slot_grad_keys, item_keys * shape.padded_dim, slot_floats);
  take(slot_grad_values, item_keys * shape.padded_dim, slot_floats);
  take(slot_grad_short_key, shape.padded_dim, slot_floats);
  take(slot_grad_short_value, shape.padded_dim, slot_floats);
}

namespace {

// One key tensor of one (batch, kv head), as far as packing goes.
struct Source {
  const float* first;   // element 0 of position 0
  std::int64_t stride;  // between positions
  float bias;
};

// Any of the destinations may be null. Panels and padded rows beyond the sequence become 0.
void pack_position(const Shape& shape, const Source& source, std::int64_t position, std::int64_t panel_rows,
                   float* panels, float* rows) {
  const float* in = source.first + position * source.stride;
  const bool inside = position < shape.seq_len;
  float* panel = panels == nullptr
                     ? nullptr
                     : panels + position / panel_rows * panel_rows * shape.padded_dim + position % panel_rows;
  for (std::int64_t d = 0; d < shape.padded_dim; ++d) {
    const float x = inside && d < shape.head_dim ? in[d] + source.bias : 0.0f;
    if (panel != nullptr) panel[d * panel_rows] = x;
    if (rows != nullptr) rows[position * shape.padded_dim + d] = x;
  }
}

float* at(float* workspace, std::int64_t offset, std::int64_t index) {
  return offset < 0 ? nullptr : workspace + offset + index;
}

}  // namespace

void pack_keys(const Problem& problem, const Layout& layout, const InstructionSet& instructions,
               const HostInputs& inputs, float* workspace) {
  const Shape& shape = layout.shape;
  const AxisRoles& roles = shape.roles;
  const ByRole<const float*> keys = roles.by_role(inputs.k1, inputs.k2), values = roles.by_role(inputs.v1, inputs.v2);
  const std::int64_t stride = problem.kv_heads * problem.head_dim, dim = shape.padded_dim;
#pragma omp parallel for collapse(2) schedule(static) num_threads(layout.team())
  for (std::int64_t head = 0; head < layout.heads; ++head) {
    for (std::int64_t position = 0; position < layout.panel_positions; ++position) {
      const std::int64_t offset =
          head / problem.kv_heads * problem.seq_len * stride + head % problem.kv_heads * problem.head_dim;
      const std::int64_t long_index = head * layout.panel_positions * dim, short_index = head * shape.seq_len * dim;
      pack_position(shape, {keys.long_axis + offset, stride, roles.key_bias.long_axis}, position,
                    instructions.panel_rows, at(workspace, layout.long_key_panels, long_index),
                    at(workspace, layout.long_keys, long_index));
      pack_position(shape, {values.long_axis + offset, stride, roles.value_bias.long_axis}, position,
                    instructions.panel_rows, at(workspace, layout.long_value_panels, long_index),
                    at(workspace, layout.long_values, long_index));
      if (shape.dot_product || position >= shape.seq_len) continue;
      pack_position(shape, {keys.short_axis + offset, stride, roles.key_bias.short_axis}, position, 1, nullptr,
                    workspace + layout.short_keys + short_index);
      pack_position(shape, {values.short_axis + offset, stride, roles.value_bias.short_axis}, position, 1, nullptr,
                    workspace + layout.short_values + short_index);
    }
  }
}

void pack_rows(const Problem& problem, const Layout& layout, const Arguments& arguments, float* workspace) {
  const Shape& shape = layout.shape;
  const auto* q = static_cast<const float*>(arguments.q);
  const auto* o = static_cast<const float*>(arguments.o);
  const auto* grad_o = static_cast<const float*>(arguments.grad_o);
#pragma omp parallel for collapse(2) schedule(static) num_threads(layout.team())
  for (std::int64_t head = 0; head < layout.heads; ++head) {
    for (std::int64_t row = 0; row < shape.rows; ++row) {
      const std::int64_t batch = head / problem.kv_heads, position = row / shape.group;
      const std::int64_t q_head = head % problem.kv_heads * shape.group + row % shape.group;
      const std::int64_t in = ((batch * problem.seq_len + position) * problem.q_heads + q_head) * shape.head_dim;
      const std::int64_t index = head * shape.rows + row, out = index * shape.padded_dim;
      double delta = 0;
      for (std::int64_t d = 0; d < shape.padded_dim; ++d) {
        const bool inside = d < shape.head_dim;
        workspace[layout.q + out + d] = inside ? q[in + d] : 0.0f;
        workspace[layout.grad_o + out + d] = inside ? grad_o[in + d] : 0.0f;
        if (inside) delta += static_cast<double>(grad_o[in + d]) * o[in + d];
      }
      const float lse = arguments.lse[(batch * problem.q_heads + q_head) * problem.seq_len + position];
      workspace[layout.delta + index] = static_cast<float>(delta);
      workspace[layout.lse2 + index] = static_cast<float>(lse * kLog2E);
    }
  }
}

std::size_t workspace_bytes(const Problem& problem, Pass pass, const InstructionSet& instructions) {
  return static_cast<std::size_t>(Layout(problem, pass, instructions).total_floats) * sizeof(float);
}

}  // namespace triscope::cpu
