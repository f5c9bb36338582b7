// Chart (5): every sample of the selected measurement over time with the clock, and their distribution.
#include <fmt/format.h>
#include <implot.h>
#include <implot_internal.h>

#include <algorithm>
#include <cmath>

#include "views/charts/charts_panels.hpp"
#include "views/data/axis_ticks.hpp"
#include "views/data/format.hpp"
#include "views/parts/chart_tools.hpp"
#include "views/parts/data_state.hpp"
#include "views/parts/readout.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

void draw_heading(Context& context, const SelectedMeasurement& selected, const SampleChart& chart) {
  std::string facts = counted(chart.samples, "sample");
  if (chart.buckets.per_bucket > 1)
    facts += fmt::format(", drawn as ranges of {} samples each", chart.buckets.per_bucket);
  const Summary& summary = selected.measurement.summary;
  if (!interval_known(summary)) {
    facts += ", interval unknown";
  } else if (!chart.buckets.minimum.empty() && summary.ci_low_ms < *std::ranges::min_element(chart.buckets.minimum) &&
             summary.ci_high_ms > *std::ranges::max_element(chart.buckets.maximum)) {
    facts += ", interval wider than all of them";
  }
  if (chart.invalid > 0) facts += fmt::format(", {} without a valid time", chart.invalid);
  panel_heading(context,
                fmt::format("{}{} {}, {}", context.data.beside ? "A: " : "", line_label(selected.row),
                            to_string(selected.row.pass), selected.row.card.label),
                facts, context.ui.printing ? 0 : button_width(kCopySave));
  chart_button(context, Panel::samples);
  if (context.data.beside && !context.ui.printing)
    muted_text(
        context,
        context.data.versions.kernel.empty()
            ? fmt::format("Of {} rows that are selected the first: \"Swap A and B\" in Details shows the {} one.",
                          context.ui.selection.all().size(), context.ui.selection.all().size() > 2 ? "last" : "other")
            : "Of the two versions A. Those of B are in its own sweep: leave the versions and select its row there.",
        true);
  if (!chart.not_read.empty()) muted_text(context, chart.not_read, true);
  if (chart.flags.empty()) return;
  ImGui::PushStyleColor(ImGuiCol_Text, context.look.theme.unclear);
  std::string flags = "Flagged, kept: ";
  for (std::size_t i = 0; i < std::min<std::size_t>(3, chart.flags.size()); ++i)
    flags += (i ? ", " : "") + chart.flags[i];
  const SmallFont font(context.look);
  const std::string note = burst_power_note(chart, selected.row.regime);
  ImGui::TextWrapped("%s.%s%s", flags.c_str(), note.empty() ? "" : " ", note.c_str());
  ImGui::PopStyleColor();
}

void plot_over_time(const Context& context, const SampleChart& chart, const Summary& summary) {
  const Look& look = context.look;
  const SampleBuckets& buckets = chart.buckets;
  const int count = static_cast<int>(buckets.seconds.size());
  ImPlotSpec band;
  band.FillColor = to_vec4(faded(look.theme.accent, 0.22F));
  const ImPlotRect limits = ImPlot::GetPlotLimits();
  const double edges[] = {limits.X.Min, limits.X.Max};
  const double low[] = {summary.ci_low_ms, summary.ci_low_ms}, high[] = {summary.ci_high_ms, summary.ci_high_ms};
  band.Flags = static_cast<int>(ImPlotItemFlags_NoFit);
  if (interval_known(summary)) ImPlot::PlotShaded(" 95 % interval", edges, low, high, 2, band);
  if (buckets.per_bucket > 1) {
    ImPlotSpec range;
    range.FillColor = to_vec4(faded(look.theme.series[0], 0.45F));
    ImPlotSpec centre;
    centre.LineColor = to_vec4(look.theme.series[0]);
    centre.LineWeight = std::max(1.0F, look.px(1));
    for (const auto [begin, end] : buckets.parts) {
      const int points = static_cast<int>(end - begin);
      ImPlot::PlotShaded(" samples", &buckets.seconds[begin], &buckets.minimum[begin], &buckets.maximum[begin], points,
                         range);
      ImPlot::PlotLine(" samples", &buckets.seconds[begin], &buckets.centre[begin], points, centre);
    }
  } else {
    ImPlotSpec points;
    points.Marker = ImPlotMarker_Circle;
    points.MarkerSize = look.px(count > 400 ? 1.5F : 2.5F);
    points.MarkerFillColor = points.MarkerLineColor = points.LineColor = to_vec4(look.theme.series[0]);
    ImPlot::PlotScatter(" samples", buckets.seconds.data(), buckets.centre.data(), count, points);
  }
  if (chart.flagged_ms.empty()) return;
  ImPlotSpec flagged;
  flagged.Marker = ImPlotMarker_Diamond;
  // Where they are many they must not hide what they lie on.
  const bool many = chart.flagged_ms.size() > 200;
  flagged.MarkerSize = look.px(many ? 1.25F : 4.0F);
  flagged.MarkerFillColor = flagged.MarkerLineColor = flagged.LineColor =
      to_vec4(faded(look.theme.unclear, many ? 0.6F : 1));
  ImPlot::PlotScatter(" flagged", chart.flagged_seconds.data(), chart.flagged_ms.data(),
                      static_cast<int>(chart.flagged_ms.size()), flagged);
}

