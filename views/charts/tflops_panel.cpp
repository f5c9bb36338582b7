// Chart (1): rate by window, grouped by kernel and pass, with 95 % intervals; baselines as labelled levels.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "profiler/record/columns.hpp"
#include "views/charts/charts_panels.hpp"
#include "views/charts/placed_ticks.hpp"
#include "views/data/format.hpp"
#include "views/parts/chart_tools.hpp"
#include "views/parts/data_state.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

constexpr double kGroupWidth = 0.72;

double bar_centre(double category, std::size_t index, std::size_t count) {
  return category + (static_cast<double>(index) + 0.5) * kGroupWidth / static_cast<double>(count) - kGroupWidth / 2;
}

double bar_width(std::size_t count) { return kGroupWidth / static_cast<double>(count) * 0.9; }

/// Bars that share their colour with others have stripes. Of a hollow one they are lines.
void draw_gaps(const Look& look, const SeriesPoints& series, std::size_t index, std::size_t count) {
  const double half = bar_width(count) / 2;
  ImDrawList* list = ImPlot::GetPlotDrawList();
  ImPlot::PushPlotClipRect();
  for (const ChartPoint& point : series.points) {
    const double centre = bar_centre(point.x, index, count);
    const ImVec2 low = ImPlot::PlotToPixels(centre - half, point.y), high = ImPlot::PlotToPixels(centre + half, 0);
    const float top = std::max(low.y, ImPlot::GetPlotPos().y);
    for (const auto& [begin, end] : gaps_of_style(series.series.colour, top, high.y, look.px(1))) {
      if (!is_hollow(point.known, point.converged)) {
        list->AddRectFilled(ImVec2(low.x, begin), ImVec2(high.x, end), look.theme.panel);
      } else {
        list->AddLine(ImVec2(low.x, end), ImVec2(high.x, end), series_colour(look.theme, series.series),
                      std::max(1.0F, look.px(1)));
      }
    }
  }
  ImPlot::PopPlotClipRect();
}

void plot_series(const Context& context, const SeriesPoints& series, std::size_t index, std::size_t count) {
  const Look& look = context.look;
  std::vector<double> x, y, hollow_x, hollow_y, known_x, known_y, below, above;
  for (const ChartPoint& point : series.points) {
    const double centre = bar_centre(point.x, index, count);
    const bool hollow = is_hollow(point.known, point.converged);
    (hollow ? hollow_x : x).push_back(centre);
    (hollow ? hollow_y : y).push_back(point.y);
    if (!point.known) continue;
    known_x.push_back(centre);
    known_y.push_back(point.y);
    below.push_back(point.below);
    above.push_back(point.above);
  }
  const std::string name = legend_name(series.series);
  ImPlotSpec bars;
  bars.LineColor = to_vec4(series_colour(look.theme, series.series));
  bars.FillColor = to_vec4(faded(series_colour(look.theme, series.series), 0.15F));
  bars.LineWeight = std::max(1.0F, look.px(1.5F));
  if (!hollow_x.empty())
    ImPlot::PlotBars(name.c_str(), hollow_x.data(), hollow_y.data(), static_cast<int>(hollow_x.size()),
                     bar_width(count), bars);
  bars.FillColor = bars.LineColor;
  bars.LineWeight = 1;
  if (!x.empty())
    ImPlot::PlotBars(name.c_str(), x.data(), y.data(), static_cast<int>(x.size()), bar_width(count), bars);
  if (x.empty() && hollow_x.empty()) ImPlot::PlotDummy(name.c_str(), bars);  // its name in the legend hides it
  if (is_hidden(name)) return;
  draw_gaps(look, series, index, count);
  if (known_x.empty()) return;
  ImPlotSpec whiskers;
  whiskers.LineColor = to_vec4(look.theme.text);
  whiskers.LineWeight = std::max(1.0F, look.px(1));
  // Narrow bars get lines without caps, and those narrower than a few pixels none: they would hide the bars.
  const auto width = static_cast<float>(ImPlot::PlotToPixels(bar_width(count), 0).x - ImPlot::PlotToPixels(0, 0).x);
  if (width < look.px(4)) return;
  whiskers.Size = width < look.px(10) ? 0 : look.px(4);
  ImPlot::PlotErrorBars(name.c_str(), known_x.data(), known_y.data(), below.data(), above.data(),
                        static_cast<int>(known_x.size()), whiskers);
}

