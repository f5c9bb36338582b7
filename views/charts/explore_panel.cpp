// Any value of all measurements of the database over any other: what was chosen above, drawn in panels that share
// their axes.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <implot.h>
#include <implot_internal.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "profiler/explore/explore_fields.hpp"
#include "views/charts/charts_panels.hpp"
#include "views/charts/explore_controls.hpp"
#include "views/charts/placed_ticks.hpp"
#include "views/curves/drawn_curves.hpp"
#include "views/data/format.hpp"
#include "views/model/charts/explore_axis.hpp"
#include "views/model/charts/explore_chart.hpp"
#include "views/parts/chart_tools.hpp"
#include "views/parts/data_state.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

constexpr float kLeastWidth = 200, kLeastHeight = 160;  ///< of a plot, design pixels
constexpr float kOverhang = 16;                         ///< of a tick's name beyond its plot
constexpr float kMark = 4;                              ///< of a mark from its middle to its edge, design pixels

using Places = std::vector<std::vector<double>>;  ///< by line and mark, along the axis

/// At their x, or beside it where a mark would hide another one of this plot.
Places places_of(const Look& look, const ExploreChart& chart, const ExplorePlot& plot) {
  std::vector<ImVec2> pixels;
  const auto is_drawn = [&](const ExploreLine& line) { return !is_hidden(legend_name(chart, line)); };
  for (const ExploreLine& line : plot.lines) {
    if (!is_drawn(line)) continue;
    for (const ExploreMark& mark : line.marks) pixels.push_back(ImPlot::PlotToPixels(mark.x, mark.y));
  }
  const std::vector<float> aside = moved_aside(pixels, look.px(2 * kMark));
  Places places;
  std::size_t next = 0;
  for (const ExploreLine& line : plot.lines) {
    std::vector<double>& of = places.emplace_back();
    const bool drawn = is_drawn(line);
    for (const ExploreMark& mark : line.marks) {
      of.push_back(mark.x);
      if (!drawn) continue;
      const std::size_t n = next++;
      if (aside[n] != 0) of.back() = ImPlot::PixelsToPlot(pixels[n].x + aside[n], pixels[n].y).x;
    }
  }
  return places;
}

/// Intervals of one measurement have ends, ranges of several `repeats` none.
void plot_whiskers(const Look& look, const std::string& name, const std::vector<ExploreMark>& marks,
                   const std::vector<double>& places, bool repeats, ImU32 colour) {
  std::vector<double> x, y, below, above;
  for (std::size_t n = 0; n < marks.size(); ++n) {
    const ExploreMark& mark = marks[n];
    if (!mark.known || (mark.repeats > 1) != repeats) continue;
    x.push_back(places[n]);
    y.push_back(mark.y);
    below.push_back(mark.y - mark.low);
    above.push_back(mark.high - mark.y);
  }
  if (x.empty()) return;
  ImPlotSpec whiskers;
  whiskers.LineColor = to_vec4(colour);
  whiskers.LineWeight = std::max(1.0F, look.px(1));
  whiskers.Size = repeats ? 0 : look.px(5);
  ImPlot::PlotErrorBars(name.c_str(), x.data(), y.data(), below.data(), above.data(), static_cast<int>(x.size()),
                        whiskers);
}

/// Of several measurements each, or of many their middle half; those that the mark lies over are not seen.
void plot_spread(const Look& look, const ExploreMark& mark, double place, ImU32 colour) {
  ImDrawList* list = ImPlot::GetPlotDrawList();
  const float half = look.px(kMark + 1), weight = std::max(1.0F, look.px(1));
  const ImVec2 at = ImPlot::PlotToPixels(place, mark.y);
  const auto height = [&](double y) { return ImPlot::PlotToPixels(place, y).y; };
  const auto [strokes, quartiles] = drawn_repeats(mark);
  for (const double y : strokes) {
    const float up = height(y);
    if (std::abs(up - at.y) > look.px(kMark))
      list->AddLine(ImVec2(at.x, up), ImVec2(at.x + half, up), colour, weight);  // on both sides it would be an end
  }
  if (!quartiles) return;
  const ImVec2 low(at.x - half, height(quartiles->high)), high(at.x + half, height(quartiles->low));
  if (high.y - low.y > look.px(2 * kMark)) list->AddRect(low, high, colour, 0, weight);
}

