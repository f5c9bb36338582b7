#include "views/parts/readout.hpp"

#include <algorithm>
#include <limits>

namespace triscope {

ImVec2 place_beside(const ImRect& what, ImVec2 size, const ImRect& room, std::span<const ImRect> others, float gap) {
  ImVec2 best(what.Max.x + gap, what.Max.y + gap);
  std::ptrdiff_t least = std::numeric_limits<std::ptrdiff_t>::max();
  const ImVec2 middle = what.GetCenter();
  for (const float distance : {gap, 2 * gap, 4 * gap, 8 * gap}) {
    const float left = what.Min.x - distance - size.x, right = what.Max.x + distance,
                above = what.Min.y - distance - size.y, below = what.Max.y + distance;
    for (const ImVec2 place : {ImVec2(right, above), ImVec2(left, above), ImVec2(right, below), ImVec2(left, below),
                               ImVec2(middle.x - size.x / 2, above), ImVec2(middle.x - size.x / 2, below),
                               ImVec2(right, middle.y - size.y / 2), ImVec2(left, middle.y - size.y / 2)}) {
      const ImVec2 low(std::clamp(place.x, room.Min.x, std::max(room.Min.x, room.Max.x - size.x)),
                       std::clamp(place.y, room.Min.y, std::max(room.Min.y, room.Max.y - size.y)));
      const ImRect covered(low, ImVec2(low.x + size.x, low.y + size.y));
      if (covered.Overlaps(what)) continue;
      const auto count = std::ranges::count_if(others, [&](const ImRect& other) { return covered.Overlaps(other); });
      if (count >= least) continue;
      least = count;
      best = low;
    }
  }
  return best;
}

void readout(const Context& context, const ImRect& what, const std::string& words, std::span<const ImRect> others,
             const ImRect* within) {
  if (!context.ui.pointer_moved) return;  // as tooltips
  const Look& look = context.look;
  const float wrap = look.px(480);
  const ImVec2 text = ImGui::CalcTextSize(words.c_str(), nullptr, false, wrap), pad = ImGui::GetStyle().WindowPadding;
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImRect room(viewport->WorkPos,
              ImVec2(viewport->WorkPos.x + viewport->WorkSize.x, viewport->WorkPos.y + viewport->WorkSize.y));
  if (within != nullptr) room = *within;
  ImGui::SetNextWindowPos(
      place_beside(what, ImVec2(text.x + 2 * pad.x, text.y + 2 * pad.y), room, others, look.px(14)));
  if (!ImGui::BeginTooltip()) return;
  ImGui::PushTextWrapPos(wrap);
  ImGui::TextUnformatted(words.c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

}  // namespace triscope
