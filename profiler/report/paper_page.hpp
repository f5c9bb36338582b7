// One HTML page that holds the paper beside a database of measurements. It loads nothing, so it can be passed on and
// printed.
#pragma once

#include <string>

#include "profiler/report/page_input.hpp"

namespace triscope {

/// The operator, rotation, Table 1 beside measured times, rates and latencies by length, tiles, steps, losses and what
/// is reproduced, scaling laws with their bands, recipe, Match3 and errata. Sections without measured rows say so.
std::string paper_page(const PaperPageInput& input);

}  // namespace triscope