void plot_line(const Context& context, const ExploreChart& chart, const ExploreLine& line,
               const std::vector<double>& places) {
  const Look& look = context.look;
  const bool may_be_hollow = has_intervals(chart);
  MarkedPoints points{places, {}, {}};
  for (const ExploreMark& mark : line.marks) {
    points.y.push_back(mark.y);
    points.hollow.push_back(may_be_hollow && mark.hollow());
  }
  const std::string name = legend_name(chart, line);
  const ImU32 colour = explore_colour(look.theme, line);
  ImPlotSpec curve;
  curve.LineColor = to_vec4(colour);
  curve.LineWeight = look.px(1.5F);
  if (line.joined)  // below the marks: hollow ones would show it
    ImPlot::PlotLine(name.c_str(), points.x.data(), points.y.data(), static_cast<int>(points.x.size()), curve);
  plot_whiskers(look, name, line.marks, points.x, false, colour);
  plot_whiskers(look, name, line.marks, points.x, true, colour);
  if (!is_hidden(name)) {
    ImPlot::PushPlotClipRect();
    for (std::size_t n = 0; n < line.marks.size(); ++n) plot_spread(look, line.marks[n], places[n], colour);
    ImPlot::PopPlotClipRect();
  }
  plot_markers(look, name.c_str(), points, explore_mark(line), colour);
}

/// The newest of its repeats, or the one that is selected; 0 where none is in the open database.
std::int64_t shown_of(const ExploreMark& mark, const Selection& selection) {
  for (const std::int64_t measurement : mark.measurements) {
    if (selection.is_marked(measurement)) return measurement;
  }
  return mark.measurements.empty() ? 0 : mark.measurements.back();
}

/// As the axis names it.
std::string x_name(const ExploreChart& chart, double x) {
  if (chart.x.names.empty()) return fmt::format("{:.15g}", x);
  const auto at = static_cast<std::size_t>(std::max(0.0, std::round(x)));
  return at < chart.x.names.size() ? chart.x.names[at] : std::string();
}

/// What can be filtered by at a mark: its series, its panel and its place on the axis.
std::vector<NamedValue> values_at(const ExploreChart& chart, const ExplorePlot& plot, const ExploreLine& line,
                                  const ExploreMark& mark) {
  const ExploreQuery& query = chart.query;
  std::vector<NamedValue> values{{query.color, line.style == kOtherLines ? std::string() : line.name},
                                 {query.x, x_name(chart, mark.x)},
                                 {query.panels, plot.name},
                                 {query.rows, plot.row}};
  std::erase_if(values, [](const NamedValue& one) { return term_of(one.field, one.name, true).empty(); });
  return values;
}

using Pointed = std::vector<NamedValue>;  ///< at what was clicked with the right button in this frame

/// The name below the axis of the current plot that the pointer is on has a menu that filters by it.
void point_at_name(const Context& context, const ExploreChart& chart, Pointed& pointed) {
  const ImPlotPlot& plot = *ImPlot::GetCurrentPlot();
  const ImRect below(plot.PlotRect.Min.x, plot.PlotRect.Max.y, plot.PlotRect.Max.x, plot.FrameRect.Max.y);
  // A pressed button makes the axis active until it is released.
  constexpr ImGuiHoveredFlags kAlsoPressed =
      ImGuiHoveredFlags_ChildWindows | ImGuiHoveredFlags_AllowWhenBlockedByActiveItem;
  if (chart.x.names.empty() || !ImGui::IsWindowHovered(kAlsoPressed) || !below.Contains(ImGui::GetMousePos())) return;
  const std::string name = x_name(chart, ImPlot::GetPlotMousePos().x);
  if (term_of(chart.query.x, name, true).empty()) return;
  value_tooltip(context, name + "\nRight click: filter by it.");
  if (clicked_without_drag(ImGuiMouseButton_Right)) pointed = {{chart.query.x, name}};
}

void select_points(Context& context, const ExploreChart& chart, const ExplorePlot& plot, const Places& places,
                   Pointed& pointed) {
  PointPicker picker(context);
  const ExploreMark* nearest = nullptr;
  const ExploreLine* of = nullptr;
  for (std::size_t n = 0; n < plot.lines.size(); ++n) {
    if (is_hidden(legend_name(chart, plot.lines[n]))) continue;
    for (std::size_t m = 0; m < places[n].size(); ++m) {
      const ExploreMark& mark = plot.lines[n].marks[m];
      if (picker.offer(places[n][m], mark.y, shown_of(mark, context.ui.selection), n))
        nearest = &mark, of = &plot.lines[n];
    }
  }
  if (nearest != nullptr && nearest->elsewhere) {
    picker.say(nearest->text);
  } else if (nearest != nullptr) {
    picker.choose(nearest->measurement, nearest->text + "\nRight click: filter by it.");
  }
  if (nearest != nullptr && clicked_without_drag(ImGuiMouseButton_Right))
    pointed = values_at(chart, plot, *of, *nearest);
  picker.finish();
}

