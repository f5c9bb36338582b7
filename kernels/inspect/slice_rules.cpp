#include "kernels/inspect/slice_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/error.hpp"
#include "kernels/base/philox.hpp"

namespace triscope {
namespace {

[[noreturn]] void refuse(const std::string& why, const std::string& fix) {
  throw Error("the slice cannot be made", why, fix, ExitCode::usage);
}

void require_inside(const char* what, std::int64_t value, std::int64_t count) {
  if (value >= 0 && value < count) return;
  refuse(fmt::format("there is no {} {}", what, value), fmt::format("choose one from 0 to {}", count - 1));
}

}  // namespace

SliceRange slice_frame(const Problem& problem, int axis, std::int64_t query) {
  if (axis == 2 && problem.form == Form::dot_product) return {query, 1};
  if (problem.mask == Mask::full) return {0, problem.seq_len};
  const std::int64_t window = axis == 1 ? problem.window1 : problem.window2;
  return {query - window + 1, window};
}

SliceRange slice_range(const Problem& problem, int axis, std::int64_t query) {
  const SliceRange frame = slice_frame(problem, axis, query);
  const std::int64_t first = std::max<std::int64_t>(0, frame.first);
  return {first, frame.first + frame.count - first};
}

std::int64_t logit_dims(const Problem& problem) {
  return problem.form == Form::determinant ? problem.head_dim / 3 * 3 : problem.head_dim;
}

Problem with_shape_of(Problem problem, const AttentionTensors& tensors) {
  problem.batch = tensors.batch;
  problem.seq_len = tensors.seq_len;
  problem.q_heads = tensors.q_heads;
  problem.kv_heads = tensors.kv_heads;
  problem.head_dim = tensors.head_dim;
  problem.element = Element::fp32;
  problem.sink = tensors.sink.empty() ? std::nullopt : std::optional(0.0);
  const auto cut = [&](std::int64_t window) {
    return problem.mask == Mask::full ? tensors.seq_len : std::min(window, tensors.seq_len);
  };
  problem.window1 = cut(problem.window1);
  problem.window2 = problem.form == Form::dot_product ? 1 : cut(problem.window2);
  if (problem.form == Form::dot_product) problem.k2_bias = problem.v2_bias = 0;
  require_valid(problem);
  return problem;
}

SliceQuery checked_slice(const AttentionTensors& tensors, const SliceQuery& asked) {
  SliceQuery query = asked;
  query.problem = with_shape_of(asked.problem, tensors);
  require_inside("batch", query.batch, tensors.batch);
  require_inside("query head", query.head, tensors.q_heads);
  require_inside("query", query.query, tensors.seq_len);
  const std::int64_t count1 = slice_range(query.problem, 1, query.query).count;
  const std::int64_t count2 = slice_range(query.problem, 2, query.query).count;
  if (count1 > kMostSliceCells / count2) {
    refuse(fmt::format("{} x {} pairs are more than the {} that can be shown", count1, count2, kMostSliceCells),
           query.problem.mask == Mask::full ? "use the causal mask with windows" : "choose smaller windows");
  }
  return query;
}

SliceQuery checked_overview(const AttentionTensors& tensors, const SliceQuery& asked, std::int64_t step) {
  SliceQuery query = asked;
  query.head = 0;
  query.query = tensors.seq_len - 1;
  query = checked_slice(tensors, query);
  if (step < 1) {
    throw Error("the overview cannot be made", fmt::format("a step of {} is not possible", step), "choose 1 or more",
                ExitCode::usage);
  }
  return query;
}

SliceQuery dot_product_of(SliceQuery query) {
  query.problem.form = Form::dot_product;
  query.problem.scale.reset();
  return query;
}

void read_rows(const AttentionTensors& tensors, const SliceQuery& query, TensorRole role, std::int64_t head,
               SliceRange range, float* out) {
  tensors.read(role, query.batch, head, range.first, range.count, out);
  if (query.arithmetic == Arithmetic::exact) return;
  for (float* x = out; x < out + range.count * tensors.head_dim; ++x) {
    if (std::isfinite(*x)) *x = round_to_bf16(*x);
  }
}

std::vector<float> read_rows(const AttentionTensors& tensors, const SliceQuery& query, TensorRole role,
                             std::int64_t head, SliceRange range) {
  std::vector<float> rows(static_cast<std::size_t>(range.count * tensors.head_dim));
  read_rows(tensors, query, role, head, range, rows.data());
  return rows;
}

std::optional<double> sink_of(const AttentionTensors& tensors, std::int64_t head) {
  if (tensors.sink.empty()) return std::nullopt;
  return tensors.sink[static_cast<std::size_t>(head)];
}

void share_output(const AttentionTensors& tensors, const SliceQuery& query, Slice& slice) {
  double norm = 0;
  for (float x : slice.output) norm += static_cast<double>(x) * x;
  if (!(norm > 0)) return;
  const std::int64_t head = query.head / tensors.group();
  const bool dot_product = query.problem.form == Form::dot_product;
  for (Triple& triple : slice.top) {
    const std::vector<float> v1 = read_rows(tensors, query, TensorRole::v1, head, {triple.j, 1});
    std::vector<float> v2(v1.size(), 1.0F);
    if (!dot_product) v2 = read_rows(tensors, query, TensorRole::v2, head, {triple.k, 1});
    double along = 0;
    for (std::size_t d = 0; d < v1.size(); ++d) {
      along += static_cast<double>(v1[d]) * (v2[d] + query.problem.v2_bias) * slice.output[d];
    }
    triple.output_share = triple.p * along / norm;
  }
}

}  // namespace triscope
