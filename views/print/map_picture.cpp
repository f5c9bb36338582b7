// The map of windows for print, and the choice of what a panel's vector picture is of.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/error.hpp"
#include "views/data/format.hpp"
#include "views/parts/chart_tools.hpp"
#include "views/print/chart_picture.hpp"
#include "views/print/plot_frame.hpp"

namespace triscope {
namespace {

PlotAxis window_axis(const std::vector<std::int64_t>& windows, std::string title) {
  PlotAxis axis{-0.5, static_cast<double>(windows.size()) - 0.5, false, {}, std::move(title)};
  for (std::size_t n = 0; n < windows.size(); ++n)
    axis.ticks.emplace_back(static_cast<double>(n), fmt::format("{}", windows[n]));
  return axis;
}

/// "TFLOP/s by window, 32,768 tokens".
std::string titled(Context& context, std::string title) {
  const std::string& setting = context.models.settings(context.data)[shown_setting(context)].text;
  return setting.empty() ? title : title + ", " + setting;
}

[[noreturn]] void refuse(Panel panel, const char* why) {
  throw Error(fmt::format("{} was not saved as SVG or PDF", panel_info(panel).title), why, "save it as .png",
              ExitCode::usage);
}

}  // namespace

std::string map_picture(const WindowMap& map, MapMetric metric, const std::string& title, const std::string& caption,
                        VectorFormat format) {
  const Theme& theme = light_theme();
  const std::unique_ptr<VectorCanvas> made = make_canvas(format, kPrintSize, title, theme.panel);
  VectorCanvas& canvas = *made;
  const PlotFrame frame(canvas, kPrintSize, window_axis(map.window1, "w1, tokens"),
                        window_axis(map.window2, "w2, tokens"), {title, caption, {}, 0});
  for (std::size_t i2 = 0; i2 < map.window2.size(); ++i2) {
    for (std::size_t i1 = 0; i1 < map.window1.size(); ++i1) {
      const MapCell& cell = map.at(i1, i2);
      if (cell.state == MapCell::State::absent) continue;
      const auto x = static_cast<double>(i1), y = static_cast<double>(i2);
      const bool ok = cell.state == MapCell::State::ok;
      const ImU32 fill = ok                                  ? viridis(brightness(map, metric, cell.value))
                         : cell.state == MapCell::State::nan ? theme.not_a_number
                                                             : theme.missing;
      canvas.box(frame.at(x - 0.49, y + 0.48), frame.at(x + 0.49, y - 0.48), fill, ok && !cell.known);
      const std::string text = ok ? format_fixed(cell.value, cell.decimals) + (cell.known ? "" : " ?")
                               : cell.state == MapCell::State::nan     ? "NaN"
                               : cell.state == MapCell::State::skipped ? "skipped"
                                                                       : "failed";
      const ImVec2 at = frame.at(x, y);
      canvas.text(at.x, at.y + 3.5F, text,
                  {10, ok && !cell.known ? theme.text : readable_on(fill), Anchor::middle, false, true});
    }
  }
  return canvas.finish();
}

std::string panel_picture(Context& context, Panel panel, VectorFormat format) {
  const LatencyModel* model = context.models.latency(context.data);
  if (!model || model->lines.empty()) refuse(panel, "nothing was measured yet");
  const std::string caption = print_caption(*context.data.shown);
  const std::size_t setting = shown_setting(context);
  const UiState& ui = context.ui;
  switch (panel) {
    case Panel::tflops:
      return bars_picture(*context.models.bars(context.data, setting), titled(context, "TFLOP/s by window"), caption,
                          format);
    case Panel::scaling: {
      const ScalingChart& chart = *context.models.scaling(context.data, setting);
      if (chart.series.empty()) refuse(panel, "no pair of windows has a latency");
      return scaling_picture(chart, titled(context, "Latency by window area"), caption, format);
    }
    case Panel::map: {
      const WindowMap* map = context.models.map(context.data, setting, ui.map_series, ui.map_metric);
      if (!map || map->cells.empty()) refuse(panel, "this sweep has no windows");
      const auto& choices = context.models.map_choices(context.data);
      const auto chosen =
          std::clamp<std::size_t>(static_cast<std::size_t>(std::max(0, ui.map_series)), 0, choices.size() - 1);
      return map_picture(
          *map, ui.map_metric,
          titled(context, fmt::format("{} by window, {}", unit_of(ui.map_metric), choices[chosen].label)), caption,
          format);
    }
    case Panel::lengths: {
      const LengthChart& chart = *context.models.lengths(context.data);
      const bool step = ui.length_step && chart.has_step();
      const LengthPass& pass = step ? chart.step : chart.of(ui.length_pass);
      if (pass.curves.empty()) refuse(panel, "nothing was measured at two sequence lengths");
      if (ui.length_view != LengthView::latency) refuse(panel, "only its latencies are drawn as vectors yet");
      SweepResults all = *context.data.shown;
      for (const auto& other : context.data.same_device)
        all.rows.insert(all.rows.end(), other->rows.begin(), other->rows.end());
      return lengths_picture(
          pass, fmt::format("Latency by sequence length, {}", step ? "training step" : to_string(ui.length_pass)),
          print_caption(all), format);
    }
    default:
      refuse(panel, "it has no vector picture");
  }
}

}  // namespace triscope