/// Of the axis along x in a plot of this width: what stands aside at an end is seen whole.
double margin_of(const Look& look, float width) {
  constexpr double kMost = 0.2;
  return std::clamp(static_cast<double>(kFarthestAside * look.px(2 * kMark) / std::max(1.0F, width)), kLeastMargin,
                    kMost);
}

/// Where named values stand, as many as have room on two lines.
void set_named_ticks(const Look& look, const ExploreAxis& axis, float width) {
  const auto limits = explore_limits(axis, false, false, margin_of(look, width));
  const auto share = [&](double at) { return static_cast<float>(share_of_axis(axis, limits, at)); };
  set_placed_ticks(place_ticks(axis.named, share, {width, look.px(8), look.px(kOverhang), 2, axis.names.empty()},
                               [](const std::string& text) { return ImGui::CalcTextSize(text.c_str()).x; }));
}

/// An axis is named at the edge of the grid only.
struct Names {
  bool x = true, y = true;
};

void setup_axes(Context& context, const ExploreChart& chart, ImVec2 size, Names names) {
  // Upright beside a plot that is lower than it is long it would lie on the plots around.
  const bool has_room = ImGui::CalcTextSize(chart.y.label.c_str()).x < size.y - context.look.px(56);
  const float width = size.x - context.look.px(70);
  const auto [x_low, x_high] = explore_limits(chart.x, false, false, margin_of(context.look, width));
  const auto [y_low, y_high] = explore_limits(chart.y, true);
  ImPlot::SetupAxes(names.x ? chart.x.label.c_str() : nullptr, names.y && has_room ? chart.y.label.c_str() : nullptr,
                    ImPlotAxisFlags_NoTickMarks, ImPlotAxisFlags_NoTickMarks);
  const bool named = !chart.x.named.empty();
  for (const auto& [id, axis] : {std::pair(ImAxis_X1, &chart.x), std::pair(ImAxis_Y1, &chart.y)}) {
    if (axis->logarithmic) ImPlot::SetupAxisScale(id, ImPlotScale_Log10);
    ImPlot::SetupAxisFormat(id, format_axis_number, nullptr);
    if (axis->logarithmic && !(id == ImAxis_X1 && named))
      set_decade_ticks(id, axis->low, axis->high, id == ImAxis_Y1 ? size.y - context.look.px(70) : width / 4);
  }
  if (named) set_named_ticks(context.look, chart.x, width);
  fit_axes(context, {x_low, x_high, y_low, y_high}, Panel::explore);
}

struct Grid {
  int rows = 1, columns = 1;
};
/// As many columns as make the plots about half as high as they are wide.
Grid grid_of(const Look& look, const ExploreChart& chart, ImVec2 room) {
  const int count = static_cast<int>(chart.plots.size());
  if (chart.columns > 0) return {count / static_cast<int>(chart.columns), static_cast<int>(chart.columns)};
  const int most = std::max(1, static_cast<int>(room.x / look.px(kLeastWidth)));
  const float wanted = std::sqrt(static_cast<float>(count) * room.x / std::max(1.0F, room.y) / 1.3F);
  Grid grid;
  grid.columns = std::clamp(static_cast<int>(std::lround(wanted)), 1, std::min(count, most));
  grid.rows = (count + grid.columns - 1) / grid.columns;
  return grid;
}

/// "forward, determinant", on two lines each where one of them is wider than a plot.
std::vector<std::string> titles_of(const ExploreChart& chart, float width) {
  const auto is_wider = [&](const ExplorePlot& plot) {
    return ImGui::CalcTextSize((plot.name + ", " + plot.row).c_str()).x > width;
  };
  const char* between = std::ranges::any_of(chart.plots, is_wider) ? "\n" : ", ";
  std::vector<std::string> titles;
  for (const ExplorePlot& plot : chart.plots) {
    const char* joint = plot.name.empty() || plot.row.empty() ? "" : between;
    titles.push_back(shortened(plot.name, width) + joint + shortened(plot.row, width));
  }
  return titles;
}

