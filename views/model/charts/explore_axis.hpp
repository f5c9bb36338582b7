// The axes of an exploration, in the window and for print.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "views/data/explore_state.hpp"

namespace triscope {

/// Of an axis at each of its ends, a share of it.
inline constexpr double kLeastMargin = 0.055;
/// From low to high with a margin at each end; `from_zero`: rates and times stand on zero where that is near, with
/// `always` also where it is not.
std::pair<double, double> explore_limits(const ExploreAxis& axis, bool from_zero, bool always = false,
                                         double margin = kLeastMargin);
/// Where a value stands, of the axis between these limits.
double share_of_axis(const ExploreAxis& axis, std::pair<double, double> limits, double value);
/// Whether the field along y has intervals, as times and rates do. No mark of another field is hollow: nothing is
/// unknown of it.
bool has_intervals(const ExploreChart& chart);
/// Where the axis names its values, and how; none: at round ones. `tokens`: "32k". A word of more letters than
/// `longest` is cut in its middle, but for what tells it from another one.
std::vector<std::pair<double, std::string>> explore_ticks(const ExploreAxis& axis, bool tokens,
                                                          std::size_t longest = 18);
/// A name of this column in a picture: of a long note the beginning, and "…". Data have it whole.
std::string drawn_name(const std::string& column, const std::string& name);
/// Whether the values of this column are counts of tokens.
bool counts_tokens(const std::string& column);

/// What names below an axis may take, in pixels: `overhang` beyond each end of it, and lines below each other.
struct TickRoom {
  float width = 0, gap = 0, overhang = 0;
  int lines = 1;
  bool sizes = false;  ///< the values are sizes: doublings are named before what lies between them
};
struct PlacedTick {
  double at = 0;
  std::string name;  ///< empty where it has no room: its stroke is there
  int line = 0;
};
/// Names within their plot and off each other: the neighbour's names begin beside it. The last is named where any is.
/// `share`: where a value stands, of the axis' width.
std::vector<PlacedTick> place_ticks(std::vector<std::pair<double, std::string>> ticks,
                                    const std::function<float(double)>& share, const TickRoom& room,
                                    const std::function<float(const std::string&)>& text_width);

}  // namespace triscope
