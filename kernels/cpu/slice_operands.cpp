#include "kernels/cpu/slice_operands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/cpu/oracle.hpp"
#include "kernels/error.hpp"
#include "kernels/philox.hpp"

namespace triscope::cpu {
namespace {

// Rows of one head in fp64, rounded as `arithmetic` says.
std::vector<double> read_rows(const AttentionTensors& tensors, const SliceQuery& query, TensorRole role,
                              std::int64_t head, SliceRange range) {
  std::vector<float> rows(static_cast<std::size_t>(range.count * tensors.head_dim));
  tensors.read(role, query.batch, head, range.first, range.count, rows.data());
  if (query.arithmetic != Arithmetic::exact) {
    for (float& x : rows) {
      if (std::isfinite(x)) x = round_to_bf16(x);
    }
  }
  return {rows.begin(), rows.end()};
}

std::int64_t logit_dims(const Problem& problem) {
  return problem.form == Form::determinant ? problem.head_dim / 3 * 3 : problem.head_dim;
}

[[noreturn]] void refuse(const std::string& why, const std::string& fix) {
  throw Error("the slice cannot be made", why, fix, ExitCode::usage);
}

void require_inside(const char* what, std::int64_t value, std::int64_t count) {
  if (value >= 0 && value < count) return;
  refuse(fmt::format("there is no {} {}", what, value), fmt::format("choose one from 0 to {}", count - 1));
}

}  // namespace

SliceRange slice_range(const Problem& problem, int axis, std::int64_t query) {
  if (axis == 2 && problem.form == Form::dot_product) return {query, 1};
  if (problem.mask == Mask::full) return {0, problem.seq_len};
  const std::int64_t window = axis == 1 ? problem.window1 : problem.window2;
  const std::int64_t first = std::max<std::int64_t>(0, query - window + 1);
  return {first, query - first + 1};
}

SliceKeys::SliceKeys(const AttentionTensors& tensors, const SliceQuery& query, std::int64_t kv_head)
    : range(slice_range(query.problem, 1, query.query)),
      padded((range.count + kSliceLanes - 1) / kSliceLanes * kSliceLanes),
      dims(logit_dims(query.problem)),
      keys(static_cast<std::size_t>(dims * padded)),
      distance(static_cast<std::size_t>(padded)) {
  const std::vector<double> rows = read_rows(tensors, query, TensorRole::k1, kv_head, range);
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
  const std::vector<double> q = read_rows(tensors, query, TensorRole::q, head, {query.query, 1});
  const bool dot_product = problem.form == Form::dot_product;
  std::vector<double> k2(static_cast<std::size_t>(range.count * tensors.head_dim), 1.0);
  if (!dot_product) k2 = read_rows(tensors, query, TensorRole::k2, head / tensors.group(), range);
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
  instructions.logits(folded.folded.data() + first_row * folded.dims, keys.keys.data(), rows, keys.padded, keys.dims, out);
  for (std::int64_t row = 0; row < rows; ++row) {
    std::fill(out + row * keys.padded + keys.range.count, out + (row + 1) * keys.padded, kMaskedLogit);
  }
}

void require_slice(const AttentionTensors& tensors, const SliceQuery& query) {
  require_inside("batch", query.batch, tensors.batch);
  require_inside("query head", query.head, tensors.q_heads);
  require_inside("query", query.query, tensors.seq_len);
  const std::int64_t count1 = slice_range(query.problem, 1, query.query).count;
  const std::int64_t count2 = slice_range(query.problem, 2, query.query).count;
  if (count1 > kMostSliceCells / count2) {
    refuse(fmt::format("{} x {} pairs are more than the {} that can be shown", count1, count2, kMostSliceCells),
           query.problem.mask == Mask::full ? "use the causal mask with windows" : "choose smaller windows");
  }
}

}  // namespace triscope::cpu
