#include "kernels/inspect/cpu/slice_operands.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/reference/oracle.hpp"

namespace triscope::cpu {
namespace {

std::vector<double> read_wide(const AttentionTensors& tensors, const SliceQuery& query, TensorRole role,
                              std::int64_t head, SliceRange range) {
  const std::vector<float> rows = read_rows(tensors, query, role, head, range);
  return {rows.begin(), rows.end()};
}

std::int64_t padded_to_lanes(std::int64_t count) { return (count + kSliceLanes - 1) / kSliceLanes * kSliceLanes; }

}  // namespace

SliceKeys::SliceKeys(const AttentionTensors& tensors, const SliceQuery& query, std::int64_t kv_head)
    : range(slice_range(query.problem, 1, query.query)),
      padded(padded_to_lanes(range.count)),
      dims(logit_dims(query.problem)),
      keys(static_cast<std::size_t>(dims * padded)),
      distance(static_cast<std::size_t>(padded)) {
  const std::vector<double> rows = read_wide(tensors, query, TensorRole::k1, kv_head, range);
  for (std::int64_t j = 0; j < range.count; ++j) {
    for (std::int64_t d = 0; d < dims; ++d) {
      keys[static_cast<std::size_t>(d * padded + j)] = rows[static_cast<std::size_t>(j * tensors.head_dim + d)];
    }
    distance[static_cast<std::size_t>(j)] = static_cast<double>(query.query - range.first - j);
  }
}

SliceFolded::SliceFolded(const AttentionTensors& tensors, const SliceQuery& query, std::int64_t head)
    : range(slice_range(query.problem, 2, query.query)),
      dims(logit_dims(query.problem)),
      folded(static_cast<std::size_t>(range.count * dims)) {
  const Problem& problem = query.problem;
  const std::vector<double> q = read_wide(tensors, query, TensorRole::q, head, {query.query, 1});
  const bool dot_product = problem.form == Form::dot_product;
  std::vector<double> k2(static_cast<std::size_t>(range.count * tensors.head_dim), 1.0);
  if (!dot_product) k2 = read_wide(tensors, query, TensorRole::k2, head / tensors.group(), range);
  const bool rounded = query.arithmetic == Arithmetic::bf16_kernel;
  const double scale = problem.effective_scale(), bias = dot_product ? 0.0 : problem.k2_bias;
  for (std::int64_t k = 0; k < range.count; ++k) {
    const double* key = k2.data() + k * tensors.head_dim;
    double* out = folded.data() + k * dims;
    for (std::int64_t d = 0; d < dims; ++d) {
      if (problem.form == Form::determinant) {
        const std::int64_t chunk = d / 3 * 3, a = chunk + (d + 1) % 3, b = chunk + (d + 2) % 3;
        out[d] = (key[a] + bias) * q[static_cast<std::size_t>(b)] - (key[b] + bias) * q[static_cast<std::size_t>(a)];
      } else {
        out[d] = q[static_cast<std::size_t>(d)] * (key[d] + bias);
      }
      if (rounded && std::isfinite(out[d])) out[d] = round_product_to_bf16(out[d]);
      out[d] *= scale;
    }
  }
}

void slice_logits(const SliceInstructions& instructions, const SliceFolded& folded, const SliceKeys& keys,
                  std::int64_t first_row, std::int64_t rows, double* out) {
  instructions.logits(folded.folded.data() + first_row * folded.dims, keys.keys.data(), rows, keys.padded, keys.dims,
                      out);
  for (std::int64_t row = 0; row < rows; ++row) {
    std::fill(out + row * keys.padded + keys.range.count, out + (row + 1) * keys.padded, kMaskedLogit);
  }
}

SliceValues::SliceValues(const AttentionTensors& tensors, const SliceQuery& query, const SliceKeys& keys)
    : padded(padded_to_lanes(tensors.head_dim)), values1(static_cast<std::size_t>(keys.padded * padded)) {
  const std::int64_t head = query.head / tensors.group(), dim = tensors.head_dim;
  const std::vector<float> v1 = read_rows(tensors, query, TensorRole::v1, head, keys.range);
  for (std::int64_t j = 0; j < keys.range.count; ++j) {
    std::copy_n(v1.begin() + j * dim, dim, values1.begin() + j * padded);
  }
  const SliceRange range = slice_range(query.problem, 2, query.query);
  values2.assign(static_cast<std::size_t>(range.count * dim), 1.0);
  if (query.problem.form == Form::dot_product) return;
  values2 = read_wide(tensors, query, TensorRole::v2, head, range);
  for (double& x : values2) x += query.problem.v2_bias;
}

}  // namespace triscope::cpu
