// The operator: an edge and a triangle, the rectangle that a query sees, and what both cost.
#include <fmt/format.h>
#include <implot.h>
#include <implot_internal.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <string_view>

#include "kernels/paper/einsum_logits.hpp"
#include "profiler/paper/layers/operator_work.hpp"
#include "profiler/paper/relatives.hpp"
#include "profiler/paper/rotary.hpp"
#include "profiler/plan/crossing.hpp"
#include "views/data/format.hpp"
#include "views/paper/page_parts.hpp"
#include "views/parts/chart_tools.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

void node(ImDrawList* list, const Look& look, ImVec2 at, const char* name, float below) {
  list->AddCircleFilled(at, look.px(4), look.theme.text);
  const ImVec2 size = ImGui::CalcTextSize(name);
  list->AddText(ImVec2(at.x - size.x / 2, below > 0 ? at.y + look.px(6) : at.y - size.y - look.px(6)), look.theme.text,
                name);
}

/// Left: query i and key j. Right: query i and the pair of keys j, k.
void draw_simplices(const Context& context) {
  const Look& look = context.look;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float side = look.px(120), height = look.px(104), gap = look.px(80);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float base = at.y + look.px(26) + height;
  const ImVec2 i(at.x + look.px(20), base), j(i.x + side, base);
  list->AddLine(i, j, look.theme.baseline, look.px(2));
  node(list, look, i, "i", 1);
  node(list, look, j, "j", 1);
  const ImVec2 i2(j.x + gap, base), j2(i2.x + side, base), k2(i2.x + side / 2, base - height);
  list->AddTriangleFilled(i2, j2, k2, faded(look.theme.series[0], 0.25F));
  list->AddTriangle(i2, j2, k2, look.theme.series[0], look.px(2));
  node(list, look, i2, "i", 1);
  node(list, look, j2, "j", 1);
  node(list, look, k2, "k", -1);
  ImGui::Dummy(ImVec2(j2.x - at.x + look.px(20), base - at.y + look.px(28)));
  muted_text(context,
             "Left: dot-product attention scores a query i against a key j. Right: 2-simplicial attention scores "
             "it against a pair of keys j and k.",
             true);
}

/// The window of `problem` on its own, where it is too small to be seen in the square from `low` to `high`.
void draw_close_up(const Look& look, const Problem& problem, ImVec2 low, ImVec2 high) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const auto longer = static_cast<float>(std::max(problem.window1, problem.window2));
  const float pixels = look.px(84) / longer;
  const ImVec2 size(std::max(look.px(2), pixels * static_cast<float>(problem.window1)),
                    std::max(look.px(2), pixels * static_cast<float>(problem.window2)));
  const ImVec2 corner(high.x + look.px(40), (low.y + high.y - size.y) / 2), end(corner.x + size.x, corner.y + size.y);
  list->AddLine(ImVec2(high.x, low.y), corner, look.theme.muted);
  list->AddRectFilled(corner, end, faded(look.theme.series[0], 0.7F));
  list->AddText(ImVec2(corner.x, end.y + look.px(4)), look.theme.muted, format_count(problem.window1).c_str());
  list->AddText(ImVec2(end.x + look.px(4), corner.y), look.theme.muted, format_count(problem.window2).c_str());
  list->AddText(ImVec2(corner.x, corner.y - look.px(20)), look.theme.muted, "enlarged");
}

