#include "views/parts/tooltip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "profiler/record/columns.hpp"

namespace triscope {
namespace {

constexpr float kMostWidth = 360;      ///< of the text, in design pixels
constexpr float kNarrowPanel = 0.45F;  ///< of the window's width: beside it there is room for a tooltip

/// Marks a window as the place of its tooltips.
constexpr ImGuiID kColumnMark = 0x636f6c75;

void say(std::string_view text) { ImGui::TextUnformatted(text.data(), text.data() + text.size()); }

/// Words are in the font of words, whatever the item that they explain is written in.
struct TextFont {
  explicit TextFont(const Look& look) { ImGui::PushFont(look.text, kBodySize); }
  ~TextFont() { ImGui::PopFont(); }
  TextFont(const TextFont&) = delete;
  TextFont& operator=(const TextFont&) = delete;
};

/// The column that tooltips of the last item stay in; null: none.
const ImGuiWindow* column_of_tooltips() {
  const ImGuiWindow* window = ImGui::GetCurrentWindowRead();
  while (window != nullptr && !window->StateStorage.GetBool(kColumnMark)) window = window->ParentWindow;
  return window;
}

/// Where the lines of the next tooltip end, in its window.
float end_of_lines(const Look& look) {
  const ImGuiWindow* column = column_of_tooltips();
  if (column == nullptr) return look.px(kMostWidth);
  return std::min(look.px(kMostWidth), column->Size.x - ImGui::GetStyle().WindowPadding.x);
}

bool is_narrow(const ImRect& panel, const ImRect& room) { return panel.GetWidth() < kNarrowPanel * room.GetWidth(); }

/// The panel that the last item stands in: of a narrow one the whole, of a wide one the part with the item.
ImRect panel_of_item(const ImRect& room) {
  const ImGuiWindow* window = ImGui::GetCurrentWindowRead();  // or the tab of a panel would be no item any more
  const ImRect whole = window->RootWindow->Rect();
  if (is_narrow(whole, room)) return whole;
  if (const ImGuiTable* table = ImGui::GetCurrentTable()) window = table->OuterWindow;
  return window->Rect();
}

ImRect head_of(const ImGuiTable& table) {
  const float height =
      ImGui::TableGetInstanceData(const_cast<ImGuiTable*>(&table), table.InstanceCurrent)->LastTopHeadersRowHeight;
  return {table.OuterRect.Min, ImVec2(table.OuterRect.Max.x, table.OuterRect.Min.y + height)};
}

/// The row that the last item stands in, as wide as its table; beside tables the line of controls.
ImRect band_of_item(const ImRect& panel) {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  ImRect item = g.LastItemData.Rect;
  if (const ImGuiTable* table = g.CurrentTable) {
    item.Min.x = table->OuterRect.Min.x, item.Max.x = table->OuterRect.Max.x;
    item.Min.y = std::min(item.Min.y, table->RowPosY1), item.Max.y = std::max(item.Max.y, table->RowPosY2);
  } else {
    item.Min.x = std::min(item.Min.x, panel.Min.x), item.Max.x = std::max(item.Max.x, panel.Max.x);
  }
  return item;
}

/// What a tooltip of the last item leaves in view: its row, the heads of the panel's tables, of an item above a table
/// the controls between the two, and beside a part of a wide panel the lines of controls that such a panel begins with.
std::vector<ImRect> kept_free(const Look& look, const ImRect& panel) {
  ImGuiContext& g = *ImGui::GetCurrentContext();
  const ImRect band = band_of_item(panel), whole = g.CurrentWindow->RootWindow->Rect();
  std::vector<ImRect> kept{band};
  if (whole.GetWidth() > 1.5F * panel.GetWidth() && column_of_tooltips() == nullptr)
    kept.emplace_back(whole.Min, ImVec2(whole.Max.x, whole.Min.y + look.px(64)));
  for (int n = 0; n < g.Tables.GetMapSize(); ++n) {
    const ImGuiTable* table = g.Tables.TryGetMapData(n);
    if (table == nullptr || table->LastFrameActive + 1 < g.FrameCount || table->OuterWindow == nullptr ||
        table->OuterWindow->RootWindow != g.CurrentWindow->RootWindow)
      continue;
    const ImRect head = head_of(*table);
    if (head.GetHeight() <= 0) continue;
    kept.push_back(head);
    const float between = head.Min.y - band.Max.y;
    const bool near = between > 0 && between < look.px(160) && panel.Overlaps(head);
    if (near && g.CurrentTable == nullptr)
      kept.emplace_back(std::max(panel.Min.x, head.Min.x), band.Min.y, std::min(panel.Max.x, head.Max.x), head.Max.y);
  }
  return kept;
}

/// Where tooltips of `what` have room: in its column, above the notices, unless it is one of these.
ImRect room_of(const ImRect& what) {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImRect room(viewport->Pos, ImVec2(viewport->Pos.x + viewport->Size.x, viewport->Pos.y + viewport->Size.y));
  const ImGuiWindow* notices = ImGui::FindWindowByName(kNoticesWindow);
  if (notices != nullptr && notices->WasActive && what.Min.y < notices->Pos.y) room.Max.y = notices->Pos.y;
  if (const ImGuiWindow* column = column_of_tooltips()) room.ClipWith(column->Rect());
  return room;
}

/// Says where the tooltip stands that comes next. One of something high, such as a chart, follows the pointer. One of a
/// tab stands above it, clear of the toolbar, or below the panel's first lines.
void place_tooltip(const Look& look, std::string_view text, bool tab = false) {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  const bool in_column = column_of_tooltips() != nullptr;
  const ImRect what = ImGui::GetCurrentContext()->LastItemData.Rect, room = room_of(what);
  const ImRect panel = in_column ? room : panel_of_item(room);
  const ImVec2 pad = ImGui::GetStyle().WindowPadding;
  // It wraps at a place in its window, whose padding is before the text.
  ImVec2 size = ImGui::CalcTextSize(text.data(), text.data() + text.size(), false, end_of_lines(look) - pad.x);
  size = ImVec2(size.x + 2 * pad.x, size.y + 2 * pad.y);
  if (what.GetHeight() > look.px(40) && !is_narrow(panel, room) && !in_column) {
    const ImVec2 mouse = ImGui::GetMousePos();
    const bool covers = mouse.y + look.px(24) + size.y > room.Max.y && room.Max.y < viewport->Pos.y + viewport->Size.y;
    if (covers)
      ImGui::SetNextWindowPos(ImVec2(mouse.x + look.px(16), std::max(room.Min.y, room.Max.y - look.px(6) - size.y)),
                              ImGuiCond_Always);
    return;
  }
  const float x = ImGui::GetMousePos().x, gap = look.px(6), above = what.Min.y - gap - size.y;
  std::vector<ImRect> kept = kept_free(look, panel);
  if (tab && !is_narrow(panel, room)) {
    if (above > viewport->WorkPos.y)
      return ImGui::SetNextWindowPos(ImVec2(std::min(x, room.Max.x - size.x), above), ImGuiCond_Always);
    kept.emplace_back(panel.Min, ImVec2(panel.Max.x, what.Max.y + look.px(64)));
  }
  ImGui::SetNextWindowPos(tooltip_place(what, x, size, panel, kept, room, gap), ImGuiCond_Always);
}

void show_tooltip(const Look& look, std::string_view text) {
  const float lines_end = end_of_lines(look);  // of the panel, which the tooltip is no part of
  if (!ImGui::BeginTooltip()) return;
  ImGui::PushTextWrapPos(lines_end);
  say(text);
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

/// The last item was clicked, and the pointer has not left it since: what the click opened is looked at now.
bool was_clicked() {
  const ImGuiLastItemData& item = ImGui::GetCurrentContext()->LastItemData;
  if (item.ID == 0 || (item.ItemFlags & ImGuiItemFlags_Disabled) != 0) return false;
  constexpr ImGuiID kClickedMark = 0x636c6963;
  // Not GetCurrentWindow, after which the tab of a panel would be no item any more.
  ImGuiStorage& storage = ImGui::GetCurrentWindowRead()->StateStorage;
  const ImGuiID mark = ImHashData(&kClickedMark, sizeof kClickedMark, item.ID);
  const bool over = ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
  const bool clicked = over && (storage.GetBool(mark) || ImGui::IsMouseClicked(ImGuiMouseButton_Left));
  if (clicked != storage.GetBool(mark)) storage.SetBool(mark, clicked);
  return clicked;
}

/// Since the start the pointer has done something: where it happened to rest it points at nothing.
bool pointer_works(const Context& context) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool now = io.MouseDelta.x != 0 || io.MouseDelta.y != 0 || io.MouseWheel != 0 || ImGui::IsAnyMouseDown();
  context.ui.pointer_moved = context.ui.pointer_moved || now;
  return context.ui.pointer_moved;
}

}  // namespace

ImVec2 tooltip_place(const ImRect& what, float x, ImVec2 size, const ImRect& panel, std::span<const ImRect> kept,
                     const ImRect& room, float gap) {
  const auto within = [&](float wanted, float low, float high) { return std::clamp(wanted, low, std::max(low, high)); };
  const float column = within(x, room.Min.x, room.Max.x - size.x),
              line = within(what.Min.y, room.Min.y, room.Max.y - size.y);
  const ImVec2 right(panel.Max.x + gap, line), left(panel.Min.x - gap - size.x, line);
  std::vector<ImVec2> below{ImVec2(column, what.Max.y + gap)};
  for (const ImRect& one : kept) {
    if (one.Max.y > what.Max.y) below.emplace_back(column, one.Max.y + gap);
  }
  std::ranges::stable_sort(below, {}, &ImVec2::y);
  std::vector<ImVec2> places{right, left};
  if (panel.Min.x - room.Min.x > room.Max.x - panel.Max.x) std::swap(places[0], places[1]);
  if (is_narrow(panel, room)) {
    // Beside the panel, but lower: what follows the item stays in view, too.
    const std::array<float, 2> sides{places[0].x, places[1].x};
    for (const ImVec2& place : below) {
      for (const float side : sides) places.emplace_back(side, place.y);
    }
  }
  places.insert(is_narrow(panel, room) ? places.end() : places.begin(), below.begin(), below.end());
  places.emplace_back(column, what.Min.y - gap - size.y);
  const auto stands = [&](const ImVec2& place) { return ImRect(place, ImVec2(place.x + size.x, place.y + size.y)); };
  for (const bool all : {true, false}) {  // else what it explains alone is kept free
    for (const ImVec2& place : places) {
      const ImRect covered = stands(place);
      if (!room.Contains(covered) || covered.Overlaps(what)) continue;
      if (all && std::ranges::any_of(kept, [&](const ImRect& one) { return covered.Overlaps(one); })) continue;
      return place;
    }
  }
  return {column, within(what.Max.y + gap, room.Min.y, room.Max.y - size.y)};
}

void keep_tooltips_in_column() { ImGui::GetCurrentWindow()->StateStorage.SetBool(kColumnMark, true); }

void value_tooltip(const Context& context, std::string_view text) {
  if (!pointer_works(context)) return;
  const TextFont font(context.look);
  place_tooltip(context.look, text);
  show_tooltip(context.look, text);
}

void tooltip(const Context& context, std::string_view text) {
  if (!pointer_works(context) || was_clicked() ||
      !ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip | ImGuiHoveredFlags_AllowWhenDisabled))
    return;
  const TextFont font(context.look);
  place_tooltip(context.look, text);
  show_tooltip(context.look, text);
}

void tab_tooltip(const Context& context, std::string_view text) {
  if (!pointer_works(context) || was_clicked() || !ImGui::IsItemHovered(ImGuiHoveredFlags_DelayNormal)) return;
  place_tooltip(context.look, text, true);
  show_tooltip(context.look, text);
}

void field_tooltip(const Context& context, std::string_view title, const FieldText& text) {
  if (!pointer_works(context) || was_clicked() || !ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip)) return;
  place_tooltip(context.look, fmt::format("{}\n{}\n{}\n{}", title, text.meaning, text.formula, text.better));
  const float lines_end = end_of_lines(context.look);
  if (!ImGui::BeginTooltip()) return;
  ImGui::PushTextWrapPos(lines_end);
  ImGui::PushFont(context.look.heading, kBodySize);
  say(title);
  ImGui::PopFont();
  say(text.meaning);
  ImGui::PushStyleColor(ImGuiCol_Text, context.look.theme.muted);
  if (!text.formula.empty()) {
    ImGui::PushFont(context.look.numbers, kSecondarySize);
    say(text.formula);
    ImGui::PopFont();
  }
  if (!text.better.empty()) say(text.better);
  ImGui::PopStyleColor();
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

}  // namespace triscope
