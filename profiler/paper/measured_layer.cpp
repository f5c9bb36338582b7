#include "profiler/paper/measured_layer.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

namespace triscope {
namespace {

using Lengths = std::set<std::int64_t>;

bool same_layer(const ResultRow& row, const LayerMixRequest& layer) {
  return is_layer_row(row, layer, Pass::forward) && row.problem.q_heads == layer.q_heads &&
         is_simplicial_layer(row, layer) && Windows{row.problem.window1, row.problem.window2} == layer.windows;
}

Lengths lengths_of(std::span<const ResultRow> rows, const LayerMixRequest& layer, bool dot_product) {
  Lengths lengths;
  for (const ResultRow& row : rows) {
    const bool beside =
        is_layer_row(row, layer, Pass::forward) && row.problem.q_heads == layer.q_heads && is_global_layer(row, layer);
    if (dot_product ? beside : same_layer(row, layer)) lengths.insert(row.problem.seq_len);
  }
  return lengths;
}

/// Of each problem but for its length, the layer that asks for it.
std::vector<LayerMixRequest> layers_of(std::span<const ResultRow> rows) {
  std::vector<LayerMixRequest> layers;
  for (const ResultRow& row : rows) {
    const Problem& p = row.problem;
    LayerMixRequest layer;
    layer.q_heads = p.q_heads;
    layer.kv_heads = p.kv_heads;
    layer.head_dim = p.head_dim;
    layer.windows = {p.window1, p.window2};
    if (!same_layer(row, layer)) continue;
    if (std::ranges::none_of(layers, [&](const LayerMixRequest& known) { return same_layer(row, known); }))
      layers.push_back(layer);
  }
  return layers;
}

std::set<std::string> dot_kernels(std::span<const ResultRow> rows) {
  std::set<std::string> kernels;
  for (const ResultRow& row : rows) {
    if (row.problem.form == Form::dot_product) kernels.insert(row.kernel);
  }
  return kernels;
}

}  // namespace

LayerMixRequest measured_layer(std::span<const ResultRow> rows) {
  const LayerMixRequest usual;
  if (!lengths_of(rows, usual, false).empty()) return usual;
  LayerMixRequest best = usual;
  // More lengths beside dot-product attention, more lengths, nearer windows.
  using Rank = std::tuple<std::size_t, std::size_t, double>;
  Rank most{0, 0, 0};
  const std::set<std::string> kernels = dot_kernels(rows);
  for (LayerMixRequest layer : layers_of(rows)) {
    const Lengths own = lengths_of(rows, layer, false);
    layer.seq_len = *own.rbegin();
    const double near = -windows_distance(usual.windows, layer.windows).area;
    const auto consider = [&](std::size_t beside) {
      if (const Rank rank{beside, own.size(), near}; rank > most) most = rank, best = layer;
    };
    consider(0);
    for (const std::string& kernel : kernels) {
      layer.dot_kernel = kernel;
      const Lengths dot = lengths_of(rows, layer, true);
      consider(static_cast<std::size_t>(
          std::ranges::count_if(own, [&](std::int64_t length) { return dot.contains(length); })));
    }
  }
  return best;
}

}  // namespace triscope
