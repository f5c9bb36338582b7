// Chart (3): latency against the window area, both logarithmic; baselines as levels.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "views/charts/charts_panels.hpp"
#include "views/curves/series_lines.hpp"
#include "views/data/format.hpp"
#include "views/parts/chart_tools.hpp"
#include "views/parts/data_state.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

void plot_series(const Context& context, const SeriesLine& of) {
  const Look& look = context.look;
  const SeriesPoints& series = *of.series;
  MarkedPoints points;
  std::vector<double> known_x, known_y, below, above;
  for (const ChartPoint& point : series.points) {
    points.x.push_back(point.x);
    points.y.push_back(point.y);
    points.hollow.push_back(is_hollow(point.known, point.converged));
    if (!point.known) continue;
    known_x.push_back(point.x);
    known_y.push_back(point.y);
    below.push_back(point.below);
    above.push_back(point.above);
  }
  const ImVec4 colour = to_vec4(series_colour(look.theme, series.series));
  ImPlotSpec whiskers;
  whiskers.LineColor = colour;
  whiskers.LineWeight = std::max(1.0F, look.px(1));
  whiskers.Size = look.px(5);
  ImPlot::PlotErrorBars(legend_name(series.series).c_str(), known_x.data(), known_y.data(), below.data(), above.data(),
                        static_cast<int>(known_x.size()), whiskers);
  const std::string name = legend_name(series.series);
  if (of.dashes.drawn <= 0) {
    ImPlotSpec line;
    line.LineColor = colour;
    line.LineWeight = look.px(1.5F);
    ImPlot::PlotLine(name.c_str(), of.x.data(), of.y.data(), static_cast<int>(of.x.size()), line);
  } else if (!is_hidden(name)) {
    plot_strokes(of.x, of.y, of.dashes, look.px(1), series_colour(look.theme, series.series), look.px(1.5F));
  }
  plot_markers(look, legend_name(series.series).c_str(), points, mark_of_style(series.series.colour),
               series_colour(look.theme, series.series));  // above the line: hollow ones would show it
}

void select_points(Context& context, const ScalingChart& chart) {
  PointPicker picker(context);
  const ChartPoint* nearest = nullptr;
  const SeriesPoints* of = nullptr;
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    const SeriesPoints& series = chart.series[s];
    if (is_hidden(legend_name(series.series))) continue;
    for (const ChartPoint& point : series.points) {
      if (picker.offer(point.x, point.y, point.measurement, s)) nearest = &point, of = &series;
    }
  }
  if (nearest) {
    const std::string words = of->series.label + ", area " + format_count(static_cast<std::int64_t>(nearest->x)) +
                              ": " + point_text(*nearest, "ms");
    if (nearest->backward == 0) {
      picker.choose(nearest->measurement, words);
    } else {
      picker.choose_in_words(nearest->measurement,
                             words + step_verdict_lines(context, nearest->measurement, nearest->backward));
      select_step(context, nearest->measurement, nearest->backward);
    }
  }
  picker.finish();
}

struct AxisRange {
  double x_low = 1e300, x_high = 0, y_low = 1e300, y_high = 0;
};

AxisRange range_of(const ScalingChart& chart) {
  AxisRange range;
  for (const auto* group : {&chart.series, &chart.levels}) {
    for (const SeriesPoints& series : *group) {
      for (const ChartPoint& point : series.points) {
        if (!series.series.baseline) {
          range.x_low = std::min(range.x_low, point.x);
          range.x_high = std::max(range.x_high, point.x);
        }
      }
    }
  }
  const ValueRange values = value_range(chart.series, chart.levels);
  range.y_low = values.low;
  range.y_high = values.high;
  return range;
}

/// Ticks at powers of two that stand for window areas.
void set_area_ticks(const AxisRange& range) {
  std::vector<double> ticks;
  std::vector<std::string> names;
  const int first = static_cast<int>(std::floor(std::log2(range.x_low))),
            last = static_cast<int>(std::ceil(std::log2(range.x_high)));
  const int step = std::max(1, (last - first + 7) / 8);
  for (int power = first; power <= last; power += step) {
    ticks.push_back(std::exp2(power));
    names.push_back(format_count(std::int64_t{1} << power));
  }
  std::vector<const char*> labels;
  for (const std::string& name : names) labels.push_back(name.c_str());
  ImPlot::SetupAxisTicks(ImAxis_X1, ticks.data(), static_cast<int>(ticks.size()), labels.data());
}

