// How the paper's models were made, and a calculator: what the attention layers of a model cost in a training step
// here.
#include <fmt/format.h>
#include <implot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "kernels/base/text/number_of.hpp"
#include "kernels/base/text/plus_minus.hpp"
#include "profiler/paper/layers/operator_work.hpp"
#include "profiler/paper/recipe.hpp"
#include "profiler/plan/crossing.hpp"
#include "views/data/brief_label.hpp"
#include "views/data/format.hpp"
#include "views/paper/page_parts.hpp"
#include "views/parts/chart_tools.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

constexpr float kRecipeLeft = 420;  // design pixels of card and fields

void draw_card(const Context& context) {
  section(context, "What the paper says of its models");
  if (!ImGui::BeginTable("card", 2, ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_SizingStretchProp)) return;
  ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthStretch, 2);
  ImGui::TableSetupColumn("the paper says", ImGuiTableColumnFlags_WidthStretch, 3);
  for (const RecipeFact& fact : recipe()) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    wrapped_text(context.look.theme.muted, fact.name);
    tooltip(context, fact.where);
    ImGui::TableNextColumn();
    wrapped_text(fact.stated ? context.look.theme.text : context.look.theme.unclear, fact.value);
    tooltip(context, fact.where);
  }
  ImGui::EndTable();
}

/// Shapes that the database has; the button stands where none is chosen.
void choose_shape(Context& context, RecipeUi& ui) {
  const DeviceRows* rows = context.models.device_rows(context.data);
  static const std::vector<MeasuredShape> none;
  const std::vector<MeasuredShape>& shapes = rows ? rows->shapes : none;
  const auto now = std::ranges::find_if(shapes, [&](const MeasuredShape& one) { return with_shape(ui, one) == ui; });
  field_label(context, "measured",
              "Heads and windows that the open database has in both passes, with the attention beside");
  ImGui::SetNextItemWidth(-1);
  const char* shown = now != shapes.end() ? now->text.c_str()
                      : !rows             ? "reading ..."
                      : shapes.empty()    ? "none in both passes"
                                          : "choose one";
  if (!ImGui::BeginCombo("##shape", shown, ImGuiComboFlags_HeightLarge)) return;
  for (std::size_t n = 0; n < shapes.size(); ++n) {
    ImGui::PushID(static_cast<int>(n));  // two may read alike
    if (ImGui::Selectable(shapes[n].text.c_str(), now != shapes.end() && &shapes[n] == &*now))
      ui = with_shape(ui, shapes[n]);
    ImGui::PopID();
  }
  ImGui::EndCombo();
}

void draw_recipe_fields(Context& context) {
  RecipeUi& ui = context.ui.paper.recipe;
  section(context, "A model of your own");
  field_label(context, "layers",
              "Attention layers of the model, and how many of them are 2-simplicial; the paper has every fourth");
  number_field(context, "##layers", ui.layers, context.look.px(72), {.most = kMostLayers});
  ImGui::SameLine(0, context.look.px(6));
  coloured_text(context.look.theme.muted, "of these");
  ImGui::SameLine(0, context.look.px(6));
  number_field(context, "##simplicial", ui.simplicial, context.look.px(72),
               {.least = 0, .most = static_cast<double>(ui.layers)});
  ImGui::SameLine(0, context.look.px(6));
  coloured_text(context.look.theme.muted, "2-simplicial");
  field_problems(context);
  field_label(context, "a mix of", "2-simplicial layers among all");
  for (const auto& [name, every] : {std::pair{"1 in 4", 4}, {"1 in 2", 2}, {"all", 1}, {"none", 0}}) {
    const int count = every == 0 ? 0 : ui.layers / every;
    if (every != 4) ImGui::SameLine();
    if (chip(context, name, ui.simplicial == count)) ui.simplicial = count;
  }
  field_label(context, "tokens", "Length of a sequence, and how many sequences a training step has");
  pair_field(context, "##seq", ui.seq_len, "times", "##sequences", ui.sequences, {.most = kMostRecipeTokens});
  ImGui::SameLine(0, context.look.px(6));
  coloured_text(context.look.theme.muted, "sequences");
  field_problems(context);
  field_label(context, "windows", "Keys of axis 1 and of axis 2 that a query sees, itself counted");
  pair_field(context, "##window1", ui.window1, "×", "##window2", ui.window2);
  field_problems(context);
  field_label(context, "heads", "Query heads, and kv heads that they share");
  pair_field(context, "##q heads", ui.q_heads, "on", "##kv heads", ui.kv_heads);
  field_problems(context);
  field_label(context, "head size", "Elements of a query");
  number_field(context, "##head dim", ui.head_dim, context.look.px(72));
  field_problems(context);
  choose_shape(context, ui);
  field_label(context, "budget, ms",
              "What attention may take in a training step; 0: no budget. The line in the plot can be dragged");
  number_field(context, "##budget", ui.budget_ms, context.look.px(110), {.least = 0, .most = 1e12});
  field_problems(context);
}

