#include "profiler/paper/layers/layer_rows.hpp"

#include <algorithm>
#include <cmath>

#include "profiler/statistics/row_that_counts.hpp"

namespace triscope {

LayerMixRequest layer_of(const ResultRow& row) {
  const Problem& p = row.problem;
  LayerMixRequest layer;
  layer.seq_len = p.seq_len;
  layer.q_heads = p.q_heads;
  layer.kv_heads = p.kv_heads;
  layer.head_dim = p.head_dim;
  layer.windows = {p.window1, p.window2};
  layer.device = row.device;
  return layer;
}

Problem layer_problem(const LayerMixRequest& layer) {
  Problem problem;
  problem.form = layer.form;
  problem.element = Element::bf16;
  problem.seq_len = layer.seq_len;
  problem.q_heads = layer.q_heads;
  problem.kv_heads = layer.kv_heads;
  problem.head_dim = layer.head_dim;
  problem.window1 = layer.windows.window1;
  problem.window2 = layer.windows.window2;
  return problem;
}

bool is_layer_row(const ResultRow& row, const LayerMixRequest& request, Pass pass) {
  const Problem& p = row.problem;
  return is_plain(row) && row.regime == request.regime && row.pass == pass && p.batch == 1 &&
         p.kv_heads == request.kv_heads && p.head_dim == request.head_dim &&
         (request.device.empty() || row.device == request.device);
}

bool is_row_of_heads(const ResultRow& row, const LayerMixRequest& request, Pass pass) {
  return is_layer_row(row, request, pass) && row.problem.q_heads == request.q_heads;
}

bool is_global_layer(const ResultRow& row, const LayerMixRequest& request) {
  return row.kernel == request.dot_kernel && row.problem.form == Form::dot_product &&
         row.problem.window1 >= row.problem.seq_len;
}

bool is_simplicial_layer(const ResultRow& row, const LayerMixRequest& request) {
  return row.card.kind == KernelKind::simplicial && row.problem.form == request.form;
}

std::set<std::string> dot_kernels(std::span<const ResultRow> rows) {
  std::set<std::string> kernels;
  for (const ResultRow& row : rows) {
    if (row.problem.form == Form::dot_product) kernels.insert(row.kernel);
  }
  return kernels;
}

WindowsDistance windows_distance(const Windows& from, const Windows& to) {
  const auto apart = [](std::int64_t a, std::int64_t b) {
    return std::abs(std::log(static_cast<double>(a) / static_cast<double>(b)));
  };
  const auto shorter = [](const Windows& w) { return std::min(w.window1, w.window2); };
  return {apart(from.window1 * from.window2, to.window1 * to.window2), apart(shorter(from), shorter(to)), -to.window1};
}

}  // namespace triscope