/// Two strokes at the foot of an axis that does not begin at zero, as in print.
void mark_cut_axis(const Look& look, const ExploreAxis& y) {
  if (y.logarithmic || ImPlot::GetPlotLimits().Y.Min <= 0) return;
  const ImVec2 at(ImPlot::GetPlotPos().x, ImPlot::GetPlotPos().y + ImPlot::GetPlotSize().y);
  for (const float up : {4.0F, 8.0F}) {
    // Right of the axis: its numbers end beside it.
    ImPlot::GetPlotDrawList()->AddLine(ImVec2(at.x, at.y - look.px(up - 2)),
                                       ImVec2(at.x + look.px(8), at.y - look.px(up + 2)), look.theme.muted,
                                       std::max(1.0F, look.px(1)));
  }
}

/// In the middle of a plot of a row and a column that no measurement has.
void say_empty(const Look& look) {
  const char* const words = "not measured";
  const ImVec2 low = ImPlot::GetPlotPos(), size = ImPlot::GetPlotSize(), text = ImGui::CalcTextSize(words);
  if (text.x > size.x) return;
  ImPlot::GetPlotDrawList()->AddText(
      ImVec2(std::round(low.x + (size.x - text.x) / 2), std::round(low.y + (size.y - text.y) / 2)), look.theme.muted,
      words);
}

std::string what_colours_say(const std::string& id) {
  const ExploreField* field = find_explore_field(id);
  return field == nullptr ? std::string() : std::string(field->label);
}

void draw_plots(Context& context, const ExploreChart& chart, Pointed& pointed) {
  const Look& look = context.look;
  const NumberFont font(look, kSecondarySize);
  const std::vector<LegendName> names = legend_of(look.theme, chart);
  const std::string id = fmt::format("##explore {} {}", chart.query.x, chart.query.y);
  ImPlotSubplot* known = ImPlot::GetCurrentContext()->Subplots.GetByKey(ImGui::GetCurrentWindow()->GetID(id.c_str()));
  const LegendMenu menu = [&](const LegendName& name) {
    for (const ExplorePlot& plot : chart.plots) {
      for (const ExploreLine& line : plot.lines) {
        if (legend_name(chart, line) != name.name) continue;
        return draw_filter_items(context, {chart.query.color, line.style == kOtherLines ? "" : line.name});
      }
    }
  };
  if (!names.empty())
    draw_legend(context, known ? &known->Items : nullptr, names, what_colours_say(chart.query.color), menu);
  ImVec2 room = ImGui::GetContentRegionAvail();
  const Grid grid = grid_of(look, chart, room);
  room.y = std::max(room.y, look.px(kLeastHeight) * static_cast<float>(grid.rows));  // the panel scrolls then
  const ImPlotSubplotFlags flags = ImPlotSubplotFlags_NoTitle | ImPlotSubplotFlags_NoMenus |
                                   ImPlotSubplotFlags_NoResize | ImPlotSubplotFlags_ShareItems |
                                   ImPlotSubplotFlags_NoLegend | ImPlotSubplotFlags_LinkAllX |
                                   ImPlotSubplotFlags_LinkAllY;  // one zoom: they are read beside each other
  // ImPlot forgets the range of a grid that gets another shape.
  const std::pair shown =
      known ? std::pair(known->ColLinkData[0], known->RowLinkData[0]) : std::pair(ImPlotRange(0, 1), ImPlotRange(0, 1));
  if (!ImPlot::BeginSubplots(id.c_str(), grid.rows, grid.columns, room, flags)) return;
  ImPlotSubplot& begun = *ImPlot::GetCurrentContext()->CurrentSubplot;
  std::tie(begun.ColLinkData[0], begun.RowLinkData[0]) = shown;
  const float wide = room.x / static_cast<float>(grid.columns);
  const std::vector<std::string> titles = titles_of(chart, wide - look.px(48));
  for (std::size_t n = 0; n < chart.plots.size(); ++n) {
    const ExplorePlot& plot = chart.plots[n];
    const ImPlotFlags none = titles[n].empty() ? ImPlotFlags_NoTitle : 0;
    if (!ImPlot::BeginPlot((titles[n] + "##plot").c_str(), ImVec2(), kPlotFlags | none)) continue;
    const auto columns = static_cast<std::size_t>(grid.columns);
    setup_axes(context, chart, {wide, room.y / static_cast<float>(grid.rows)},
               {n + columns >= chart.plots.size(), n % columns == 0});
    const Places places = places_of(look, chart, plot);
    // What is named lies over the others.
    for (const bool others : {true, false}) {
      for (std::size_t line = 0; line < plot.lines.size(); ++line) {
        if ((plot.lines[line].style == kOtherLines) == others)
          plot_line(context, chart, plot.lines[line], places[line]);
      }
    }
    mark_cut_axis(look, chart.y);
    if (plot.lines.empty()) say_empty(look);
    select_points(context, chart, plot, places, pointed);
    point_at_name(context, chart, pointed);
    ImPlot::EndPlot();
  }
  ImPlot::EndSubplots();
}

