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

namespace {
constexpr float kPadding = 16, kGap = 8;

/// Of a dialog, in pixels. Dear ImGui allows none more than what the bars of the window leave.
float highest_dialog() {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  return std::min(viewport->Size.y * 0.84F, viewport->WorkSize.y - 2 * ImGui::GetStyle().DisplaySafeAreaPadding.y);
}
}  // namespace

bool begin_dialog(const Look& look, const char* name, float width) {
  place_dialog(look, width, 0.14F);
  ImGui::SetNextWindowSizeConstraints(ImVec2(0, 0), ImVec2(FLT_MAX, highest_dialog()));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(look.px(kPadding), look.px(kPadding)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, std::max(1.0F, std::round(look.scale)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, look.px(4));
  const bool drawn = ImGui::BeginPopupModal(
      name, nullptr, ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
  ImGui::PopStyleVar(3);
  return drawn;
}

float dialog_text_room(const Look& look) {
  const float below = look.px(kGap + kPadding) + ImGui::GetFrameHeight() + 3 * ImGui::GetStyle().ItemSpacing.y;
  return std::max(look.px(60), std::floor(highest_dialog() - ImGui::GetCursorPosY() - below));
}

bool begin_dialog_text(const Look& look, const char* name) {
  ImGui::SetNextWindowSizeConstraints(ImVec2(0, 0), ImVec2(FLT_MAX, dialog_text_room(look)));
  return ImGui::BeginChild(name, ImVec2(0, 0), ImGuiChildFlags_AutoResizeY | ImGuiChildFlags_NavFlattened);
}

void dialog_heading(const Look& look, const char* text) {
  ImGui::PushFont(look.heading, kHeadingSize);
  ImGui::TextUnformatted(text);
  ImGui::PopFont();
  ImGui::Dummy(ImVec2(0, look.px(4)));
}

}  // namespace triscope
