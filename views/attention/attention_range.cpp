// The colours of a slice: a scale below its map, and a histogram of p with two handles.
#include <algorithm>
#include <cmath>

#include "profiler/record/columns.hpp"
#include "views/attention/attention_parts.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

/// Texts under the ends of a range from `x_low` to `x_high`, inside [left, left + width).
void draw_ends(const Look& look, float left, float width, float x_low, float x_high, const std::string& low,
               const std::string& high) {
  const NumberFont font(look, kSecondarySize);
  const float low_width = ImGui::CalcTextSize(low.c_str()).x, high_width = ImGui::CalcTextSize(high.c_str()).x,
              y = ImGui::GetCursorScreenPos().y;
  const float high_at = std::clamp(x_high - high_width, left + low_width + look.px(8), left + width - high_width);
  const float low_at = std::clamp(x_low, left, std::max(left, high_at - low_width - look.px(8)));
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddText(ImVec2(std::round(low_at), y), look.theme.muted, low.c_str());
  list->AddText(ImVec2(std::round(high_at), y), look.theme.muted, high.c_str());
  ImGui::Dummy(ImVec2(1, ImGui::GetTextLineHeight()));
}

/// Colours from `low` to `high` pixels, `colour_of` the share of the way; advances like an item. Its steps end at whole
/// pixels: between others the ground would show.
template <typename Colour>
void draw_colour_bar(const Look& look, float low, float high, float y, Colour colour_of) {
  constexpr int kSteps = 64;
  const auto edge = [&](int step) { return low + (high - low) * static_cast<float>(step) / kSteps; };
  for (int n = 0; n < kSteps; ++n) {
    const PixelRect rect = pixel_rect(ImVec2(edge(n), y), ImVec2(edge(n + 1), y + look.px(10)));
    ImGui::GetWindowDrawList()->AddRectFilled(rect.low, rect.high, to_colour(colour_of((n + 0.5) / kSteps)));
  }
  ImGui::Dummy(ImVec2(1, look.px(10)));
}

/// Bars of a histogram in [at, at + size).
void draw_bars(const Context& context, const std::vector<std::int64_t>& bins, ImVec2 at, ImVec2 size) {
  const std::int64_t most = std::max<std::int64_t>(1, *std::max_element(bins.begin(), bins.end()));
  const float bar = size.x / static_cast<float>(bins.size());
  for (std::size_t n = 0; n < bins.size(); ++n) {
    if (bins[n] == 0) continue;
    const double share =
        std::log1p(static_cast<double>(bins[n])) / std::log1p(static_cast<double>(most));  // a single cell must show
    const float x = at.x + static_cast<float>(n) * bar;
    const PixelRect rect = pixel_rect(ImVec2(x, at.y + size.y * static_cast<float>(1 - share)),
                                      ImVec2(x + std::max(1.0F, bar - 1), at.y + size.y));
    ImGui::GetWindowDrawList()->AddRectFilled(rect.low, rect.high, context.look.theme.baseline);
  }
}

/// Drags the handle nearer to where the drag began. Handles stand at `x_low` and `x_high`; `value` is under the
/// pointer.
void drag_range(AttentionUi& ui, const HeatmapStyle& style, float x_low, float x_high, double value) {
  ImGuiStorage* storage = ImGui::GetStateStorage();
  const ImGuiID upper = ImGui::GetID("##upper");
  if (ImGui::IsItemActivated()) {
    const float start = ImGui::GetIO().MouseClickedPos[0].x;
    storage->SetBool(upper, std::abs(start - x_high) < std::abs(start - x_low));
  }
  if (storage->GetBool(upper)) {
    ui.range_high = std::max(value, style.low + 0.05);
  } else {
    ui.range_low = std::min(value, style.high - 0.05);
  }
}

/// What an end of the colours stands for.
std::string end_text(const HeatmapStyle& style, double end) {
  return significant_text(style.scale == HeatmapStyle::Scale::plain ? end : std::exp(end), 2);
}
std::string low_end_text(const HeatmapStyle& style) { return begins_at_zero(style) ? "0" : end_text(style, style.low); }

}  // namespace