/// What a kernel is called in the rows that the costs are made of, in short: beside it stands what the time is of.
std::string kernel_name(const WindowData& data, const std::string& id) {
  const auto look_in = [&](const SweepResults& sweep) {
    const auto row = std::ranges::find(sweep.rows, id, &ResultRow::kernel);
    return row == sweep.rows.end() ? std::string() : brief_label(row->card);
  };
  std::string name = data.shown ? look_in(*data.shown) : std::string();
  for (const auto& other : data.same_device) {
    if (name.empty()) name = look_in(*other);
  }
  return name.empty() ? id : name;
}

/// "152 to 181 ms".
std::string range_text(const MsRange& range) {
  return range.high > range.low ? format_ms_interval(range.low, range.high, range.high) : format_ms(range.low);
}

MsRange scaled(const MsRange& range, double times) { return {range.low * times, range.high * times}; }

std::string ratio_text(const MsRange& ratio) { return fmt::format("{:.3f}× to {:.3f}×", ratio.low, ratio.high); }

void layer_row(const Context& context, const char* layer, const char* pass, const LayerTime& time, int decimals) {
  const Theme& theme = context.look.theme;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  coloured_text(theme.text, layer);
  ImGui::TableNextColumn();
  coloured_text(theme.muted, pass);
  ImGui::TableNextColumn();
  number_right(context, time.is_number() ? format_fixed(time.ms, decimals)
                                         : fmt::format("{} to {}", format_fixed(time.low_ms, decimals),
                                                       format_fixed(time.high_ms, decimals)));
  ImGui::TableNextColumn();
  coloured_text(theme.text, kernel_name(context.data, time.kernel));
  ImGui::TableNextColumn();
  coloured_text(time.kind == LayerBasis::measured ? theme.muted : theme.unclear, plus_minus(time.basis_text()));
}

void draw_layers(const Context& context, const RecipeUi& ui, const LayerCosts& costs) {
  section(context, fmt::format("One layer on one sequence of {} tokens", format_count(ui.seq_len)).c_str());
  const std::array times{&costs.simplicial.forward, &costs.simplicial.backward, &costs.global.forward,
                         &costs.global.backward};
  const auto least = std::ranges::min(times, {}, &LayerTime::ms);
  const int decimals = least->ms < 1 ? 4 : 2;
  const std::string windows = fmt::format("2-simplicial {}", format_windows(ui.window1, ui.window2));
  const std::array<const char*, 4> names{windows.c_str(), "", "global", ""};
  wide_table(context, "layers", {"layer", "pass", "ms", "kernel", "basis"}, {false, false, true, false, false}, [&] {
    for (std::size_t n = 0; n < times.size(); ++n)
      layer_row(context, names.at(n), n % 2 == 0 ? "forward" : "backward", *times.at(n), decimals);
  });
}

std::string times_text(double ratio) { return fmt::format("{:.3f}×", ratio); }

std::string budget_sentence(const RecipeUi& ui, const BudgetMixes& fits) {
  const std::string budget = format_ms(static_cast<double>(ui.budget_ms)) + ", by 95 % intervals";
  if (fits.none()) return fmt::format("No mix of {} layers stays within {}.", ui.layers, budget);
  if (fits.fewest == fits.most)
    return fmt::format("Within {}: {} of {} layers must be 2-simplicial.", budget, fits.most, ui.layers);
  return fmt::format("Within {}: {} to {} of {} layers may be 2-simplicial.", budget, fits.fewest, fits.most,
                     ui.layers);
}

/// What the page answers, in words.
void draw_answer(const Context& context, const RecipeUi& ui, const RecipeAnswer& answer) {
  const MsRange mixed = answer.steps[static_cast<std::size_t>(ui.simplicial)], global = answer.steps[0];
  std::string text = fmt::format(
      "With {} of {} layers 2-simplicial, attention takes {} of a training step, {} the {} of "
      "global layers only. {}",
      ui.simplicial, ui.layers, range_text(mixed), ratio_text(mix_ratio(*answer.costs, ui.layers, ui.simplicial)),
      range_text(global), kMixRatioCaveat);
  if (answer.fits) text += " " + budget_sentence(ui, *answer.fits);
  wrapped_text(context.look.theme.text, text);
}

