// What of the Paper panel was drawn.
#pragma once

#include <imgui_internal.h>
#include <imgui_te_context.h>

#include <string_view>

namespace triscope::fixture {

/// The child window of a page, drawn in the last frame; null: it was not.
inline ImGuiWindow* page(const char* name) {
  for (ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
    if (window->WasActive && !window->Hidden && std::string_view(window->Name).find(name) != std::string_view::npos)
      return window;
  }
  return nullptr;
}
inline bool shown(const char* name) { return page(name) != nullptr; }

/// Clicks into a slider, `share` of its width from the left.
inline void slide(ImGuiTestContext* c, const char* slider, float share) {
  const ImRect at = c->ItemInfo(slider).RectFull;
  c->MouseMoveToPos(ImVec2(at.Min.x + share * at.GetWidth(), at.GetCenter().y));
  c->MouseClick();
  c->Yield(2);
}

}  // namespace triscope::fixture
