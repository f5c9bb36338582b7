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
constexpr float kLowWindow = 560;  // design pixels

/// Where a dialog begins, as a share of the window's height.
float dialog_top(const Look& look) { return ImGui::GetMainViewport()->Size.y < look.px(kLowWindow) ? 0.03F : 0.14F; }

/// Of a dialog, in pixels. Dear ImGui allows none more than what the bars of the window leave.
float highest_dialog(const Look& look) {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  return std::min(viewport->Size.y * (0.98F - dialog_top(look)),
                  viewport->WorkSize.y - 2 * ImGui::GetStyle().DisplaySafeAreaPadding.y);
}

/// For what scrolls above `below` pixels and the buttons.
float text_room(const Look& look, float below) {
  below += look.px(kGap + kPadding) + ImGui::GetFrameHeight() + 3 * ImGui::GetStyle().ItemSpacing.y;
  return std::max(look.px(60), std::floor(highest_dialog(look) - ImGui::GetCursorPosY() - below));
}
}  // namespace

bool begin_dialog(const Look& look, const char* name, float width) {
  place_dialog(look, width, dialog_top(look));
  ImGui::SetNextWindowSizeConstraints(ImVec2(0, 0), ImVec2(FLT_MAX, highest_dialog(look)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(look.px(kPadding), look.px(kPadding)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, std::max(1.0F, std::round(look.scale)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, look.px(4));
  const bool drawn = ImGui::BeginPopupModal(
      name, nullptr, ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
  ImGui::PopStyleVar(3);
  return drawn;
}

bool begin_dialog_text(const Look& look, const char* name, float below) {
  ImGui::SetNextWindowSizeConstraints(ImVec2(0, 0), ImVec2(FLT_MAX, text_room(look, below)));
  return ImGui::BeginChild(name, ImVec2(0, 0), ImGuiChildFlags_AutoResizeY | ImGuiChildFlags_NavFlattened);
}

DialogBody::DialogBody(const Look& look, const char* name, float below)
    : height_(*ImGui::GetStateStorage()->GetFloatRef(ImGui::GetID(name))), scrolls_(height_ > text_room(look, below)) {
  if (scrolls_) begin_dialog_text(look, name, below);
  top_ = ImGui::GetCursorPosY();
}

DialogBody::~DialogBody() {
  height_ = ImGui::GetCursorPosY() - top_;
  if (scrolls_) ImGui::EndChild();
}

void dialog_heading(const Look& look, const char* text) {
  ImGui::PushFont(look.heading, kHeadingSize);
  ImGui::TextUnformatted(text);
  ImGui::PopFont();
  ImGui::Dummy(ImVec2(0, look.px(4)));
}

}  // namespace triscope
