// Losses of one's own models: a text or a file, and what the same fits say of them.
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <vector>

#include "profiler/paper/laws/losses_file.hpp"
#include "views/paper/law_plot.hpp"
#include "views/paper/page_parts.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

constexpr float kLossesLeft = 340;  // design pixels of the text

void cell(ImU32 colour, std::string_view text) {
  ImGui::TableNextColumn();
  coloured_text(colour, text);
}
void number_cell(const Context& context, std::string_view text, ImU32 colour = 0) {
  ImGui::TableNextColumn();
  number_right(context, text, colour);
}

void draw_text(Context& context, LossesUi& ui) {
  if (ImGui::Button("Open CSV…")) context.request(ask::OpenLosses{});
  tooltip(context, "Lines of benchmark,model,parameters,loss, with these names first");
  ImGui::SameLine();
  if (ImGui::Button("Paper's as example")) take_losses(ui, "", example_losses());
  ImGui::SameLine();
  if (ImGui::Button("Clear")) take_losses(ui, "", kLossesHeader);
  if (!ui.file.empty()) muted_text(context, ui.file, true);
  if (ui.text.size() > kLongestEditedLosses) {
    muted_text(context, "The text is too long to be changed here.", true);
  } else {
    const NumberFont font(context.look);
    const float height = std::max(context.look.px(160), ImGui::GetContentRegionAvail().y - context.look.px(150));
    if (ImGui::InputTextMultiline("##losses", &ui.text, ImVec2(-1, height))) ++ui.edits;
  }
  muted_text(context,
             "A line for each run. Parameters may end in M, B or T; the loss is a negative log-likelihood above 0.",
             true);
}

void draw_fits(const Context& context, const OwnBenchmark& benchmark) {
  const Theme& theme = context.look.theme;
  wide_table(context, "fits", {"model", "points", "alpha, 95 %", "beta, 95 %", "R²", "residual"},
             {false, true, true, true, true, true}, [&] {
               for (const FittedSeries& one : benchmark.series) {
                 const ScalingLaw& law = one.law;
                 ImGui::TableNextRow();
                 cell(theme.text, one.losses.model);
                 number_cell(context, std::to_string(law.points));
                 number_cell(context, with_half(law.alpha, half_width(law.alpha_error, law.degrees), 4));
                 number_cell(context, with_half(law.beta, half_width(law.beta_error, law.degrees), 3));
                 number_cell(context, r_squared_text(law));
                 number_cell(context, residual_text(law));
               }
             });
}

void draw_pairs(const Context& context, const OwnBenchmark& benchmark) {
  const Theme& theme = context.look.theme;
  if (benchmark.pairs.empty()) return;
  section(context, "Differences of alpha");
  wide_table(context, "pairs", {"from", "to", "difference, 95 %", "p", "paired, 95 %", "what would decide it"},
             {false, false, true, true, true, false}, [&] {
               for (const auto& [from, to, pair] : benchmark.pairs) {
                 ImGui::TableNextRow();
                 cell(theme.text, benchmark.series[from].losses.model);
                 cell(theme.text, benchmark.series[to].losses.model);
                 number_cell(context, with_half(pair.difference.value, pair.difference.half, 4));
                 number_cell(context,
                             pair.difference.probability ? fmt::format("{:.3g}", *pair.difference.probability) : "?");
                 number_cell(context, pair.paired ? with_half(pair.paired->value, pair.paired->half, 4) : "–");
                 cell(pair.decided() ? theme.faster : theme.muted, needed_words(pair));
               }
             });
  muted_text(context,
             "Decided: the 95 % interval of the difference (Welch) is without 0. "
             "\"Would decide it\": in 80 of 100 such experiments, if the difference and the scatter are what they seem "
             "now; sizes go on by their mean ratio. Three points know their scatter badly, so these are rough numbers.",
             true);
  if (benchmark.only_with_first)
    muted_text(context, "There are many models: each is compared with the first only.", true);
}

std::string range_text(const std::optional<double>& low, const std::optional<double>& high) {
  return low && high ? fmt::format("{:.4g} to {:.4g}", *low, *high) : "unknown";
}