/// No number of an axis of the current plot lies on another one, and all have the same decimals. `whole`: they count.
void set_short_ticks(const Look& look, ImAxis axis, bool whole) {
  const ImPlotPlot& plot = *ImPlot::GetCurrentPlot();
  const ImPlotRange range = plot.Axes[axis].Range;
  const ImVec2 length = plot.PlotRect.GetSize();  // as in the last frame
  const bool across = axis == ImAxis_X1;
  const auto room_of = [&](const std::string& name) {
    const ImVec2 size = ImGui::CalcTextSize(name.c_str());
    return across ? size.x + look.px(14) : 1.25F * size.y;
  };
  std::vector<double> ticks;
  std::vector<const char*> names;
  const auto named = ticks_in_room(range.Min, range.Max, whole, across ? length.x : length.y, room_of);
  for (const NamedTick& tick : named) ticks.push_back(tick.at), names.push_back(tick.name.c_str());
  if (!ticks.empty()) ImPlot::SetupAxisTicks(axis, ticks.data(), static_cast<int>(ticks.size()), names.data());
}

/// The samples' own plot; `bottom`: it carries the time axis.
void draw_times(Context& context, const SampleChart& chart, const Summary& summary, ImVec2 size, bool bottom) {
  if (!ImPlot::BeginPlot("##samples", size, ImPlotFlags_NoMenus | ImPlotFlags_Crosshairs | ImPlotFlags_NoMouseText))
    return;
  ImPlot::SetupAxis(ImAxis_X1, bottom ? "seconds" : nullptr,
                    ImPlotAxisFlags_NoTickMarks | (bottom ? 0 : ImPlotAxisFlags_NoTickLabels));
  ImPlot::SetupAxis(ImAxis_Y1, "ms", ImPlotAxisFlags_NoTickMarks);
  const double last = seconds_shown(chart);
  fit_axis(context, ImAxis_X1, -0.03 * last, 1.03 * last);
  if (bottom) set_short_ticks(context.look, ImAxis_X1, false);
  const auto highest = std::max_element(chart.buckets.maximum.begin(), chart.buckets.maximum.end());
  if (highest != chart.buckets.maximum.end()) {
    const double least = *std::min_element(chart.buckets.minimum.begin(), chart.buckets.minimum.end());
    const double margin = std::max((*highest - least) * 0.08, *highest * 1e-4);
    fit_axis(context, ImAxis_Y1, least - margin, *highest + margin);
    set_short_ticks(context.look, ImAxis_Y1, false);
  }
  ImPlot::SetupLegend(ImPlotLocation_NorthEast, ImPlotLegendFlags_Horizontal | ImPlotLegendFlags_Outside);
  plot_over_time(context, chart, summary);
  end_plot(context.look);
}

