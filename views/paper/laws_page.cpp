// Losses over parameters with the fitted laws and their bands; the sizes may be changed.
#include <fmt/format.h>
#include <implot.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "profiler/paper/reproduction.hpp"
#include "views/paper/page_parts.hpp"
#include "views/parts/chart_tools.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

/// Billions of parameters, in the window's storage.
ModelSizes edited_sizes(const Context& context) {
  ModelSizes sizes{};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string name = fmt::format("size {}", i);
    float kept = kept_number(name.c_str(), static_cast<float>(kPrintedSizes.at(i) * 1e-9));
    if (i > 0) ImGui::SameLine();
    ImGui::SetNextItemWidth(context.look.px(90));
    ImGui::InputFloat(("##" + name).c_str(), &kept, 0, 0, "%.3f B");
    kept = std::clamp(kept, 0.01F + static_cast<float>(i) * 0.01F, 1000.0F);
    keep_number(name.c_str(), kept);
    sizes.at(i) = static_cast<double>(kept) * 1e9;
  }
  ImGui::SameLine();
  if (ImGui::SmallButton("Solve")) {
    const SolvedSizes solved = solve_sizes();
    for (std::size_t i = 0; i < 3; ++i)
      keep_number(fmt::format("size {}", i).c_str(), static_cast<float>(solved.sizes.at(i) * 1e-9));
  }
  tooltip(context, "The sizes that bring all 32 printed values of the fits nearest to what is printed");
  ImGui::SameLine();
  if (ImGui::SmallButton("As printed")) {
    for (std::size_t i = 0; i < 3; ++i)
      keep_number(fmt::format("size {}", i).c_str(), static_cast<float>(kPrintedSizes.at(i) * 1e-9));
  }
  return sizes;
}

void plot_model(const Look& look, const LossSeries& series, ImU32 colour) {
  const ScalingLaw law = fit_scaling_law(series.sizes, series.losses);
  constexpr int kSteps = 33;
  std::array<double, kSteps> x{}, y{}, low{}, high{};
  const double from = *std::ranges::min_element(series.sizes), to = 2 * *std::ranges::max_element(series.sizes);
  for (std::size_t step = 0; step < kSteps; ++step) {
    const LossForecast at = forecast_loss(law, from * std::pow(to / from, static_cast<double>(step) / (kSteps - 1)));
    x.at(step) = at.size * 1e-9;
    y.at(step) = at.loss;
    low.at(step) = std::max(at.low.value_or(at.loss), 0.8 * at.loss);
    high.at(step) = std::min(at.high.value_or(at.loss), 1.25 * at.loss);
  }
  ImPlotSpec band;
  band.FillColor = to_vec4(faded(colour, 0.18F));
  band.LineColor = ImVec4(0, 0, 0, 0);
  ImPlot::PlotShaded(("##band of " + series.model).c_str(), x.data(), low.data(), high.data(), kSteps, band);
  ImPlotSpec line;
  line.LineColor = to_vec4(colour);
  line.LineWeight = look.px(1.5F);
  ImPlot::PlotLine(series.model.c_str(), x.data(), y.data(), kSteps, line);
  std::array<double, 3> mark_x{}, mark_y{};
  for (std::size_t i = 0; i < 3; ++i) mark_x.at(i) = series.sizes[i] * 1e-9, mark_y.at(i) = series.losses[i];
  ImPlotSpec marks;
  marks.Marker = ImPlotMarker_Circle;
  marks.MarkerSize = look.px(4);
  marks.MarkerFillColor = to_vec4(colour);
  marks.MarkerLineColor = to_vec4(look.theme.panel);
  ImPlot::PlotScatter(series.model.c_str(), mark_x.data(), mark_y.data(), 3, marks);
}

void draw_benchmark(const Context& context, const char* benchmark, const ModelSizes& sizes, ImVec2 size) {
  const Theme& theme = context.look.theme;
  const LossSeries a = paper_losses(benchmark, kModels[0], sizes), b = paper_losses(benchmark, kModels[1], sizes);
  ImGui::BeginGroup();
  if (ImPlot::BeginPlot(benchmark, size, ImPlotFlags_NoMenus | ImPlotFlags_NoMouseText)) {
    ImPlot::SetupAxes("billions of active parameters", "loss", ImPlotAxisFlags_AutoFit, ImPlotAxisFlags_AutoFit);
    ImPlot::SetupAxisScale(ImAxis_X1, ImPlotScale_Log10);
    constexpr std::array kTicks{0.5, 1.0, 2.0, 3.5, 7.0};
    ImPlot::SetupAxisTicks(ImAxis_X1, kTicks.data(), static_cast<int>(kTicks.size()));
    ImPlot::SetupLegend(ImPlotLocation_NorthEast);
    plot_model(context.look, a, theme.baseline);
    plot_model(context.look, b, theme.series[0]);
    ImPlot::EndPlot();
  }
  const AlphaDifference difference =
      alpha_difference(fit_scaling_law(sizes, a.losses), fit_scaling_law(sizes, b.losses));
  muted_text(context, fmt::format("alpha {:+.4f} ± {:.4f}: {}", difference.value, difference.half.value_or(0),
                                  difference.significant() ? "decided" : "not decided"));
  ImGui::EndGroup();
}

}  // namespace

void draw_laws_page(Context& context) {
  if (!ImGui::BeginChild("laws", ImVec2(0, 0), ImGuiChildFlags_None)) return ImGui::EndChild();
  const ModelSizes sizes = edited_sizes(context);
  muted_text(
      context,
      "-log L = alpha log N + beta through three losses, with 95 % bands (cut at a quarter of the loss). Below each: "
      "how much larger alpha is for the 2-simplicial model.",
      true);
  const std::vector<Recomputed> fits = recompute_fits(sizes);
  const auto count = std::ranges::count_if(fits, [](const Recomputed& one) { return one.reproduced(); });
  fact_line(context, "printed values of the fits that are reproduced", fmt::format("{} of {}", count, fits.size()));
  if (sizes[0] < sizes[1] && sizes[1] < sizes[2]) {
    const float room = ImGui::GetContentRegionAvail().x, gap = context.look.px(12);
    const bool two = room > context.look.px(560);
    const ImVec2 size(two ? (room - gap) / 2 : room, context.look.px(240));
    for (std::size_t i = 0; i < kBenchmarks.size(); ++i) {
      if (two && i % 2 == 1) ImGui::SameLine(0, gap);
      draw_benchmark(context, kBenchmarks.at(i), sizes, size);
    }
  } else {
    muted_text(context, "The sizes must grow from left to right.");
  }
  ImGui::EndChild();
}

}  // namespace triscope