std::string peak_text(const ChartPoint& point) {
  return point.peak_fraction ? fmt::format("{:.0f} %", *point.peak_fraction * 100) : std::string();
}

/// The place that each series has in a group of bars; a hidden one takes none.
struct Slots {
  std::vector<std::optional<std::size_t>> of;  ///< by series
  std::size_t count = 0;
};
Slots visible_slots(const BarChart& chart) {
  Slots slots;
  for (const SeriesPoints& series : chart.series) {
    const bool hidden = is_hidden(legend_name(series.series));
    slots.of.push_back(hidden ? std::nullopt : std::optional(slots.count));
    slots.count += hidden ? 0 : 1;
  }
  slots.count = std::max<std::size_t>(1, slots.count);
  return slots;
}

/// From the upper left corner to the lower right one: where a bar would stand, no higher than one that says nothing.
ImRect missing_bar(const Look& look, const SeriesPoints::Missing& missing, std::size_t slot, std::size_t count) {
  const double centre = bar_centre(missing.x, slot, count), half = bar_width(count) / 2;
  const ImVec2 low = ImPlot::PlotToPixels(centre - half, 0), high = ImPlot::PlotToPixels(centre + half, 0);
  return {ImVec2(low.x, low.y - look.px(20)), high};
}

/// What was asked for and has no rate is no gap: hatched, as in the Window map, and what failed has a red edge.
void draw_missing(const Look& look, const BarChart& chart, const Slots& slots) {
  ImDrawList* list = ImPlot::GetPlotDrawList();
  ImPlot::PushPlotClipRect();
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    if (!slots.of[s]) continue;
    for (const SeriesPoints::Missing& missing : chart.series[s].missing) {
      const ImRect bar = missing_bar(look, missing, *slots.of[s], slots.count);
      const bool failed = missing.status == Status::failed;
      list->AddRectFilled(bar.Min, bar.Max, look.theme.missing);
      hatch(list, bar.Min, bar.Max, faded(look.theme.muted, 0.6F), look.px(5));
      list->AddRect(bar.Min, bar.Max, failed ? look.theme.slower : look.theme.muted, 0,
                    std::max(1.0F, look.px(failed ? 1.5F : 1)));
    }
  }
  ImPlot::PopPlotClipRect();
}

/// In each bar that is wide enough: its share of the peak.
void draw_shares(const Look& look, const BarChart& chart, const Slots& slots) {
  const NumberFont font(look, kSecondarySize);
  const float width = ImGui::CalcTextSize("100 %").x;
  const double half = bar_width(slots.count) / 2;
  ImPlot::PushPlotClipRect();
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    if (!slots.of[s]) continue;
    for (const ChartPoint& point : chart.series[s].points) {
      const std::string text = peak_text(point);
      const double centre = bar_centre(point.x, *slots.of[s], slots.count);
      const ImVec2 low = ImPlot::PlotToPixels(centre - half, 0), high = ImPlot::PlotToPixels(centre + half, point.y);
      if (text.empty() || high.x - low.x < width || low.y - high.y < look.px(28)) continue;
      const ImVec2 size = ImGui::CalcTextSize(text.c_str());
      ImPlot::GetPlotDrawList()->AddText(
          ImVec2((low.x + high.x - size.x) / 2, low.y - size.y - look.px(4)),
          point.known ? readable_on(series_colour(look.theme, chart.series[s].series)) : look.theme.text, text.c_str());
    }
  }
  ImPlot::PopPlotClipRect();
}