/// With its tokens, where the name of the setting does not say them.
std::string title(Context& context, std::size_t setting) {
  const std::string name = "Latency by window area";
  const std::vector<ChartSetting>& settings = context.models.settings(context.data);
  if (setting >= settings.size() || settings[setting].text.find(" tokens") != std::string::npos) return name;
  return fmt::format("{}, {} tokens", name, format_count(settings[setting].problem.seq_len));
}

}  // namespace

void draw_scaling_panel(Context& context) {
  if (!draw_data_state(context)) return;
  const Look& look = context.look;
  const std::size_t setting = shown_setting(context);
  const ScalingChart& chart = *context.models.scaling(context.data, setting);
  const ChartFrame frame(context, Panel::scaling);
  chart_heading(context, Panel::scaling, title(context, setting),
                subtitle_from({hollow_note(any_unknown(chart.series), any_unconverged(chart.series)),
                               "milliseconds against w1 × w2 pairs per query, both logarithmic"}));
  if (chart.series.empty()) {
    empty_state(context, "There is no finished measurement of a 2-simplicial kernel here yet.");
    return;
  }
  const NumberFont font(look, kSecondarySize);
  std::vector<LevelLabel> labels;
  float label_width = 0;
  const bool whole = has_whole_names(look, ImGui::GetContentRegionAvail().x);
  for (const SeriesPoints& level : chart.levels) {
    const std::string text = level_name(level.series, chart.levels, whole);
    label_width = std::max(label_width, ImGui::CalcTextSize(text.c_str()).x + look.px(20));
    labels.push_back({0, text, series_colour(look.theme, level.series)});
  }
  const AxisRange range = range_of(chart);
  const float width = ImGui::GetContentRegionAvail().x - label_width;
  const std::string id = chart_id("scaling", context, context.models.settings(context.data)[setting].text);
  const std::vector<SeriesLine> lines = series_lines(chart);
  std::vector<LegendName> names = legend_of(look.theme, chart.series, LegendName::Mark::joined);
  for (std::size_t n = 0; n < lines.size(); ++n) names[n].dashes = lines[n].dashes;
  draw_legend(context, id, std::move(names));
  const float height = ImGui::GetContentRegionAvail().y;
  if (!ImPlot::BeginPlot(id.c_str(), ImVec2(width, height), kPlotFlags)) return;
  ImPlot::SetupAxes("w1 × w2, pairs of keys", "ms", ImPlotAxisFlags_NoTickMarks, ImPlotAxisFlags_NoTickMarks);
  ImPlot::SetupAxisScale(ImAxis_X1, ImPlotScale_Log10);
  ImPlot::SetupAxisScale(ImAxis_Y1, ImPlotScale_Log10);
  fit_axes(context, {range.x_low / 1.5, range.x_high * 1.5, range.y_low / 1.6, range.y_high * 1.6}, Panel::scaling);
  set_area_ticks(range);
  set_decade_ticks(ImAxis_Y1, range.y_low, range.y_high, height - look.px(50));
  for (std::size_t i = 0; i < chart.levels.size(); ++i) {
    plot_dashed_level(look, chart.levels[i].points.front().y, chart.levels[i].series);
    labels[i].y = ImPlot::PlotToPixels(range.x_low, chart.levels[i].points.front().y).y;
  }
  draw_strokes_last(lines, [&](const SeriesLine& line) { plot_series(context, line); });
  select_points(context, chart);
  const ImVec2 low = ImPlot::GetPlotPos(), size = ImPlot::GetPlotSize();
  end_plot(look);
  std::erase_if(labels, [&](const LevelLabel& label) { return label.y < low.y || label.y > low.y + size.y; });
  draw_level_labels(look, std::move(labels), low.x + size.x, low.y, low.y + size.y);
}

}  // namespace triscope
