#include "profiler/paper/layers/measured_layer.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

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

/// Heads on a device.
using Place = std::pair<std::string, Heads>;

/// The lengths of what was measured; its order is not that of the rows.
struct Measured {
  std::map<std::pair<Place, std::pair<std::int64_t, std::int64_t>>, std::pair<LayerMixRequest, Lengths>> layers;
  std::map<Place, std::map<std::string, Lengths>> beside;  // of dot-product attention, by kernel

  void add(const ResultRow& row, const NamedLayer& named, Pass pass) {
    LayerMixRequest layer = layer_of(row);
    layer.seq_len = LayerMixRequest{}.seq_len;  // layers are told apart by device, windows and heads
    layer.form = named.form.value_or(layer.form);
    if (!is_layer_row(row, layer, pass)) return;
    const NamedLayer heads{{}, named.q_heads, named.kv_heads, named.head_dim, {}, {}, {}};
    if (heads_of(with_named(layer, heads)) != heads_of(layer)) return;  // others are named
    const Place place{row.device, heads_of(layer)};
    if (is_simplicial_layer(row, layer)) {
      const std::pair key{place, std::pair(layer.windows.window1, layer.windows.window2)};
      layers.try_emplace(key, layer, Lengths{}).first->second.second.insert(row.problem.seq_len);
    }
    layer.dot_kernel = row.kernel;
    const bool asked = !named.dot_kernel || *named.dot_kernel == row.kernel;
    if (asked && is_global_layer(row, layer)) beside[place][row.kernel].insert(row.problem.seq_len);
  }
};

Lengths in_common(const Lengths& a, const Lengths& b) {
  Lengths common;
  std::ranges::set_intersection(a, b, std::inserter(common, common.end()));
  return common;
}

/// The usual kernel, or of several the one with most lengths among `own`; these lengths.
std::pair<std::string, Lengths> best_beside(const std::map<std::string, Lengths>& kernels, const Lengths& own,
                                            const std::string& usual) {
  std::pair<std::string, Lengths> best{usual, {}};
  if (const auto found = kernels.find(usual); found != kernels.end()) best.second = in_common(found->second, own);
  if (!best.second.empty()) return best;
  for (const auto& [kernel, lengths] : kernels) {
    Lengths common = in_common(lengths, own);
    if (common.size() > best.second.size()) best = {kernel, std::move(common)};
  }
  return best;
}

std::int64_t length_of(const Lengths& own, const Lengths& common, std::int64_t usual) {
  if (*own.begin() <= usual && usual <= *own.rbegin()) return usual;
  return common.empty() ? *own.rbegin() : *common.rbegin();
}

}  // namespace

LayerMixRequest measured_layer(std::span<const ResultRow> rows, const NamedLayer& named, Pass pass) {
  Measured measured;
  for (const ResultRow& row : rows) measured.add(row, named, pass);
  const LayerMixRequest usual = with_named({}, named);
  LayerMixRequest best = usual;
  using Rank = std::tuple<bool, bool, bool, std::size_t, std::size_t>;
  std::optional<std::tuple<Rank, WindowsDistance>> most;
  for (const auto& [key, found] : measured.layers) {
    const auto& [layer, lengths] = found;
    const auto [kernel, common] = best_beside(measured.beside[key.first], lengths, usual.dot_kernel);
    const bool has_windows = layer.windows == usual.windows;
    const Rank rank{named.windows && has_windows, !common.empty(),
                    heads_of(layer) == heads_of(usual) && (named.windows || has_windows), common.size(),
                    lengths.size()};
    const WindowsDistance distance = windows_distance(usual.windows, layer.windows);
    const bool better =
        !most || rank > std::get<0>(*most) || (rank == std::get<0>(*most) && distance < std::get<1>(*most));
    if (!better) continue;  // of equals the first by device, heads and windows
    most = {rank, distance};
    best = layer;
    best.dot_kernel = kernel;
    best.seq_len = length_of(lengths, common, usual.seq_len);
  }
  return with_named(best, named);
}

}  // namespace triscope
