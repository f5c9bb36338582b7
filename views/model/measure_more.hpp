// Whether rows of the shown sweep can get more restarts: one rule for commands, buttons and what they do.
#pragma once

#include <cstddef>

#include "views/data/window_data.hpp"
#include "views/model/selection.hpp"

namespace triscope {

/// The shown sweep can be added to: it is the one in work, or nothing is.
bool can_measure_more(const DatabaseData& data, const RunState& run);
/// And the selected row is one of its own.
bool can_measure_again(const DatabaseData& data, const RunState& run, const Selection& selection);
/// Rows of the shown sweep whose time beside the reference is unclear.
std::size_t count_unclear(const DatabaseData& data);
bool can_measure_unclear(const DatabaseData& data, const RunState& run);

}  // namespace triscope
