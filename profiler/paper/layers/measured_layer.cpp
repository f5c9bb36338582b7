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

LayerMixRequest with_named(LayerMixRequest layer, const NamedLayer& named) {
  layer.seq_len = named.seq_len.value_or(layer.seq_len);
  layer.q_heads = named.q_heads.value_or(layer.q_heads);
  layer.kv_heads = named.kv_heads.value_or(layer.kv_heads);
  layer.head_dim = named.head_dim.value_or(layer.head_dim);
  layer.windows = named.windows.value_or(layer.windows);
  layer.form = named.form.value_or(layer.form);
  layer.dot_kernel = named.dot_kernel.value_or(layer.dot_kernel);
  return layer;
}

/// The lengths of what was measured.
struct Measured {
  std::vector<std::pair<LayerMixRequest, Lengths>> layers;                      // in the order of the rows
  std::map<Heads, std::map<std::string, Lengths>> beside;                       // of dot-product attention, by kernel
  std::map<std::tuple<Heads, std::int64_t, std::int64_t>, std::size_t> places;  // in `layers`

  void add(const ResultRow& row, const NamedLayer& named) {
    LayerMixRequest layer = layer_of(row);
    layer.seq_len = LayerMixRequest{}.seq_len;  // layers are told apart by windows and heads
    layer.form = named.form.value_or(layer.form);
    if (!is_layer_row(row, layer, Pass::forward)) return;
    const NamedLayer heads{{}, named.q_heads, named.kv_heads, named.head_dim, {}, {}, {}};
    if (heads_of(with_named(layer, heads)) != heads_of(layer)) return;  // others are named
    if (is_simplicial_layer(row, layer)) {
      const std::tuple key{heads_of(layer), layer.windows.window1, layer.windows.window2};
      const auto [place, is_new] = places.try_emplace(key, layers.size());
      if (is_new) layers.emplace_back(layer, Lengths{});
      layers[place->second].second.insert(row.problem.seq_len);
    }
    layer.dot_kernel = row.kernel;
    const bool asked = !named.dot_kernel || *named.dot_kernel == row.kernel;
    if (asked && is_global_layer(row, layer)) beside[heads_of(layer)][row.kernel].insert(row.problem.seq_len);
  }
};

/// At how many of `own` lengths a kernel of these heads was measured too, and which has most of them.
std::pair<std::size_t, std::string> best_beside(const std::map<std::string, Lengths>& kernels, const Lengths& own) {
  std::pair<std::size_t, std::string> best{0, LayerMixRequest{}.dot_kernel};
  for (const auto& one : kernels) {
    const Lengths& lengths = one.second;  // Clang captures no structured binding where OpenMP is on
    const auto common = static_cast<std::size_t>(
        std::ranges::count_if(own, [&](std::int64_t length) { return lengths.contains(length); }));
    if (common > best.first) best = {common, one.first};
  }
  return best;
}

}  // namespace

LayerMixRequest measured_layer(std::span<const ResultRow> rows, const NamedLayer& named) {
  Measured measured;
  for (const ResultRow& row : rows) measured.add(row, named);
  const LayerMixRequest usual = with_named({}, named);
  LayerMixRequest best = usual;
  // The paper's layer, more lengths beside dot-product attention, more lengths, nearer windows.
  using Rank = std::tuple<bool, std::size_t, std::size_t, double>;
  Rank most{false, 0, 0, 0};
  for (const auto& [layer, lengths] : measured.layers) {
    const bool papers = heads_of(layer) == heads_of(usual) && (named.windows || layer.windows == usual.windows);
    const std::map<std::string, Lengths>& kernels = measured.beside[heads_of(layer)];
    const auto [common, kernel] = best_beside(kernels, lengths);
    const Rank rank{papers, common, lengths.size(), -windows_distance(usual.windows, layer.windows).area};
    if (rank <= most) continue;
    most = rank;
    best = layer;
    best.seq_len = papers ? usual.seq_len : *lengths.rbegin();
    best.dot_kernel = kernels.contains(usual.dot_kernel) ? usual.dot_kernel : kernel;
  }
  return with_named(best, named);
}

}  // namespace triscope
