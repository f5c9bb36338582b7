// A double click on a name of a legend shows its series alone, or all again.
#pragma once

struct ImPlotItem;
struct ImPlotItemGroup;

namespace triscope {

/// The button was released after a second click: the first one has hidden or shown the series under it.
bool double_clicked();
/// The series alone, or all where no other is shown.
void show_alone(ImPlotItemGroup& items, ImPlotItem& one);
/// Call inside the plot or its grid, after the last item.
void show_alone_on_double_click();

}  // namespace triscope
