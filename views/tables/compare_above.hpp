// What is said above the rows of a comparison.
#pragma once

#include "views/model/tables/compare_model.hpp"
#include "views/parts/context.hpp"

namespace triscope {

/// Which way the rows went, what unchanged kernels did, and what a ratio is. Where little room would be left for the
/// rows, the least important are a line each. True while the rows of unchanged kernels stand among the others.
bool draw_words_above(const Context& context, const CompareModel& model);

}  // namespace triscope
