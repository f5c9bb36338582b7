// Theorem 1: numbers that the user types, what its head says of each, the bound on c, and a dot-product head beside it.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>
#include <imgui_stdlib.h>
#include <implot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "kernels/tensors/match3.hpp"
#include "profiler/match3/match3_findings.hpp"
#include "views/data/format.hpp"
#include "views/paper/page_parts.hpp"
#include "views/parts/chart_tools.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

constexpr std::array kPrecisions{Match3Precision::fp32, Match3Precision::fp16, Match3Precision::bf16};

std::string c_text(double c) { return c < 1000 ? format_fixed(c, 2) : format_count(std::llround(c)); }

/// What was typed counts when its field is left.
void ask_when_left(Match3Ui& ui) {
  if (ImGui::IsItemDeactivatedAfterEdit()) ui.asked = ui.typed;
}

void draw_fields(const Context& context, Match3Ui& ui) {
  muted_text(context,
             "One head of seven dimensions tells for each number whether two of the list, itself included, complete it "
             "to a multiple of M.",
             true);
  ImGui::Dummy(ImVec2(0, context.look.px(4)));
  field_label(context, "numbers", "Whole numbers, separated by spaces");
  ImGui::SetNextItemWidth(-1);
  ImGui::InputText("##numbers", &ui.typed.numbers);
  ask_when_left(ui);
  field_label(context, "modulus M", "Two others complete a number when the three add up to a multiple of it");
  number_field(context, "##modulus", ui.typed.modulus, context.look.px(110), {.most = kMatch3LargestModulus});
  ask_when_left(ui);
  field_problems(context);
  field_label(context, "c", "Scale of the logits. Empty: a safe one where there is one");
  ImGui::SetNextItemWidth(context.look.px(110));
  ImGui::InputTextWithHint("##c", "safe", &ui.typed.c);
  ask_when_left(ui);
  field_label(context, "q, k1, k2 in", "What the three are rounded to; products are added in fp32");
  for (const Match3Precision precision : kPrecisions) {
    if (precision != kPrecisions.front()) ImGui::SameLine(0, context.look.px(4));
    if (chip(context, std::string(to_string(precision)).c_str(), ui.asked.precision == precision)) {
      ui.typed.precision = precision;
      ui.asked = ui.typed;
    }
  }
  field_label(context, "draw", "How many numbers the button draws");
  number_field(context, "##draw", ui.draw, context.look.px(110), {.most = kMatch3PageNumbers});
  ImGui::SameLine();
  if (ImGui::Button("Other numbers")) {
    ui.typed.numbers = fmt::format("{}", fmt::join(match3_numbers(ui.draw, ui.typed.modulus, ++ui.seed), " "));
    ui.asked = ui.typed;
  }
  field_problems(context);
}

void said(const Theme& theme, bool told, bool matches) {
  coloured_text(told == matches ? theme.text : theme.slower,
                fmt::format("{}{}", told ? "match" : "none", told == matches ? "" : ", wrongly"));
}

void draw_tokens(const Context& context, const Match3Findings& all) {
  const ImGuiTableFlags flags =
      ImGuiTableFlags_ScrollY | ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_SizingFixedFit;
  const float rows = static_cast<float>(std::min<std::size_t>(all.answer.tokens.size(), 16));
  const float row = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  if (!ImGui::BeginTable("tokens", 5, flags, ImVec2(0, (rows + 1.5F) * row))) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  for (const char* name : {"number", "pairs", "output", "head says", "dot product says"}) ImGui::TableSetupColumn(name);
  header_row(context, {true, true, true, false, false});
  const Theme& theme = context.look.theme;
  for (std::size_t i = 0; i < all.answer.tokens.size(); ++i) {
    const Match3Token& token = all.answer.tokens[i];
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    number_right(context, std::to_string(token.number));
    ImGui::TableNextColumn();
    number_right(context, std::to_string(token.matches), theme.muted);
    ImGui::TableNextColumn();
    number_right(context, format_fixed(token.output, 4), theme.muted);
    ImGui::TableNextColumn();
    said(theme, token.told, token.matches > 0);
    ImGui::TableNextColumn();
    said(theme, all.dot_product[i], token.matches > 0);
  }
  ImGui::EndTable();
}

