// The verdicts of a latency table, which are known later than its rows.
#pragma once

#include "views/data/window_data.hpp"

namespace triscope {

/// Puts them in the place of those that it had; null: there are none.
void judge(LatencyModel& table, const Comparisons* against_baseline, const Verdicts* beside_reference);

}  // namespace triscope
