// What is said below the maps of attention: the framed pair and the one under the pointer; below a picture what it is
// of.
#include <imgui.h>

#include <algorithm>
#include <string>

#include "views/attention/attention_parts.hpp"
#include "views/model/attention/figure_words.hpp"
#include "views/model/attention/triple_hits.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

std::string pair_words(Context& context, const AttentionCell& cell) {
  return pair_text(context.models.attention(), context.ui.attention, context.data.attention, cell);
}

std::string framed_words(Context& context) {
  return framed_text(context.models.attention(), context.ui.attention, context.data.attention);
}

MapCaption caption_of(Context& context) {
  return map_caption(context.models.attention(), context.ui.attention, context.data.attention);
}

}  // namespace

void draw_map_colours(Context& context, ImVec2 at, float width) {
  const AttentionUi& ui = context.ui.attention;
  const int which = ui.flipped ? 1 : ui.show == AttentionShow::difference ? 2 : 0;
  const HeatmapStyle style = context.models.attention().style(ui, context.data.attention, which);
  const float meaning = context.look.px(160);  // behind the colours
  ImGui::SetCursorScreenPos(at);
  draw_range_scale(context, style, at.x, at.x + std::clamp(width - meaning, context.look.px(80), context.look.px(240)));
}

float caption_height(Context& context, float width) {
  const MapCaption caption = caption_of(context);
  const float gap = ImGui::GetStyle().ItemSpacing.y;
  float height = ImGui::GetTextLineHeight() + gap;  // of the colours
  const auto add = [&](const std::string& text) {
    height += ImGui::CalcTextSize(text.c_str(), nullptr, false, width).y + gap;
  };
  if (!caption.framed.empty()) add(caption.framed);
  const SmallFont font(context.look);
  for (const std::string& line : caption.lines) add(line);
  return height;
}

void draw_caption(Context& context, ImVec2 at, float width) {
  const MapCaption caption = caption_of(context);
  ImGui::SetCursorScreenPos(at);
  ImGui::BeginGroup();
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
  for (const std::string& line : caption.lines) muted_text(context, line);
  if (!caption.framed.empty()) coloured_text(context.look.theme.text, caption.framed);
  draw_map_colours(context, ImGui::GetCursorScreenPos(), width);
  ImGui::PopTextWrapPos();
  ImGui::EndGroup();
}

float draw_framed_keeps(Context& context, float right, float y, float room) {
  AttentionUi& ui = context.ui.attention;
  if (!ui.pinned) return 0;
  const Look& look = context.look;
  const SmallFont font(look);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(look.px(6), look.px(1)));
  constexpr const char *kKeeps = "keeps", *kPositions = "positions", *kDistances = "distances";
  const float gap = look.px(4), word = ImGui::CalcTextSize(kKeeps).x + look.px(6);
  const float width = word + button_width(kPositions) + gap + button_width(kDistances);
  if (width <= room) {
    const bool by_distance = ui.pinned_back.has_value();
    ImGui::SetCursorScreenPos(ImVec2(std::round(right - width), y));
    ImGui::AlignTextToFramePadding();
    muted_text(context, kKeeps);
    ImGui::SameLine(0, look.px(6));
    const auto choice = [&](const char* label, bool on, FramedKeeps keeps, bool enabled, const char* help) {
      if (chip(context, label, on, enabled)) choose_framed_keeps(ui, context.data.attention, keeps);
      tooltip(context, help);
    };
    choice(kPositions, !by_distance, FramedKeeps::positions, exists(*ui.pinned),
           exists(*ui.pinned)
               ? "The framed pair stays on the same two tokens when the query changes. Key K changes it. "
                 "It holds for pairs that you frame from now on, too."
               : "The framed pair lies before the first token, and has no positions");
    ImGui::SameLine(0, gap);
    choice(kDistances, by_distance, FramedKeeps::distances, true,
           "The framed pair stays as far from the query when that changes. Key K changes it. It holds for pairs that "
           "you frame from now on, too.");
  }
  ImGui::PopStyleVar();
  return width <= room ? width : 0;
}

void draw_readout(Context& context, float width, bool one_line) {
  const AttentionUi& ui = context.ui.attention;
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
  const bool both = ui.pinned && ui.hovered && ui.hovered != ui.pinned && !one_line;
  if (!ui.pinned && !ui.hovered) {
    muted_text(context,
               "Hover shows p, click frames the place. Wheel zooms, with Shift across, with Ctrl down; drag pans, "
               "double-click shows all. Arrow keys: query and head.");
  } else if (both) {
    coloured_text(context.look.theme.text, framed_words(context));
    coloured_text(context.look.theme.muted, "Pointer: " + pair_words(context, *ui.hovered));
  } else {
    const bool kept = ui.pinned && (!ui.hovered || ui.hovered == ui.pinned);
    coloured_text(context.look.theme.text, kept ? framed_words(context) : pair_words(context, *ui.hovered));
  }
  ImGui::PopTextWrapPos();
}

}  // namespace triscope