void draw_forecasts(const Context& context, const OwnBenchmark& benchmark, const std::vector<double>& sizes) {
  const Theme& theme = context.look.theme;
  if (sizes.empty()) return;
  wide_table(context, "forecasts", {"model", "parameters", "loss", "law, 95 %", "one more run, 95 %"},
             {false, true, true, true, true}, [&] {
               for (const FittedSeries& one : benchmark.series) {
                 for (const double size : sizes) {
                   const LossForecast at = forecast_loss(one.law, size);
                   ImGui::TableNextRow();
                   cell(theme.text, one.losses.model);
                   number_cell(context, parameters_text(size));
                   number_cell(context, fmt::format("{:.4g}", at.loss));
                   number_cell(context, range_text(at.low, at.high));
                   number_cell(context, range_text(at.run_low, at.run_high));
                 }
               }
             });
}

void choose_benchmark(const Context& context, const OwnLosses& all, LossesUi& ui) {
  ui.benchmark = std::clamp(ui.benchmark, 0, static_cast<int>(all.benchmarks.size()) - 1);
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  for (int n = 0; n < static_cast<int>(all.benchmarks.size()); ++n) {
    const std::string& name = all.benchmarks[static_cast<std::size_t>(n)].name;
    if (n > 0) ImGui::SameLine();
    if (n > 0 && ImGui::GetCursorScreenPos().x + button_width(name.c_str()) > right) ImGui::NewLine();
    ImGui::PushID(n);
    if (chip(context, name.empty() ? "(no name)" : name.c_str(), ui.benchmark == n)) ui.benchmark = n;
    ImGui::PopID();
  }
}

void draw_plot(const Context& context, const OwnBenchmark& benchmark, const std::vector<double>& sizes) {
  const Theme& theme = context.look.theme;
  std::vector<std::string> models;
  for (const FittedSeries& one : benchmark.series) models.push_back(one.losses.model);
  const std::vector<ImU32> colours = law_colours(theme, models);
  std::vector<DrawnLaw> laws;
  double until = 0;
  for (std::size_t n = 0; n < std::min(benchmark.series.size(), theme.series.size()); ++n) {
    const FittedSeries& one = benchmark.series[n];
    laws.push_back({one.losses, one.law, colours[n]});
    until = std::max(until, 2 * one.losses.sizes.back());
  }
  for (const double size : sizes) until = std::max(until, size);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float height = std::clamp(room.y / 2, context.look.px(240), context.look.px(520));
  draw_law_plot(context, "##own " + benchmark.name, laws, until, sizes, ImVec2(room.x, height));
  muted_text(context, "Bands: 95 %. Hollow points are foretold.", true);
  if (laws.size() < benchmark.series.size())
    muted_text(context, fmt::format("The first {} of {} models are drawn.", laws.size(), benchmark.series.size()));
}

void draw_answer(const Context& context, LossesUi& ui, const OwnLosses& all) {
  if (!ui.text.empty() && ui.text != kLossesHeader) problem_line(context, all.problem);
  if (all.benchmarks.empty())
    return muted_text(context, "Type losses at the left, or open a file. Two sizes of a model make a law.", true);
  choose_benchmark(context, all, ui);
  const OwnBenchmark& benchmark = all.benchmarks[static_cast<std::size_t>(ui.benchmark)];
  std::string problem;
  const std::vector<double> sizes = parse_sizes(ui.sizes, problem);
  draw_plot(context, benchmark, sizes);
  draw_fits(context, benchmark);
  draw_pairs(context, benchmark);
  section(context, "Losses foretold");
  field_label(context, "parameters", "Sizes whose losses the laws foretell, such as 7B, 70B");
  ImGui::SetNextItemWidth(-1);
  ImGui::InputText("##sizes", &ui.sizes);
  problem_line(context, problem);
  draw_forecasts(context, benchmark, sizes);
}

}  // namespace

void draw_own_losses(Context& context) {
  LossesUi& ui = context.ui.paper.losses;
  const OwnLosses& all = context.models.own_losses(ui);
  const float width = ImGui::GetContentRegionAvail().x, left = context.look.px(kLossesLeft);
  const bool beside = width > 2 * left;
  if (ImGui::BeginChild("losses text", ImVec2(beside ? left : width, beside ? 0 : context.look.px(360))))
    draw_text(context, ui);
  ImGui::EndChild();
  if (beside) ImGui::SameLine(0, context.look.px(24));
  if (ImGui::BeginChild("own laws", ImVec2(0, beside ? 0 : context.look.px(900)))) draw_answer(context, ui, all);
  ImGui::EndChild();
}

}  // namespace triscope
