// q, k1 and k2 as arrows that the user turns together: the determinant stays, the trilinear logit does not. Beside them
// rotations by position, about one axis and about three.
#include <fmt/format.h>
#include <implot.h>

#include <algorithm>
#include <array>
#include <string>

#include "profiler/paper/rotary.hpp"
#include "profiler/paper/rotary_cost.hpp"
#include "views/paper/page_parts.hpp"
#include "views/parts/chart_tools.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

constexpr const Chunk3& kVectors = kExampleChunk;
constexpr std::array kNames{"q", "k1", "k2"};
constexpr std::int64_t kMostShift = 64;

/// About the vertical axis, then about the horizontal one.
Chunk3 turned(const RotationUi& ui) {
  Chunk3 chunk = kVectors;
  for (Vector3& v : chunk)
    v = rotated(rotated(v, {0, 1, 0}, static_cast<double>(ui.around)), {1, 0, 0}, static_cast<double>(ui.over));
  return chunk;
}

/// The edges of the parallelepiped that the vectors span, seen from the front with a little depth.
void draw_space(const Look& look, const Chunk3& vectors, ImVec2 low, float side) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const auto at = [&](const Vector3& v) {
    const double depth = 1 / (1 - 0.12 * v[2]);
    return ImVec2(low.x + side * static_cast<float>(0.5 + 0.2 * v[0] * depth),
                  low.y + side * static_cast<float>(0.5 - 0.2 * v[1] * depth));
  };
  const auto corner = [&](unsigned bits) {
    Vector3 sum{};
    for (std::size_t n = 0; n < 3; ++n) {
      for (std::size_t d = 0; (bits >> n & 1U) != 0 && d < 3; ++d) sum.at(d) += vectors.at(n).at(d);
    }
    return sum;
  };
  list->AddRectFilled(low, ImVec2(low.x + side, low.y + side), look.theme.ground);
  list->AddRect(low, ImVec2(low.x + side, low.y + side), look.theme.line);
  for (unsigned bits = 0; bits < 8; ++bits) {
    for (unsigned n = 0; n < 3; ++n) {
      if ((bits >> n & 1U) == 0)
        list->AddLine(at(corner(bits)), at(corner(bits | 1U << n)), look.theme.faint, look.px(1));
    }
  }
  for (std::size_t n = 0; n < 3; ++n) {
    const ImVec2 tip = at(vectors.at(n));
    list->AddLine(at({0, 0, 0}), tip, look.theme.series.at(n), look.px(2.5F));
    list->AddCircleFilled(tip, look.px(4), look.theme.series.at(n));
    list->AddText(ImVec2(tip.x + look.px(6), tip.y - look.px(8)), look.theme.text, kNames.at(n));
  }
}

void draw_vectors(const Context& context, RotationUi& ui) {
  muted_text(context, "Drag to turn all three vectors of a chunk together.", true);
  if (ImGui::Button("Turn back")) ui.around = ui.over = 0;
  const float side = std::clamp(ImGui::GetContentRegionAvail().x, context.look.px(160), context.look.px(360));
  const ImVec2 low = ImGui::GetCursorScreenPos();
  ImGui::InvisibleButton("turn", ImVec2(side, side));
  if (ImGui::IsItemActive()) {
    ui.around += ImGui::GetIO().MouseDelta.x / side * 4;
    ui.over += ImGui::GetIO().MouseDelta.y / side * 4;
  }
  const Chunk3 vectors = turned(ui);
  draw_space(context.look, vectors, low, side);
  for (std::size_t n = 0; n < 3; ++n) {
    const Vector3& v = vectors.at(n);
    fact_line(context, kNames.at(n), fmt::format("{:+.3f}  {:+.3f}  {:+.3f}", v[0], v[1], v[2]));
  }
  section(context, "Now, and before turning");
  fact_line(context, "determinant", fmt::format("{:+.6f}   {:+.6f}", determinant(vectors), determinant(kVectors)));
  fact_line(context, "sum q k1 k2", fmt::format("{:+.6f}   {:+.6f}", trilinear(vectors), trilinear(kVectors)));
  muted_text(context,
             "The determinant is the volume of the body that the vectors span, with its sign. A rotation of all three "
             "does not change it; it changes the trilinear logit.",
             true);
}