/// Of the mark, or of the name below an axis, that was clicked with the right button.
void draw_filter_menu(Context& context, Pointed pointed) {
  if (!pointed.empty()) {
    context.ui.explore.pointed = std::move(pointed);
    ImGui::OpenPopup("filter");
  }
  if (!ImGui::BeginPopup("filter")) return;
  for (const NamedValue& value : context.ui.explore.pointed) draw_filter_items(context, value);
  ImGui::EndPopup();
}

/// What the marks are that are no usual ones, in plots of this height.
std::string mark_notes(const Look& look, const ExploreChart& chart, float height) {
  const bool may_be_hollow = has_intervals(chart);
  bool unknown = false, unconverged = false;
  std::size_t repeats = 0, fewest = 0, most = 0;
  for (const ExplorePlot& plot : chart.plots) {
    for (const ExploreLine& line : plot.lines) {
      for (const ExploreMark& mark : line.marks) {
        unknown |= may_be_hollow && !mark.known;
        unconverged |= may_be_hollow && mark.known && !mark.converged;
        if (mark.repeats < 2) continue;
        fewest = repeats == 0 ? mark.repeats : std::min(fewest, mark.repeats), most = std::max(most, mark.repeats);
        ++repeats;
      }
    }
  }
  std::vector<std::string> notes;
  if (chart.drawn < chart.points)
    notes.push_back(fmt::format("{} of {} points are drawn: the others lie on these, which stand for them",
                                format_count(static_cast<std::int64_t>(chart.drawn)),
                                format_count(static_cast<std::int64_t>(chart.points))));
  if (repeats > 0)
    notes.push_back(fmt::format(
        "A bar without ends is the range of {} measurements, {}, its point their median: {} of {} points",
        fewest == most ? fmt::format("{}", most) : fmt::format("{} to {}", fewest, most), repeats_words(fewest, most),
        format_count(static_cast<std::int64_t>(repeats)), format_count(static_cast<std::int64_t>(chart.drawn))));
  if (stand_aside(chart, look.px(2 * kMark) / std::max(1.0F, height)))
    notes.emplace_back("Marks at one x that would hide each other stand side by side, as far as there is room");
  if (unconverged) notes.emplace_back("Hollow: not converged");
  if (unknown) notes.emplace_back(unconverged ? "Hollow without a bar: interval unknown" : "Hollow: interval unknown");
  return notes.empty() ? "" : fmt::format("{}.", fmt::join(notes, ". "));
}

/// Which intervals are so narrow that the marks hide them in a plot of this height; empty: none.
std::string hidden_intervals(const Look& look, const ExploreChart& chart, float height) {
  const auto along = [&, limits = explore_limits(chart.y, true)](double y) {
    return share_of_axis(chart.y, limits, y);
  };
  std::size_t known = 0, hidden = 0;
  for (const ExplorePlot& plot : chart.plots) {
    for (const ExploreLine& line : plot.lines) {
      for (const ExploreMark& mark : line.marks) {
        if (!mark.known) continue;
        ++known;
        if ((along(mark.high) - along(mark.low)) * static_cast<double>(height) <= static_cast<double>(look.px(8)))
          ++hidden;
      }
    }
  }
  if (hidden == 0) return {};
  return hidden == known ? "; intervals are no longer than the marks"
                         : fmt::format("; {} of {} intervals are no longer than the marks", hidden, known);
}

