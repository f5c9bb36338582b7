// The frame of a chart for print: title, axes with ticks, legend, caption.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "views/parts/chart_tools.hpp"
#include "views/parts/theme.hpp"
#include "views/print/canvas/make_canvas.hpp"

namespace triscope {

/// One axis: a range, its ticks with their names, and a title with the unit.
struct PlotAxis {
  double low = 0, high = 1;
  bool logarithmic = false;
  std::vector<std::pair<double, std::string>> ticks;
  std::string title;
  bool words = false;     ///< each tick is named: where names would touch, they stand upright
  bool upright = false;   ///< they do
  std::size_t lines = 1;  ///< of upright names below each other, in turns
  float line_high = 0;
  /// Where `value` lies, 0 at `low` and 1 at `high`.
  double share(double value) const;
};
/// From zero, with ticks at round values.
PlotAxis linear_axis(double high, std::string title);
/// The same from `low`, with about `wanted` ticks.
PlotAxis range_axis(double low, double high, std::string title, int wanted = 6);
/// Ticks at powers of two, named as tokens ("32k"). Without one, or where fewer than two are in a range that is
/// `zoomed`, ticks at round whole numbers, with all their digits.
PlotAxis power_axis(double low, double high, std::string title, bool zoomed = false);
/// Ticks at powers of ten, with 2 and 5 where they are few.
PlotAxis decade_axis(double low, double high, std::string title);

struct LegendEntry {
  std::string name;
  ImU32 colour = 0;
  int shape = 1;         ///< see `VectorCanvas::mark`
  bool line = false;     ///< a stroke through the mark
  std::string dashes{};  ///< of the stroke; without `line` that of a level, which has no mark
  int bar = 0;           ///< the style of bars, which may have stripes
};
/// A legend of the window, with the same marks.
std::vector<LegendEntry> legend_for_print(const std::vector<LegendName>& names);

/// A bar from its upper left corner to its lower right one, with the stripes of its style; where `hollow` they are
/// lines.
struct BarStyle {
  ImU32 colour = 0;
  int style = 0;
};
void draw_bar(VectorCanvas& canvas, ImVec2 low, ImVec2 high, const BarStyle& bar, bool hollow);

/// What stands around a plot.
struct PlotText {
  std::string title, caption;
  std::vector<LegendEntry> legend;
  float right_room = 0;  ///< kept free at the right for names of levels
  float below_room = 0;  ///< kept free below the plot for names that stand upright; see `kWithoutAxis`
};

/// `PlotText::below_room` where no axis stands below what is drawn.
inline constexpr float kWithoutAxis = -28;

/// From the upper left corner to the lower right one.
struct PlotRoom {
  ImVec2 low, high;
  float left = 64;  ///< of the axis' numbers and title, which stand left of it
  float edge = 16;  ///< of the page, where its words begin
};

/// A picture and its size in units of its words.
struct PrintPage {
  std::unique_ptr<VectorCanvas> canvas;
  ImVec2 size;
};
/// How wide a picture is in units of its words, and how much of that a plot has.
float page_width(const PrintStyle& style);
float plot_width(const PrintStyle& style, float right_room = 0);
/// A column of a page has little room: names of levels stand in the legend there.
bool is_narrow(const PrintStyle& style);
/// Of the style's width; as high as asked, or so that `text` leaves the plots `plot_height`. 0: as fits the width.
PrintPage make_page(const PrintStyle& style, const PlotText& text, float plot_height = 0);
/// Lets the names of a words' axis below a plot of this width stand upright where they would touch or leave it, and
/// keeps their room below the plot. Where they are many they stand in several lines, and where they are too many the
/// caption says how many are named.
void place_names(PlotAxis& x, PlotText& text, float width);
/// Whether each name of a words' axis has room below a plot of this width.
bool has_room_for_names(const PlotAxis& x, float width);

/// Draws `text` around a picture of this size. Returns what is left for one plot without its axes' names. Throws
/// `Error` (usage) where that is too little for a plot.
PlotRoom draw_plot_text(VectorCanvas& canvas, ImVec2 size, const PlotText& text);

/// Draws the frame at once; `at` then places what is plotted.
class PlotFrame {
 public:
  PlotFrame(const PrintPage& page, PlotAxis x, PlotAxis y, const PlotText& text);
  /// One of several plots of a picture: its axes alone.
  PlotFrame(VectorCanvas& canvas, const PlotRoom& room, PlotAxis x, PlotAxis y);
  ImVec2 at(double x, double y) const;
  ImVec2 low() const { return low_; }    ///< upper left corner of the plot
  ImVec2 high() const { return high_; }  ///< lower right corner

 private:
  void draw_axes(VectorCanvas& canvas) const;

  PlotAxis x_, y_;
  ImVec2 low_, high_;
  float left_;
};

/// While it lives, what is drawn is cut off at the frame where that shows a part of the chart only.
class FrameClip {
 public:
  FrameClip(VectorCanvas& canvas, const PlotFrame& frame, const PrintStyle& style)
      : canvas_(canvas), clips_(style.limits.has_value()) {
    if (clips_) canvas_.clip(frame.low(), frame.high());
  }
  ~FrameClip() {
    if (clips_) canvas_.end_clip();
  }
  FrameClip(const FrameClip&) = delete;
  FrameClip& operator=(const FrameClip&) = delete;

 private:
  VectorCanvas& canvas_;
  bool clips_;
};

/// An interval from `low` to `high`, with caps unless it is a range of repeats; an end outside the frame is cut off
/// there, and has none. Draw it before its mark, which lies over it; one that is smaller than that, `mark` from its
/// middle to its end, is not drawn. It stands `aside` from x.
void draw_whisker(VectorCanvas& canvas, const PlotFrame& frame, double x, double low, double high, ImU32 colour,
                  float mark, bool caps = true, float aside = 0);

/// How wide it is in that size of the font of words.
float text_width(const std::string& text, float size);
/// The same in the font of numbers.
float number_width(const std::string& text, float size);
/// Words in lines of at most `width`; a word that is longer goes on in the next line.
std::vector<std::string> wrapped(const std::string& text, float size, float width);

}  // namespace triscope
