#include "app/window/held_keys.hpp"

#include <utility>

namespace triscope {

void HeldKeys::before_frame(int& frames_left) {
  ImGuiContext& context = *ImGui::GetCurrentContext();
  if (!std::exchange(waiting_, frames_left > 0)) field_before_ = context.ActiveId;
  const ImGuiID field = context.InputTextState.ID;
  const bool ready = field != 0 && context.ActiveId == field && field != field_before_;
  if (frames_left > 0) frames_left = ready ? 0 : frames_left - 1;
  if (frames_left == 0 && events_.empty()) return;
  ImVector<ImGuiInputEvent> others;
  for (const ImGuiInputEvent& event : context.InputEventsQueue) {
    const bool typed = event.Type == ImGuiInputEventType_Text || event.Type == ImGuiInputEventType_Key;
    (typed ? events_ : others).push_back(event);
  }
  context.InputEventsQueue.swap(others);
  if (frames_left > 0) return;
  for (const ImGuiInputEvent& event : events_) context.InputEventsQueue.push_back(event);
  events_.clear();
}

}  // namespace triscope
