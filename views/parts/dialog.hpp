// Dialogs over the window.
#pragma once

#include "views/parts/theme.hpp"

namespace triscope {

/// Begins a dialog, `width` logical pixels wide; close it with ImGui::EndPopup when true.
bool begin_dialog(const Look& look, const char* name, float width);
void dialog_heading(const Look& look, const char* text);
/// What is read in a dialog: it scrolls where the dialog would be too high for it and the button below, which is always
/// seen. Call ImGui::EndChild after it.
bool begin_dialog_text(const Look& look, const char* name);
/// How high that may be from where the next item stands.
float dialog_text_room(const Look& look);

/// Where the next window stands: in the middle, `from_top` of the window's height below its upper edge.
void place_dialog(const Look& look, float width, float from_top);

}  // namespace triscope
