// Forward of one tile of rows by the virtual query: for each step along the short axis every lane folds its own key
// k = i - t into its query, so that what remains is dot-product attention over the long axis,
//   q~ = q * k2_k  (determinant: k2_k x q),   S = q~ K1^T,   P = exp(S - reference),   o += v2_k * (P V1).
// Operands are transposed, [d][lane]: the softmax needs no sum across lanes and K1, V1 are only ever broadcast.
//
// The reference of the exponential is the maximum of the first keys a lane sees and moves only when a score exceeds it
// by kSlack, because fp32 keeps its precision at any scale: rescaling is rare.
#pragma once

#include "kernels/cpu/fast_vector.inl"

namespace triscope::cpu::TRISCOPE_SIMD {
namespace {

constexpr std::int64_t kStepBlock = 32;  // steps along the short axis whose keys are transposed at a time
constexpr float kSlack = 24.0f;          // in powers of two
constexpr float kUnseen = -0x1.fffffep127f;
constexpr double kLn2 = 0.693147180559945309417;

// Columns of a transposed block of short keys: an odd multiple of 16, so that a column does not fall into few cache
// sets.
constexpr std::int64_t kShortColumns = ((kStepBlock + kLanes + kWidth + 15) / 16 | 1) * 16;

struct ForwardState {
  alignas(64) float reference[kLanes];  // base 2
  alignas(64) float sum[kLanes];        // of exponentials, over finished steps
  alignas(64) float step_sum[kLanes];
  Visibility visibility;  // along the long axis
  float* query;           // [padded_dim][lanes], like the next three
  float* operand;         // virtual query; also staging for rows
  float* step_output;     // P V1 of the step
  float* output;
  float* scores;      // [kChunk][lanes]
  float* short_keys;  // [padded_dim][kShortColumns], like the next
  float* short_values;
  float* zeros;                 // [padded_dim]
  std::int64_t block_position;  // position of column 0 of the short block
};

std::int64_t forward_scratch(const Shape& shape) {
  return shape.padded_dim * (4 * kLanes + 2 * kShortColumns + 1) + kChunk * kLanes;
}

void carve_scratch(const Shape& shape, float* scratch, ForwardState& state) {
  const std::int64_t tile = shape.padded_dim * kLanes;
  state.query = scratch;
  state.operand = state.query + tile;
  state.step_output = state.operand + tile;
  state.output = state.step_output + tile;
  state.scores = state.output + tile;
  state.short_keys = state.scores + kChunk * kLanes;
  state.short_values = state.short_keys + shape.padded_dim * kShortColumns;
  state.zeros = state.short_values + shape.padded_dim * kShortColumns;
}

void load_queries(const Shape& shape, const ForwardTile& tile, std::int64_t live, ForwardState& state) {
  float* rows = state.operand;  // [lanes][padded_dim]
  clear(rows, kLanes * shape.padded_dim);
  for (std::int64_t lane = 0; lane < live; ++lane) {
    const std::int64_t row = tile.first_row + lane;
    const float* q = tile.q + row / shape.group * tile.position_stride + row % shape.group * shape.head_dim;
    for (std::int64_t d = 0; d < shape.head_dim; ++d) rows[lane * shape.padded_dim + d] = q[d];
  }
  for (int v = 0; v < kVectors; ++v) {
    const float* pointers[kWidth];
    for (int r = 0; r < kWidth; ++r) pointers[r] = rows + (v * kWidth + r) * shape.padded_dim;
    transpose_rows(pointers, shape.padded_dim, state.query + v * kWidth, kLanes);
  }
}

// Transposes the short keys and values at block_position, block_position + 1, ...; positions outside the sequence are
// 0.
void load_short_block(const Shape& shape, const ForwardTile& tile, ForwardState& state) {
  for (std::int64_t column = 0; column < kShortColumns; column += kWidth) {
    const float *keys[kWidth], *values[kWidth];
    for (int n = 0; n < kWidth; ++n) {
      const std::int64_t position = state.block_position + column + n;
      const bool inside = position >= 0 && position < shape.seq_len;
      keys[n] = inside ? tile.short_keys + position * shape.padded_dim : state.zeros;
      values[n] = inside ? tile.short_values + position * shape.padded_dim : state.zeros;
    }
    transpose_rows(keys, shape.padded_dim, state.short_keys + column, kShortColumns);
    transpose_rows(values, shape.padded_dim, state.short_values + column, kShortColumns);
  }
}

// Where the lanes of one vector find their key in a row of the short block.
struct LaneKeys {
  std::int64_t column;  // of the vector's first lane
  Integers offset;      // of each lane from there
};

TRISCOPE_INLINE Vector pick(const float* row, const LaneKeys& lanes) {
  return permute(load(row + lanes.column), lanes.offset);
}

// operand = query * key, or key x query chunk by chunk (the remainder is never read).
void fold_key(const Shape& shape, const LaneKeys& lanes, int v, ForwardState& state) {
  const float* q = state.query + v * kWidth;
  float* out = state.operand + v * kWidth;
  const float* key = state.short_keys;
  if (!shape.determinant) {
    for (std::int64_t d = 0; d < shape.logit_dims; ++d)
      store(out + d * kLanes, load(q + d * kLanes) * pick(key + d * kShortColumns, lanes));
    return;
  }
  for (std::int64_t d = 0; d < shape.logit_dims; d += 3) {
    const Vector q0 = load(q + d * kLanes), q1 = load(q + (d + 1) * kLanes), q2 = load(q + (d + 2) * kLanes);
    const Vector k0 = pick(key + d * kShortColumns, lanes), k1 = pick(key + (d + 1) * kShortColumns, lanes),
                 k2 = pick(key + (d + 2) * kShortColumns, lanes);
    store(out + d * kLanes, k1 * q2 - k2 * q1);
    store(out + (d + 1) * kLanes, k2 * q0 - k0 * q2);
    store(out + (d + 2) * kLanes, k0 * q1 - k1 * q0);
  }
}

void add_step_output(const Shape& shape, const LaneKeys& lanes, int v, ForwardState& state) {
  for (std::int64_t d = 0; d < shape.padded_dim; ++d) {
    float* out = state.output + d * kLanes + v * kWidth;
    store(out, load(out) + load(state.step_output + d * kLanes + v * kWidth) *
                               pick(state.short_values + d * kShortColumns, lanes));
  }
}

// Scales and masks the scores of keys [first, first + count); returns whether some lane's maximum leaves the slack.
bool scale_scores(const Shape& shape, const Visibility& visibility, std::int64_t first, std::int64_t count,
                  ForwardState& state, Vector (&largest)[kVectors]) {
  const bool masked = !visibility.all_see(first, first + count);
  for (Vector& one : largest) one = broadcast(-__builtin_inff());
  for (std::int64_t key = 0; key < count; ++key) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      float* score = state.scores + key * kLanes + v * kWidth;
      Vector x = load(score) * shape.logit_factor;
      if (masked) x = visibility.seen(v, first + key) ? x : broadcast(-__builtin_inff());
      store(score, x);
      largest[v] = larger(x, largest[v]);
    }
  }
  Integers beyond{};
  for (int v = 0; v < kVectors; ++v) beyond |= largest[v] > load(state.reference + v * kWidth) + kSlack;
  return any(beyond);
}