void draw_range_scale(const Context& context, const HeatmapStyle& style, float low, float high) {
  const bool p = style.scale != HeatmapStyle::Scale::plain;
  const bool linear = style.scale == HeatmapStyle::Scale::probability;
  const NumberFont font(context.look, kSecondarySize);
  const std::string least = low_end_text(style), most = (p ? "" : "+") + end_text(style, style.high);
  const float y = ImGui::GetCursorScreenPos().y, gap = context.look.px(6), line = ImGui::GetTextLineHeight();
  const float from = low + ImGui::CalcTextSize(least.c_str()).x + gap;
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddText(ImVec2(low, y), context.look.theme.muted, least.c_str());
  const ColourMap map = style.map == ColourMap::difference ? difference_map(context.look.theme) : style.map;
  draw_colour_bar(context.look, from, high, y + (line - context.look.px(10)) / 2,
                  [map](double share) { return colour_at(map, static_cast<float>(share)); });
  const std::string meaning = !p ? "  pA - pB" : linear ? "  p, linear" : "  p, logarithmic";
  list->AddText(ImVec2(high + gap, y), context.look.theme.muted, (most + meaning).c_str());
}

void draw_range_colours(const Context& context, const HeatmapStyle& style, float low, float high) {
  draw_colour_bar(context.look, low, high, ImGui::GetCursorScreenPos().y, [&style](double share) {
    const double value = style.low + (style.high - style.low) * share;
    return colour_at(style.map, static_cast<float>(heatmap_position(style, value)));
  });
}

void draw_range(Context& context) {
  AttentionUi& ui = context.ui.attention;
  const Look& look = context.look;
  AttentionModel& model = context.models.attention();
  if (ui.show == AttentionShow::difference && !ui.flipped) return;
  const std::vector<std::int64_t>& bins = model.histogram(ui, context.data.attention);
  if (bins.empty()) return;
  const HeatmapStyle style = model.style(ui, context.data.attention, ui.flipped ? 1 : 0);
  ImGui::Dummy(ImVec2(0, look.px(8)));
  ImGui::AlignTextToFramePadding();
  muted_text(context, "Range of p");
  if (ui.range_low || ui.range_high) {
    align_right(ImGui::CalcTextSize("Automatic").x + 2 * ImGui::GetStyle().FramePadding.x);
    if (ImGui::Button("Automatic")) ui.range_low = ui.range_high = std::nullopt;
  }
  if (std::all_of(bins.begin(), bins.end(), [](std::int64_t pairs) { return pairs == 0; }))
    return muted_text(context, "No pair of this slice has a p that could be shown.", true);
  const double low = model.histogram_low, high = model.histogram_high;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, height = look.px(48);
  ImGui::InvisibleButton("##range", ImVec2(std::max(width, 1.0F), height));
  draw_bars(context, bins, at, ImVec2(width, height));
  const auto x_of = [&](double value) {
    return at.x + static_cast<float>(std::clamp((value - low) / (high - low), 0.0, 1.0)) * width;
  };
  const float x_low = x_of(style.low), x_high = x_of(style.high);
  for (float x : {x_low, x_high})
    ImGui::GetWindowDrawList()->AddLine(ImVec2(x, at.y - look.px(2)), ImVec2(x, at.y + height + look.px(2)),
                                        look.theme.accent, look.px(2));
  if (ImGui::IsItemActive()) {
    const double share = std::clamp(static_cast<double>((ImGui::GetMousePos().x - at.x) / width), 0.0, 1.0);
    drag_range(ui, style, x_low, x_high, low + share * (high - low));
  }
  if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))
    ui.range_low = ui.range_high = std::nullopt;
  tooltip(context,
          "Drag a handle to set where the colours begin and end; double-click sets them from the slice. Bars count "
          "pairs, logarithmically.");
  draw_range_colours(context, style, x_low, x_high);
  draw_ends(look, at.x, width, x_low, x_high, low_end_text(style), end_text(style, style.high));
}

}  // namespace triscope
