// The strip of tokens below the map: words around the shown query, to walk on.
#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "kernels/inspect/slice_rules.hpp"
#include "views/attention/attention_parts.hpp"
#include "views/model/attention/attention_model.hpp"
#include "views/model/attention/beside/token_strip.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

// Design pixels. Above the tokens stand two lines, one for the reach of each window; below them names.
constexpr float kReach = 10, kTokens = 20, kNamesBelow = 16, kWord = 72, kNumber = 52;

struct StripPlace {
  TokenStrip tokens;
  Problem problem;
  std::int64_t query = 0;  ///< that the user is at, whose map may be still to come
  ImVec2 low;
  float cell = 0, width = 0;  ///< pixels

  float x_of(std::int64_t position) const { return low.x + static_cast<float>(position - tokens.first) * cell; }
  std::int64_t token_at(float x) const {
    const auto n = static_cast<std::int64_t>(std::floor((x - low.x) / cell));
    return tokens.first + std::clamp<std::int64_t>(n, 0, tokens.count - 1);
  }
};

/// A click goes to a token; dragging and the wheel walk.
void walk_on_strip(Context& context, const StripPlace& place, const SourceReply& source) {
  AttentionUi& ui = context.ui.attention;
  ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);
  if (ImGui::IsItemActivated()) ui.strip_held = place.query;
  if (ImGui::IsItemActive() && ui.strip_held && ImGui::IsMouseDragging(ImGuiMouseButton_Left)) {
    ui.playing = false;
    const float dragged = ImGui::GetIO().MousePos.x - ImGui::GetIO().MouseClickedPos[0].x;
    ui.query = *ui.strip_held - std::lround(dragged / place.cell);
  }
  if (ImGui::IsItemDeactivated()) {
    if (ImGui::IsItemHovered() && !ImGui::IsMouseDragPastThreshold(ImGuiMouseButton_Left)) {
      ui.playing = false;
      ui.query = place.token_at(ImGui::GetMousePos().x);
    }
    ui.strip_held.reset();
  }
  if (!ImGui::IsItemHovered()) {
    ui.strip_wheel = 0;
    return;
  }
  const ImGuiIO& io = ImGui::GetIO();
  const float wheel = io.MouseWheel != 0 ? io.MouseWheel : io.MouseWheelH;
  if (wheel != 0) {
    ui.playing = false;
    // A touchpad tells of many small parts of a step.
    ui.strip_wheel = wheel * ui.strip_wheel < 0 ? wheel : ui.strip_wheel + wheel;
    const float whole = std::trunc(ui.strip_wheel);
    ui.strip_wheel -= whole;
    ui.query -= std::lround(whole);
  }
  const std::int64_t token = place.token_at(ImGui::GetMousePos().x);
  value_tooltip(context, strip_text(source, place.problem, token_role(ui, place.problem, place.query, token),
                                    place.query, token));
}

/// How far the query sees along the strip, on either axis, with an end where the window has one.
void draw_reach(const Context& context, const StripPlace& place, int axis) {
  const Look& look = context.look;
  const SliceRange range = slice_range(place.problem, axis, place.query);
  const std::int64_t first = std::max(range.first, place.tokens.first),
                     end = std::min(range.first + range.count, place.tokens.first + place.tokens.count);
  if (first >= end) return;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float y = place.low.y + look.px(axis == 1 ? 1 : 5), thick = look.px(2), rim = look.px(1);
  const ImVec2 low(place.x_of(first) + rim, y), high(place.x_of(end) - rim, y + thick);
  list->AddRectFilled(low, high, look.theme.accent);
  if (range.first >= place.tokens.first)
    list->AddRectFilled(low, ImVec2(low.x + thick, high.y + look.px(2)), look.theme.accent);
}

