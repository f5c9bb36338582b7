// Dialogs over the window.
#pragma once

#include "views/parts/theme.hpp"

namespace triscope {

/// Begins a dialog, `width` logical pixels wide; close it with ImGui::EndPopup when true.
bool begin_dialog(const Look& look, const char* name, float width);
void dialog_heading(const Look& look, const char* text);
/// What is read in a dialog: it scrolls where the dialog would be too high for it, for `below` pixels and for the
/// button there, which are always seen. Call ImGui::EndChild after it.
bool begin_dialog_text(const Look& look, const char* name, float below = 0);

/// While it lives, what a dialog asks: the same, but where it has room its items stand in the dialog itself.
class DialogBody {
 public:
  DialogBody(const Look& look, const char* name, float below = 0);
  ~DialogBody();
  DialogBody(const DialogBody&) = delete;
  DialogBody& operator=(const DialogBody&) = delete;

 private:
  float& height_;  ///< of the last frame
  bool scrolls_;
  float top_ = 0;
};

/// Where the next window stands: in the middle, `from_top` of the window's height below its upper edge.
void place_dialog(const Look& look, float width, float from_top);

}  // namespace triscope
