// Whether a sweep can be started, and whether rows of the shown one can get more restarts: one rule for commands,
// buttons and what they do.
#pragma once

#include <cstddef>
#include <string>

#include "views/data/window_data.hpp"
#include "views/model/selection.hpp"
#include "views/model/setup_model.hpp"

namespace triscope {

/// Why Run can measure nothing now: a sweep runs, nothing can be written, or no device here runs what the form says.
/// Empty: it can, or a field of the form has to be corrected first, which says so itself.
std::string why_not_run(const WindowData& data, const SetupForm& form);
/// What Run would do, or why it can do nothing.
std::string run_words(const WindowData& data, const SetupForm& form);

/// The shown sweep can be added to: it is the one in work, or nothing is.
bool can_measure_more(const DatabaseData& data, const RunState& run);
/// And the selected row is one of its own.
bool can_measure_again(const DatabaseData& data, const RunState& run, const Selection& selection);
/// Rows of the shown sweep are selected, or a group of the queue.
bool can_measure_longer(const DatabaseData& data, const RunState& run, const Selection& selection, bool queue_group);
/// Rows of the shown sweep whose time beside the reference is unclear.
std::size_t count_unclear(const DatabaseData& data);
bool can_measure_unclear(const DatabaseData& data, const RunState& run);

}  // namespace triscope
