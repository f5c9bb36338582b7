#include "profiler/paper/layers/measured_layer.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace triscope {
namespace {

using Lengths = std::set<std::int64_t>;
using Heads = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // q heads, kv heads, head dimension

Heads heads_of(const LayerMixRequest& layer) { return {layer.q_heads, layer.kv_heads, layer.head_dim}; }

/// The lengths of what was measured.
struct Measured {
  std::vector<std::pair<LayerMixRequest, Lengths>> layers;                      // in the order of the rows
  std::map<Heads, std::map<std::string, Lengths>> beside;                       // of dot-product attention, by kernel
  std::map<std::tuple<Heads, std::int64_t, std::int64_t>, std::size_t> places;  // in `layers`

  void add(const ResultRow& row) {
    LayerMixRequest layer = layer_of(row);
    layer.seq_len = LayerMixRequest{}.seq_len;  // layers are told apart by windows and heads
    if (!is_layer_row(row, layer, Pass::forward)) return;
    if (is_simplicial_layer(row, layer)) {
      const std::tuple key{heads_of(layer), layer.windows.window1, layer.windows.window2};
      const auto [place, is_new] = places.try_emplace(key, layers.size());
      if (is_new) layers.emplace_back(layer, Lengths{});
      layers[place->second].second.insert(row.problem.seq_len);
    }
    layer.dot_kernel = row.kernel;
    if (is_global_layer(row, layer)) beside[heads_of(layer)][row.kernel].insert(row.problem.seq_len);
  }
};

}  // namespace

LayerMixRequest measured_layer(std::span<const ResultRow> rows) {
  Measured measured;
  for (const ResultRow& row : rows) measured.add(row);
  const LayerMixRequest usual;
  LayerMixRequest best = usual;
  // More lengths beside dot-product attention, more lengths, nearer windows.
  using Rank = std::tuple<std::size_t, std::size_t, double>;
  Rank most{0, 0, 0};
  for (auto& [layer, lengths] : measured.layers) {
    if (layer == usual) return usual;
    const Lengths& own = lengths;
    layer.seq_len = *own.rbegin();
    const double near = -windows_distance(usual.windows, layer.windows).area;
    const auto consider = [&](std::size_t beside, const LayerMixRequest& one) {
      if (const Rank rank{beside, own.size(), near}; rank > most) most = rank, best = one;
    };
    consider(0, layer);
    for (const auto& [kernel, dot] : measured.beside[heads_of(layer)]) {
      LayerMixRequest one = layer;
      one.dot_kernel = kernel;
      const auto in_common = [&lengths = dot](std::int64_t length) { return lengths.contains(length); };
      consider(static_cast<std::size_t>(std::ranges::count_if(own, in_common)), one);
    }
  }
  return best;
}

}  // namespace triscope
