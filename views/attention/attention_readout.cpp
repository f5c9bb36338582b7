// What is said below the maps of attention: the framed pair and the one under the pointer; below a picture what it is
// of.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "profiler/record/columns.hpp"
#include "views/attention/attention_parts.hpp"
#include "views/data/format.hpp"
#include "views/model/attention/figure_words.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

/// "brown 1,005 with jumps 1,011: p = 0.138, logit 4.62".
std::string pair_text(Context& context, const AttentionCell& cell) {
  const AttentionUi& ui = context.ui.attention;
  const std::array<AttentionSideData, 2>& sides = context.models.attention().shown(ui, context.data.attention);
  const AttentionSideData& side = sides[ui.flipped ? 1 : 0];
  const auto describe = [&](const AttentionSideData& one) {
    const std::optional<double> log_p = log_p_at(*one.slice, cell);
    if (!log_p) return std::string("the query does not see this pair");
    if (!std::isfinite(*log_p)) return fmt::format("logit {}", std::isnan(*log_p) ? "NaN" : "infinite");
    if (*log_p <= std::numeric_limits<float>::lowest()) return std::string("p = 0, logit too small for a float");
    return fmt::format("p = {}, logit {}", significant_text(std::exp(*log_p), 4),
                       significant_text(*log_p + one.slice->lse, 5));
  };
  const std::int64_t query = side.slice_of.query.query;
  if (!exists(cell)) return missing_pair_text(cell, query);
  std::string text = fmt::format("j = {}, k = {}: {}", key_text(*side.source, cell.j, query),
                                 key_text(*side.source, cell.k, query), describe(side));
  if (uses_second(ui) && !ui.flipped && sides[1].slice) text += fmt::format(".  B: {}", describe(sides[1]));
  return text;
}

/// "Framed at query 511, by distance: " of a pair that goes with the query.
std::string framed_text(Context& context) {
  const AttentionUi& ui = context.ui.attention;
  const std::string text = pair_text(context, *ui.pinned);
  if (!ui.pinned_back) return "Framed: " + text;
  return fmt::format("Framed by distance, at query {}: {}", format_count(ui.pinned_back->query), text);
}

/// What stands below a picture, line by line.
struct Caption {
  std::vector<std::string> muted;
  std::string framed;
};

Caption caption_of(Context& context) {
  const AttentionUi& ui = context.ui.attention;
  const AttentionSideData& side = context.models.attention().shown(ui, context.data.attention)[ui.flipped ? 1 : 0];
  Caption caption;
  if (!side.slice || !side.source) return caption;
  caption.muted.push_back(picture_caption(side.slice_of, *side.source));
  if (const std::string origin = windows_origin_sentence(ui); !origin.empty()) caption.muted.push_back(origin);
  if (ui.pinned) caption.framed = framed_text(context);
  return caption;
}

}  // namespace

float caption_height(Context& context, float width) {
  const Caption caption = caption_of(context);
  const float gap = ImGui::GetStyle().ItemSpacing.y;
  float height = ImGui::GetTextLineHeight() + gap;  // of the colours
  const auto add = [&](const std::string& text) {
    height += ImGui::CalcTextSize(text.c_str(), nullptr, false, width).y + gap;
  };
  if (!caption.framed.empty()) add(caption.framed);
  const SmallFont font(context.look);
  for (const std::string& line : caption.muted) add(line);
  return height;
}

void draw_caption(Context& context, ImVec2 at, float width) {
  const AttentionUi& ui = context.ui.attention;
  const Caption caption = caption_of(context);
  ImGui::SetCursorScreenPos(at);
  ImGui::BeginGroup();
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
  for (const std::string& line : caption.muted) muted_text(context, line);
  if (!caption.framed.empty()) coloured_text(context.look.theme.text, caption.framed);
  const int which = ui.flipped ? 1 : ui.show == AttentionShow::difference ? 2 : 0;
  const HeatmapStyle style = context.models.attention().style(ui, context.data.attention, which);
  const ImVec2 bar = ImGui::GetCursorScreenPos();
  draw_range_scale(context, style, bar.x, bar.x + std::min(width, context.look.px(240)));
  ImGui::PopTextWrapPos();
  ImGui::EndGroup();
}

void draw_readout(Context& context, float width, bool one_line) {
  const AttentionUi& ui = context.ui.attention;
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
  const bool both = ui.pinned && ui.hovered && ui.hovered != ui.pinned && !one_line;
  if (!ui.pinned && !ui.hovered) {
    muted_text(context,
               "Hover shows a pair, click keeps it. Wheel zooms, with Shift across, with Ctrl down; drag pans, "
               "double-click shows all. Arrow keys: query and head.");
  } else if (both) {
    coloured_text(context.look.theme.text, framed_text(context));
    coloured_text(context.look.theme.muted, "Pointer: " + pair_text(context, *ui.hovered));
  } else {
    const bool kept = ui.pinned && (!ui.hovered || ui.hovered == ui.pinned);
    coloured_text(context.look.theme.text, kept ? framed_text(context) : pair_text(context, *ui.hovered));
  }
  ImGui::PopTextWrapPos();
}

}  // namespace triscope