void draw_answer(const Context& context, const Match3Findings& all) {
  const auto count = static_cast<std::int64_t>(all.answer.tokens.size());
  const Match3Bound bound = match3_bound(count, all.question.modulus, all.question.precision);
  section(context, all.answer.wrong == 0 ? "Every number is told rightly"
                                         : fmt::format("{} of {} told wrongly", all.answer.wrong, count).c_str());
  draw_tokens(context, all);
  fact_line(context, "c", c_text(all.answer.c));
  fact_line(context, fmt::format("safe c in {}", to_string(all.question.precision)).c_str(),
            bound.possible() ? fmt::format("{} to {}", c_text(bound.least_c), c_text(bound.most_c)) : "there is none");
  fact_line(context, "margin to the threshold 0.25", fmt::format("{:+.3f}", all.answer.margin));
}

/// From the least to the largest safe c, over the moduli where there is one.
void plot_range(const Look& look, std::int64_t n, Match3Precision precision, ImU32 colour) {
  std::vector<double> x, low, high;
  for (std::int64_t modulus = 2; modulus <= kMatch3LargestModulus; modulus += 1 + modulus / 40) {
    const Match3Bound bound = match3_bound(n, modulus, precision);
    if (!bound.possible()) break;
    x.push_back(static_cast<double>(modulus));
    low.push_back(bound.least_c);
    high.push_back(bound.most_c);
  }
  const auto count = static_cast<int>(x.size());
  const std::string name(to_string(precision));
  ImPlotSpec band;
  band.FillColor = to_vec4(faded(colour, 0.18F));
  band.LineColor = ImVec4(0, 0, 0, 0);
  ImPlot::PlotShaded(("##range of " + name).c_str(), x.data(), low.data(), high.data(), count, band);
  ImPlotSpec line;
  line.LineColor = to_vec4(colour);
  line.LineWeight = look.px(1.5F);
  ImPlot::PlotLine((" " + name).c_str(), x.data(), high.data(), count, line);
  ImPlot::PlotLine(("##least of " + name).c_str(), x.data(), low.data(), count, line);
}

void plot_marks(const Look& look, const char* name, const std::vector<ImPlotPoint>& points, ImPlotMarker marker,
                float size, ImU32 colour) {
  if (points.empty()) return;
  ImPlotSpec marks;
  marks.Marker = marker;
  marks.MarkerSize = look.px(size);
  marks.MarkerFillColor = to_vec4(colour);
  marks.MarkerLineColor = to_vec4(colour);
  std::vector<double> x, y;
  for (const ImPlotPoint& point : points) x.push_back(point.x), y.push_back(point.y);
  ImPlot::PlotScatter(name, x.data(), y.data(), static_cast<int>(x.size()), marks);
}

void plot_bound(const Context& context, const Match3Shown& shown) {
  const Look& look = context.look;
  const Match3Findings& all = *shown.findings;
  const auto n = static_cast<std::int64_t>(all.question.numbers.size());
  const ImVec2 room = ImGui::GetIO().DisplaySize;
  const ImVec2 size(-1, std::clamp(room.y * 0.35F, look.px(260), look.px(480)));
  const NumberFont font(look, kSecondarySize);
  if (!ImPlot::BeginPlot("##bound", size, ImPlotFlags_NoMenus | ImPlotFlags_NoMouseText | ImPlotFlags_NoInputs)) return;
  ImPlot::SetupAxes("modulus M", "c");
  ImPlot::SetupAxisScale(ImAxis_X1, ImPlotScale_Log10);
  ImPlot::SetupAxisScale(ImAxis_Y1, ImPlotScale_Log10);
  for (const ImAxis axis : {ImAxis_X1, ImAxis_Y1}) ImPlot::SetupAxisFormat(axis, format_axis_number, nullptr);
  ImPlot::SetupAxesLimits(1.8, 1200, 1, 3e6);
  ImPlot::SetupLegend(ImPlotLocation_North, ImPlotLegendFlags_Horizontal | ImPlotLegendFlags_Outside);
  for (std::size_t i = 0; i < kPrecisions.size(); ++i) plot_range(look, n, kPrecisions.at(i), look.theme.series.at(i));
  std::vector<ImPlotPoint> right, wrong;
  for (const Match3Trial& trial : shown.moduli) {
    if (trial.precision == all.question.precision)
      (trial.wrong == 0 ? right : wrong).emplace_back(static_cast<double>(trial.modulus), trial.c);
  }
  plot_marks(look, " tried, right", right, ImPlotMarker_Circle, 2.5F, look.theme.text);
  plot_marks(look, " tried, wrong", wrong, ImPlotMarker_Cross, 4, look.theme.slower);
  plot_marks(look, " these numbers", {ImPlotPoint(static_cast<double>(all.question.modulus), all.answer.c)},
             ImPlotMarker_Diamond, 6, look.theme.accent);
  end_plot(look);
}