void draw_token(const Context& context, const StripPlace& place, const SourceReply& source, std::int64_t position) {
  const Look& look = context.look;
  const Theme& theme = look.theme;
  const TokenRole role = token_role(context.ui.attention, place.problem, place.query, position);
  const float rim = std::max(1.0F, look.px(1)), top = place.low.y + look.px(kReach);
  const ImVec2 low(std::round(place.x_of(position)) + rim, top),
      high(std::round(place.x_of(position + 1)) - rim, top + look.px(kTokens));
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(low, high, role.query ? theme.accent_soft : theme.raised);
  if (role.query) list->AddRect(low, high, theme.accent, 0, rim);
  if (role.framed1 || role.framed2) {
    list->AddRect(ImVec2(low.x - 1, low.y - 1), ImVec2(high.x + 1, high.y + 1), theme.rim, 0, 4 * rim);
    list->AddRect(low, high, theme.kept, 0, 2 * rim);
  }
  const std::string word = shortened(token_word(source, position), high.x - low.x - look.px(6));
  const ImVec2 size = ImGui::CalcTextSize(word.c_str());
  const bool seen = role.seen1 || role.seen2;
  list->AddText(ImVec2(std::round((low.x + high.x - size.x) / 2), std::round((low.y + high.y - size.y) / 2)),
                role.query ? theme.accent
                : seen     ? theme.text
                           : theme.muted,
                word.c_str());
  const char* name = role.framed1 && role.framed2 ? "j, k"
                     : role.framed1               ? "j"
                     : role.framed2               ? "k"
                     : role.query                 ? "query"
                                                  : "";
  const float width = ImGui::CalcTextSize(name).x;
  list->AddText(ImVec2(std::round((low.x + high.x - width) / 2), high.y + look.px(2)), theme.muted, name);
}

/// Keys of the framed pair that lie beside the strip, at its end.
void name_keys_outside(const Context& context, const StripPlace& place) {
  const AttentionUi& ui = context.ui.attention;
  if (!ui.pinned || !exists(*ui.pinned)) return;
  const auto name = [&](bool before, const char* form) {
    const auto beside = [&](std::int64_t key) {
      return before ? key < place.tokens.first : key >= place.tokens.first + place.tokens.count;
    };
    const bool j = beside(ui.pinned->j), k = !has_one_key(place.problem) && beside(ui.pinned->k);
    if (!j && !k) return;
    const std::string text = fmt::format(fmt::runtime(form), j && k ? "j, k" : j ? "j" : "k");
    const float x = before ? 0 : place.width - ImGui::CalcTextSize(text.c_str()).x;
    ImGui::GetWindowDrawList()->AddText(ImVec2(place.low.x + x, place.low.y + context.look.px(kReach + kTokens + 2)),
                                        context.look.theme.muted, text.c_str());
  };
  name(true, "← {}");
  name(false, "{} →");
}

}  // namespace

float token_strip_height(const Look& look) { return look.px(kReach + kTokens + kNamesBelow + 4); }

void draw_token_strip(Context& context, ImVec2 at, float width) {
  const AttentionUi& ui = context.ui.attention;
  const AttentionSideData& side = context.data.attention.sides[ui.flipped ? 1 : 0];
  if (!side.source || !side.slice) return;
  const Look& look = context.look;
  const SourceReply& source = *side.source;
  const std::int64_t query = std::min(ui.query, source.seq_len - 1);
  const SmallFont font(look);
  const float least = look.px(source.labels.empty() ? kNumber : kWord);
  StripPlace place{token_strip(source.seq_len, query, static_cast<std::int64_t>(width / least)),
                   side.slice_of.query.problem, query, at};
  if (place.tokens.count < 1) return;
  place.cell = std::min(std::floor(width / static_cast<float>(place.tokens.count)), 1.5F * least);
  place.width = place.cell * static_cast<float>(place.tokens.count);
  ImGui::SetCursorScreenPos(at);
  ImGui::InvisibleButton("##tokens", ImVec2(place.width, look.px(kReach + kTokens + kNamesBelow)));
  walk_on_strip(context, place, source);
  draw_reach(context, place, 1);
  if (!has_one_key(place.problem)) draw_reach(context, place, 2);
  for (std::int64_t n = 0; n < place.tokens.count; ++n) draw_token(context, place, source, place.tokens.first + n);
  name_keys_outside(context, place);
}

}  // namespace triscope