void draw_sums(const Context& context, const RecipeUi& ui, const RecipeAnswer& answer) {
  const LayerCosts& costs = *answer.costs;
  section(context, "Attention in a training step");
  fact_line(context, number_of(ui.simplicial, "2-simplicial layer").c_str(),
            range_text(scaled(step_range(costs.simplicial), static_cast<double>(ui.simplicial) * ui.sequences)));
  fact_line(
      context, number_of(ui.layers - ui.simplicial, "global layer").c_str(),
      range_text(scaled(step_range(costs.global), static_cast<double>(ui.layers - ui.simplicial) * ui.sequences)));
  fact_line(context, "together", range_text(answer.steps[static_cast<std::size_t>(ui.simplicial)]));
  fact_line(context, (number_of(ui.layers, "global layer") + " only").c_str(), range_text(answer.steps[0]));
}

void draw_ratios(const Context& context, const RecipeUi& ui, const LayerCosts& costs) {
  const OperatorWork work = operator_work(ui.seq_len, {ui.window1, ui.window2});
  section(context, "A 2-simplicial layer beside a global one");
  fact_line(context, "FLOPs of a forward, paper's count", times_text(work.windows_paper / work.dot_paper));
  fact_line(context, "FLOPs of a forward, exact", times_text(work.windows_exact / work.dot_exact));
  fact_line(context, "time of a forward",
            ratio_text(ratio_range(costs.simplicial.forward.interval(), costs.global.forward.interval())));
  fact_line(context, "time of a training step",
            ratio_text(ratio_range(step_range(costs.simplicial), step_range(costs.global))));
}

/// The mixes that fit, as a stretch of the axis.
void shade_fits(const Context& context, const BudgetMixes& fits, double top) {
  if (fits.none()) return;
  const double x[] = {static_cast<double>(fits.fewest) - 0.25, static_cast<double>(fits.most) + 0.25};
  const double low[] = {0, 0}, high[] = {top, top};
  ImPlotSpec fill;
  fill.FillColor = to_vec4(faded(context.look.theme.faster, 0.18F));
  ImPlot::PlotShaded(" within the budget", x, low, high, 2, fill);
}

struct StepLines {
  std::vector<double> layers, low, middle, high;
};
StepLines lines_of(const RecipeAnswer& answer) {
  StepLines lines;
  for (const MsRange& range : answer.steps) {
    lines.layers.push_back(static_cast<double>(lines.layers.size()));
    lines.low.push_back(range.low);
    lines.middle.push_back((range.low + range.high) / 2);
    lines.high.push_back(range.high);
  }
  return lines;
}

/// Of the axis: what the mixes take, and the budget, with room. Not from 0 on: all mixes may be near each other.
std::pair<double, double> shown_range(const StepLines& lines, double budget_ms) {
  double low = *std::ranges::min_element(lines.low), high = *std::ranges::max_element(lines.high);
  if (budget_ms > 0) low = std::min(low, budget_ms), high = std::max(high, budget_ms);
  const double room = std::max(0.2 * (high - low), 0.02 * high);
  return {std::max(0.0, low - room), high + room};
}

