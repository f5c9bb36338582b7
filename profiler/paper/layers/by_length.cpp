#include "profiler/paper/layers/by_length.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "profiler/statistics/row_that_counts.hpp"

namespace triscope {
namespace {

using Rows = std::vector<const ResultRow*>;

Rows of_sweep(std::span<const ResultRow* const> rows, std::int64_t sweep) {
  Rows kept;
  std::ranges::copy_if(rows, std::back_inserter(kept), [&](const ResultRow* row) { return row->sweep == sweep; });
  return kept;
}

BesideByLength beside(std::span<const ResultRow* const> windows, std::span<const ResultRow* const> dot_product) {
  BesideByLength made{curve_of(windows), curve_of(dot_product), 0};
  for (const auto& [length, row] : made.windows) made.lengths += made.dot_product.contains(length) ? 1 : 0;
  return made;
}

/// Of each sweep with rows of these windows, the one that was started last at the end.
std::vector<BesideByLength> beside_by_sweep(std::span<const ResultRow* const> windows,
                                            std::span<const ResultRow* const> dot_product) {
  std::map<std::int64_t, std::string> started;  // id -> last start
  for (const ResultRow* row : windows) started[row->sweep] = std::max(started[row->sweep], row->started);
  std::vector<std::int64_t> sweeps;
  for (const auto& [sweep, when] : started) sweeps.push_back(sweep);
  std::ranges::stable_sort(sweeps, {}, [&](std::int64_t sweep) { return started.at(sweep); });
  std::vector<BesideByLength> made;
  for (const std::int64_t sweep : sweeps)
    made.push_back(beside(of_sweep(windows, sweep), of_sweep(dot_product, sweep)));
  return made;
}

/// Takes the lengths that `sweep` has of both.
void take_pairs(BesideByLength& all, const BesideByLength& sweep) {
  for (const auto& [length, row] : sweep.windows) {
    const auto dot = sweep.dot_product.find(length);
    if (dot != sweep.dot_product.end()) all.windows[length] = row, all.dot_product[length] = dot->second;
  }
}

}  // namespace

LengthCurve curve_of(std::span<const ResultRow* const> rows) {
  std::map<std::int64_t, Rows> alike;
  for (const ResultRow* row : rows) alike[row->problem.seq_len].push_back(row);
  LengthCurve curve;
  for (const auto& [length, measured] : alike) curve[length] = row_that_counts(measured);
  return curve;
}

BesideByLength beside_in_one_sweep(std::span<const ResultRow* const> windows,
                                   std::span<const ResultRow* const> dot_product) {
  BesideByLength best;
  for (BesideByLength& one : beside_by_sweep(windows, dot_product)) {
    if (one.lengths >= best.lengths) best = std::move(one);
  }
  return best;
}

BesideByLength beside_at_each_length(std::span<const ResultRow* const> windows,
                                     std::span<const ResultRow* const> dot_product) {
  BesideByLength all = beside(windows, dot_product);
  for (const BesideByLength& one : beside_by_sweep(windows, dot_product)) take_pairs(all, one);
  if (const BesideByLength most = beside_in_one_sweep(windows, dot_product); most.lengths > 1) take_pairs(all, most);
  return all;
}

std::vector<AtLength> rows_by_length(std::span<const ResultRow> rows, const LayerMixRequest& layer, Pass pass) {
  std::map<std::string, Rows> kernels;
  Rows dot_product;
  for (const ResultRow& row : rows) {
    if (!is_row_of_heads(row, layer, pass)) continue;
    if (is_global_layer(row, layer)) dot_product.push_back(&row);
    if (is_simplicial_layer(row, layer) && Windows{row.problem.window1, row.problem.window2} == layer.windows)
      kernels[row.kernel].push_back(&row);
  }
  dot_product = newest_version(dot_product);
  std::map<std::int64_t, AtLength> lengths;
  for (const auto& [length, row] : curve_of(dot_product)) lengths[length].dot_product = row;
  for (const auto& [kernel, measured] : kernels) {
    const BesideByLength both = beside_at_each_length(newest_version(measured), dot_product);
    for (const auto& [length, row] : both.windows) {
      AtLength& at = lengths[length];
      if (at.windows != nullptr && *at.windows->median_ms <= *row->median_ms) continue;
      at.windows = row;
      if (const auto dot = both.dot_product.find(length); dot != both.dot_product.end()) at.dot_product = dot->second;
    }
  }
  std::vector<AtLength> all;
  for (auto& [length, at] : lengths) {
    at.seq_len = length;
    all.push_back(at);
  }
  return all;
}

}  // namespace triscope