/// One reading over time, a line for each restart. `bottom`: it carries the time axis; `low`: there is room for one
/// line of text.
void draw_lane(Context& context, const ReadingLane& lane, bool bottom, bool low) {
  const Look& look = context.look;
  if (!ImPlot::BeginPlot(fmt::format("##{}", lane.name).c_str(), ImVec2(-1, -1),
                         ImPlotFlags_NoMenus | ImPlotFlags_NoLegend | ImPlotFlags_Crosshairs | ImPlotFlags_NoMouseText))
    return;
  ImPlot::SetupAxis(ImAxis_X1, bottom ? "seconds" : nullptr,
                    ImPlotAxisFlags_NoTickMarks | (bottom ? 0 : ImPlotAxisFlags_NoTickLabels));
  ImPlot::SetupAxis(ImAxis_Y1, lane.unit, ImPlotAxisFlags_NoTickMarks);
  if (bottom) set_short_ticks(look, ImAxis_X1, false);
  const LaneAxis axis = lane_axis(lane, low);
  fit_axis(context, ImAxis_Y1, axis.low, axis.high);
  std::vector<double> ticks;
  std::vector<const char*> names;
  for (const auto& [at, name] : axis.ticks) ticks.push_back(at), names.push_back(name.c_str());
  ImPlot::SetupAxisTicks(ImAxis_Y1, ticks.data(), static_cast<int>(ticks.size()), names.data());
  ImPlotSpec line;
  line.LineColor = to_vec4(look.theme.muted);
  line.LineWeight = std::max(1.0F, look.px(1.25F));
  ImPlotSpec alone;  // the only reading of a restart
  alone.Marker = ImPlotMarker_Circle;
  alone.MarkerSize = look.px(1.5F);
  alone.MarkerFillColor = alone.MarkerLineColor = line.LineColor;
  for (const auto [begin, end] : lane.parts) {
    const int points = static_cast<int>(end - begin);
    if (points == 1) {
      ImPlot::PlotScatter(lane.name, &lane.seconds[begin], &lane.values[begin], points, alone);
    } else {
      ImPlot::PlotLine(lane.name, &lane.seconds[begin], &lane.values[begin], points, line);
    }
  }
  end_plot(look);
}

/// When something slowed the device down, and what.
void draw_limits(const Context& context, const SampleChart& chart) {
  const Look& look = context.look;
  if (!ImPlot::BeginPlot("##limits", ImVec2(-1, -1),
                         ImPlotFlags_NoMenus | ImPlotFlags_NoLegend | ImPlotFlags_NoMouseText))
    return;
  ImPlot::SetupAxis(ImAxis_X1, "seconds", ImPlotAxisFlags_NoTickMarks);
  set_short_ticks(look, ImAxis_X1, false);
  ImPlot::SetupAxis(ImAxis_Y1, nullptr,
                    ImPlotAxisFlags_NoTickMarks | ImPlotAxisFlags_NoGridLines | ImPlotAxisFlags_Lock);
  ImPlot::SetupAxisLimits(ImAxis_Y1, 0, 1, ImPlotCond_Always);
  const double middle = 0.5;
  const char* const name = "limit";
  ImPlot::SetupAxisTicks(ImAxis_Y1, &middle, 1, &name);
  ImPlot::SetupFinish();
  const ImPlotPoint mouse = ImPlot::GetPlotMousePos();
  const bool hovered = ImPlot::IsPlotHovered();
  ImPlot::PushPlotClipRect();
  for (const LimitSpan& span : chart.limits) {
    const ImVec2 low = ImPlot::PlotToPixels(span.first, 0.85), high = ImPlot::PlotToPixels(span.last, 0.15);
    const float right = std::max(high.x, low.x + look.px(2));
    ImPlot::GetPlotDrawList()->AddRectFilled(low, ImVec2(right, high.y),
                                             span.limit.empty() ? look.theme.line : look.theme.unclear);
    const ImVec2 at = ImPlot::PlotToPixels(mouse);
    if (hovered && at.x >= low.x && at.x <= right)
      value_tooltip(context, span.limit.empty() ? "nothing slowed the device down" : span.limit);
  }
  ImPlot::PopPlotClipRect();
  end_plot(look);
}