void position_slider(const Context& context, const char* label, int& value) {
  ImGui::SetNextItemWidth(context.look.px(240));
  ImGui::SliderInt(label, &value, 0, 200, "%d", ImGuiSliderFlags_NoInput);
}

void plot_shifts(const Context& context, const ShiftedLogits& shared, const ShiftedLogits& different) {
  const ImVec2 size(std::min(ImGui::GetContentRegionAvail().x, context.look.px(640)), context.look.px(240));
  const NumberFont font(context.look, kSecondarySize);
  if (!ImPlot::BeginPlot("##shifts", size, ImPlotFlags_NoMenus | ImPlotFlags_NoMouseText | ImPlotFlags_NoInputs))
    return;
  ImPlot::SetupAxes("all three positions later by", "logit of the chunk", ImPlotAxisFlags_AutoFit,
                    ImPlotAxisFlags_AutoFit);
  ImPlot::SetupLegend(ImPlotLocation_North, ImPlotLegendFlags_Horizontal | ImPlotLegendFlags_Outside);
  const auto plot = [&](const char* name, const std::vector<double>& values, ImU32 colour) {
    ImPlotSpec line;
    line.LineColor = to_vec4(colour);
    line.LineWeight = context.look.px(1.5F);
    ImPlot::PlotLine(name, values.data(), static_cast<int>(values.size()), 1, 0, line);
  };
  const Theme& theme = context.look.theme;
  plot(" determinant, one axis", shared.determinants, theme.series[0]);
  plot(" three axes", different.determinants, theme.series[1]);
  plot(" sum q k1 k2", shared.trilinears, theme.baseline);
  end_plot(context.look);
}

void draw_rotary(const Context& context, RotationUi& ui) {
  panel_heading(context, "Rotary embedding on chunks of three", "", 0);
  muted_text(context, "Each vector turns by its position times an angle.", true);
  position_slider(context, "position of q, i", ui.i);
  position_slider(context, "position of k1, j", ui.j);
  position_slider(context, "position of k2, k", ui.k);
  ImGui::SetNextItemWidth(context.look.px(240));
  ImGui::SliderFloat("angle of a position", &ui.angle, 0.0F, 1.0F, "%.3f", ImGuiSliderFlags_NoInput);
  const Positions3 positions{ui.i, ui.j, ui.k};
  const auto angle = static_cast<double>(ui.angle);
  const ShiftedLogits shared = shifted_logits(kVectors, RotaryAxes::shared, positions, angle, kMostShift);
  const ShiftedLogits different = shifted_logits(kVectors, RotaryAxes::different, positions, angle, kMostShift);
  plot_shifts(context, shared, different);
  section(context, fmt::format("Worst change when all positions move on by up to {}", kMostShift).c_str());
  const auto both = [&](const char* axes, const ShiftedLogits& logits) {
    fact_line(context, fmt::format("determinant, {}", axes).c_str(), fmt::format("{:.2e}", logits.worst_determinant));
    fact_line(context, fmt::format("sum q k1 k2, {}", axes).c_str(), fmt::format("{:.2e}", logits.worst_trilinear));
  };
  fact_columns(
      context, [&] { both("one axis", shared); }, [&] { both("an axis for each", different); });
  muted_text(context,
             "About one axis, moving on by s is one more rotation of all three, so the determinant depends on the "
             "differences of the positions only. With an axis for each it also depends on where they stand.",
             true);
  section(context, "What it costs");
  for (const std::string& sentence : rotary_cost_sentences(rotary_costs())) muted_text(context, sentence, true);
}

}  // namespace

void draw_rotation_page(Context& context) {
  RotationUi& ui = context.ui.paper.rotation;
  if (!ImGui::BeginChild("rotation", ImVec2(0, 0), ImGuiChildFlags_None)) return ImGui::EndChild();
  const float width = ImGui::GetContentRegionAvail().x, left = context.look.px(380);
  const bool beside = width > 2 * left;
  const ImGuiChildFlags flags = ImGuiChildFlags_AutoResizeY;
  if (ImGui::BeginChild("vectors", ImVec2(beside ? left : width, 0), flags)) draw_vectors(context, ui);
  ImGui::EndChild();
  if (beside) ImGui::SameLine(0, context.look.px(32));
  if (ImGui::BeginChild("rotary", ImVec2(0, 0), flags)) draw_rotary(context, ui);
  ImGui::EndChild();
  ImGui::EndChild();
}

}  // namespace triscope