/// "18 of 1,350 measurements match; 16 of them in 12 points of 3 sweeps": what of the database is in the chart.
std::string counts_text(const ExploreChart& chart, bool printing) {
  const auto number = [](std::size_t count) { return format_count(static_cast<std::int64_t>(count)); };
  std::string text = counted(chart.rows, "measurement");
  if (chart.matched != chart.rows)
    text = fmt::format("{} of {} {}", number(chart.matched), text, chart.matched == 1 ? "matches" : "match");
  if (printing && !chart.query.where.empty()) text += " " + chart.query.where;
  const std::size_t shown = chart.conditions.measurements;  // a copy in another database is no second one
  if (shown != chart.matched)
    text += fmt::format("; {}{} of them", chart.chosen_over.empty() ? "" : "the best ", number(shown));
  if (shown != chart.matched || shown != chart.points) text += fmt::format(" in {}", counted(chart.points, "point"));
  if (!chart.databases.empty()) return text + fmt::format(" of {}", counted(chart.databases.size(), "database"));
  const auto& sweeps = chart.conditions.sweeps;
  if (sweeps.empty()) return text;
  return text + (sweeps.size() == 1 ? fmt::format(" of sweep {}", sweeps.begin()->id)
                                    : fmt::format(" of {} sweeps", sweeps.size()));
}

std::string subtitle_of(const ExploreChart& chart, bool printing) {
  std::string text = counts_text(chart, printing);
  if (chart.plots_left_out > 0) text += fmt::format("; {} left out", counted(chart.plots_left_out, "panel"));
  if (printing && !chart.chosen_over.empty()) text += "; best over " + chart.chosen_over;
  if (!chart.mixed.empty())
    text += fmt::format("; no line joins points that differ in {}", fmt::join(chart.mixed, ", "));
  return text;
}

/// Which term of the filter is to blame, each with a button that takes it out.
void draw_no_match(Context& context, const ExploreChart& chart) {
  if (chart.blamed.empty()) return empty_state(context, "No measurement matches the filter.");
  for (const ExploreBlame& blame : chart.blamed) {
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(blame.sentence.c_str());
    const std::string button = "Remove " + blame.term;
    ImGui::SameLine();
    if (ImGui::GetContentRegionAvail().x < button_width(button.c_str())) ImGui::NewLine();
    if (ImGui::Button(button.c_str())) write_filter(context.ui.explore, blame.others);
  }
}

void draw_notes(const Context& context, const std::string& notes) {
  if (notes.empty()) return;
  if (!is_small(context)) return muted_text(context, notes, true);
  const SmallFont font(context.look);
  text_in_whole_words(context, context.look.theme.muted, notes, ImGui::GetContentRegionAvail().x);
}

}  // namespace

void draw_explore_panel(Context& context) {
  if (context.data.sweeps.empty() && !draw_data_state(context)) return;
  context.ui.explore.in_view = true;
  const ExploreData& data = context.data.explore;
  const ChartFrame frame(context, Panel::explore);
  const ExploreChart* chart = data.chart.get();
  ExploreQuery asked = chart ? chart->query : context.ui.explore.query;
  asked.where.clear();                                         // stands in its field, in a picture below the title
  const bool drawn = context.ui.printing && chart != nullptr;  // a picture's title is in words
  std::string subtitle = chart ? subtitle_of(*chart, context.ui.printing) : "";
  float height = 0;  // of a plot
  if (chart) {
    const std::size_t rows = chart->columns > 0 ? std::max<std::size_t>(1, chart->plots.size() / chart->columns) : 1;
    height = (ImGui::GetContentRegionAvail().y - context.look.px(120)) / static_cast<float>(rows);
    subtitle += hidden_intervals(context.look, *chart, height);
  }
  panel_heading(context, drawn ? explore_picture_title(*chart) : explore_title(asked), subtitle,
                context.ui.printing ? 0 : button_width(kCopySave));
  chart_button(context, Panel::explore);
  if (!context.ui.printing) draw_explore_controls(context);
  if (!data.problem.empty()) return empty_state(context, sentence(data.problem));
  if (chart != nullptr) {
    for (const std::string& left_out : chart->left_out) {
      ImGui::PushTextWrapPos(0);
      coloured_text(context.look.theme.unclear, sentence(left_out));
      ImGui::PopTextWrapPos();
    }
  }
  if (chart != nullptr && !chart->chosen_over.empty() && !context.ui.printing) {
    ImGui::PushTextWrapPos(0);
    const SmallFont font(context.look);
    coloured_text(context.look.theme.unclear, "Best over " + chart->chosen_over + ".");
    ImGui::PopTextWrapPos();
  }
  if (chart == nullptr) return empty_state(context, "Reading all measurements ...");
  if (chart->matched == 0) return draw_no_match(context, *chart);
  if (chart->plots.empty()) return empty_state(context, explore_nothing(*chart));
  draw_notes(context, mark_notes(context.look, *chart, height));
  Pointed pointed;
  draw_plots(context, *chart, pointed);
  draw_filter_menu(context, std::move(pointed));
}

}  // namespace triscope
