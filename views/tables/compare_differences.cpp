#include "views/tables/compare_differences.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "views/parts/widgets.hpp"

namespace triscope {

std::vector<std::size_t> sides_of(const CompareModel& model) {
  if (model.sweeps.size() == 2) return {1, 0};
  std::vector<std::size_t> sides(model.sweeps.size());
  std::iota(sides.begin(), sides.end(), std::size_t{0});
  return sides;
}

void draw_differences(const Context& context, const CompareModel& model) {
  const Theme& theme = context.look.theme;
  if (model.differences.empty()) {
    muted_text(context, "Nothing else differs: same machine, conditions, sources and build.");
    return;
  }
  // The rows below are the answer: where few of them would be seen, these lines are named alone until they are asked
  // for.
  constexpr float kFewRows = 8;
  const float line = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y, row = context.look.px(24);
  const float all = line * static_cast<float>(model.differences.size() + 1);
  const float room = ImGui::GetContentRegionAvail().y - context.look.px(48),
              rows = row * static_cast<float>(model.lines.size() + 1);
  const float least = std::min(rows, row * kFewRows);  // which the rows below keep
  const bool tight = room - all < least && !context.ui.printing;
  bool* unfolded = ImGui::GetStateStorage()->GetBoolRef(ImGui::GetID("differences unfolded"));
  if (tight && !*unfolded) {
    std::string names;
    for (const Difference& difference : model.differences) names += (names.empty() ? "" : ", ") + difference.what;
    const SmallFont font(context.look);
    const float button = button_width("Show") + ImGui::GetStyle().ItemSpacing.x;
    clipped_text(context, theme.muted, "What else differs: " + names, ImGui::GetContentRegionAvail().x - button);
    ImGui::SameLine();
    if (ImGui::SmallButton("Show###unfold")) *unfolded = true;
    return;
  }
  muted_text(context, "What else differs, most important first:");
  if (*unfolded && !context.ui.printing) {  // in a panel that was made higher meanwhile too
    ImGui::SameLine();
    if (ImGui::SmallButton("Hide###unfold")) *unfolded = false;
  }
  const float height = std::min(all, std::max(3 * line, room - least));
  const int columns = 1 + static_cast<int>(model.sweeps.size());
  if (!ImGui::BeginTable("differences", columns,
                         ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_NoPadOuterX |
                             ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_ScrollY,
                         ImVec2(0, height)))
    return;
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthFixed, context.look.px(150));
  const std::vector<std::size_t> sides = sides_of(model);
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  for (const std::size_t side : sides) {
    ImGui::TableNextColumn();
    clipped_text(context, theme.muted, side_name(model, side), ImGui::GetContentRegionAvail().x);
  }
  for (const Difference& difference : model.differences) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    coloured_text(theme.muted, difference.what);
    for (const std::size_t side : sides) {
      const std::string& value = difference.values[side];
      ImGui::TableNextColumn();
      clipped_text(context, theme.text, value.empty() ? "unknown" : value, ImGui::GetContentRegionAvail().x);
    }
  }
  ImGui::EndTable();
}

}  // namespace triscope