/// Keys of both axes up to a query, and the window in them.
void draw_rectangle(const Context& context, const Problem& problem) {
  const Look& look = context.look;
  ImGui::Dummy(ImVec2(0, look.px(14)));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float side = std::min(look.px(220), ImGui::GetContentRegionAvail().x - look.px(30));
  const auto part = [&](std::int64_t window) {
    const double share = static_cast<double>(std::min(window, problem.seq_len)) / static_cast<double>(problem.seq_len);
    return std::max(look.px(3), side * static_cast<float>(share));
  };
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 low(at.x + look.px(20), at.y), high(low.x + side, low.y + side);
  list->AddRect(low, high, look.theme.line);
  const ImVec2 newest(high.x, low.y);  // the query's own place: both axes grow towards it
  list->AddRectFilled(ImVec2(newest.x - part(problem.window1), newest.y),
                      ImVec2(newest.x, newest.y + part(problem.window2)), faded(look.theme.series[0], 0.7F));
  // The query stands outside, at its corner: a dot on the corner would hide a small window.
  const ImVec2 dot(newest.x + look.px(7), newest.y - look.px(7));
  list->AddCircleFilled(dot, look.px(4), look.theme.text);
  list->AddText(ImVec2(dot.x + look.px(7), dot.y - look.px(8)), look.theme.text, "i");
  list->AddText(ImVec2(low.x, high.y + look.px(4)), look.theme.muted, "j: keys of axis 1");
  ImPlot::AddTextVertical(list, ImVec2(at.x, high.y), look.theme.muted, "k: keys of axis 2");
  if (std::max(part(problem.window1), part(problem.window2)) < look.px(24)) draw_close_up(look, problem, low, high);
  ImGui::Dummy(ImVec2(side + look.px(48), side + look.px(24)));
  const std::int64_t seen = std::min(problem.window1, problem.seq_len) * std::min(problem.window2, problem.seq_len);
  muted_text(context,
             fmt::format("The last query of {} sees {} of {} pairs.", format_count(problem.seq_len), format_count(seen),
                         format_count(problem.seq_len * problem.seq_len)),
             true);
}

constexpr int kShortest = 8, kLongest = 20, kWidestPower = 12;  // powers of two: of the chart, and of a window
static_assert(1 << kLongest == kLongestSequence && 1 << kWidestPower == kWidestWindow);

/// A slider over the powers of two up to 2^`most`, and a field for every number between them.
void power_slider(const Context& context, const char* label, const char* name, int& value, int most) {
  field_label(context, label, "Slide over powers of two, or type any number");
  ImGui::PushID(name);
  int power = std::bit_width(static_cast<unsigned>(value)) - 1;
  ImGui::SetNextItemWidth(context.look.px(150));
  if (ImGui::SliderInt("##power", &power, 0, most, "", ImGuiSliderFlags_NoInput)) value = 1 << power;
  ImGui::PopID();
  ImGui::SameLine(0, context.look.px(8));
  number_field(context, fmt::format("##{}", name).c_str(), value, context.look.px(96),
               {.most = static_cast<double>(1 << most)});
  field_problems(context);
}

/// Both counts over the length. The line at the chosen length can be dragged.
void plot_work(const Context& context, const Windows& windows, OperatorUi& ui) {
  const Theme& theme = context.look.theme;
  const float height = std::max(context.look.px(220), std::min(context.look.px(360), ImGui::GetContentRegionAvail().y));
  const ImPlotFlags flags = ImPlotFlags_NoMenus | ImPlotFlags_NoMouseText | ImPlotFlags_NoBoxSelect;
  const NumberFont font(context.look, kSecondarySize);
  if (!ImPlot::BeginPlot("##work", ImVec2(-1, height), flags)) return;
  ImPlot::SetupAxes("tokens", "FLOPs of a head and dimension", ImPlotAxisFlags_Lock, ImPlotAxisFlags_Lock);
  ImPlot::SetupAxisScale(ImAxis_X1, ImPlotScale_Log10);
  ImPlot::SetupAxisScale(ImAxis_Y1, ImPlotScale_Log10);
  for (const ImAxis axis : {ImAxis_X1, ImAxis_Y1}) ImPlot::SetupAxisFormat(axis, format_axis_number, nullptr);
  ImPlot::SetupAxesLimits(1 << kShortest, 1 << kLongest, 1e5, 3e12, ImPlotCond_Always);
  ImPlot::SetupLegend(ImPlotLocation_NorthWest);
  const std::vector<OperatorWork> all = work_by_length(windows, kShortest, kLongest);
  const auto plot = [&](const char* name, double OperatorWork::*count, ImU32 colour, float width) {
    std::vector<double> x, y;
    for (const OperatorWork& work : all) x.push_back(work.seq_len), y.push_back(work.*count);
    ImPlotSpec line;
    line.LineColor = to_vec4(colour);
    line.LineWeight = context.look.px(width);
    ImPlot::PlotLine(name, x.data(), y.data(), static_cast<int>(x.size()), line);
  };
  plot(" dot product, 2 n^2", &OperatorWork::dot_paper, theme.baseline, 1.5F);
  plot(" windows, 6 n w1 w2", &OperatorWork::windows_paper, theme.series[0], 1.5F);
  plot(" windows, exact", &OperatorWork::windows_exact, theme.series[1], 1.5F);
  double tokens = ui.tokens;
  if (ImPlot::DragLineX(0, &tokens, to_vec4(theme.accent), context.look.px(2), ImPlotDragToolFlags_NoFit))
    ui.tokens = static_cast<int>(std::lround(std::clamp<double>(tokens, 1 << kShortest, 1 << kLongest)));
  end_plot(context.look);
}