// Moves the reference of the lanes that left the slack to their new maximum and rescales what they have summed.
void raise_reference(const Shape& shape, const Vector (&largest)[kVectors], ForwardState& state) {
  for (int v = 0; v < kVectors; ++v) {
    float* reference = state.reference + v * kWidth;
    const Vector before = load(reference);
    const Vector after = largest[v] > before + kSlack ? largest[v] : before;
    const Vector factor = exp2_of(before - after);
    store(reference, after);
    store(state.sum + v * kWidth, load(state.sum + v * kWidth) * factor);
    store(state.step_sum + v * kWidth, load(state.step_sum + v * kWidth) * factor);
    for (std::int64_t d = 0; d < shape.padded_dim; ++d) {
      float* step = state.step_output + d * kLanes + v * kWidth;
      float* total = state.output + d * kLanes + v * kWidth;
      store(step, load(step) * factor);
      store(total, load(total) * factor);
    }
  }
}

void exponentiate(std::int64_t count, ForwardState& state) {
#pragma GCC unroll 8
  for (int v = 0; v < kVectors; ++v) {
    const Vector reference = load(state.reference + v * kWidth);
    Vector sum{};
#pragma GCC unroll 4
    for (std::int64_t key = 0; key < count; ++key) {
      float* score = state.scores + key * kLanes + v * kWidth;
      const Vector p = exp2_of(load(score) - reference);
      store(score, p);
      sum += p;
    }
    store(state.step_sum + v * kWidth, load(state.step_sum + v * kWidth) + sum);
  }
}

