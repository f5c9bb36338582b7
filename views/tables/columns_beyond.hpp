// Columns that a table's right edge hides: a button says how many, and brings them into view.
#pragma once

#include <string>

#include "views/parts/context.hpp"

namespace triscope {

/// "3 more →"; empty where none is hidden.
std::string beyond_label(const UiState::Beyond& beyond);
/// The button, at the cursor; nothing where none is hidden.
void draw_beyond(const Context& context, UiState::Beyond& beyond);
/// Counts them, and scrolls to the first of them where that was asked for. Call at the table's end.
void find_beyond(UiState::Beyond& beyond);

}  // namespace triscope