/// Rings the marked bars; finds the bar under the pointer.
void select_bars(Context& context, const BarChart& chart, const Slots& slots) {
  const Selection& selection = context.ui.selection;
  ChartSelection chosen = plot_selection(context);
  const bool hovered = ImPlot::IsPlotHovered();
  const ImPlotPoint mouse = hovered ? ImPlot::GetPlotMousePos() : ImPlotPoint();
  ImPlot::PushPlotClipRect();
  std::optional<std::pair<ImRect, std::string>> pointed;
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    if (!slots.of[s]) continue;
    for (const ChartPoint& point : chart.series[s].points) {
      const double centre = bar_centre(point.x, *slots.of[s], slots.count), half = bar_width(slots.count) / 2;
      const bool under = hovered && mouse.x >= centre - half && mouse.x <= centre + half && mouse.y >= 0 &&
                         mouse.y <= std::max(point.y, mouse.y);
      const ImVec2 low = ImPlot::PlotToPixels(centre - half, point.y), high = ImPlot::PlotToPixels(centre + half, 0);
      chosen.offer({low, high}, point.measurement, s);
      if (under) {
        std::string text = fmt::format("{}\n{}: {}", chart.categories[static_cast<std::size_t>(point.x)],
                                       chart.series[s].series.label, point_text(point, "TFLOP/s"));
        if (point.peak_fraction) text += fmt::format("\n{} of the peak, by counted cycles", peak_text(point));
        text += verdict_lines(context, point.measurement);
        pointed.emplace(ImRect(low, high), std::move(text));
        chosen.point_at(point.measurement);
      }
      if (!selection.is_marked(point.measurement)) continue;
      const Ring ring = ring_of(context, point.measurement);
      const float out = high.x - low.x < 4 * ring.width ? ring.width : 0;  // a ring inside would hide its colour
      ImPlot::GetPlotDrawList()->AddRect(ImVec2(low.x - out, low.y - out), ImVec2(high.x + out, high.y), ring.colour, 0,
                                         ring.width);
    }
  }
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    if (!slots.of[s]) continue;
    for (const SeriesPoints::Missing& missing : chart.series[s].missing) {
      const ImRect bar = missing_bar(context.look, missing, *slots.of[s], slots.count);
      chosen.offer(bar, missing.measurement, s);
      if (hovered && bar.Contains(ImGui::GetMousePos())) {
        pointed.emplace(bar, fmt::format("{}\n{}: {}. {}", chart.categories[static_cast<std::size_t>(missing.x)],
                                         chart.series[s].series.label, to_string(missing.status), missing.reason));
        chosen.point_at(missing.measurement);
      }
      if (selection.is_marked(missing.measurement)) {
        const Ring ring = ring_of(context, missing.measurement);
        ImPlot::GetPlotDrawList()->AddRect(bar.Min, bar.Max, ring.colour, 0, ring.width);
      }
    }
  }
  if (pointed) chosen.say(pointed->first, pointed->second);
  chosen.finish();
  ImPlot::PopPlotClipRect();
}

bool any_share(const std::vector<SeriesPoints>& series) {
  return std::ranges::any_of(series, [](const SeriesPoints& one) {
    return std::ranges::any_of(one.points, [](const ChartPoint& point) { return point.peak_fraction.has_value(); });
  });
}

/// What the hatched bars are; empty: there are none.
std::string missing_note(const BarChart& chart) {
  std::set<Status> met;
  for (const SeriesPoints& series : chart.series) {
    for (const SeriesPoints::Missing& missing : series.missing) met.insert(missing.status);
  }
  if (met.empty()) return {};
  return met.size() > 1 ? "hatched: failed (red) or skipped" : fmt::format("hatched: {}", to_string(*met.begin()));
}

std::string subtitle(const BarChart& chart) {
  if (chart.series.empty() && !chart.levels.empty())
    return "dot-product attention alone was measured here, so no window has a bar";
  return subtitle_from({any_share(chart.series) || any_share(chart.levels) ? "%: of the peak, by counted cycles" : "",
                        hollow_note(any_unknown(chart.series), any_unconverged(chart.series)), missing_note(chart),
                        "exact count of useful operations, 95 % intervals"});
}

/// Where the axis of the windows begins and ends. A lone bar stays a bar: few windows stand in the middle of room for
/// four.
std::pair<double, double> window_limits(const BarChart& chart) {
  const double count = static_cast<double>(chart.categories.size());
  const double middle = (count - 1) / 2, half = std::max(4.0, count) / 2 + 0.1;
  return {middle - half, middle + half};
}

