#include "views/paper/law_plot.hpp"

#include <implot.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "profiler/paper/laws/losses_file.hpp"
#include "profiler/paper/laws/reproduction.hpp"
#include "views/parts/chart_tools.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

constexpr int kSteps = 33;

std::vector<LossForecast> curve_of(const DrawnLaw& drawn, double until) {
  return law_curve(drawn.law, *std::ranges::min_element(drawn.losses.sizes), until, kSteps);
}

void plot_law(const Look& look, const DrawnLaw& drawn, double until, std::span<const double> sizes) {
  std::vector<double> x, y, low, high;
  for (const LossForecast& at : curve_of(drawn, until)) {
    x.push_back(at.size);
    y.push_back(at.loss);
    low.push_back(at.low.value_or(at.loss));
    high.push_back(at.high.value_or(at.loss));
  }
  // One name for all four, so that the legend hides them together. It takes its colour from the last of them.
  const std::string label = " " + drawn.losses.model;  // set off from its mark, as in the other charts
  const char* name = label.c_str();
  ImPlotSpec band;
  band.FillColor = to_vec4(faded(drawn.colour, 0.18F));
  band.LineColor = ImVec4(0, 0, 0, 0);
  ImPlot::PlotShaded(name, x.data(), low.data(), high.data(), kSteps, band);
  ImPlotSpec marks;
  marks.Marker = ImPlotMarker_Circle;
  marks.MarkerSize = look.px(4);
  marks.MarkerFillColor = to_vec4(drawn.colour);
  marks.MarkerLineColor = to_vec4(look.theme.panel);
  ImPlot::PlotScatter(name, drawn.losses.sizes.data(), drawn.losses.losses.data(),
                      static_cast<int>(drawn.losses.sizes.size()), marks);
  std::vector<double> told;
  for (const double at : sizes) told.push_back(forecast_loss(drawn.law, at).loss);
  ImPlotSpec hollow = marks;
  hollow.MarkerFillColor = to_vec4(look.theme.panel);
  hollow.MarkerLineColor = to_vec4(drawn.colour);
  if (!told.empty()) ImPlot::PlotScatter(name, sizes.data(), told.data(), static_cast<int>(told.size()), hollow);
  ImPlotSpec line;
  line.LineColor = to_vec4(drawn.colour);
  line.LineWeight = look.px(1.5F);
  ImPlot::PlotLine(name, x.data(), y.data(), kSteps, line);
}

/// The sizes themselves, without those whose names would stand on each other.
void name_sizes(const Look& look, std::span<const DrawnLaw> laws, double until, std::span<const double> sizes,
                float width) {
  std::vector<double> all(sizes.begin(), sizes.end());
  for (const DrawnLaw& one : laws) all.insert(all.end(), one.losses.sizes.begin(), one.losses.sizes.end());
  all.push_back(until);
  std::ranges::sort(all);
  const double least = std::log(all.back() / all.front()) * static_cast<double>(look.px(56) / width);
  std::vector<double> ticks;
  for (const double at : all) {
    if (ticks.empty() || std::log(at / ticks.back()) >= least) ticks.push_back(at);
  }
  std::vector<std::string> names;
  for (const double at : ticks) names.push_back(parameters_text(at));
  std::vector<const char*> labels;
  for (const std::string& name : names) labels.push_back(name.c_str());
  ImPlot::SetupAxisTicks(ImAxis_X1, ticks.data(), static_cast<int>(ticks.size()), labels.data());
  // Not fitted by ImPlot: it keeps a part of the range free in numbers, which for three decades reaches below zero.
  const double margin = std::pow(all.back() / all.front(), 0.04);
  ImPlot::SetupAxisLimits(ImAxis_X1, all.front() / margin, all.back() * margin, ImPlotCond_Always);
}

/// Not fitted by ImPlot either: of a law that is badly known the band would leave its line no room.
void limit_losses(std::span<const DrawnLaw> laws, double until) {
  LossRange range;
  for (const DrawnLaw& one : laws) {
    range.take(curve_of(one, until));
    for (const double loss : one.losses.losses)
      range.low = std::min(range.low, loss), range.high = std::max(range.high, loss);
  }
  const double margin = 0.06 * (range.high - range.low) + 1e-9 * range.high;
  ImPlot::SetupAxisLimits(ImAxis_Y1, range.low - margin, range.high + margin, ImPlotCond_Always);
}

}  // namespace

std::vector<ImU32> law_colours(const Theme& theme, std::span<const std::string> models) {
  std::vector<ImU32> colours;
  std::size_t next = std::ranges::find(models, kModels[1]) == models.end() ? 0 : 1;
  for (const std::string& model : models) {
    if (model == kModels[0]) {
      colours.push_back(theme.baseline);
    } else if (model == kModels[1]) {
      colours.push_back(theme.series[0]);
    } else {
      colours.push_back(theme.series.at(next++ % theme.series.size()));
    }
  }
  return colours;
}

void draw_law_plot(const Context& context, const std::string& title, std::span<const DrawnLaw> laws, double until,
                   std::span<const double> sizes, ImVec2 size) {
  const NumberFont font(context.look, kSecondarySize);
  if (laws.empty() || !ImPlot::BeginPlot(title.c_str(), size, ImPlotFlags_NoMenus | ImPlotFlags_NoMouseText)) return;
  ImPlot::SetupAxes("active parameters", "loss", ImPlotAxisFlags_Lock, ImPlotAxisFlags_Lock);
  ImPlot::SetupAxisScale(ImAxis_X1, ImPlotScale_Log10);
  name_sizes(context.look, laws, until, sizes, size.x);
  limit_losses(laws, until);
  ImPlot::SetupLegend(ImPlotLocation_NorthEast);
  for (const DrawnLaw& one : laws) plot_law(context.look, one, until, sizes);
  end_plot(context.look);
}

}  // namespace triscope
