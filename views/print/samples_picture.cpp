// The samples of one measurement for print: over time with what was read of the device, and as a histogram.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/error.hpp"
#include "profiler/statistics/statistics.hpp"
#include "profiler/statistics/training_step.hpp"
#include "views/data/format.hpp"
#include "views/print/chart_picture.hpp"
#include "views/print/plot_frame.hpp"

namespace triscope {
namespace {

constexpr float kLane = 46, kLimits = 16, kGap = 8;  ///< heights below the samples, and between

PlotAxis seconds_axis(const SampleChart& chart, bool named) {
  const double last = seconds_shown(chart);
  PlotAxis axis = range_axis(-0.03 * last, 1.03 * last, named ? "seconds" : "");
  if (!named) axis.ticks.clear();
  return axis;
}

PlotAxis times_axis(const SampleChart& chart) {
  const auto most = std::max_element(chart.buckets.maximum.begin(), chart.buckets.maximum.end());
  const auto least = std::min_element(chart.buckets.minimum.begin(), chart.buckets.minimum.end());
  if (most == chart.buckets.maximum.end()) return linear_axis(1, "ms");
  const double margin = std::max((*most - *least) * 0.08, *most * 1e-4);
  return range_axis(*least - margin, *most + margin, "ms");
}

std::vector<ImVec2> curve_of(const PlotFrame& frame, const std::vector<double>& seconds,
                             const std::vector<double>& values, const CurvePart& part) {
  std::vector<ImVec2> curve;
  for (std::size_t n = part.begin; n < part.end; ++n) curve.push_back(frame.at(seconds[n], values[n]));
  return curve;
}

void draw_times(VectorCanvas& canvas, const PlotFrame& frame, const SampleChart& chart, const Summary& summary) {
  const Theme& theme = canvas.theme();
  const auto within = [&](double ms) { return std::clamp(frame.at(0, ms).y, frame.low().y, frame.high().y); };
  if (interval_known(summary))
    canvas.box({frame.low().x, within(summary.ci_high_ms)}, {frame.high().x, within(summary.ci_low_ms)},
               theme.accent_soft);
  const SampleBuckets& buckets = chart.buckets;
  for (const CurvePart& part : buckets.parts) {
    const auto curve = [&](const std::vector<double>& values) {
      return curve_of(frame, buckets.seconds, values, part);
    };
    if (buckets.per_bucket > 1) {
      for (const auto* values : {&buckets.minimum, &buckets.maximum})
        canvas.line(curve(*values), theme.series[0], 0.5F);
      canvas.line(curve(buckets.centre), theme.series[0], 1);
    } else {
      for (const ImVec2& at : curve(buckets.centre)) canvas.mark(at, 0, 2.2F, theme.series[0]);
    }
  }
  for (std::size_t n = 0; n < chart.flagged_ms.size(); ++n)
    canvas.mark(frame.at(chart.flagged_seconds[n], chart.flagged_ms[n]), 2, 2.8F, theme.unclear);
}

void draw_lane(VectorCanvas& canvas, const PlotRoom& room, const SampleChart& chart, const ReadingLane& lane,
               bool bottom) {
  auto [low, high, ticks] = lane_axis(lane);
  const PlotFrame frame(canvas, room, seconds_axis(chart, bottom), {low, high, false, std::move(ticks), lane.unit});
  const ImU32 colour = canvas.theme().muted;
  for (const CurvePart& part : lane.parts) {
    const std::vector<ImVec2> curve = curve_of(frame, lane.seconds, lane.values, part);
    if (curve.size() == 1) {  // the only reading of a restart
      canvas.mark(curve.front(), 0, 1.5F, colour);
    } else {
      canvas.line(curve, colour, 1);
    }
  }
}

void draw_limits(VectorCanvas& canvas, const PlotRoom& room, const SampleChart& chart) {
  const Theme& theme = canvas.theme();
  const PlotFrame frame(canvas, room, seconds_axis(chart, true), PlotAxis{0, 1, false, {{0.5, "limit"}}, ""});
  for (const LimitSpan& span : chart.limits) {
    const ImVec2 low = frame.at(span.first, 0.85), high = frame.at(span.last, 0.15);
    canvas.box(low, {std::max(high.x, low.x + 1), high.y}, span.limit.empty() ? theme.line : theme.unclear);
  }
}

void draw_histogram(VectorCanvas& canvas, const PlotRoom& room, const SampleChart& chart, double median_ms) {
  const Theme& theme = canvas.theme();
  const Histogram& histogram = chart.histogram;
  if (histogram.counts.empty()) return;
  const double last = histogram.first + histogram.width * static_cast<double>(histogram.counts.size());
  const double most = *std::max_element(histogram.counts.begin(), histogram.counts.end());
  const PlotFrame frame(canvas, room, range_axis(histogram.first - histogram.width, last + histogram.width, "ms", 3),
                        linear_axis(std::max(1.0, most * 1.12), "samples"));
  const auto bars = [&](const std::vector<double>& counts, ImU32 colour) {
    for (std::size_t n = 0; n < counts.size(); ++n) {
      const double left = histogram.first + histogram.width * static_cast<double>(n);
      if (counts[n] > 0)
        canvas.box(frame.at(left + 0.04 * histogram.width, counts[n]), frame.at(left + 0.96 * histogram.width, 0),
                   colour);
    }
  };
  bars(histogram.counts, theme.series[0]);
  bars(histogram.flagged, theme.unclear);
  const float x = std::clamp(frame.at(median_ms, 0).x, frame.low().x, frame.high().x);
  canvas.line({{x, frame.low().y}, {x, frame.high().y}}, theme.text, 1);
}

}  // namespace

std::string measurement_caption(const SelectedMeasurement& selected, const SampleChart& chart) {
  const ResultRow& row = selected.row;
  const Summary& summary = selected.measurement.summary;
  std::string text = is_baseline(row) ? row.card.label : fmt::format("2-simplicial attention, {}", line_label(row));
  text += fmt::format(", {}. {}", to_string(row.pass), selected.environment.device_name);
  for (const std::string& condition : chart.conditions) text += ", " + condition;
  text += fmt::format(", {}, timed by {}; n = {} samples, median {}", to_string(row.regime),
                      timing_label(row.timing_source), format_count(static_cast<std::int64_t>(chart.samples)),
                      format_ms(summary.median_ms, half_width(value_of(row))));
  text += interval_known(summary)
              ? ", 95 % interval " + format_ms_interval(summary.ci_low_ms, summary.ci_high_ms, summary.median_ms)
              : std::string(", interval unknown");
  text += fmt::format(". {}.", row.started.substr(0, 10));
  for (const std::string& flag : chart.flags) text += fmt::format(" {}.", flag);
  if (const std::string folded = folded_text(chart.histogram); !folded.empty()) text += " " + folded;
  return chart.not_read.empty() ? text : text + " " + chart.not_read;
}

std::string samples_picture(const SampleChart& chart, const Summary& summary, const std::string& title,
                            const std::string& caption, const PrintStyle& style) {
  const Theme& theme = theme_of(style);
  const float lanes = static_cast<float>(chart.lanes.size()) * (kLane + kGap),
              limits = chart.limits.empty() ? 0 : kLimits + kGap;
  std::vector<LegendEntry> legend{{"samples", theme.series[0], 0}};
  if (interval_known(summary)) legend.push_back({"95 % interval", theme.accent_soft, 1});
  if (chart.flagged > 0) legend.push_back({"flagged", theme.unclear, 2});
  constexpr float kSamples = 258;
  const bool narrow = is_narrow(style);
  const PlotText text{title, caption, std::move(legend)};
  const PrintPage page = make_page(style, text, (narrow ? kSamples / 2 : kSamples) + lanes + limits);
  VectorCanvas& canvas = *page.canvas;
  const PlotRoom room = draw_plot_text(canvas, page.size, text);
  const float middle = room.low.x + (room.high.x - room.low.x) * (narrow ? 0.55F : 0.62F);
  PlotRoom plot{room.low, {middle, room.high.y - lanes - limits}, room.left};
  if (plot.high.y - plot.low.y < kLane)
    throw Error("The picture was not made", "what was read of the device leaves no room for the samples",
                "make it higher, or its words smaller", ExitCode::usage);
  const bool alone = chart.lanes.empty() && chart.limits.empty();
  draw_times(canvas, PlotFrame(canvas, plot, seconds_axis(chart, alone), times_axis(chart)), chart, summary);
  for (std::size_t n = 0; n < chart.lanes.size(); ++n) {
    plot = {{room.low.x, plot.high.y + kGap}, {middle, plot.high.y + kGap + kLane}, room.left};
    draw_lane(canvas, plot, chart, chart.lanes[n], n + 1 == chart.lanes.size() && chart.limits.empty());
  }
  if (!chart.limits.empty())
    draw_limits(canvas, {{room.low.x, plot.high.y + kGap}, {middle, plot.high.y + kGap + kLimits}, room.left}, chart);
  draw_histogram(canvas, {{middle + room.left, room.low.y}, room.high, room.left}, chart, summary.median_ms);
  return canvas.finish();
}

}  // namespace triscope
