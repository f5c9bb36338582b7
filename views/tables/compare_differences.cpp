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

namespace {

/// Names what differs, or what stands below, with the button for either. True: it is folded.
bool draw_heading(const Context& context, const CompareModel& model, bool tight) {
  // What a person asked for holds in a panel of any height, and the button stays under the pointer.
  enum Asked { by_room, shown, hidden };
  int* asked = ImGui::GetStateStorage()->GetIntRef(ImGui::GetID("differences asked for"), by_room);
  const bool folded = !context.ui.printing && (*asked == hidden || (*asked == by_room && tight));
  {
    std::string words = "What else differs, most important first:";
    if (folded) {
      words = "What else differs: ";
      for (const Difference& difference : model.differences)
        words += (&difference == model.differences.data() ? "" : ", ") + difference.what;
    }
    const SmallFont font(context.look);
    const float button = button_width("Show");
    clipped_text(context, context.look.theme.muted, words,
                 ImGui::GetContentRegionAvail().x - button - ImGui::GetStyle().ItemSpacing.x);
    if (!context.ui.printing) {
      ImGui::SameLine();
      align_right(button);
      if (ImGui::SmallButton(folded ? "Show###unfold" : "Hide###unfold")) *asked = folded ? shown : hidden;
    }
  }
  return folded;
}

}  // namespace

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
  const bool folded = draw_heading(context, model, tight);
  if (folded) return;
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
