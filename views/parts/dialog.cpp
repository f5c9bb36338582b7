#include "views/parts/dialog.hpp"

#include <imgui.h>

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace triscope {

void place_dialog(const Look& look, float width, float from_top) {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(
      ImVec2(viewport->WorkPos.x + viewport->WorkSize.x / 2, viewport->Pos.y + viewport->Size.y * from_top),
      ImGuiCond_Always, ImVec2(0.5F, 0));
  ImGui::SetNextWindowSize(ImVec2(std::min(look.px(width), viewport->WorkSize.x * 0.95F), 0));
}

bool begin_dialog(const Look& look, const char* name, float width) {
  place_dialog(look, width, 0.14F);
  const float highest = ImGui::GetMainViewport()->Size.y * 0.84F;
  ImGui::SetNextWindowSizeConstraints(ImVec2(0, 0), ImVec2(FLT_MAX, highest));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(look.px(16), look.px(16)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, std::max(1.0F, std::round(look.scale)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, look.px(4));
  const bool drawn = ImGui::BeginPopupModal(
      name, nullptr, ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
  ImGui::PopStyleVar(3);
  return drawn;
}

void dialog_heading(const Look& look, const char* text) {
  ImGui::PushFont(look.heading, kHeadingSize);
  ImGui::TextUnformatted(text);
  ImGui::PopFont();
  ImGui::Dummy(ImVec2(0, look.px(4)));
}

}  // namespace triscope
