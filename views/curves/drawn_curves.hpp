// The curves of the chart over lengths as they are drawn, on the screen and in print.
#pragma once

#include <imgui.h>

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "views/model/charts/length_chart.hpp"
#include "views/model/styles/stacked_lines.hpp"
#include "views/parts/chart_tools.hpp"

namespace triscope {

struct DrawnCurve {
  const LengthCurve* curve = nullptr;
  ImU32 colour = 0;
  DashPattern dashes = {};  ///< none: its line is whole
};
/// Those of `pass` but for these labels. Of ours that lie on each other the longest is whole. It is drawn first, and
/// the strokes of the others take turns over it: all of them are seen.
std::vector<DrawnCurve> drawn_curves(const Theme& theme, const LengthPass& pass,
                                     const std::set<std::string>& left_out = {});
/// The same of what `line_of` makes of a curve, in place of its times.
std::vector<DrawnCurve> drawn_curves(const Theme& theme, const LengthPass& pass, const std::set<std::string>& left_out,
                                     const std::function<StackLine(const LengthCurve&)>& line_of);

/// The strokes of a line that goes to the right, by how far right they are: where lines lie on each other, strokes that
/// take turns do not meet. `unit`: pixels of a design pixel. Of what is seen within a frame from its upper left corner
/// to its lower right one.
std::vector<std::vector<ImVec2>> strokes_of(const std::vector<ImVec2>& line, const DashPattern& dashes, float unit,
                                            ImVec2 low, ImVec2 high);

/// Strokes of one that lies lowest: none, it is whole. Of as many as lie on each other they share a period; no baseline
/// has these.
DashPattern dashes_in_stack(const PlaceInStack& place);
/// These strokes of a line in plot units. `unit`: pixels of a design pixel.
void plot_strokes(const std::vector<double>& x, const std::vector<double>& y, const DashPattern& dashes, float unit,
                  ImU32 colour, float weight);

/// Calls `draw` for each of these curves, which have `dashes`: strokes come last, over whole lines.
template <typename Curves, typename Draw>
void draw_strokes_last(const Curves& curves, Draw draw) {
  for (const bool whole : {true, false}) {
    for (const auto& drawn : curves) {
      if (whole == (drawn.dashes.drawn <= 0)) draw(drawn);
    }
  }
}

/// So many marks stand side by side at their full width; more stand closer together.
inline constexpr float kMostLanes = 4;
/// How far the edge of such a mark may be from its place, in widths.
inline constexpr float kFarthestAside = (kMostLanes + 1) / 2;
/// How far sideways each of these marks stands from its place, in pixels, so that of those at one x none hides another:
/// what lies closer than `wide` above each other stands side by side, closer together where the next x is near.
std::vector<float> moved_aside(const std::vector<ImVec2>& marks, float wide);

/// Where what is seen of a line ends, within a frame from its upper left corner to its lower right one; unset: nothing
/// of it is seen.
std::optional<ImVec2> last_seen(const std::vector<ImVec2>& line, ImVec2 low, ImVec2 high);

}  // namespace triscope
