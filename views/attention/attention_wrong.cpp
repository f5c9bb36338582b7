// From a kernel's wrong output to the pair that explains it.
#include <fmt/format.h>
#include <imgui.h>

#include <string>

#include "kernels/inspect/wrong_pairs.hpp"
#include "profiler/record/columns.hpp"
#include "views/attention/attention_parts.hpp"
#include "views/model/attention/figure_words.hpp"
#include "views/model/attention/triple_hits.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

/// Two lines: its keys, and what the kernel did with it. A click frames it in the map.
void draw_wrong_pair(Context& context, const WrongPair& pair, int row) {
  AttentionUi& ui = context.ui.attention;
  const AttentionData& data = context.data.attention;
  const AttentionSideData& side = data.sides[0];
  const AttentionCell cell{pair.j, pair.k};
  const std::string keys = keys_text(side.slice_of, *side.source, cell);
  const std::string done = done_text(pair) + "; " + share_text(pair);
  const float wrap = ImGui::GetContentRegionAvail().x;
  const auto height = [wrap](const std::string& text) {
    return ImGui::CalcTextSize(text.c_str(), nullptr, false, wrap).y;
  };
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::PushID(row);
  if (ImGui::Selectable("##wrong_pair", ui.pinned == cell, 0, ImVec2(0, height(keys) + height(done))))
    go_to(ui, data, {side.slice_of.query.head, side.slice_of.query.query, {.j = pair.j, .k = pair.k}});
  ImGui::PopID();
  tooltip(context,
          fmt::format("o of the kernel minus o is {} (v1_j v2_k - o), up to the rest. A click frames the pair.",
                      significant_text(pair.c, 3)));
  const ImVec2 end = ImGui::GetCursorScreenPos();
  ImGui::SetCursorScreenPos(at);
  ImGui::PushTextWrapPos(0);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  coloured_text(context.look.theme.text, keys);
  coloured_text(context.look.theme.muted, done);
  ImGui::PopStyleVar();
  ImGui::PopTextWrapPos();
  ImGui::SetCursorScreenPos(end);
}

}  // namespace

void draw_wrong_pairs(Context& context, const KernelRow& row) {
  if (!(row.error > row.bound)) return;
  ImGui::PushTextWrapPos(0);
  coloured_text(context.look.theme.slower,
                fmt::format("Wrong: a right kernel is within {}.", significant_text(row.bound, 2)));
  ImGui::PopTextWrapPos();
  if (row.wrong.empty()) return muted_text(context, "No single pair explains it.", true);
  const SmallFont font(context.look);
  for (std::size_t n = 0; n < row.wrong.size(); ++n) draw_wrong_pair(context, row.wrong[n], static_cast<int>(n));
}

}  // namespace triscope
