#include "views/parts/legend_clicks.hpp"

#include <implot.h>
#include <implot_internal.h>

namespace triscope {

bool double_clicked() {
  return ImGui::IsMouseReleased(ImGuiMouseButton_Left) &&
         ImGui::GetIO().MouseClickedLastCount[ImGuiMouseButton_Left] == 2;
}

void show_alone(ImPlotItemGroup& items, ImPlotItem& one) {
  bool any = false;
  for (int n = 0; n < items.GetItemCount(); ++n)
    any |= items.GetItemByIndex(n) != &one && items.GetItemByIndex(n)->Show;
  for (int n = 0; n < items.GetItemCount(); ++n) items.GetItemByIndex(n)->Show = !any;
  one.Show = true;
}

void show_alone_on_double_click() {
  ImPlotItemGroup* items = ImPlot::GetCurrentContext()->CurrentItems;
  if (items == nullptr || !double_clicked()) return;
  for (int n = 0; n < items->GetItemCount(); ++n) {
    ImPlotItem* item = items->GetItemByIndex(n);
    if (!item->LegendHovered) continue;
    show_alone(*items, *item);
    item->Show = false;  // the legend, drawn after this, turns it round as on every click
    return;
  }
}

}  // namespace triscope
