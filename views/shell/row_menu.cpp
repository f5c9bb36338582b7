#include "views/shell/row_menu.hpp"

#include <imgui.h>

#include "views/parts/widgets.hpp"

namespace triscope {

void ask_row_menu(Context& context, Panel panel) {
  UiState& ui = context.ui;
  if (panel == Panel::explore || panel == Panel::history || ui.selection.hovered_now <= 0) return;
  const ImGuiIO& io = ImGui::GetIO();
  const bool clicked =
      ImGui::IsMouseReleased(ImGuiMouseButton_Right) &&
      io.MouseDragMaxDistanceSqr[ImGuiMouseButton_Right] < io.MouseDragThreshold * io.MouseDragThreshold;
  if (!clicked || !ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows)) return;
  ui.row_menu = ui.selection.hovered_now;
  ui.row_menu_asked = true;
}

void draw_row_menu(Context& context) {
  UiState& ui = context.ui;
  if (ui.row_menu_asked) ImGui::OpenPopup("row");
  ui.row_menu_asked = false;
  if (!ImGui::BeginPopup("row")) return;
  const bool beside = ui.selection.reference == row_reference(ui.row_menu);
  if (ImGui::MenuItem(beside ? "Compare all with the usual reference" : "Compare all with this row", "R"))
    context.request(ask::PinReference{ui.row_menu});
  tooltip(context, "Every row of its pass stands beside this one, in table, Details and charts, whatever its problem.");
  ImGui::EndPopup();
}

}  // namespace triscope
