#include "app/window/held_keys.hpp"

#include <utility>

namespace triscope {
namespace {

bool is_modifier(ImGuiKey key) {
  return key == ImGuiMod_Ctrl || key == ImGuiMod_Shift || key == ImGuiMod_Alt || key == ImGuiMod_Super;
}

/// Takes from `queue` what begins with a change of a modifier after a key was pressed: Dear ImGui reads the modifiers
/// of a frame at its end, so that Ctrl+F would be F where both are let go at once. Likewise a click after the pointer
/// came: what may lie under another item, as the header of a table, takes none in the first frame that it is under the
/// pointer.
void cut_what_is_too_early(ImVector<ImGuiInputEvent>& queue, ImVector<ImGuiInputEvent>& rest) {
  bool key_pressed = false, moved = false;
  for (int n = 0; n < queue.Size; ++n) {
    const ImGuiInputEvent& event = queue[n];
    moved |= event.Type == ImGuiInputEventType_MousePos;
    const bool early_click = moved && event.Type == ImGuiInputEventType_MouseButton && event.MouseButton.Down;
    const bool late_modifier = key_pressed && event.Type == ImGuiInputEventType_Key && is_modifier(event.Key.Key);
    if (early_click || late_modifier) {
      for (int later = n; later < queue.Size; ++later) rest.push_back(queue[later]);
      queue.resize(n);
      return;
    }
    if (event.Type != ImGuiInputEventType_Key) continue;
    const bool of_modifier = event.Key.Key >= ImGuiKey_LeftCtrl && event.Key.Key <= ImGuiKey_RightSuper;
    key_pressed |= event.Key.Down && !is_modifier(event.Key.Key) && !of_modifier;
  }
}

}  // namespace

void HeldKeys::before_frame(int& frames_left) {
  ImGuiContext& context = *ImGui::GetCurrentContext();
  if (!std::exchange(waiting_, frames_left > 0)) field_before_ = context.ActiveId;
  const ImGuiID field = context.InputTextState.ID;
  const bool ready = field != 0 && context.ActiveId == field && field != field_before_;
  if (frames_left > 0) frames_left = ready ? 0 : frames_left - 1;
  if (frames_left == 0 && events_.empty()) return cut_what_is_too_early(context.InputEventsQueue, next_);
  ImVector<ImGuiInputEvent> others;
  for (const ImGuiInputEvent& event : context.InputEventsQueue) {
    const bool typed = event.Type == ImGuiInputEventType_Text || event.Type == ImGuiInputEventType_Key;
    (typed ? events_ : others).push_back(event);
  }
  context.InputEventsQueue.swap(others);
  if (frames_left > 0) return;
  for (const ImGuiInputEvent& event : events_) context.InputEventsQueue.push_back(event);
  events_.clear();
  cut_what_is_too_early(context.InputEventsQueue, next_);
}

void HeldKeys::in_frame() {
  for (const ImGuiInputEvent& event : next_) ImGui::GetCurrentContext()->InputEventsQueue.push_back(event);
  next_.clear();
}

}  // namespace triscope
