// A legend in lines of its own.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "views/parts/chart_tools.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

/// A line with a mark on it, as in the plot.
void draw_marked_line(const Look& look, ImPlotMarker marker, ImVec2 low, float wide, ImU32 colour) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 at(std::round(low.x + wide / 2), low.y);
  const float size = look.px(4);
  list->AddLine(low, ImVec2(low.x + wide, low.y), colour, std::max(1.0F, look.px(1.5F)));
  const auto point = [&](float x, float y) { return ImVec2(at.x + size * x, at.y + size * y); };
  constexpr float kHalf = 0.7071F, kSide = 0.866F;
  switch (marker) {
    case ImPlotMarker_Square:
      return list->AddRectFilled(point(-kHalf, -kHalf), point(kHalf, kHalf), colour);
    case ImPlotMarker_Diamond:
      return list->AddQuadFilled(point(0, -1), point(1, 0), point(0, 1), point(-1, 0), colour);
    case ImPlotMarker_Up:
      return list->AddTriangleFilled(point(0, -1), point(kSide, 0.5F), point(-kSide, 0.5F), colour);
    case ImPlotMarker_Down:
      return list->AddTriangleFilled(point(0, 1), point(-kSide, -0.5F), point(kSide, -0.5F), colour);
    case ImPlotMarker_Left:
      return list->AddTriangleFilled(point(-1, 0), point(0.5F, -kSide), point(0.5F, kSide), colour);
    case ImPlotMarker_Right:
      return list->AddTriangleFilled(point(1, 0), point(-0.5F, kSide), point(-0.5F, -kSide), colour);
    case ImPlotMarker_Cross:
      list->AddLine(point(-kHalf, -kHalf), point(kHalf, kHalf), colour, std::max(1.0F, look.px(1.5F)));
      return list->AddLine(point(-kHalf, kHalf), point(kHalf, -kHalf), colour, std::max(1.0F, look.px(1.5F)));
    default:
      return list->AddCircleFilled(at, size, colour);
  }
}

/// Over the last item: its mark, `wide` pixels, and its name.
void draw_entry(const Look& look, const NamedColour& entry, float wide) {
  const float pale = entry.shown ? 1 : 0.35F, line = ImGui::GetTextLineHeight();
  const ImU32 colour = faded(entry.colour, pale);
  const ImVec2 low = ImGui::GetItemRectMin();
  const float middle = std::round(low.y + line / 2);
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (entry.dashes) {
    const DashPattern dash = dashes_of(*entry.dashes);
    const float weight = std::max(1.0F, look.px(1.5F));
    for (float x = 0; x < wide; x += look.px(dash.drawn + dash.gap))
      list->AddLine(ImVec2(low.x + x, middle), ImVec2(low.x + std::min(wide, x + look.px(dash.drawn)), middle), colour,
                    weight);
  } else if (entry.marker) {
    draw_marked_line(look, *entry.marker, ImVec2(low.x, middle), wide, colour);
  } else {
    const float top = low.y + (line - wide) / 2;
    list->AddRectFilled(ImVec2(low.x, top), ImVec2(low.x + wide, top + wide), colour);
  }
  list->AddText(ImVec2(low.x + wide, low.y), faded(look.theme.text, pale), entry.seen().c_str());
}

}  // namespace

DashPattern dashes_of(int style) {
  static constexpr std::array<DashPattern, 4> kDashes{{{7, 4}, {2, 4}, {13, 5}, {4, 9}}};
  return kDashes[static_cast<std::size_t>(style) % kDashes.size()];
}

std::optional<std::size_t> draw_legend_lines(const Look& look, const std::vector<NamedColour>& entries) {
  const SmallFont font(look);
  const float line = ImGui::GetTextLineHeight(), gap = look.px(14);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const auto most = static_cast<int>(std::max(1.0F, 0.4F * room.y / (line + ImGui::GetStyle().ItemSpacing.y)));
  const auto mark_of = [&](const NamedColour& entry) {
    return std::round((entry.dashes || entry.marker ? 1.6F : 0.7F) * line);
  };
  const auto width_of = [&](const NamedColour& entry) {
    return mark_of(entry) + ImGui::CalcTextSize(entry.seen().c_str()).x;
  };
  const auto rest_of = [&](std::size_t n) { return fmt::format("and {} more", entries.size() - n); };
  float end = 0, left = -gap;  // of those that come
  for (const NamedColour& entry : entries) left += width_of(entry) + gap;
  int lines = 1;
  std::optional<std::size_t> clicked;
  ImGui::PushID("legend");
  for (std::size_t n = 0; n < entries.size(); ++n) {
    const NamedColour& entry = entries[n];
    const float width = width_of(entry), rest = ImGui::CalcTextSize(rest_of(n + 1).c_str()).x;
    const bool fits = n == 0 || end + gap + width <= room.x, full = !fits && lines == most;
    const float begin = n == 0 || !fits ? 0 : end + gap;
    lines += fits || full ? 0 : 1;
    // In the last line there stays room for how many are left.
    if (full || (n > 0 && lines == most && begin + left > room.x && begin + width + gap + rest > room.x)) {
      if (fits || full) ImGui::SameLine(0, gap);
      coloured_text(look.theme.muted, rest_of(n));
      break;
    }
    end = begin + width;
    left -= width + gap;
    if (fits && n > 0) ImGui::SameLine(0, gap);
    if (ImGui::InvisibleButton(entry.name.c_str(), ImVec2(width, line))) clicked = n;
    draw_entry(look, entry, mark_of(entry));
  }
  ImGui::PopID();
  return clicked;
}

}  // namespace triscope
