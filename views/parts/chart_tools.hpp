// What every chart shares: the plot's frame, its menu, series styles, and where it was drawn.
#pragma once

#include <implot.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "views/parts/chart_selection.hpp"
#include "views/parts/context.hpp"

struct ImPlotItemGroup;

namespace triscope {

/// What tells series apart in every chart, on the screen and in print: the style of a series (series_style.hpp) is its
/// colour and its mark.
ImU32 colour_of_style(const Theme& theme, int style);
/// 0 to 7, a shape as of `VectorCanvas::mark`: of styles that share a colour each has another. `baseline`: of a style
/// of baselines, whose colours are their own.
int mark_of_style(int style, bool baseline = false);
/// Bars have no mark: where theirs share a colour, the gaps between their stripes tell them apart. Of a bar from `top`
/// down to `foot`: where each gap begins and ends. `unit`: pixels of a design pixel. None: the bar is plain.
std::vector<std::pair<float, float>> gaps_of_style(int style, float top, float foot, float unit);

/// Of a baseline: its own colours.
ImU32 series_colour(const Theme& theme, const Series& series);
ImU32 explore_colour(const Theme& theme, const ExploreLine& line);
int explore_mark(const ExploreLine& line);

/// What a map's numbers are in.
const char* unit_of(MapMetric metric);
/// The colour of `value` in `map`, 0 to 1: the brighter the better in every metric. Latency spans decades, so its is
/// logarithmic.
float brightness(const WindowMap& map, MapMetric metric, double value);

/// Remembers where the chart stands, which chart was used last, and offers copy and save by right click on its frame.
class ChartFrame {
 public:
  ChartFrame(Context& context, Panel panel);
  ~ChartFrame();
  ChartFrame(const ChartFrame&) = delete;
  ChartFrame& operator=(const ChartFrame&) = delete;

