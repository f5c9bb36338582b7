// The words that the window draws, as a person could read them.
#pragma once

#include <imgui_internal.h>
#include <imgui_te_context.h>

#include <string>

namespace triscope::fixture {

/// Of the whole next frame: of Dear ImGui's items, and of text that is cut where it has no room.
inline std::string drawn_text(ImGuiTestContext* c) {
  ImGui::LogToBuffer();
  ImGui::GetCurrentContext()->LogWindow = nullptr;  // else it ends with the window that is begun now
  c->Yield(1);
  std::string text = ImGui::GetCurrentContext()->LogBuffer.c_str();
  ImGui::LogFinish();
  return text;
}
inline bool says(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

}  // namespace triscope::fixture
