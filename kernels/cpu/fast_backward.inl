// Gradients by virtual keys: for a fixed short-axis position k, K1_j * k2_k and V1_j * v2_k (determinant: k1_j x k2_k)
// are keys and values of an ordinary attention over j, seen by the rows of positions [k, k + short window), all of
// them:
//   S = q KK^T,  dP = do VV^T,  P = exp(S - LSE),  dS = P (dP - delta)
//   dVV += P^T do,   dKK += dS^T q,   dq += dS KK                       five GEMMs, the least there are
// and only once per (j, k):  dk1_j += k2_k * dKK,  dk2_k += k1_j * dKK,  dv1_j += v2_k * dVV,  dv2_k += v1_j * dVV
// (determinant: dk1 = k2 x dKK, dk2 = dKK x k1). Scores are [key][lane], lanes being rows, as in the forward.
// Limit: few rows see a k when short window x group is small; below `lanes` of them, lanes idle.
#pragma once

#include "kernels/cpu/fast_forward.inl"

namespace triscope::cpu::TRISCOPE_SIMD {
namespace {

constexpr std::int64_t kTiles = 8;  // tiles of rows that share one chunk of virtual keys

struct RowTile {
  Visibility visibility;
  alignas(64) float lse2[kLanes];
  alignas(64) float delta[kLanes];
  std::int64_t first_row, live;
  float* query;  // [padded_dim][lanes], like the next two
  float* grad_o;
  float* grad_q;
};

// Keys [first, first + panels * kRows) and what they have gathered.
struct KeyChunk {
  const float* keys;  // panels
  const float* values;
  float* grad_keys;  // [key][padded_dim]
  float* grad_values;
  std::int64_t first, panels;
};

struct BackwardScratch {
  float* tiles;         // query, grad_o, grad_q of kTiles tiles
  float* virtual_keys;  // panels of one chunk, like the next
  float* virtual_values;
  float* grad_keys;  // [kChunk][padded_dim], like the next
  float* grad_values;
  float* p;  // [kChunk][lanes], like the next
  float* ds;
  float* wide_key;  // [padded_dim][kRows]: the short key, each element repeated, like the next
  float* wide_value;
};

std::int64_t backward_scratch(const Shape& shape) {
  return shape.padded_dim * (3 * kTiles * kLanes + 4 * kChunk + 2 * kRows) + 2 * kChunk * kLanes;
}

BackwardScratch carve_backward_scratch(const Shape& shape, float* scratch) {
  BackwardScratch parts;
  const std::int64_t chunk = shape.padded_dim * kChunk;
  parts.tiles = scratch;
  parts.virtual_keys = parts.tiles + 3 * kTiles * kLanes * shape.padded_dim;
  parts.virtual_values = parts.virtual_keys + chunk;
  parts.grad_keys = parts.virtual_values + chunk;
  parts.grad_values = parts.grad_keys + chunk;
  parts.p = parts.grad_values + chunk;
  parts.ds = parts.p + kChunk * kLanes;
  parts.wide_key = parts.ds + kChunk * kLanes;
  parts.wide_value = parts.wide_key + shape.padded_dim * kRows;
  return parts;
}

// Transposes the rows of a tile. Lanes beyond the last row repeat it; they see no key.
void load_tile_rows(const Shape& shape, const BackwardItem& item, std::int64_t first_row, std::int64_t live,
                    float* memory, RowTile& tile) {
  tile.first_row = first_row;
  tile.live = live;
  tile.query = memory;
  tile.grad_o = tile.query + shape.padded_dim * kLanes;
  tile.grad_q = tile.grad_o + shape.padded_dim * kLanes;
  set_visibility(shape, first_row, live, tile.visibility);
  clear(tile.grad_q, shape.padded_dim * kLanes);
  for (int v = 0; v < kVectors; ++v) {
    const float *queries[kWidth], *grads[kWidth];
    for (int n = 0; n < kWidth; ++n) {
      const std::int64_t lane = v * kWidth + n, row = first_row + minimum(lane, live - 1);
      queries[n] = item.q + row * shape.padded_dim;
      grads[n] = item.grad_o + row * shape.padded_dim;
      tile.lse2[lane] = item.lse2[row];
      tile.delta[lane] = item.delta[row];
    }
    transpose_rows(queries, shape.padded_dim, tile.query + v * kWidth, kLanes);
    transpose_rows(grads, shape.padded_dim, tile.grad_o + v * kWidth, kLanes);
  }
}

void add_grad_q(const Shape& shape, const RowTile& tile, const BackwardItem& item) {
  for (std::int64_t d = 0; d < shape.padded_dim; d += kWidth) {
    for (int v = 0; v < kVectors; ++v) {
      Vector block[kWidth];
#pragma GCC unroll 16
      for (int r = 0; r < kWidth; ++r) block[r] = load(tile.grad_q + (d + r) * kLanes + v * kWidth);
      transpose_square(block);
      float* out = item.grad_q + (tile.first_row + v * kWidth - item.first_row) * shape.padded_dim + d;
#pragma GCC unroll 16
      for (int r = 0; r < kWidth; ++r) {
        if (v * kWidth + r < tile.live) store(out + r * shape.padded_dim, load(out + r * shape.padded_dim) + block[r]);
      }
    }
  }
}

// In: p = raw scores, ds = dP. Out: p = P, ds = dS, both 0 where a lane does not see the key.
void weights_of_scores(const Shape& shape, const RowTile& tile, std::int64_t first, std::int64_t count, float* p,
                       float* ds) {
  const bool masked = !tile.visibility.all_see(first, first + count);
#pragma GCC unroll 8
  for (int v = 0; v < kVectors; ++v) {
    const Vector lse2 = load(tile.lse2 + v * kWidth), delta = load(tile.delta + v * kWidth);
#pragma GCC unroll 4
    for (std::int64_t key = 0; key < count; ++key) {
      const std::int64_t at = key * kLanes + v * kWidth;
      Vector weight = exp2_of(load(p + at) * shape.logit_factor - lse2);
      Vector change = weight * (load(ds + at) - delta);  // not finite where the value of an unseen key is not
      if (masked) {
        const Integers seen = tile.visibility.seen(v, first + key);
        weight = seen ? weight : Vector{};
        change = seen ? change : Vector{};
      }
      store(p + at, weight);
      store(ds + at, change);
    }
  }
}

// The five GEMMs of one tile against one chunk, on the panels the tile sees.
void tile_gradients(const Shape& shape, const BackwardItem& item, const RowTile& tile, const KeyChunk& chunk, float* p,
                    float* ds) {
  const std::int64_t first = maximum(chunk.first, round_down(tile.visibility.smallest_first, kRows));
  const std::int64_t end = minimum(chunk.first + chunk.panels * kRows, tile.visibility.largest_last + 1);
  if (first >= end) return;
  const std::int64_t panels = (end - first + kRows - 1) / kRows, dim = shape.padded_dim,
                     offset = (first - chunk.first) * dim;
  score_panels(chunk.keys + offset, dim, shape.logit_dims, tile.query, p, panels);
  score_panels(chunk.values + offset, dim, shape.head_dim, tile.grad_o, ds, panels);
  weights_of_scores(shape, tile, first, panels * kRows, p, ds);
  sum_lanes(p, item.grad_o + tile.first_row * dim, dim, tile.live, chunk.grad_values + offset, panels);
  sum_lanes(ds, item.q + tile.first_row * dim, dim, tile.live, chunk.grad_keys + offset, panels);
  sum_panels(chunk.keys + offset, dim, ds, tile.grad_q, panels);
}

// virtual = keys * short key, element by element of the panels.
void multiply_panels(const float* panels, const float* wide, std::int64_t panel_floats, std::int64_t count,
                     float* out) {
  for (std::int64_t n = 0; n < count; ++n) {
    for (std::int64_t x = 0; x < panel_floats; x += kWidth) store(out + x, load(panels + x) * load(wide + x));
    panels += panel_floats;
    out += panel_floats;
  }
}

// virtual = key x short key, chunk by chunk; the remainder of head_dim is 0.
void cross_panels(const Shape& shape, const float* panels, const float* key, std::int64_t count, float* out) {
  for (std::int64_t n = 0; n < count; ++n) {
    for (std::int64_t d = 0; d < shape.logit_dims; d += 3) {
      const float b0 = key[d], b1 = key[d + 1], b2 = key[d + 2];
      const float *a0 = panels + d * kRows, *a1 = a0 + kRows, *a2 = a1 + kRows;
      float* x = out + d * kRows;
      for (int r = 0; r < kRows; ++r) {
        x[r] = a1[r] * b2 - a2[r] * b1;
        x[r + kRows] = a2[r] * b0 - a0[r] * b2;
        x[r + 2 * kRows] = a0[r] * b1 - a1[r] * b0;
      }
    }
    for (std::int64_t x = shape.logit_dims * kRows; x < shape.padded_dim * kRows; ++x) out[x] = 0.0f;
    panels += shape.padded_dim * kRows;
    out += shape.padded_dim * kRows;
  }
}

// grad_long += gathered * short_row;  grad_short += sum over keys of gathered * long.
void unfold_product(std::int64_t dim, std::int64_t count, const float* gathered, const float* long_rows,
                    const float* short_row, float* grad_long, float* grad_short) {
  for (std::int64_t d = 0; d < dim; d += kWidth) {
    const Vector factor = load(short_row + d);
    Vector sum = load(grad_short + d);
    for (std::int64_t key = 0; key < count; ++key) {
      const Vector x = load(gathered + key * dim + d);
      float* out = grad_long + key * dim + d;
      store(out, load(out) + x * factor);
      sum += x * load(long_rows + key * dim + d);
    }
    store(grad_short + d, sum);
  }
}

// The same for the determinant: dk1 += k2 x gathered, dk2 += gathered x k1.
void unfold_cross(const Shape& shape, std::int64_t count, const float* gathered, const float* long_rows,
                  const float* short_row, float* grad_long, float* grad_short) {
  for (std::int64_t key = 0; key < count; ++key) {
    const float *x = gathered + key * shape.padded_dim, *a = long_rows + key * shape.padded_dim, *b = short_row;
    float* out = grad_long + key * shape.padded_dim;
    for (std::int64_t d = 0; d < shape.logit_dims; d += 3) {
      out[d] += b[d + 1] * x[d + 2] - b[d + 2] * x[d + 1];
      out[d + 1] += b[d + 2] * x[d] - b[d] * x[d + 2];
      out[d + 2] += b[d] * x[d + 1] - b[d + 1] * x[d];
      grad_short[d] += x[d + 1] * a[d + 2] - x[d + 2] * a[d + 1];
      grad_short[d + 1] += x[d + 2] * a[d] - x[d] * a[d + 2];
      grad_short[d + 2] += x[d] * a[d + 1] - x[d + 1] * a[d];
    }
  }
}

// Prepares up to kTiles tiles from `first_row` and returns how many; `end` is past the last row.
std::int64_t load_row_block(const Shape& shape, const BackwardItem& item, std::int64_t first_row, std::int64_t end,
                            float* memory, RowTile (&tiles)[kTiles]) {
  std::int64_t count = 0;
  for (std::int64_t row = first_row; row < end && count < kTiles; row += kLanes, ++count) {
    load_tile_rows(shape, item, row, minimum(kLanes, end - row), memory + 3 * count * kLanes * shape.padded_dim,
                   tiles[count]);
  }
  return count;
}

void make_virtual_keys(const Shape& shape, const BackwardItem& item, std::int64_t k, const KeyChunk& chunk,
                       const BackwardScratch& scratch) {
  const std::int64_t dim = shape.padded_dim, offset = chunk.first * dim;
  if (shape.determinant) {
    cross_panels(shape, item.long_key_panels + offset, item.short_keys + k * dim, chunk.panels, scratch.virtual_keys);
  } else {
    multiply_panels(item.long_key_panels + offset, scratch.wide_key, dim * kRows, chunk.panels, scratch.virtual_keys);
  }
  multiply_panels(item.long_value_panels + offset, scratch.wide_value, dim * kRows, chunk.panels,
                  scratch.virtual_values);
}

// Of keys [first, end) of the chunk, which are those that some row sees: others have gathered 0, and 0 * NaN is NaN.
void unfold(const Shape& shape, const BackwardItem& item, std::int64_t k, const KeyChunk& chunk, std::int64_t first,
            std::int64_t end) {
  const std::int64_t dim = shape.padded_dim, count = end - first, out = (first - item.first_key) * dim;
  const float* keys = item.long_keys + first * dim;
  const float* values = item.long_values + first * dim;
  const float* grad_keys = chunk.grad_keys + (first - chunk.first) * dim;
  const float* grad_values = chunk.grad_values + (first - chunk.first) * dim;
  if (shape.determinant) {
    unfold_cross(shape, count, grad_keys, keys, item.short_keys + k * dim, item.grad_long_keys + out,
                 item.grad_short_key);
  } else {
    unfold_product(dim, count, grad_keys, keys, item.short_keys + k * dim, item.grad_long_keys + out,
                   item.grad_short_key);
  }
  unfold_product(dim, count, grad_values, values, item.short_values + k * dim, item.grad_long_values + out,
                 item.grad_short_value);
}

void backward_position(const Shape& shape, const BackwardItem& item, std::int64_t k) {
  const BackwardScratch scratch = carve_backward_scratch(shape, item.scratch);
  const std::int64_t dim = shape.padded_dim;
  for (std::int64_t n = 0; n < dim * kRows; ++n) {
    scratch.wide_key[n] = item.short_keys[k * dim + n / kRows];
    scratch.wide_value[n] = item.short_values[k * dim + n / kRows];
  }
  clear(item.grad_short_key, dim);
  clear(item.grad_short_value, dim);
  const std::int64_t begin = shape.full ? 0 : k * shape.group;
  const std::int64_t end = shape.full ? shape.rows : minimum(shape.seq_len, k + shape.short_window) * shape.group;
  RowTile tiles[kTiles];
  for (std::int64_t row = begin; row < end; row += kTiles * kLanes) {
    const std::int64_t count = load_row_block(shape, item, row, end, scratch.tiles, tiles);
    const std::int64_t last = tiles[count - 1].visibility.largest_last + 1;
    for (std::int64_t first = round_down(tiles[0].visibility.smallest_first, kRows); first < last; first += kChunk) {
      const std::int64_t panels = (minimum(kChunk, last - first) + kRows - 1) / kRows;
      const KeyChunk chunk{
          scratch.virtual_keys, scratch.virtual_values, scratch.grad_keys, scratch.grad_values, first, panels};
      make_virtual_keys(shape, item, k, chunk, scratch);
      clear(chunk.grad_keys, panels * kRows * dim);
      clear(chunk.grad_values, panels * kRows * dim);
      for (std::int64_t n = 0; n < count; ++n) tile_gradients(shape, item, tiles[n], chunk, scratch.p, scratch.ds);
      unfold(shape, item, k, chunk, maximum(first, tiles[0].visibility.smallest_first),
             minimum(first + panels * kRows, last));
    }
    for (std::int64_t n = 0; n < count; ++n) add_grad_q(shape, tiles[n], item);
  }
}

void backward_keys(const Shape& shape, const BackwardItem& item, std::int64_t first, std::int64_t count) {
  const BackwardScratch scratch = carve_backward_scratch(shape, item.scratch);
  const std::int64_t dim = shape.padded_dim;
  const std::int64_t begin = shape.full ? 0 : first * shape.group;
  const std::int64_t end =
      shape.full ? shape.rows : minimum(shape.seq_len, first + count - 1 + shape.long_window) * shape.group;
  const std::int64_t panels = (count + kRows - 1) / kRows, offset = (first - item.first_key) * dim;
  const KeyChunk chunk{item.long_key_panels + first * dim,
                       item.long_value_panels + first * dim,
                       item.grad_long_keys + offset,
                       item.grad_long_values + offset,
                       first,
                       panels};
  RowTile tiles[kTiles];
  for (std::int64_t row = begin; row < end; row += kTiles * kLanes) {
    const std::int64_t tile_count = load_row_block(shape, item, row, end, scratch.tiles, tiles);
    for (std::int64_t n = 0; n < tile_count; ++n) {
      tile_gradients(shape, item, tiles[n], chunk, scratch.p, scratch.ds);
      add_grad_q(shape, tiles[n], item);
    }
  }
}

}  // namespace
}  // namespace triscope::cpu::TRISCOPE_SIMD
