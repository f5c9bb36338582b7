// What the mouse and the keyboard select in a chart: a click, Ctrl and Shift, a rectangle, the arrow keys; a double
// click on a name of its legend.
#pragma once

#include <imgui_internal.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "views/parts/context.hpp"

struct ImPlotItem;
struct ImPlotItemGroup;

namespace triscope {

/// The left button was released where it was pressed: a click, not the end of a pan.
bool clicked_without_drag(ImGuiMouseButton button = ImGuiMouseButton_Left);
/// The button was released after a second click: the first one has hidden or shown the series under it.
bool double_clicked();
/// The series alone, or all where no other is shown.
void show_alone(ImPlotItemGroup& items, ImPlotItem& one);
/// A double click on a name of a legend shows its series alone, or all again. Call inside the plot or its grid, after
/// the last item.
void show_alone_on_double_click();

/// A click on a training step selects both of its passes: call where the pointer is on it. `backward` 0: it is none.
void select_step(Context& context, std::int64_t forward, std::int64_t backward);

/// The things of a chart that can be selected, collected anew in each frame. A click selects one, Ctrl+click adds it or
/// takes it out, Shift+click selects what lies between the first selected one and it. Shift+drag selects what a
/// rectangle touches, Ctrl+drag adds that. Arrow keys go from the last selected one to the next, with Shift they add
/// it.
class ChartSelection {
 public:
  /// `hovered`: the pointer is on the chart's `area`, and nothing lies above it.
  ChartSelection(Context& context, ImGuiID chart, const ImRect& area, bool hovered);
  /// A thing that stands in `shape`; `line`: the curve, series or row that it is one of. `sweep` is shown when
  /// it is selected; 0: the one that is shown now.
  void offer(const ImRect& shape, std::int64_t measurement, std::size_t line, std::int64_t sweep = 0);
  /// The one under the pointer: hovered, and selected on a click.
  void point_at(std::int64_t measurement, std::int64_t sweep = 0);
  /// Says `words` of what stands in `what`, where that covers least of what was offered and of the chart's legend.
  void say(const ImRect& what, const std::string& words) const;
  /// After the last one: draws the rectangle that is dragged, and asks for what was selected.
  void finish();

 private:
  struct Offered {
    ImRect shape;
    std::int64_t measurement = 0;
    std::size_t line = 0;
    std::int64_t sweep = 0;
  };
  void drag();
  void handle_keys();
  void select_range(std::int64_t to);
  const Offered* find(std::int64_t measurement) const;
  const Offered* next_of(const Offered& from, ImGuiDir towards) const;
  void select(const std::vector<const Offered*>& which, bool add);

  Context& context_;
  ImGuiID chart_;
  ImRect area_;
  bool hovered_;
  std::optional<std::int64_t> range_to_;
  std::vector<Offered> offered_;
};

/// Of the current plot.
ChartSelection plot_selection(Context& context);
/// Its colour and width: the first selected one is drawn strongest.
struct Ring {
  ImU32 colour = 0;
  float width = 0;
};
Ring ring_of(const Context& context, std::int64_t measurement);

/// Four corners around a point, `half` from it: a ring would look like a crossing.
void draw_corners(ImDrawList* list, ImVec2 at, float half, const Ring& ring);

/// The points of a plot that can be selected: corners around the marked ones, and the one nearest to the mouse.
class PointPicker {
 public:
  explicit PointPicker(Context& context);
  /// A point of a `line` in plot units. True: it is the nearest so far, and within reach of the mouse.
  /// `sweep` is shown when it is selected; 0: the one that is shown now.
  bool offer(double x, double y, std::int64_t measurement, std::size_t line, std::int64_t sweep = 0);
  /// After the last point, when one was the nearest: hovered, named, and selected on a click.
  void choose(std::int64_t measurement, const std::string& name, std::int64_t sweep = 0);
  /// The same of a point whose time is not that of its row: nothing is said but `words`.
  void choose_in_words(std::int64_t measurement, const std::string& words, std::int64_t sweep = 0);
  /// The same of a point that cannot be selected.
  void say(const std::string& words) const { selection_.say(nearest_, words); }
  /// At the end.
  void finish() { selection_.finish(); }

 private:
  Context& context_;
  ChartSelection selection_;
  float best_;
  ImRect nearest_;  ///< its mark
};

}  // namespace triscope