void draw_bound(const Context& context, const Match3Shown& shown) {
  const Match3Findings& all = *shown.findings;
  const auto n = static_cast<std::int64_t>(all.question.numbers.size());
  panel_heading(context, fmt::format("How large c must be, and may be, for {} numbers", n), "", 0);
  plot_bound(context, shown);
  for (const Match3Trial& trial : all.trials) {
    const std::int64_t largest = match3_largest_modulus(n, trial.precision);
    fact_line(context,
              fmt::format("{}: a c is safe up to modulus {}{}", to_string(trial.precision), largest,
                          largest == kMatch3LargestModulus ? " or more" : "")
                  .c_str(),
              tried_text(trial, largest), true);
  }
  muted_text(
      context,
      "Inside a colour c is safe: every input of so many numbers is told rightly, by the worst case of all "
      "roundings. Below it near misses pass for a match, above it rounding decides. Outside, a head may still be "
      "right on what is tried: random inputs, and inputs full of nearest misses.",
      true);
}

void draw_dot_product(const Context& context, const Match3Findings& all) {
  section(context, "A dot-product head on the same task");
  const auto percent = [&](std::int64_t right) {
    return fmt::format("{:.1f} %", 100 * static_cast<double>(right) / static_cast<double>(all.beside.tokens));
  };
  fact_line(context, "right on unseen inputs: the best that was found", percent(all.beside.dot_product));
  fact_line(context, "the more frequent answer alone", percent(all.beside.larger_class));
  fact_line(context, "the head of Theorem 1", percent(all.beside.determinant));
  muted_text(context,
             "Searched by logistic regression over all that a head of any width can compute whose output is one number "
             "beside a threshold: a sum over the tokens.",
             true);
  if (!all.swap) return;
  const auto& in = all.swap->inputs;
  muted_text(context,
             fmt::format("No such head is right on ({}), ({}), ({}) and ({}) together. The first number has a match in "
                         "the first two only, and the sums over both halves are equal. A wider output with a larger "
                         "network behind it is not covered by this; the work that the paper cites shows that its size "
                         "must grow nearly with the number of tokens, in one layer.",
                         fmt::join(in[0], " "), fmt::join(in[1], " "), fmt::join(in[2], " "), fmt::join(in[3], " ")),
             true);
}

}  // namespace

void draw_match3_page(Context& context) {
  Match3Ui& ui = context.ui.paper.match3;
  if (!ImGui::BeginChild("match3", ImVec2(0, 0), ImGuiChildFlags_None)) return ImGui::EndChild();
  const Match3Shown* shown = context.models.match3(ui.asked);
  const Match3Findings* all = shown != nullptr && shown->findings ? &*shown->findings : nullptr;
  const float width = ImGui::GetContentRegionAvail().x, left = context.look.px(420);
  const bool beside = width > 2 * left;
  const ImGuiChildFlags flags = ImGuiChildFlags_AutoResizeY;
  if (ImGui::BeginChild("fields", ImVec2(beside ? left : width, 0), flags)) {
    draw_fields(context, ui);
    if (shown != nullptr && !shown->problem.empty()) {
      ImGui::PushTextWrapPos(0);
      coloured_text(context.look.theme.slower, shown->problem);
      ImGui::PopTextWrapPos();
    }
    if (all != nullptr) draw_answer(context, *all);
  }
  ImGui::EndChild();
  if (beside) ImGui::SameLine(0, context.look.px(32));
  const float right = std::min(ImGui::GetContentRegionAvail().x, context.look.px(1000));
  if (ImGui::BeginChild("bound", ImVec2(right, 0), flags) && all != nullptr) {
    draw_bound(context, *shown);
    draw_dot_product(context, *all);
    draw_written(context, "theorem1");
  }
  ImGui::EndChild();
  ImGui::EndChild();
}

}  // namespace triscope
