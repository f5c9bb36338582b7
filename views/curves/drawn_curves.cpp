#include "views/curves/drawn_curves.hpp"

#include <implot.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>

#include "views/model/styles/series_style.hpp"

namespace triscope {
namespace {

ImVec2 between(ImVec2 from, ImVec2 to, double share) {
  const auto at = [share](double begin, double end) { return static_cast<float>(begin + (end - begin) * share); };
  return ImVec2(at(from.x, to.x), at(from.y, to.y));
}

}  // namespace

DashPattern dashes_in_stack(const PlaceInStack& place) {
  constexpr float kPeriod = 20, kShortest = 5;  // design pixels
  if (place.below == 0) return {};
  const float stroke = std::max(kShortest, kPeriod / static_cast<float>(place.height));
  return {stroke, static_cast<float>(place.height - 1) * stroke, static_cast<float>(place.below) * stroke};
}

std::vector<DrawnCurve> drawn_curves(const Theme& theme, const LengthPass& pass, const std::set<std::string>& left_out,
                                     const std::function<StackLine(const LengthCurve&)>& line_of) {
  std::vector<const LengthCurve*> curves;
  std::vector<StackLine> lines;
  for (const LengthCurve& curve : pass.curves) {
    if (left_out.contains(curve.label)) continue;
    curves.push_back(&curve);
    lines.push_back(line_of(curve));
    lines.back().apart = curve.baseline;
  }
  const std::vector<PlaceInStack> places = stack_lines(lines);
  std::vector<DrawnCurve> drawn;
  for (std::size_t n = 0; n < curves.size(); ++n) {
    const LengthCurve& curve = *curves[n];
    if (curve.baseline) {
      drawn.push_back({&curve, baseline_colour(theme, baseline_style(curve.card)), dashes_of(curve.style)});
    } else {
      drawn.push_back({&curve, colour_of_style(theme, curve.style), dashes_in_stack(places[n])});
    }
  }
  return drawn;
}

std::vector<DrawnCurve> drawn_curves(const Theme& theme, const LengthPass& pass,
                                     const std::set<std::string>& left_out) {
  return drawn_curves(theme, pass, left_out, [](const LengthCurve& curve) {
    StackLine line;
    for (const LengthPoint& point : curve.points) {
      line.x.push_back(static_cast<double>(point.seq_len));
      line.y.push_back(point.ms);
    }
    return line;
  });
}

std::vector<std::vector<ImVec2>> strokes_of(const std::vector<ImVec2>& line, const DashPattern& dashes, float unit,
                                            ImVec2 low, ImVec2 high) {
  const float drawn = dashes.drawn * unit, period = drawn + dashes.gap * unit;
  std::vector<std::vector<ImVec2>> strokes;
  bool open = false;  // the last stroke reaches the end of its piece of the line
  for (std::size_t n = 0; n + 1 < line.size(); ++n) {
    const bool goes_on = std::exchange(open, false);
    if (!(line[n + 1].x > line[n].x)) continue;
    const auto seen = seen_part(line[n], line[n + 1], low, high);
    if (!seen) continue;
    const ImVec2 from = between(line[n], line[n + 1], seen->first), to = between(line[n], line[n + 1], seen->second);
    const auto at = [&](float x) { return to.x > from.x ? between(from, to, (x - from.x) / (to.x - from.x)) : to; };
    float start = dashes.from * unit + std::floor((from.x - dashes.from * unit) / period) * period;
    for (; start < to.x; start += period) {
      const float first = std::max(from.x, start), last = std::min(to.x, start + drawn);
      if (last <= first) continue;
      if (goes_on && first == line[n].x) {
        strokes.back().push_back(at(last));
      } else {
        strokes.push_back({at(first), at(last)});
      }
      open = last == line[n + 1].x;
    }
  }
  return strokes;
}

void plot_strokes(const std::vector<double>& x, const std::vector<double>& y, const DashPattern& dashes, float unit,
                  ImU32 colour, float weight) {
  std::vector<ImVec2> line;
  for (std::size_t n = 0; n < x.size(); ++n) line.push_back(ImPlot::PlotToPixels(x[n], y[n]));
  ImPlot::PushPlotClipRect();
  const ImVec2 low = ImPlot::GetPlotPos(), size = ImPlot::GetPlotSize(), high(low.x + size.x, low.y + size.y);
  for (const std::vector<ImVec2>& stroke : strokes_of(line, dashes, unit, low, high))
    ImPlot::GetPlotDrawList()->AddPolyline(stroke.data(), static_cast<int>(stroke.size()), colour, weight);
  ImPlot::PopPlotClipRect();
}

std::vector<float> moved_aside(const std::vector<ImVec2>& marks, float wide) {
  constexpr float kOfTheWay = 0.8F;        // to the next x
  constexpr std::size_t kMostPlaces = 40;  // less than a pixel from each other: further marks share them
  std::vector<std::size_t> order(marks.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t n) { return std::pair(marks[n].x, marks[n].y); });
  std::vector<float> aside(marks.size(), 0);
  const auto gap = [&](std::size_t place) { return marks[order[place]].x - marks[order[place - 1]].x; };
  float before = 1e9F;  // how far the x before is
  for (std::size_t from = 0; from < order.size();) {
    std::size_t end = from + 1;
    while (end < order.size() && gap(end) == 0) ++end;
    const float after = end < order.size() ? gap(end) : 1e9F, room = kOfTheWay * std::min(before, after);
    for (std::size_t first = from; first < end;) {
      std::vector<float> lanes;  // the last y of each: of marks of a lane none hides another
      std::vector<std::size_t> lane_of;
      std::size_t last = first;
      for (; last < end; ++last) {
        const float y = marks[order[last]].y;
        if (last > first && y - marks[order[last - 1]].y >= wide) break;
        auto free = std::ranges::find_if(lanes, [&](float before_it) { return y - before_it >= wide; });
        if (free == lanes.end() && lanes.size() == kMostPlaces)
          free = lanes.begin() + static_cast<std::ptrdiff_t>((last - first) % kMostPlaces);
        lane_of.push_back(static_cast<std::size_t>(free - lanes.begin()));
        if (free == lanes.end()) {
          lanes.push_back(y);
        } else {
          *free = y;
        }
      }
      const float step = std::min(wide, std::min(room, kMostLanes * wide) / static_cast<float>(lanes.size()));
      const float middle = lanes.size() % 2 == 1 ? 0 : step / 2;
      for (std::size_t n = first; n < last; ++n) {  // by turns to the right and to the left: in order they were a slope
        const std::size_t turn = lane_of[n - first] + 1;
        const std::size_t lanes_off = turn / 2;
        aside[order[n]] = (turn % 2 == 0 ? 1.0F : -1.0F) * step * static_cast<float>(lanes_off) - middle;
      }
      first = last;
    }
    before = after;
    from = end;
  }
  return aside;
}

std::optional<ImVec2> last_seen(const std::vector<ImVec2>& line, ImVec2 low, ImVec2 high) {
  for (std::size_t n = line.size(); n-- > 1;) {
    if (const auto seen = seen_part(line[n - 1], line[n], low, high))
      return between(line[n - 1], line[n], seen->second);
  }
  return std::nullopt;
}

}  // namespace triscope