void draw_counts(const Context& context, const Windows& windows, std::int64_t tokens) {
  const OperatorWork work = operator_work(tokens, windows);
  section(context, "FLOPs of a head and dimension");
  fact_line(context, "dot product, 2 n^2", fmt::format("{:.4g}", work.dot_paper));
  fact_line(context, "windows by the paper's count, 6 n w1 w2", fmt::format("{:.4g}", work.windows_paper));
  fact_line(context, "dot product, exact: 4 a pair", fmt::format("{:.4g}", work.dot_exact));
  fact_line(context, "windows, exact: 4 a triple", fmt::format("{:.4g}", work.windows_exact));
}

void draw_crossings(const Context& context, const Windows& windows) {
  section(context, "Tokens from which on the windows are less work");
  fact_line(context, "by the paper's count, 3 w1 w2", format_count(crossing_by_paper_count(windows)));
  fact_line(context, "by full rows, 2 w1 w2", format_count(crossing_by_full_rows(windows)));
  fact_line(context, "by the exact count", format_count(crossing_by_exact_count(windows)));
}

/// By the clock, as `triscope paper operator` tells it of the shown sweep's device.
void draw_clock(Context& context, const Windows& windows) {
  section(context, "Tokens from which on the windows take less time");
  const OperatorCrossings* found = context.models.crossings(context.data, windows);
  if (!found) return reading_line(context);
  if (!found->to_count.empty()) return counting_line(context);
  wrapped_text(context.look.theme.text, "Forward: " + found->forward);
  wrapped_text(context.look.theme.text, "Backward: " + found->backward);
  wrapped_text(context.look.theme.text, "Training step, both: " + found->both);
  muted_text(context, fmt::format("By all rows of the shown sweep's device, {}.", found->beside), true);
  if (!found->sweep.empty()) muted_text(context, "What is not known a sweep tells: " + found->sweep, true);
}

/// The window's font has no ring for products by element.
std::string in_this_font(std::string text) {
  for (std::size_t at = 0; (at = text.find("∘", at)) != std::string::npos;)
    text.replace(at, std::string_view("∘").size(), "*");
  return text;
}

