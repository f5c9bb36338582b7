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

using ByPass = std::map<Pass, Lengths>;

/// The lengths of what was measured; its order is not that of the rows.
struct Measured {
  std::map<std::pair<Place, std::pair<std::int64_t, std::int64_t>>, std::pair<LayerMixRequest, ByPass>> layers;
  std::map<Place, std::map<std::string, ByPass>> beside;  // of dot-product attention, by kernel
  std::set<Pass> passes;                                  // that some layer has

  void add(const ResultRow& row, const NamedLayer& named) {
    LayerMixRequest layer = layer_of(row);
    layer.seq_len = LayerMixRequest{}.seq_len;  // layers are told apart by device, windows and heads
    layer.form = named.form.value_or(layer.form);
    if (!is_layer_row(row, layer, row.pass)) return;
    const NamedLayer heads{{}, named.q_heads, named.kv_heads, named.head_dim, {}, {}, {}};
    if (heads_of(with_named(layer, heads)) != heads_of(layer)) return;  // others are named
    const Place place{row.device, heads_of(layer)};
    if (is_simplicial_layer(row, layer)) {
      const std::pair key{place, std::pair(layer.windows.window1, layer.windows.window2)};
      layers.try_emplace(key, layer, ByPass{}).first->second.second[row.pass].insert(row.problem.seq_len);
      passes.insert(row.pass);
    }
    layer.dot_kernel = row.kernel;
    const bool asked = !named.dot_kernel || *named.dot_kernel == row.kernel;
    if (asked && is_global_layer(row, layer)) beside[place][row.kernel][row.pass].insert(row.problem.seq_len);
  }
};

Lengths of_both(const Lengths& a, const Lengths& b) {
  Lengths both;
  std::ranges::set_intersection(a, b, std::inserter(both, both.end()));
  return both;
}

/// Lengths that were measured in every pass, and those that were in some.
struct InPasses {
  Lengths every, some;
  const Lengths& known() const { return every.empty() ? some : every; }
};

InPasses in_passes(const ByPass& measured, const std::set<Pass>& passes) {
  InPasses in;
  for (const Pass pass : passes) {
    const auto found = measured.find(pass);
    const Lengths lengths = found == measured.end() ? Lengths{} : found->second;
    in.every = pass == *passes.begin() ? lengths : of_both(in.every, lengths);
    in.some.insert(lengths.begin(), lengths.end());
  }
  return in;
}

InPasses in_common(const ByPass& a, const ByPass& b, const std::set<Pass>& passes) {
  ByPass common;
  for (const auto& [pass, lengths] : a) {
    if (const auto other = b.find(pass); other != b.end()) common[pass] = of_both(lengths, other->second);
  }
  return in_passes(common, passes);
}

std::pair<std::size_t, std::size_t> count_of(const InPasses& lengths) {
  return {lengths.every.size(), lengths.some.size()};
}

/// The usual kernel, or of several the one with most lengths among `own`; these lengths.
std::pair<std::string, InPasses> best_beside(const std::map<std::string, ByPass>& kernels, const ByPass& own,
                                             const std::string& usual, const std::set<Pass>& passes) {
  std::pair<std::string, InPasses> best{usual, {}};
  if (const auto found = kernels.find(usual); found != kernels.end())
    best.second = in_common(found->second, own, passes);
  if (!best.second.every.empty()) return best;
  for (const auto& [kernel, lengths] : kernels) {
    InPasses common = in_common(lengths, own, passes);
    if (count_of(common) > count_of(best.second)) best = {kernel, std::move(common)};
  }
  return best;
}

std::int64_t length_of(const Lengths& own, const Lengths& common, std::int64_t usual) {
  if (*own.begin() <= usual && usual <= *own.rbegin()) return usual;
  return common.empty() ? *own.rbegin() : *common.rbegin();
}

}  // namespace

LayerMixRequest measured_layer(std::span<const ResultRow> rows, const NamedLayer& named, std::span<const Pass> passes) {
  Measured measured;
  for (const ResultRow& row : rows) {
    if (std::ranges::find(passes, row.pass) != passes.end()) measured.add(row, named);
  }
  const LayerMixRequest usual = with_named({}, named);
  LayerMixRequest best = usual;
  using Rank =
      std::tuple<bool, bool, bool, bool, std::pair<std::size_t, std::size_t>, std::pair<std::size_t, std::size_t>>;
  std::optional<std::tuple<Rank, WindowsDistance>> most;
  for (const auto& [key, found] : measured.layers) {
    const auto& [layer, by_pass] = found;
    const auto [kernel, common] = best_beside(measured.beside[key.first], by_pass, usual.dot_kernel, measured.passes);
    const InPasses own = in_passes(by_pass, measured.passes);
    const bool has_windows = layer.windows == usual.windows;
    const Rank rank{named.windows && has_windows,
                    !common.every.empty(),
                    !common.some.empty(),
                    heads_of(layer) == heads_of(usual) && (named.windows || has_windows),
                    count_of(common),
                    count_of(own)};
    const WindowsDistance distance = windows_distance(usual.windows, layer.windows);
    const bool better =
        !most || rank > std::get<0>(*most) || (rank == std::get<0>(*most) && distance < std::get<1>(*most));
    if (!better) continue;  // of equals the first by device, heads and windows
    most = {rank, distance};
    best = layer;
    best.dot_kernel = kernel;
    best.seq_len = length_of(own.known(), common.known(), usual.seq_len);
  }
  return with_named(best, named);
}

}  // namespace triscope