 private:
  Context& context_;
  Panel panel_;
  ImVec2 low_, size_;
};

/// Copy and save items of a chart, for its button and its context menu.
void chart_menu(Context& context, Panel panel);
/// Its label; its id stays "Copy".
inline constexpr const char* kCopySave = "Copy / Save";
/// A small button "Copy / Save" at the right end of the current line, with that menu.
void chart_button(Context& context, Panel panel);

/// A name and value written beside level lines, pushed apart so that none overlap. Call after the plot, with the plot's
/// right edge and range in pixels.
struct LevelLabel {
  float y = 0;  ///< pixels
  std::string text;
  ImU32 colour = 0;
  float x = 0;  ///< where the line ends, pixels; 0: at the plot's right edge
};
void draw_level_labels(const Look& look, std::vector<LevelLabel> labels, float left, float top, float bottom);

/// What tells baselines apart in every chart, on the screen and in print: a colour and dashes.
struct DashPattern {
  float drawn = 0, gap = 0;  ///< design pixels
  float from = 0;            ///< where strokes begin: of curves that lie on each other they take turns
};
DashPattern dashes_of(int style);
ImU32 baseline_colour(const Theme& theme, int style);

/// Draws horizontal dashes of that style at `y` (plot units) across the current plot.
void plot_dashed_level(const Look& look, double y, const Series& level);

/// A dashed line through points in plot units.
void plot_dashed_curve(const Look& look, const std::vector<double>& x, const std::vector<double>& y, ImU32 colour,
                       DashPattern dashes);
/// Identity of a plot: the zoom belongs to the shown sweep and `part` of it, another one starts fitted.
std::string chart_id(const char* name, const Context& context, std::string_view part);
/// Call between BeginPlot and the plot's first item. The axes take `limits` whenever these change, until the user
/// zooms or pans. A double click or F fits again. `panel`: whose plot this is, or one of
/// several that show the same; so does its picture.
void fit_axes(Context& context, const ChartLimits& limits, std::optional<Panel> panel = {});
/// What this chart shows where it is zoomed, as it was drawn last; unset: all of it.
std::optional<ChartLimits> shown_limits(const UiState& ui, Panel panel);
/// `fit_axes` of one axis (an `ImAxis`), where a zoom of the other one says nothing about it.
void fit_axis(Context& context, int axis, double low, double high);
/// Index into `Models::settings` of the one to show: the selected row's or the chosen one, else the longest.
std::size_t shown_setting(Context& context);
/// A title line, which names the sweep where several are compared, with Copy at its right and, where the sweep has
/// several settings, which one is shown, to be changed.
void chart_heading(Context& context, Panel panel, const std::string& title, const std::string& subtitle);
/// That choice alone, at the cursor, at most `room` wide; nothing with one setting.
void setting_combo(Context& context, float room);
float setting_combo_width(Context& context, float room);
/// What a chart's subtitle says of its hollow points; empty: it has none.
const char* hollow_note(bool unknown, bool unconverged);
/// "hollow: not converged; 95 % intervals": the parts of a subtitle that say something. What explains a sign that is
/// seen comes first, since the end is what is cut.
std::string subtitle_from(std::initializer_list<std::string_view> parts);
/// The mark of this shape, `size` pixels from its middle to its edge; a `hollow` one has that colour inside.
void draw_mark(ImDrawList* list, ImVec2 at, int shape, float size, ImU32 colour, std::optional<ImU32> hollow = {},
               float weight = 1);
/// Markers at points in plot units; see `is_hollow`. `shape`: that of `mark_of_style`.
struct MarkedPoints {
  std::vector<double> x, y;
  std::vector<bool> hollow;
};
void plot_markers(const Look& look, const char* label, const MarkedPoints& points, int shape, ImU32 colour);
/// Name of a series in a legend, set off from its mark.
std::string legend_name(const Series& series);
/// "FA3 fwd": a baseline's level beside the plot; with its regime where `levels` are of several. `whole`: by the name
/// that tables have, "FlashAttention-3 fwd".
std::string level_name(const Series& level, const std::vector<SeriesPoints>& levels, bool whole);
/// There is room for whole names beside a plot.
bool has_whole_names(const Look& look, float room);
/// Of a plot whose legend stands above it, with what each series is drawn with: ImPlot's own has colours alone.
inline constexpr ImPlotFlags kPlotFlags = ImPlotFlags_NoMenus | ImPlotFlags_NoMouseText | ImPlotFlags_NoLegend;
/// A name of a legend, and what its series is drawn with.
struct LegendName {
  enum class Mark { bar, points, joined, line };
  std::string name;  ///< `legend_name`
  ImU32 colour = 0;
  int style = 0;
  Mark mark = Mark::bar;
  bool shown = true;                                                    ///< else it is pale
  DashPattern dashes = {};                                              ///< of its line; none: it is whole
  bool baseline = false;                                                ///< `style` is one of baselines
  std::string seen() const { return name.substr(0, name.find("##")); }  ///< as Dear ImGui does
};

/// What the menu of a name holds, where it has one.
using LegendMenu = std::function<void(const LegendName&)>;
/// chart_legend.cpp: a legend in lines, at the cursor. What would take more than two fifths of the room is counted
/// only. `of`: what a colour stands for, "windows", where the names do not say it. Which one was clicked in this frame.
std::optional<std::size_t> draw_legend(const Context& context, const std::vector<LegendName>& names,
                                       const std::string& of = {}, const LegendMenu& menu = {});
/// Call before the plot, whose items are `items`, or null before it was drawn first. A click hides a series, as in the
/// legends of ImPlot.
void draw_legend(const Context& context, ImPlotItemGroup* items, std::vector<LegendName> names,
                 const std::string& of = {}, const LegendMenu& menu = {});
/// The same of the plot with this id.
void draw_legend(const Context& context, const std::string& plot, std::vector<LegendName> names);
std::vector<LegendName> legend_of(const Theme& theme, const std::vector<SeriesPoints>& series, LegendName::Mark mark);
/// Of all plots together, as each line is named once.
std::vector<LegendName> legend_of(const Theme& theme, const ExploreChart& chart);
/// Of a long note what is seen, and behind it what tells it from another one.
std::string legend_name(const ExploreChart& chart, const ExploreLine& line);
/// A click on the legend hid the series of that name. Call inside the plot, after its setup.
bool is_hidden(const std::string& legend_name);
/// Ends the plot with its legend in the text font; the numbers on its axes have their own.
void end_plot(const Look& look);

/// The part of a piece of a line that lies within a frame from its upper left corner to its lower right one, both ends
/// as shares of the way from the one to the other; unset: nothing does.
std::optional<std::pair<double, double>> seen_part(ImVec2 from, ImVec2 to, ImVec2 low, ImVec2 high);

/// Ticks of a logarithmic axis that shows [low, high] (`log_ticks`), and around it for who moves it: as many as have
/// room for a line of text on `length` pixels.
void set_decade_ticks(ImAxis axis, double low, double high, float length);

/// Axis formatter: 1, 10, 1k, 1M without trailing zeros.
int format_axis_number(double value, char* buffer, int size, void*);

}  // namespace triscope