/// Heights of the plots above each other: the samples', one for each lane that has room, the limits'.
std::vector<float> heights_of(const Look& look, const SampleChart& chart, float room) {
  const float axis = look.px(34), limits = chart.limits.empty() ? 0 : look.px(18), least = look.px(26);
  const float left = room * 0.6F - limits - axis;
  const std::size_t lanes = std::min(chart.lanes.size(), static_cast<std::size_t>(std::max(0.0F, left / least)));
  const float each = std::clamp(std::min(room * 0.16F, left / static_cast<float>(std::max<std::size_t>(1, lanes))),
                                least, std::max(least, look.px(110)));
  std::vector<float> heights(1 + lanes, each);
  if (limits > 0) heights.push_back(limits);
  if (heights.size() > 1) heights.back() += axis;
  heights.front() = room;
  for (std::size_t n = 1; n < heights.size(); ++n) heights.front() -= heights[n];
  return heights;
}

/// Samples over time; below them, on the same time axis, what was read of the device.
void draw_over_time(Context& context, const SampleChart& chart, const Summary& summary, ImVec2 size) {
  std::vector<float> heights = heights_of(context.look, chart, size.y);
  if (heights.size() < 2) {
    draw_times(context, chart, summary, size, true);
    return;
  }
  constexpr ImPlotSubplotFlags kFlags = ImPlotSubplotFlags_NoMenus | ImPlotSubplotFlags_NoResize |
                                        ImPlotSubplotFlags_NoTitle | ImPlotSubplotFlags_LinkCols;
  const std::size_t lanes = heights.size() - 1 - (chart.limits.empty() ? 0 : 1);
  const bool low = lanes > 0 && heights[1] < context.look.px(44);
  ImPlot::PushStyleVar(ImPlotStyleVar_PlotPadding, ImVec2(ImPlot::GetStyle().PlotPadding.x, context.look.px(3)));
  if (ImPlot::BeginSubplots(fmt::format("##time{}", heights.size()).c_str(), static_cast<int>(heights.size()), 1, size,
                            kFlags, heights.data())) {
    draw_times(context, chart, summary, ImVec2(-1, -1), false);
    for (std::size_t n = 0; n < lanes; ++n)
      draw_lane(context, chart.lanes[n], n + 1 == lanes && chart.limits.empty(), low);
    if (!chart.limits.empty()) draw_limits(context, chart);
    ImPlot::EndSubplots();
  }
  ImPlot::PopStyleVar();
}

