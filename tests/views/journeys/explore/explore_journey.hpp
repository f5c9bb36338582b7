// A person at the Explore panel of the recorded database.
#pragma once

#include <implot.h>
#include <implot_internal.h>

#include <algorithm>

#include "tests/paths.hpp"
#include "tests/views/journeys/journey.hpp"

namespace triscope::fixture {

class ExploreJourney : public Journey {
 protected:
  ExploreJourney() { window->start(recorded_file()); }
  static const ExploreChart& chart() { return *data().explore.chart; }
  static std::size_t marks() {
    std::size_t sum = 0;
    for (const ExplorePlot& plot : chart().plots) {
      for (const ExploreLine& line : plot.lines) sum += line.marks.size();
    }
    return sum;
  }
  static void show(ImGuiTestContext* c) {
    front(c, Panel::explore);
    wait(c);
    IM_CHECK(data().explore.chart != nullptr);
  }
  static void choose(ImGuiTestContext* c, const char* box, const char* field) {
    c->ItemClick(box);
    c->ItemClick(field);
    wait(c);
  }
  static void type_filter(ImGuiTestContext* c, const char* text) {
    c->ItemInput("//**/##explore_filter");
    c->KeyCharsReplace(text);
    wait(c);
  }
  /// The newest plot within the panel.
  static ImPlotPlot& plot() {
    const Area& area = ui().chart_areas[Panel::explore];
    auto& plots = ImPlot::GetCurrentContext()->Plots;
    for (int n = plots.GetBufSize() - 1; n > 0; --n) {
      const ImVec2 middle = plots.GetByIndex(n)->PlotRect.GetCenter();
      if (middle.x > area.x && middle.x < area.x + area.width && middle.y > area.y && middle.y < area.y + area.height)
        return *plots.GetByIndex(n);
    }
    return *plots.GetByIndex(0);
  }
  /// What the axes show that all plots of the panel share: x and y.
  static ChartLimits seen() {
    const Area& area = ui().chart_areas[Panel::explore];
    auto& grids = ImPlot::GetCurrentContext()->Subplots;
    for (int n = grids.GetBufSize(); n-- > 0;) {
      const ImPlotSubplot& grid = *grids.GetByIndex(n);
      const ImVec2 middle = grid.FrameRect.GetCenter();
      if (middle.x < area.x || middle.x > area.x + area.width || middle.y < area.y || middle.y > area.y + area.height)
        continue;
      const ImPlotRange &x = grid.ColLinkData[0], &y = grid.RowLinkData[0];
      return {x.Min, x.Max, y.Min, y.Max};
    }
    return {};
  }
  /// Nobody zoomed, and every mark lies within the axes.
  static bool is_fitted() {
    const ChartLimits limits = seen();
    const auto is_seen = [&](const ExploreMark& mark) {
      return mark.x >= limits[0] && mark.x <= limits[1] && mark.y >= limits[2] && mark.y <= limits[3];
    };
    for (const ExplorePlot& plot : chart().plots) {
      for (const ExploreLine& line : plot.lines) {
        if (!std::ranges::all_of(line.marks, is_seen)) return false;
      }
    }
    return !ui().zoomed.contains(Panel::explore);
  }
};

}  // namespace triscope::fixture