/// A training step over the number of 2-simplicial layers. Both lines can be dragged.
void plot_mixes(const Context& context, RecipeUi& ui, const RecipeAnswer& answer) {
  const Theme& theme = context.look.theme;
  const float height =
      std::clamp(ImGui::GetContentRegionAvail().y - context.look.px(400), context.look.px(220), context.look.px(520));
  const ImPlotFlags flags = ImPlotFlags_NoMenus | ImPlotFlags_NoMouseText | ImPlotFlags_NoBoxSelect |
                            (answer.fits ? ImPlotFlags_None : ImPlotFlags_NoLegend);
  const NumberFont font(context.look, kSecondarySize);
  if (!ImPlot::BeginPlot("##mixes", ImVec2(-1, height), flags)) return;
  const StepLines lines = lines_of(answer);
  const auto [bottom, top] = shown_range(lines, static_cast<double>(ui.budget_ms));
  ImPlot::SetupAxes("2-simplicial layers", "ms in a training step", ImPlotAxisFlags_Lock, ImPlotAxisFlags_Lock);
  ImPlot::SetupAxesLimits(-0.5, answer.asked.layers + 0.5, bottom, top, ImPlotCond_Always);
  ImPlot::SetupLegend(ImPlotLocation_North, ImPlotLegendFlags_Horizontal | ImPlotLegendFlags_Outside);
  if (answer.fits) shade_fits(context, *answer.fits, top);
  ImPlotSpec line;
  line.LineColor = to_vec4(theme.series[0]);
  line.LineWeight = context.look.px(1.5F);
  const int count = static_cast<int>(lines.middle.size());
  ImPlotSpec band;
  band.FillColor = to_vec4(faded(theme.series[0], 0.25F));
  ImPlot::PlotShaded(" 95 %", lines.layers.data(), lines.low.data(), lines.high.data(), count, band);
  ImPlot::PlotLine(" attention", lines.middle.data(), count, 1, 0, line);
  const auto here = static_cast<std::size_t>(std::clamp(ui.simplicial, 0, answer.asked.layers));
  ImPlot::Annotation(static_cast<double>(here), lines.middle[here], to_vec4(theme.raised),
                     ImVec2(context.look.px(8), -context.look.px(8)), true, "%s",
                     range_text(answer.steps[here]).c_str());
  double chosen = ui.simplicial, budget = static_cast<double>(ui.budget_ms);
  if (ImPlot::DragLineX(0, &chosen, to_vec4(theme.accent), context.look.px(2), ImPlotDragToolFlags_NoFit))
    ui.simplicial = std::clamp(static_cast<int>(std::lround(chosen)), 0, ui.layers);
  if (ui.budget_ms > 0 &&
      ImPlot::DragLineY(1, &budget, to_vec4(theme.faster), context.look.px(2), ImPlotDragToolFlags_NoFit))
    ui.budget_ms = static_cast<float>(std::max(0.0, budget));
  end_plot(context.look);
}

void draw_costs(Context& context) {
  RecipeUi& ui = context.ui.paper.recipe;
  const RecipeAnswer* made = context.models.recipe(context.data, ui);
  panel_heading(context, "What its attention costs here", "", button_width("Copy"));
  copy_button(context, Panel::paper);
  if (!made) return reading_line(context);
  const RecipeAnswer& answer = *made;
  if (!answer.to_count.empty()) return counting_line(context);
  if (!answer.costs) {
    problem_line(context, answer.problem);
    if (!answer.next.empty()) muted_text(context, sentence(answer.next), true);
    const DeviceRows* rows = context.models.device_rows(context.data);
    if (rows && !rows->shapes.empty())
      muted_text(context, "\"measured\" at the left has what this database can add up.", true);
    return;
  }
  const RecipeUi& asked = answer.asked;  // a drag in the plot changes the next answer
  draw_answer(context, asked, answer);
  plot_mixes(context, ui, answer);
  draw_layers(context, asked, *answer.costs);
  fact_columns(
      context, [&] { draw_sums(context, asked, answer); }, [&] { draw_ratios(context, asked, *answer.costs); });
  muted_text(context,
             fmt::format("The paper calls the two kinds of layers comparable in FLOPs. By its count they are so at {} "
                         "tokens.",
                         format_count(crossing_by_paper_count({asked.window1, asked.window2}))),
             true);
  muted_text(context,
             "Measured rows of the shown sweep's device, sustained, on one sequence, times the number of "
             "sequences. Not in it: other kinds of layers, projections, experts, communication.",
             true);
}

}  // namespace

void draw_recipe_page(Context& context) {
  if (!ImGui::BeginChild("recipe", ImVec2(0, 0), ImGuiChildFlags_None)) return ImGui::EndChild();
  const float width = ImGui::GetContentRegionAvail().x, left = context.look.px(kRecipeLeft);
  const bool beside = width > 1.8F * left;
  const ImGuiChildFlags flags = beside ? ImGuiChildFlags_None : ImGuiChildFlags_AutoResizeY;
  if (ImGui::BeginChild("recipe model", ImVec2(beside ? left : width, 0), flags)) {
    RecipeUi& ui = context.ui.paper.recipe;
    if (const DeviceRows* rows = context.models.device_rows(context.data)) ui = with_measured(ui, rows->layer);
    const LayerMixRequest before = layer_request(ui);
    draw_recipe_fields(context);
    ui.typed = ui.typed || layer_request(ui) != before;
    draw_card(context);
  }
  ImGui::EndChild();
  if (beside) ImGui::SameLine(0, context.look.px(32));
  if (ImGui::BeginChild("recipe costs", ImVec2(0, 0), flags)) draw_costs(context);
  ImGui::EndChild();
  ImGui::EndChild();
}

}  // namespace triscope