// sum_panels for values of which some are NaN or infinite: a lane adds no product with a key that it does not see,
// since 0 * NaN is NaN. Slow.
void sum_seen(const float* panel, std::int64_t padded_dim, const float* weights, const Visibility& visibility,
              std::int64_t first, float* sums, std::int64_t panels) {
  for (std::int64_t key = 0; key < panels * kRows; ++key) {
    const float* values = panel + key / kRows * padded_dim * kRows + key % kRows;
    for (int v = 0; v < kVectors; ++v) {
      const Vector weight = load(weights + key * kLanes + v * kWidth);
      const Integers seen = visibility.seen(v, first + key);
      for (std::int64_t d = 0; d < padded_dim; ++d) {
        float* sum = sums + d * kLanes + v * kWidth;
        store(sum, load(sum) + (seen ? weight * broadcast(values[d * kRows]) : Vector{}));
      }
    }
  }
}

// One step: dot-product attention of the operand over the long axis, into step_output and step_sum.
void attend(const Shape& shape, const ForwardTile& tile, const Visibility& visibility, ForwardState& state) {
  clear(state.step_output, shape.padded_dim * kLanes);
  clear(state.step_sum, kLanes);
  const std::int64_t end = visibility.largest_last + 1;
  for (std::int64_t first = round_down(visibility.smallest_first, kRows); first < end; first += kChunk) {
    const std::int64_t panels = (minimum(kChunk, end - first) + kRows - 1) / kRows;
    score_panels(tile.long_keys + first * shape.padded_dim, shape.padded_dim, shape.logit_dims, state.operand,
                 state.scores, panels);
    Vector largest[kVectors];
    if (scale_scores(shape, visibility, first, panels * kRows, state, largest)) raise_reference(shape, largest, state);
    exponentiate(panels * kRows, state);
    const float* values = tile.long_values + first * shape.padded_dim;
    if (tile.finite_values || visibility.all_see(first, first + panels * kRows)) {
      sum_panels(values, shape.padded_dim, state.scores, state.step_output, panels);
    } else {
      sum_seen(values, shape.padded_dim, state.scores, visibility, first, state.step_output, panels);
    }
  }
  for (int v = 0; v < kVectors; ++v)
    store(state.sum + v * kWidth, load(state.sum + v * kWidth) + load(state.step_sum + v * kWidth));
}

// The visibility of a step in which the lanes whose short key would lie before the sequence see nothing.
Visibility clipped_visibility(const Shape& shape, const ForwardTile& tile, std::int64_t step, std::int64_t live,
                              const Visibility& all) {
  Visibility clipped = all;
  const std::int64_t dead =
      minimum(live, maximum(0, step * shape.group - tile.first_row));  // lanes at positions < step
  for (std::int64_t lane = 0; lane < dead; ++lane) {
    clipped.first[lane] = 1;
    clipped.last[lane] = 0;
  }
  if (dead > 0) clipped.smallest_last = -1;
  return clipped;
}

