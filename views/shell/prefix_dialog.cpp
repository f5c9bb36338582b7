// Asks for the command that runs the worker elsewhere, before a sweep that was measured through one goes on.
#include <imgui.h>
#include <imgui_stdlib.h>

#include "views/parts/dialog.hpp"
#include "views/parts/widgets.hpp"
#include "views/shell/shell.hpp"

namespace triscope {

void draw_prefix_dialog(Context& context) {
  PrefixDialog& asked = context.ui.prefix;
  if (asked.sweep == 0) return;
  if (!ImGui::IsPopupOpen("prefix")) ImGui::OpenPopup("prefix");
  if (!begin_dialog(context.look, "prefix", 460)) return;
  dialog_heading(context.look, "Resume on another machine");
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(
      "This sweep was measured through a command, such as \"ssh host\". A command that a database names is never run, "
      "so type it again.");
  ImGui::PopTextWrapPos();
  ImGui::SetNextItemWidth(-1);
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  const bool entered =
      ImGui::InputTextWithHint("##prefix", "ssh host", &asked.text, ImGuiInputTextFlags_EnterReturnsTrue);
  if (entered || ImGui::IsItemEdited()) asked.problem.clear();
  if (!asked.problem.empty()) {
    ImGui::PushTextWrapPos(0);
    coloured_text(context.look.theme.slower, sentence(asked.problem));
    ImGui::PopTextWrapPos();
  }
  ImGui::Dummy(ImVec2(0, context.look.px(8)));
  const bool empty = asked.text.find_first_not_of(" \t\n") == std::string::npos;
  ImGui::BeginDisabled(empty);
  const bool pressed = primary_button(context, "Resume");
  ImGui::EndDisabled();
  ImGui::SameLine();
  const bool no = ImGui::Button("Cancel") || ImGui::IsKeyPressed(ImGuiKey_Escape);
  const bool yes = !no && !empty && (pressed || entered);
  if (yes) context.request(ask::Resume{asked.sweep, asked.text});
  if (yes || no) {
    asked.sweep = 0;
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

}  // namespace triscope
