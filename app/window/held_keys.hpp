// Events that wait for a later frame: keys that are typed at once after a command that opens a text field, until the
// field has the keyboard, a modifier that is let go in the frame in which its key is pressed, and a click in the frame
// in which the pointer comes.
#pragma once

#include <imgui.h>
#include <imgui_internal.h>

namespace triscope {

/// Lives on the drawing thread, inside a Dear ImGui context.
class HeldKeys {
 public:
  /// Call before each new frame. `frames_left`: for how many frames keys may still wait; counted down here, and 0 once
  /// another text field has the keyboard. The mouse does not wait for these.
  void before_frame(int& frames_left);
  /// Call within each frame, before new events come.
  void in_frame();
  bool any() const { return !events_.empty(); }

 private:
  ImVector<ImGuiInputEvent> events_;
  ImVector<ImGuiInputEvent> next_;  ///< for the frame after this one
  ImGuiID field_before_ = 0;        ///< that had the keyboard when the wait began
  bool waiting_ = false;
};

}  // namespace triscope
