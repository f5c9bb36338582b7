#include "views/model/paper/results_model.hpp"

#include <algorithm>
#include <iterator>

namespace triscope {

ModelSizes model_sizes(const ResultsUi& ui) {
  ModelSizes sizes{};
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes.at(i) = static_cast<double>(ui.sizes.at(i)) * 1e9;
  return sizes;
}

void take_sizes(ResultsUi& ui, const ModelSizes& sizes) {
  for (std::size_t i = 0; i < sizes.size(); ++i) ui.sizes.at(i) = static_cast<float>(sizes.at(i) * 1e-9);
}

bool is_fit(const Recomputed& one) { return one.printed.table >= 3 && one.printed.label != "Delta"; }

std::vector<Recomputed> shown_results(const ResultsUi& ui, const std::vector<Recomputed>& all) {
  std::vector<Recomputed> shown;
  std::ranges::copy_if(all, std::back_inserter(shown), [&](const Recomputed& one) {
    const std::string& column = one.printed.column;  // "MMLU", "MMLU alpha"
    const bool chosen = ui.benchmark.empty() || column == ui.benchmark || column.starts_with(ui.benchmark + " ");
    return chosen && !(ui.only_missed && one.reproduced());
  });
  return shown;
}

TextTable results_text(const std::vector<Recomputed>& shown) {
  TextTable table{{"table", "row", "column", "printed", "recomputed", "lowest", "highest", "beyond rounding"},
                  {true, false, false, true, true, true, true, true},
                  {}};
  for (const Recomputed& one : shown) {
    const auto text = [&](double value) { return recomputed_text(one.printed, value); };
    table.rows.push_back({std::to_string(one.printed.table), row_name(one.printed), one.printed.column,
                          one.printed.printed, text(one.value), text(one.low), text(one.high),
                          one.reproduced() ? "" : text(one.beyond_rounding)});
  }
  return table;
}

}  // namespace triscope
