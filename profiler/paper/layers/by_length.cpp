#include "profiler/paper/layers/by_length.hpp"

#include <map>
#include <string>

#include "profiler/statistics/row_that_counts.hpp"

namespace triscope {

std::vector<AtLength> rows_by_length(std::span<const ResultRow> rows, const LayerMixRequest& layer, Pass pass) {
  std::map<std::string, std::vector<const ResultRow*>> kernels;
  for (const ResultRow& row : rows) {
    if (!is_row_of_heads(row, layer, pass)) continue;
    const bool windows =
        is_simplicial_layer(row, layer) && Windows{row.problem.window1, row.problem.window2} == layer.windows;
    if (windows || is_global_layer(row, layer)) kernels[row.kernel].push_back(&row);
  }
  std::map<std::int64_t, AtLength> lengths;
  for (const auto& [kernel, measured] : kernels) {
    std::map<std::int64_t, std::vector<const ResultRow*>> alike;
    for (const ResultRow* row : newest_version(measured)) alike[row->problem.seq_len].push_back(row);
    for (const auto& [length, same] : alike) {
      const ResultRow* row = row_that_counts(same);
      AtLength& at = lengths[length];
      at.seq_len = length;
      const ResultRow*& kept = is_global_layer(*row, layer) ? at.dot_product : at.windows;
      if (kept == nullptr || *row->median_ms < *kept->median_ms) kept = row;
    }
  }
  std::vector<AtLength> all;
  for (const auto& [length, at] : lengths) all.push_back(at);
  return all;
}

}  // namespace triscope