void draw_relatives(const Context& context) {
  section(context, "Relatives that the paper names");
  const ImGuiTableFlags flags = ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_SizingStretchProp;
  if (!ImGui::BeginTable("relatives", 4, flags)) return;
  ImGui::TableSetupColumn("score", ImGuiTableColumnFlags_WidthStretch, 3);
  ImGui::TableSetupColumn("logit", ImGuiTableColumnFlags_WidthStretch, 4);
  ImGui::TableSetupColumn("cost", ImGuiTableColumnFlags_WidthStretch, 2);
  ImGui::TableSetupColumn("beside the operator", ImGuiTableColumnFlags_WidthStretch, 5);
  header_row(context, {false, false, false, false});
  for (const Relative& one : relatives()) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    wrapped_text(context.look.theme.text, one.name + (one.formula_from == "paper" ? "" : " *"));
    tooltip(context, one.by);
    for (const std::string& text : {one.logit, one.cost}) {
      ImGui::TableNextColumn();
      wrapped_text(context.look.theme.text, in_this_font(text));
    }
    ImGui::TableNextColumn();
    wrapped_text(context.look.theme.muted, in_this_font(one.relation));
  }
  ImGui::EndTable();
  muted_text(context,
             "n tokens of d dimensions. * The paper names it without a formula; this one is of the work it cites.",
             true);
}

/// Sarrus' rule: two trilinear products of the same vectors.
void draw_determinant(const Context& context) {
  section(context, "The determinant as two einsums");
  for (const char* line : {"det(a, b, c) = a1 b2 c3 + a2 b3 c1 + a3 b1 c2 − a1 b3 c2 − a2 b1 c3 − a3 b2 c1",
                           "= <a, (b2, b3, b1), (c3, c1, c2)> − <a, (b3, b1, b2), (c2, c3, c1)>",
                           "einsum(Q, turn(K, 1), turn(K′, 2)) − einsum(Q, turn(K, 2), turn(K′, 1))"})
    wrapped_text(context.look.theme.text, line);
  const auto& [q, k1, k2] = kExampleChunk;
  const double added = trilinear_einsum(q, turned_chunks(k1, 1, 1), turned_chunks(k2, 1, 2), 1).front();
  const double taken = trilinear_einsum(q, turned_chunks(k1, 1, 2), turned_chunks(k2, 1, 1), 1).front();
  const auto text = [](const auto& v) { return fmt::format("({:g}, {:g}, {:g})", v[0], v[1], v[2]); };
  muted_text(context,
             fmt::format("turn(X, m) is each chunk of three turned to the left by m. Of q = {}, k = {} and k′ = {}: "
                         "{:.6f} − ({:.6f}) = {:.6f}.",
                         text(q), text(k1), text(k2), added, taken, added - taken),
             true);
}

}  // namespace

void draw_operator_page(Context& context) {
  OperatorUi& ui = context.ui.paper.the_operator;
  if (!ImGui::BeginChild("operator", ImVec2(0, 0), ImGuiChildFlags_None)) return ImGui::EndChild();
  const float width = ImGui::GetContentRegionAvail().x, left = context.look.px(400);
  const bool beside = width > 2 * left;
  const ImGuiChildFlags flags = ImGuiChildFlags_AutoResizeY;
  Problem problem;
  problem.q_heads = problem.kv_heads = 1;
  if (ImGui::BeginChild("simplices", ImVec2(beside ? left : width, 0), flags)) {
    draw_simplices(context);
    power_slider(context, "tokens", "tokens", ui.tokens, kLongest);
    power_slider(context, "window w1", "window1", ui.window1, kWidestPower);
    power_slider(context, "window w2", "window2", ui.window2, kWidestPower);
    problem.seq_len = ui.tokens;
    problem.window1 = ui.window1;
    problem.window2 = ui.window2;
    draw_rectangle(context, problem);
    draw_written(context, "dot-product");
    draw_written(context, "operator");
  }
  ImGui::EndChild();
  const Windows windows{ui.window1, ui.window2};
  if (beside) ImGui::SameLine(0, context.look.px(32));
  if (ImGui::BeginChild("work", ImVec2(0, 0), flags)) {
    plot_work(context, windows, ui);
    fact_columns(
        context, [&] { draw_counts(context, windows, ui.tokens); }, [&] { draw_crossings(context, windows); });
    draw_clock(context, windows);
    draw_determinant(context);
    muted_text(context, determinant_work_text(ui.tokens, windows), true);
    draw_relatives(context);
  }
  ImGui::EndChild();
  ImGui::EndChild();
}

}  // namespace triscope
