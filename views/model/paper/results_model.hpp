// The printed tables beside the same recomputed, with sizes of the user's choice; without drawing.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "profiler/export/text_table.hpp"
#include "profiler/paper/laws/reproduction.hpp"

namespace triscope {

struct ResultsUi {
  std::array<float, 3> sizes{1, 2, 3.5F};  ///< billions of active parameters; of the scaling laws too
  std::string benchmark;                   ///< only its values are shown; empty: all
  bool only_missed = false;                ///< only values that are not reproduced
};

ModelSizes model_sizes(const ResultsUi& ui);
void take_sizes(ResultsUi& ui, const ModelSizes& sizes);

/// It belongs to the fits of Tables 3 and 4, so it depends on the sizes.
bool is_fit(const Recomputed& one);
/// What the choices leave.
std::vector<Recomputed> shown_results(const ResultsUi& ui, const std::vector<Recomputed>& all);
/// As it is drawn, to be copied.
TextTable results_text(const std::vector<Recomputed>& shown);

}  // namespace triscope