void draw_histogram(Context& context, const SampleChart& chart, const Summary& summary, ImVec2 size) {
  const Look& look = context.look;
  const Histogram& histogram = chart.histogram;
  if (histogram.counts.empty() ||
      !ImPlot::BeginPlot("##histogram", size, ImPlotFlags_NoMenus | ImPlotFlags_NoLegend | ImPlotFlags_NoMouseText))
    return;
  ImPlot::SetupAxes("ms", "samples", ImPlotAxisFlags_NoTickMarks | ImPlotAxisFlags_NoGridLines,
                    ImPlotAxisFlags_NoTickMarks | ImPlotAxisFlags_LockMin);  // bars stand on zero
  ImPlot::SetupAxisFormat(ImAxis_Y1, format_axis_number, nullptr);
  const double last = histogram.first + histogram.width * static_cast<double>(histogram.counts.size());
  const double most = std::max(1.0, *std::max_element(histogram.counts.begin(), histogram.counts.end()));
  // The median is named above the bars.
  const float name_height = ImGui::GetTextLineHeight() + look.px(4), bars = std::max(1.0F, size.y - look.px(48));
  const double top_of_axis = most * bars / std::max(bars / 2, bars - name_height);
  fit_axis(context, ImAxis_X1, histogram.first - histogram.width, last + histogram.width);
  fit_axis(context, ImAxis_Y1, 0, top_of_axis);
  set_short_ticks(look, ImAxis_X1, false);
  set_short_ticks(look, ImAxis_Y1, true);
  std::vector<double> centres;
  for (std::size_t i = 0; i < histogram.counts.size(); ++i)
    centres.push_back(histogram.first + (static_cast<double>(i) + 0.5) * histogram.width);
  const int count = static_cast<int>(centres.size());
  const double bar_width = histogram.width * (count > 40 ? 1 : 0.92);  // gaps only where they are wider than a pixel
  ImPlotSpec all;
  all.FillColor = all.LineColor = to_vec4(look.theme.series[0]);
  ImPlot::PlotBars("samples", centres.data(), histogram.counts.data(), count, bar_width, all);
  ImPlotSpec flagged;
  flagged.FillColor = flagged.LineColor = to_vec4(look.theme.unclear);
  ImPlot::PlotBars("flagged", centres.data(), histogram.flagged.data(), count, bar_width, flagged);
  ImPlot::PushPlotClipRect();
  const std::string label = fmt::format(
      "median {}",
      format_ms(summary.median_ms,
                interval_known(summary) ? std::optional((summary.ci_high_ms - summary.ci_low_ms) / 2) : std::nullopt));
  const float width = ImGui::CalcTextSize(label.c_str()).x, margin = look.px(3);
  const ImVec2 plot = ImPlot::GetPlotPos(), bottom = ImPlot::PlotToPixels(summary.median_ms, 0);
  const float low = plot.x + margin, high = plot.x + ImPlot::GetPlotSize().x - margin;
  const ImVec2 at(std::max(low, std::min(bottom.x - width / 2, high - width)), plot.y + look.px(1));
  ImPlot::GetPlotDrawList()->AddLine(ImVec2(bottom.x, plot.y + name_height), bottom, look.theme.text,
                                     std::max(1.0F, look.px(1.5F)));
  ImPlot::GetPlotDrawList()->AddText(at, look.theme.text, label.c_str());
  ImPlot::PopPlotClipRect();
  ImPlot::EndPlot();
}

/// The histogram, below what it leaves out.
void draw_distribution(Context& context, const SampleChart& chart, const Summary& summary, ImVec2 size) {
  ImGui::BeginGroup();
  const std::string folded = folded_text(chart.histogram);
  if (!folded.empty()) {
    const SmallFont small(context.look);
    text_in_whole_words(context, context.look.theme.muted, folded, size.x);
    size.y -= ImGui::GetTextLineHeightWithSpacing();
  }
  draw_histogram(context, chart, summary, size);
  ImGui::EndGroup();
}

}  // namespace

void draw_samples_panel(Context& context) {
  if (!draw_data_state(context)) return;
  const SampleChart* chart = context.models.samples(context.data);
  if (!chart) {
    empty_state(context, "Click a row of the table, or a bar or cell of a chart, to see its samples.");
    return;
  }
  const SelectedMeasurement& selected = *context.data.selected;
  if (chart->buckets.seconds.empty()) {
    empty_state(context, selected.measurement.reason.empty()
                             ? std::string("This measurement has no samples.")
                             : fmt::format("This measurement has no samples: {}.", selected.measurement.reason));
    return;
  }
  const ChartFrame frame(context, Panel::samples);
  draw_heading(context, selected, *chart);
  const NumberFont font(context.look, kSecondarySize);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  // Zoom belongs to one measurement: another one starts fitted.
  ImGui::PushID(static_cast<int>(selected.row.measurement));
  const bool beside = room.x > context.look.px(520);
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  const bool below = !beside && room.y * 0.4F > context.look.px(110);  // lower bars say nothing
  draw_over_time(context, *chart, selected.measurement.summary,
                 beside  ? ImVec2(room.x * 0.66F - gap, room.y)
                 : below ? ImVec2(room.x, room.y * 0.6F)
                         : room);
  if (beside) ImGui::SameLine();
  if (beside || below) {
    const ImVec2 size = beside ? ImVec2(room.x * 0.34F, room.y) : ImVec2(room.x, room.y * 0.4F - gap);
    draw_distribution(context, *chart, selected.measurement.summary, size);
  }
  ImGui::PopID();
}

}  // namespace triscope