// Divides by the sum, writes o and the LSE (natural log, sink included).
void write_rows(const Shape& shape, const ForwardTile& tile, std::int64_t live, ForwardState& state) {
  alignas(64) float factor[kLanes] = {};
  for (std::int64_t lane = 0; lane < live; ++lane) {
    const std::int64_t row = tile.first_row + lane, member = row % shape.group;
    const double reference = state.reference[lane];
    double sum = state.sum[lane], largest = reference;
    if (tile.sink != nullptr) {
      const double sink = tile.sink[member] / kLn2;
      largest = reference > sink ? reference : sink;
      sum = sum * __builtin_exp2(reference - largest) + __builtin_exp2(sink - largest);
    }
    factor[lane] = static_cast<float>(__builtin_exp2(reference - largest) / sum);
    tile.lse[member * shape.seq_len + row / shape.group] = static_cast<float>((largest + __builtin_log2(sum)) * kLn2);
  }
  float* rows = state.operand;  // [lanes][padded_dim]
  for (std::int64_t d = 0; d < shape.padded_dim; d += kWidth) {
    const float* pointers[kWidth];
    for (int r = 0; r < kWidth; ++r) pointers[r] = state.output + (d + r) * kLanes;
    transpose_rows(pointers, kLanes, rows + d, shape.padded_dim);
  }
  for (std::int64_t lane = 0; lane < live; ++lane) {
    const std::int64_t row = tile.first_row + lane;
    float* o = tile.o + row / shape.group * tile.position_stride + row % shape.group * shape.head_dim;
    for (std::int64_t d = 0; d < shape.head_dim; ++d) o[d] = rows[lane * shape.padded_dim + d] * factor[lane];
  }
}

void forward_dot_product(const Shape& shape, const ForwardTile& tile, ForwardState& state) {
  for (std::int64_t n = 0; n < shape.padded_dim * kLanes; n += kWidth) store(state.operand + n, load(state.query + n));
  attend(shape, tile, state.visibility, state);
  for (std::int64_t n = 0; n < shape.padded_dim * kLanes; n += kWidth)
    store(state.output + n, load(state.step_output + n));
}

void forward_two_axes(const Shape& shape, const ForwardTile& tile, std::int64_t live, ForwardState& state) {
  const std::int64_t first_position = tile.first_row / shape.group;
  const std::int64_t last_position = (tile.first_row + live - 1) / shape.group;
  const std::int64_t steps = shape.full ? shape.seq_len : minimum(shape.short_window, last_position + 1);
  clear(state.zeros, shape.padded_dim);
  LaneKeys lanes[kVectors];
  std::int64_t vector_position[kVectors];
  for (int v = 0; v < kVectors; ++v) {
    vector_position[v] = minimum(last_position, (tile.first_row + v * kWidth) / shape.group);
    for (int n = 0; n < kWidth; ++n) {
      const std::int64_t position = minimum(last_position, (tile.first_row + v * kWidth + n) / shape.group);
      lanes[v].offset[n] = shape.full ? 0 : static_cast<std::int32_t>(position - vector_position[v]);
    }
  }
  for (std::int64_t step = 0; step < steps; ++step) {
    if (step % kStepBlock == 0) {
      state.block_position = shape.full ? step : first_position - step - (kStepBlock - 1);
      load_short_block(shape, tile, state);
    }
    for (int v = 0; v < kVectors; ++v) {
      lanes[v].column = (shape.full ? step : vector_position[v] - step) - state.block_position;
      fold_key(shape, lanes[v], v, state);
    }
    if (!shape.full && step > first_position) {
      attend(shape, tile, clipped_visibility(shape, tile, step, live, state.visibility), state);
    } else {
      attend(shape, tile, state.visibility, state);
    }
    for (int v = 0; v < kVectors; ++v) add_step_output(shape, lanes[v], v, state);
  }
}

void forward(const Shape& shape, const ForwardTile& tile) {
  ForwardState state;
  carve_scratch(shape, tile.scratch, state);
  const std::int64_t live = minimum(kLanes, shape.rows - tile.first_row);
  set_visibility(shape, tile.first_row, live, state.visibility);
  load_queries(shape, tile, live, state);
  clear(state.output, shape.padded_dim * kLanes);
  clear(state.sum, kLanes);
  for (int v = 0; v < kVectors; ++v) store(state.reference + v * kWidth, broadcast(kUnseen));
  if (shape.dot_product) {
    forward_dot_product(shape, tile, state);
  } else {
    forward_two_axes(shape, tile, live, state);
  }
  write_rows(shape, tile, live, state);
}

}  // namespace
}  // namespace triscope::cpu::TRISCOPE_SIMD