/// Names of windows under the bars, on two lines where they would touch, and on four where two do not do.
void set_window_names(const Look& look, const BarChart& chart, float plot_width) {
  const auto [low, high] = window_limits(chart);
  const auto share = [low = low, high = high](double at) { return static_cast<float>((at - low) / (high - low)); };
  std::vector<std::pair<double, std::string>> names;
  for (const std::string& name : chart.categories) names.emplace_back(static_cast<double>(names.size()), name);
  std::vector<PlacedTick> placed;
  for (const int lines : {2, 4}) {
    placed = place_ticks(names, share, {plot_width, look.px(10), look.px(30), lines},
                         [](const std::string& text) { return ImGui::CalcTextSize(text.c_str()).x; });
    if (std::ranges::none_of(placed, [](const PlacedTick& tick) { return tick.name.empty(); })) break;
  }
  set_placed_ticks(std::move(placed));
}

}  // namespace

void draw_tflops_panel(Context& context) {
  if (!draw_data_state(context)) return;
  const Look& look = context.look;
  const std::size_t setting = shown_setting(context);
  const BarChart& chart = *context.models.bars(context.data, setting);
  const ChartFrame frame(context, Panel::tflops);
  chart_heading(context, Panel::tflops, "TFLOP/s by window", subtitle(chart));
  if (chart.series.empty() && chart.levels.empty()) {
    empty_state(context, "No measurement here has a rate yet.");
    return;
  }

  const double top = value_range(chart.series, chart.levels).high;
  float label_width = 0;
  std::vector<LevelLabel> labels;
  const NumberFont font(look, kSecondarySize);
  const bool whole = has_whole_names(look, ImGui::GetContentRegionAvail().x);
  for (const SeriesPoints& level : chart.levels) {
    std::string text = level_name(level.series, chart.levels, whole) + " " + significant_text(level.points.front().y);
    if (const std::string share = peak_text(level.points.front()); !share.empty()) text += ", " + share;
    labels.push_back({0, text, series_colour(look.theme, level.series)});
    label_width = std::max(label_width, ImGui::CalcTextSize(text.c_str()).x + look.px(20));
  }
  const float width = ImGui::GetContentRegionAvail().x - label_width;
  const std::string id = chart_id("tflops", context, context.models.settings(context.data)[setting].text);
  draw_legend(context, id, legend_of(look.theme, chart.series, LegendName::Mark::bar));
  const ImVec2 size(width, ImGui::GetContentRegionAvail().y);
  if (!ImPlot::BeginPlot(id.c_str(), size, kPlotFlags)) return;
  ImPlot::SetupAxes(nullptr, nullptr, ImPlotAxisFlags_NoGridLines | ImPlotAxisFlags_NoTickMarks,
                    ImPlotAxisFlags_NoTickMarks | ImPlotAxisFlags_LockMin);  // bars stand on zero
  ImPlot::SetupAxisFormat(ImAxis_Y1, format_axis_number, nullptr);
  const auto [first, last] = window_limits(chart);
  fit_axes(context, {first, last, 0, top > 0 ? top * 1.12 : 1}, Panel::tflops);
  ImPlot::SetupAxisLimitsConstraints(ImAxis_Y1, 0, 1e9);
  set_window_names(look, chart, size.x - look.px(60));
  ImPlot::SetupFinish();  // names of series are told apart from here on
  const Slots slots = visible_slots(chart);
  for (std::size_t s = 0; s < chart.series.size(); ++s)
    plot_series(context, chart.series[s], slots.of[s].value_or(0), slots.count);
  for (std::size_t i = 0; i < chart.levels.size(); ++i) {
    plot_dashed_level(look, chart.levels[i].points.front().y, chart.levels[i].series);
    labels[i].y = ImPlot::PlotToPixels(0, chart.levels[i].points.front().y).y;
  }
  draw_missing(look, chart, slots);
  draw_shares(look, chart, slots);
  select_bars(context, chart, slots);
  const ImVec2 plot_low = ImPlot::GetPlotPos(), plot_size = ImPlot::GetPlotSize();
  end_plot(look);
  std::erase_if(labels,
                [&](const LevelLabel& label) { return label.y < plot_low.y || label.y > plot_low.y + plot_size.y; });
  draw_level_labels(look, std::move(labels), plot_low.x + plot_size.x, plot_low.y, plot_low.y + plot_size.y);
}

}  // namespace triscope
